"""The result of one submission: the whole proof, as `result.json` holds it. Keys are stable; additions are allowed."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, PlainSerializer

from grader.checks.finding import Diagnosis, Flag, Severity, Status
from grader.frozen import Frozen
from grader.reading.evidence import Evidence

__all__ = ["Diagnosis", "Evidence", "Flag", "GradedFile", "ItemResult", "Result", "Severity", "Status"]

Points = Annotated[Decimal, PlainSerializer(float, return_type=float, when_used="json")]
"""Points are exact decimals in the program and plain numbers in JSON."""


class Student(Frozen):
    """Who handed in."""

    id: str
    name: str


class LabReference(Frozen):
    """Which lab, and which version of its files."""

    id: str
    title: str
    sha256: str


class GradedFile(Frozen):
    """One submitted file and how much of it was read, with the reason where not all of it was."""

    path: str
    role: str
    state: Literal["read", "partly", "unreadable", "ignored"]
    reason: str | None = None


class SubmissionRecord(Frozen):
    """What was handed in, and when, where that is known."""

    sha256: str
    submitted_at: datetime | None = None
    files: tuple[GradedFile, ...] = ()
    report: str | None = Field(default=None, description="The file that was taken as the answer sheet.")
    report_reason: str = Field(default="", description="Why that one, where there were several.")


class QuestionScore(Frozen):
    """What one question earned. `pending` are points that a person has yet to decide."""

    id: str
    title: str
    score: Points
    pending: Points
    max_score: Points


class ItemResult(Frozen):
    """What one rubric item earned, and the proof of it. `pending` are points that a person has yet to decide."""

    id: str
    question: str
    title: str
    status: Status
    score: Points
    pending: Points
    max_score: Points
    found: str | None = None
    expected: str | None = None
    truths: tuple[str, ...] = Field(default=(), description="Ids of the truths that the expectation comes from.")
    diagnoses: tuple[Diagnosis, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    feedback: str = ""
    note: str = Field(default="", description="For staff.")
    suggestion: Status | None = None
    confidence: float = 1.0


class Result(Frozen):
    """One graded submission. `score` counts decided points only; `pending` are those that await a person."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    student: Student
    lab: LabReference
    truth_sha256: str
    grader_version: str
    submission: SubmissionRecord
    score: Points
    pending: Points
    max_score: Points
    late_penalty: Points = Decimal(0)
    needs_review: bool
    questions: tuple[QuestionScore, ...]
    items: tuple[ItemResult, ...]
    flags: tuple[Flag, ...] = ()
    error: str | None = Field(default=None, description="Why grading failed, when it did. Never the student's fault.")

    def to_json(self) -> str:
        """The text of `result.json`: the same result always gives the same bytes."""
        return self.model_dump_json(indent=2, by_alias=True) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> "Result":
        """Read a result back. Raises pydantic.ValidationError when the text is no result."""
        return cls.model_validate_json(text)
