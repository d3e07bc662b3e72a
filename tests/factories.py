"""Results made by hand: whole and valid, with only what a test cares about spelt out."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from grader.result import (
    Evidence,
    GradedFile,
    ItemResult,
    LabReference,
    QuestionScore,
    Result,
    Status,
    Student,
    SubmissionRecord,
)

EARNED = {Status.CORRECT: Decimal(1), Status.PARTIAL: Decimal("0.5")}
REPORT = GradedFile(path="report.pdf", role="report", state="read")


def item(id_: str = "q1.total", status: Status = Status.CORRECT, points: str = "2", **more: Any) -> ItemResult:
    """An item whose score and pending points follow from its status; the question is the id's first part."""
    maximum = Decimal(points)
    fields = {
        "question": id_.split(".")[0],
        "title": f"Title of {id_}",
        "score": maximum * EARNED.get(status, Decimal(0)),
        "pending": maximum if status in (Status.REVIEW, Status.ERROR) else Decimal(0),
    }
    return ItemResult(id=id_, status=status, max_score=maximum, **(fields | more))


def result(student: str = "ada", items: Sequence[ItemResult] | None = None, **more: Any) -> Result:
    """A result whose questions and totals are the sums of its items. `name` and `files` may be given beside fields."""
    graded = tuple(items if items is not None else (item(),))
    questions = tuple(_question(id_, graded) for id_ in dict.fromkeys(one.question for one in graded))
    fields = {
        "student": Student(id=student, name=more.pop("name", student.title())),
        "lab": LabReference(id="counting", title="Counting parameters", sha256="a" * 64),
        "truth_sha256": "b" * 64,
        "grader_version": "0.1.0",
        "submission": SubmissionRecord(
            sha256=more.pop("sha256", f"{student:x<64.64}"), files=more.pop("files", (REPORT,))
        ),
        "score": _total(graded, "score"),
        "pending": _total(graded, "pending"),
        "max_score": _total(graded, "max_score"),
        "needs_review": any(one.pending for one in graded),
        "questions": questions,
        "items": graded,
    }
    return Result(**(fields | more))


def evidence(quote: str = "the total is 42", **more: Any) -> Evidence:
    """Words on page 1 of `report.pdf`."""
    return Evidence(**({"file": "report.pdf", "page": 1, "quote": quote} | more))


def _question(id_: str, items: Sequence[ItemResult]) -> QuestionScore:
    own = [one for one in items if one.question == id_]
    return QuestionScore(
        id=id_,
        title=f"Question {id_}",
        score=_total(own, "score"),
        pending=_total(own, "pending"),
        max_score=_total(own, "max_score"),
    )


def _total(items: Sequence[ItemResult], field: str) -> Decimal:
    return sum((getattr(one, field) for one in items), Decimal(0))
