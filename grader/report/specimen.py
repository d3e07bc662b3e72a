"""A made-up result with everything a report can show, with which templates are tested before grading."""

from datetime import UTC, date, datetime
from decimal import Decimal

from grader.result import (
    AppliedOverride,
    Curve,
    CurveBand,
    Diagnosis,
    Evidence,
    Flag,
    GradedFile,
    ItemResult,
    LabReference,
    Lateness,
    QuestionScore,
    Result,
    Severity,
    Status,
    Student,
    SubmissionRecord,
)

_POINTS = Decimal(2)
_EARNED = {Status.CORRECT: _POINTS, Status.PARTIAL: Decimal(1)}
_DAY = datetime(2026, 3, 14, 12, tzinfo=UTC)
BOX = (72.0, 100.0, 300.0, 112.0)
"""Where on page 1 of `report.pdf` the first piece of evidence stands."""


def specimens() -> tuple[Result, ...]:
    """A result with everything, one whose grading failed, and one of an empty hand-in."""
    whole = specimen()
    failed = whole.model_copy(update={"student": Student(id="bo", name="Bo"), "error": "out of memory"})
    nothing = whole.submission.model_copy(update={"files": (), "report": None, "submitted_at": None})
    empty = Result(
        **{
            **{name: getattr(whole, name) for name in ("lab", "truth_sha256", "grader_version", "questions")},
            "student": Student(id="cy", name=""),
            "submission": nothing,
            "items": (_item(Status.MISSING, evidence=()),),
            "score": Decimal(0),
            "pending": Decimal(0),
            "max_score": _POINTS,
            "needs_review": False,
        }
    )
    return whole, failed, empty


def specimen() -> Result:
    """One item of each status and one that a person decided, with every field filled."""
    items = (*map(_item, Status), _item(Status.PARTIAL, override=_OVERRIDE, evidence=()))
    score, pending = sum(item.score for item in items), sum(item.pending for item in items)
    most = _POINTS * len(items)
    return Result(
        student=Student(id="ada", name="Ada"),
        lab=LabReference(id="lab", title="A lab", sha256="a" * 64),
        truth_sha256="b" * 64,
        grader_version="1",
        submission=SubmissionRecord(
            sha256="c" * 64, submitted_at=_DAY, files=_FILES, report="report.pdf", report_reason="it is the longest"
        ),
        score=Decimal(score),
        pending=Decimal(pending),
        max_score=most,
        late_penalty=Decimal(1),
        lateness=Lateness(deadline=_DAY, late_by=90, penalty=Decimal(1), text="Late.", time_from="the course system"),
        needs_review=True,
        questions=(
            QuestionScore(id="q1", title="A question", score=score, pending=pending, max_score=most),
            QuestionScore(id="q2", title="Another", score=Decimal(0), pending=Decimal(0), max_score=Decimal(0)),
        ),
        items=items,
        flags=(Flag(id="arithmetic", severity=Severity.WARNING, message="A flag.", evidence=(_EVIDENCE,)),),
        curves=tuple(
            Curve(experiment="run", split=split, seed=seed, steps=(1, 2, 3), values=(50.0, 70.0, 75.0))
            for split in ("valid", "test")
            for seed in (None, 1)
        ),
        curve_bands=(CurveBand(id="band", experiment="run", split="test", schedule=9, low=70.0, high=80.0, share=95),),
    )


_EVIDENCE = Evidence(file="report.pdf", page=1, box=BOX, quote="the total is 42")
_OVERRIDE = AppliedOverride(
    points=Decimal(1),
    reason="A reason.",
    author="R. Lee",
    date=date(2026, 3, 20),
    before=Status.REVIEW,
    score_before=Decimal(0),
    stale=True,
)
_FILES = (
    GradedFile(path="report.pdf", role="report", state="read"),
    GradedFile(path="code.zip", role="archive", state="unreadable", reason="It is damaged."),
)


def _item(status: Status, **more: object) -> ItemResult:
    fields: dict[str, object] = {
        "id": f"q1.{status}",
        "question": "q1",
        "title": "An item",
        "status": status,
        "score": _EARNED.get(status, Decimal(0)),
        "pending": _POINTS if status in (Status.REVIEW, Status.ERROR) else Decimal(0),
        "max_score": _POINTS,
        "found": "42",
        "expected": "43",
        "truths": ("truth",),
        "diagnoses": (Diagnosis(id="diagnosis", text="A diagnosis."),),
        "evidence": (_EVIDENCE,) * 9,
        "feedback": "Feedback.",
        "note": "A note.",
        "suggestion": Status.PARTIAL,
        "decided_by": "R. Lee",
    }
    return ItemResult.model_validate(fields | more)
