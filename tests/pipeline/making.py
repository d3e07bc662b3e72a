"""A small class, graded for real, and the lab that it is graded by, free to be changed."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from click.testing import CliRunner, Result

from grader import cli
from grader.lab.files import lab_folder
from tests.conftest import ROOT

STUDENTS = ("student-02", "student-03", "student-08", "student-11")


def small_class(folder: Path, students: Sequence[str] = STUDENTS) -> Path:
    """Some of the sample class, and a lab of their own, in `class` and `lab`; graded into `graded` without reports."""
    for student in students:
        shutil.copytree(ROOT / "submissions" / student, folder / "class" / student)
    shutil.copytree(lab_folder("nlp-frameworks"), folder / "lab")
    done = grade(folder / "class", "--lab", folder / "lab", "--out", folder / "graded", "--no-reports")
    assert done.exit_code == 0, done.output
    return folder / "graded"


def grade(*arguments: object) -> Result:
    """The command within this process."""
    return CliRunner().invoke(cli._grade, [str(argument) for argument in arguments], catch_exceptions=False)


def change_lab(lab: Path, item: str, old: str, new: str) -> None:
    """Put one text for another in the table of an item."""
    path = lab / "lab.toml"
    text = path.read_text(encoding="utf-8")
    table = re.search(rf'^\[\[questions\.items\]\]\nid = "{re.escape(item)}"\n(?:.+\n)*', text, re.MULTILINE)
    assert table, item
    assert old in table.group(), table.group()
    path.write_text(text.replace(table.group(), table.group().replace(old, new), 1), encoding="utf-8")
