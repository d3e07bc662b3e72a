"""Hand-ins out of the shipped lab's labelled examples, and answers to them."""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from grader.checks.finding import Finding
from grader.intake.submission import Role
from grader.lab.definition import Lab
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.lab.truth import GroundTruth
from grader.pipeline.one import extract_claims, judge_answer
from grader.pipeline.stages import HandInFindings
from grader.reader.answer import Record
from grader.reader.card import KINDS, EarnedRights
from grader.reading.document import Block, BlockKind, Document
from grader.reading.reading import FileRecord, FileState, Reading

FOLDER = lab_folder("nlp-frameworks")
EXAMPLES = FOLDER / "readers" / "examples"
EVERYTHING = EarnedRights(
    facts=frozenset(KINDS), absences=frozenset(KINDS), labels=frozenset({"correct", "partial", "incorrect"})
)


@cache
def lab_and_truth() -> tuple[Lab, GroundTruth]:
    return load_lab(FOLDER), load_truth(FOLDER)


def lines_of(example: str) -> list[str]:
    return (EXAMPLES / f"{example}.txt").read_text(encoding="utf-8").splitlines()


def answer_of(example: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((EXAMPLES / f"{example}.json").read_text(encoding="utf-8"))
    return found


def reading(lines: Sequence[str]) -> Reading:
    blocks = tuple(Block(kind=BlockKind.LINE, text=line, line=number) for number, line in enumerate(lines, start=1))
    file = FileRecord(path="report.txt", role=Role.REPORT, state=FileState.READ)
    return Reading(documents=(Document(file=file.path, exact=True, blocks=blocks),), files=(file,))


def graded(lines: Sequence[str], answer: object = None, earned: EarnedRights = EVERYTHING) -> HandInFindings:
    """What is found in a text, with an answer of a reader: an object for JSON, or the answer's text."""
    lab, truth = lab_and_truth()
    read = reading(lines)
    record = None
    if answer is not None:
        text = answer if isinstance(answer, str) else json.dumps(answer)
        record = Record(reader="test", inputs="", earned=earned, answers=(text,))
    return judge_answer(read, extract_claims(read, lab), lab, truth, record)


@cache
def honest(example: str) -> tuple[HandInFindings, HandInFindings]:
    """What is found in an example without a reader, and with a true answer."""
    return graded(lines_of(example)), graded(lines_of(example), answer_of(example))


def by_item(found: HandInFindings) -> dict[str, Finding]:
    return {one.item: one for one in found.findings}
