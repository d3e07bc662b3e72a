"""What docs/new-lab.md shows is what the second shipped lab holds, and its check works."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from grader.lab.files import LABS, TEMPLATES, write_starter
from grader.plugins import Status, status_of
from tests.checks.making_packages import install
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "new-lab.md").read_text(encoding="utf-8")
TUTORIALS = (ROOT / "docs" / "tutorials.md").read_text(encoding="utf-8")


def blocks(language: str, page: str = PAGE) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def test_its_toml_is_that_of_the_labs(tmp_path: Path) -> None:
    write_starter(tmp_path / "my-lab")
    ours = ROOT / "tests" / "labs"
    folders = (LABS / "small_gpt2", tmp_path / "my-lab", ours / "bearing", ours / "perceptron")
    files = [file for folder in folders for file in folder.rglob("*.toml")]
    lines = {line.strip() for file in files for line in file.read_text(encoding="utf-8").split("\n")}
    for block in blocks("toml"):
        tomllib.loads(block)
        own = [line for line in block.split("\n") if line.strip() and line.strip() not in lines]
        assert [line for line in own if not line.startswith("model_name")] == []


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
