"""`grade lab init`: what it writes works as printed."""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.conftest import ROOT, results_in, run_grade
from tests.environments import environment


def test_what_is_there_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "lab.toml").write_text("mine", encoding="utf-8")
    done = run_grade("lab", "init", "mine", cwd=tmp_path)
    assert done.returncode == 2
    assert "not empty" in done.stderr
    assert [path.read_text(encoding="utf-8") for path in (tmp_path / "mine").iterdir()] == ["mine"]


def test_before_its_checks_are_installed_a_lab_says_how(tmp_path: Path) -> None:
    assert run_grade("lab", "init", "my-lab", cwd=tmp_path).returncode == 0
    done = run_grade("lab", "check", "my-lab", cwd=tmp_path)
    assert done.returncode == 1
    assert "my-lab-conclusion" in done.stdout
    assert "pip install -e" in done.stdout


def test_the_starter_is_graded_with_its_package(tmp_path: Path) -> None:
    """The metadata are written by hand here, as pip would."""
    run_grade("lab", "init", "my-lab", cwd=tmp_path)
    info = tmp_path / "site" / "my_lab_checks-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-lab-checks\nVersion: 0.1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        "[lab_grader.checks]\nmy-lab-conclusion = my_lab_checks:conclusion\n", encoding="utf-8"
    )
    programs = environment(tmp_path / "venv", tmp_path / "site", tmp_path / "my-lab")
    command = [str(programs / "grade"), "lab", "check", "my-lab"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "my-lab: 6 items, 6 points; 0 errors, 0 warnings: ready."
    assert "2.75 of 6 points, as expected" in done.stdout


@pytest.mark.slow
def test_the_printed_commands_work(tmp_path: Path) -> None:
    """In an environment of its own, which sees the libraries of this one; nothing is downloaded."""
    venv.create(tmp_path / "venv", with_pip=False)
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    here = [path for path in sys.path if path.endswith("site-packages")]
    added = "".join(f"import site; site.addsitedir({path!r})\n" for path in (*here, str(ROOT)))
    (site / "here.pth").write_text(added, encoding="utf-8")
    binaries = tmp_path / "venv" / "bin"
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")},
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_NO_INDEX": "1",
    }

    def shell(command: str) -> str:
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    printed = shell(f"{binaries / 'python'} -m grader lab init my-lab 2>&1")
    *commands, last = [line.partition(": ")[2] for line in printed.splitlines() if re.match("Next:|then:", line)]
    assert (len(commands), "lab.toml" in last) == (3, True)
    for command in commands:
        shell(command)
    result = results_in(tmp_path / "graded")["right"]
    assert (result.score, result.max_score, result.lab.id) == (6, 6, "my-lab")
    shell("python -m pytest -q my-lab")
