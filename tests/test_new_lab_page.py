"""What docs/new-lab.md and docs/tutorials.md show works as they show it."""

import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from grader.lab.files import TEMPLATES, write_starter
from grader.pipeline.drafting import write_draft
from grader.plugins import Status, status_of
from tests.checks.making_packages import install
from tests.conftest import ROOT, results_in, run_grade

PAGE = (ROOT / "docs" / "new-lab.md").read_text(encoding="utf-8")
TUTORIALS = (ROOT / "docs" / "tutorials.md").read_text(encoding="utf-8")


def blocks(language: str, page: str = PAGE) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


FILES = re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = [
    (command.removeprefix("$ "), [line for line in shown.split("\n") if line.strip()])
    for block in blocks("console")
    for command, shown in re.findall(r"^(\$ .*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]


def test_its_commands_do_what_it_shows(tmp_path: Path) -> None:
    """From the hand-out to a graded class: files are saved where the page says so, and each command is run in turn."""
    pieces = re.split(r"(<!-- file: \S+ -->\n```\w+\n.*?```|```console\n.*?```)", PAGE, flags=re.DOTALL)
    files, commands = iter(FILES), iter(COMMANDS)
    for piece in pieces:
        if piece.startswith("<!-- file"):
            name, text = next(files)
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        for _ in range(piece.count("\n$ ") if piece.startswith("```console") else 0):
            command, shown = next(commands)
            program, *arguments = shlex.split(command)
            done = run_grade(*arguments, cwd=tmp_path)
            assert (program, done.returncode) == ("grade", 0), done.stdout + done.stderr
            printed = done.stdout.split("\n")
            assert [line for line in shown if line not in printed] == [], done.stdout + done.stderr
    assert next(files, None) is next(commands, None) is None
    results = results_in(tmp_path / "graded")
    assert {name: one.score for name, one in results.items()} == {"anna": 5, "ben": 2, "chloe": 5}
    assert (tmp_path / "graded" / "class.pdf").is_file()


def test_what_it_drafts_is_what_it_edits(tmp_path: Path) -> None:
    shown = dict(FILES)
    (tmp_path / "handout.md").write_text(shown["handout.md"], encoding="utf-8")
    drafted = write_draft(tmp_path / "my-lab", tmp_path / "handout.md")
    lab = tomllib.loads(shown["my-lab/lab.toml"])
    assert [one.label for one in drafted.questions] == [label for one in lab["questions"] for label in one["labels"]]
    assert {one["id"] for one in lab["questions"]} == {one.id for one in drafted.questions}
    assert shown["my-lab/lab.toml"].startswith("#:schema ")


def test_its_further_toml_is_that_of_the_starter(tmp_path: Path) -> None:
    write_starter(tmp_path / "my-lab")
    files = [file.read_text(encoding="utf-8") for file in (tmp_path / "my-lab").rglob("*.toml")]
    for block in blocks("toml"):
        tomllib.loads(block)
        assert block in dict(FILES).values() or any(block in text for text in files)


def test_the_tutorials_count_the_files_that_a_template_gives(tmp_path: Path) -> None:
    for name, count in re.findall(r"grade lab init \S+ --template (\w+)\n\S+ holds a lab in (\d+) files", TUTORIALS):
        assert write_starter(tmp_path / name, name) == int(count)


def test_the_tutorials_show_the_worked_labs() -> None:
    files = [path / "lab.toml" for path in TEMPLATES.values()]
    text = "\n".join(" ".join(file.read_text(encoding="utf-8").split()) for file in files)
    for block in blocks("toml", TUTORIALS):
        tomllib.loads(block)
        assert [line for line in block.split("\n") if " ".join(line.split()) not in text] == []


def test_its_check_works_in_the_starter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_starter(tmp_path / "my-lab")
    (code,) = blocks("python")
    assert len([line for line in code.split("\n") if line.strip()]) <= 20
    install(
        tmp_path / "site", "my-lab-conclusion", code=code.replace("def conclusion", "def custom"), package="from-page"
    )
    monkeypatch.syspath_prepend(tmp_path / "site")
    lab = tmp_path / "my-lab"
    assert status_of(lab, "q3.short", "# Question 3\n\nIt works.\n") is Status.CORRECT
    assert status_of(lab, "q3.short", "# Question 3\n\n" + "It works. " * 50) is Status.PARTIAL
    assert status_of(lab, "q3.short", "# Question 1\n\n42\n") is Status.MISSING
    sys.modules.pop("from_page", None)
