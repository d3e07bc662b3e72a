"""What reports show of the tasks in code, written by other hands: decided, and rightly."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from grader.checks.finding import UNDECIDED, Status
from grader.claims.answer import Answer, extract
from grader.intake.submission import Role
from grader.reading.document import Block, BlockKind, Document
from grader.reading.reading import FileRecord, FileState, Reading
from tests.checks.making import decide
from tests.claims.making import document, lab

SHOWN = tomllib.loads((Path(__file__).parents[1] / "generated" / "shown_in_reports.toml").read_text())["shown"]


def answer_of(shown: dict[str, Any]) -> Answer:
    made = document(shown["text"])
    if shown.get("pdf"):
        lines = [line for line in shown["text"].strip().split("\n") if line.strip()]
        blocks = tuple(Block(kind=BlockKind.LINE, text=line, page=1) for line in lines)
        made = Document(file="report.pdf", exact=False, blocks=blocks)
    files = (FileRecord(path=made.file, role=Role.REPORT, state=FileState.READ),)
    return extract(Reading(documents=(made,), files=files), lab())


@pytest.mark.parametrize("number", range(len(SHOWN)))
def test_what_is_decided_is_right(number: int) -> None:
    """All is decided but what the file says may be `left` to a person."""
    status = decide(SHOWN[number]["item"], answer_of(SHOWN[number]))[0].status
    alike = {Status.MISSING.value, Status.INCORRECT.value}
    allowed = set(SHOWN[number]["key"])
    right = status.value in allowed or {status.value, *allowed} <= alike
    assert right or (status in UNDECIDED and SHOWN[number].get("left"))
