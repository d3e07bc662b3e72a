"""Every verb ends with what to do next. The table below names them all, and a verb that is missing in it fails."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import click
import pytest

from grader import cli
from grader.lab.files import LABS
from reference.cli import truth
from tests.conftest import ROOT, run_grade
from tests.reference.reruns.making import make_data, make_lab

SAMPLE = ROOT / "submissions" / "student-11"
EXAMPLES = LABS / "nlp_frameworks" / "readers" / "examples"
SLOW = {"truth build", "truth verify", "lab qualify", "lab train"}
"""These load PyTorch or scikit-learn and compute for more than ten seconds."""
VERBS = {
    "run": "{sample} --out {new} --no-reports",
    "check": "{sample}",
    "read": "{sample}/report.txt",
    "lab qualify": "--reader recordings:{course}/examples --examples {course}/examples --card {new}",
    "export": "csv graded --out {new}",
    "serve review": "graded",
    "serve class": "graded",
    "serve requests": "graded",
    "serve markers": "graded",
    "serve release": "graded --withdraw",
    "serve links": "graded --at https://grades.example.org --export {new}",
    "serve": "graded",
    "regrade finish": "graded",
    "export history": "",
    "export diff": "",
    "regrade": "graded --no-reports",
    "regrade verify": "graded --from-readings",
    "lab init": "{new}",
    "lab check": "small-gpt2",
    "lab template": "{course}/handout.ipynb --lab {course}/words",
    "lab train": "{course}/words",
    "package students": "--lab small-gpt2 --out {new}",
    "package gradescope": "--lab small-gpt2 --out {new}.zip",
    "package prairielearn": "--lab small-gpt2 --out {new}",
    "package github": "--lab small-gpt2 --out {new}",
    "doctor": "",
    "truth build": "--lab {course}/tiny",
    "truth verify": "--lab {course}/tiny",
    "truth show": "--lab small-gpt2",
    "truth bands": "--lab small-gpt2",
    "truth count": "{root}/tests/reference/configs/gpt2.json",
    "truth rerun": "random --lab {course}/tiny --data {course}/tiny/data --out {new}",
    "truth collect": "{course}/runs --lab {course}/tiny --name here",
}
MORE = {
    "export history student-11": "export history student-11",
    "serve review, decided": "serve review graded --set {group}=correct --why Seen",
    "serve requests, one waits": "serve requests graded --import {course}/asked.csv",
    "serve --check": "serve --check",
    "serve --students": "serve --students graded",
    **{f"export {form}": f"export {form} graded --out {{new}}" for form in ("json", "xlsx", "gradescope")},
    "export prairielearn-results": "export prairielearn-results graded --out {new}",
    "serve release, all": "serve release graded",  # the last one: it locks decisions
}


def verbs(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Each verb by its whole name; those of `truth` come from another package."""
    if path == ("truth",):
        command = truth
    if isinstance(command, click.Group):
        for name, one in command.commands.items():
            yield from verbs(one, (*path, name))
    else:
        yield " ".join(path)


def interrupt(process: subprocess.Popen[str]) -> None:
    """Ctrl-C, as often as a person would press it where it comes too early."""
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(5)


def output(arguments: list[str], folder: Path) -> str:
    """All that a command writes on both of its outputs, in its order; a server is ended as by Ctrl-C."""
    if "serve" not in arguments:
        done = run_grade(*arguments, cwd=folder)
        assert done.returncode in (0, 1), done.both
        return done.both
    status, printed = interrupted([sys.executable, "-u", "-m", "grader", *arguments], folder)
    assert status in (0, 1, -signal.SIGINT), printed
    return printed


def interrupted(command: list[str], folder: Path, **variables: str) -> tuple[int, str]:
    """The exit status of a command and all that it prints; a server is ended as by Ctrl-C."""
    environment = {**os.environ, **variables}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("  ") and "http://" in line:
                Thread(target=interrupt, args=[process], daemon=True).start()
    return process.returncode, "".join(lines)


def steps(text: str) -> list[str]:
    """What the last lines of a text say to do next."""
    found: list[str] = []
    for line in text.rstrip().splitlines()[::-1]:
        match = re.fullmatch(r"(Next| +or| *then): (.+)", line)
        if match is None:
            break
        found.insert(0, match[2])
        if match[1] == "Next":
            return found
    return []


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of one, graded twice, and small labs."""
    folder = tmp_path_factory.mktemp("course")
    for again in ([], ["--again"]):
        output([str(SAMPLE), "--as", "student", "--no-reports", *again], folder)
    (folder / "asked.csv").write_text("student,item,reason\nstudent-11,q2.r,Please look again.\n", encoding="utf-8")
    (folder / "examples").mkdir()
    for path in EXAMPLES.glob("hand-01-00.*"):
        shutil.copy(path, folder / "examples")
    make_data(make_lab(folder / "tiny") / "data")
    words = Path(shutil.copytree(LABS / "nlp_frameworks", folder / "words", ignore=shutil.ignore_patterns("readers")))
    marked = (words / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    few = [line for line in marked if json.loads(line)["source"] in ("first", "second", "hand-01")]
    (words / "answers.jsonl").write_text("\n".join(few) + "\n", encoding="utf-8")
    cells = [{"cell_type": "markdown", "metadata": {}, "source": "# Question 1\n\nHow many?"}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "handout.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def runs(course: Path) -> Path:
    """Runs to collect."""
    tiny = course / "tiny"
    output(
        ["truth", "rerun", "random", "--lab", str(tiny), "--data", str(tiny / "data"), "--out", str(course / "runs")],
        course,
    )
    return course / "runs"


def test_the_table_is_whole() -> None:
    assert sorted(verbs(cli._grade)) == sorted(VERBS)


@pytest.mark.parametrize(
    "verb",
    [pytest.param(verb, marks=pytest.mark.slow) if verb in SLOW else verb for verb in (*VERBS, *MORE)],
)
def test_a_verb_ends_with_what_to_do_next(
    verb: str, course: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if verb == "truth collect":
        request.getfixturevalue("runs")
    told = f"{verb} {VERBS[verb]}" if verb in VERBS else MORE[verb]
    if "{group}" in told:
        group = re.search(r"^([0-9a-f]{8,})  ", output(["serve", "review", "graded"], course), re.MULTILINE)
        assert group
        told = told.replace("{group}", group[1])
    filled = told.format(sample=SAMPLE, course=course, root=ROOT, new=tmp_path / "new")
    text = output(filled.split(), course)
    found = steps(text)
    assert found, text[-2000:]
    known = {verb.split()[0] for verb in VERBS}
    for command in re.findall(r"(?:^|: |`)grade (\S+)", "\n".join(found), re.MULTILINE):
        assert command == "PATH" or command in known or os.sep in command, f"there is no `grade {command}`"


@pytest.mark.skipif(not Path(sys.executable).with_name("grade").is_file(), reason="started as `python -m grader` here")
def test_a_command_is_called_as_it_was_started(tmp_path: Path) -> None:
    """Where a shell would not find `grade`, a step begins with what it does find."""
    started = Path(sys.executable).with_name("grade")
    for place, path in ((str(started), "/usr/bin:/bin"), ("grade", f"{started.parent}:/usr/bin:/bin")):
        done = subprocess.run(
            [place, "doctor"], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        assert f" {place} PATH   (" in done.stderr
