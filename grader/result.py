"""The result of one submission: the whole proof, as `result.json` holds it. Keys are stable; additions are allowed."""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import Field, PlainSerializer

from grader.checks.finding import HAND_IN, STATUS_WORDS, UNREADABLE, Diagnosis, Flag, Severity, Status
from grader.claims.likeness import SeriesPrint, TextPrint
from grader.frozen import Frozen
from grader.intake.submission import Identity, Member
from grader.message import Words
from grader.reader.answer import ReaderUsed
from grader.reading.document import SECTIONS as SECTIONS
from grader.reading.document import Evidence
from grader.reading.document import Part as Part

__all__ = [
    "HAND_IN",
    "STATUS_WORDS",
    "UNREADABLE",
    "AppliedOverride",
    "Average",
    "Curve",
    "CurveBand",
    "Diagnosis",
    "Evidence",
    "Flag",
    "GradedFile",
    "Identity",
    "ItemResult",
    "Lateness",
    "LookedAgain",
    "Member",
    "Override",
    "ReaderUsed",
    "Result",
    "SeriesPrint",
    "Severity",
    "Status",
    "Subject",
    "TextPrint",
]

Points = Annotated[Decimal, PlainSerializer(float, return_type=float, when_used="json")]
"""Points are exact decimals in the program and plain numbers in JSON."""


class Student(Frozen):
    """The student who handed in; `identity` holds the names that the school's systems use, where they are known."""

    id: str
    name: str
    identity: Identity | None = None
    origin: str = Field(default="", description="The name that the submission was found under; the id was made of it.")


class ExperimentTitle(Frozen):
    """The name that a lab gives to one of its experiments, in a clause that begins with a small letter."""

    id: str
    title: Words


class LabReference(Frozen):
    """The lab, and the version of its files."""

    id: str
    title: Words
    sha256: str
    names_markers: bool = Field(default=True, description="Whether students are told who decided.")
    rounding: Points = Field(default=Decimal("0.01"), description="Points are multiples of it.")
    experiments: tuple[ExperimentTitle, ...] = ()

    def experiment_title(self, experiment: str) -> str:
        """The title of an experiment, or its id where none is known."""
        return next((candidate.title for candidate in self.experiments if candidate.id == experiment), experiment)


class GradedFile(Frozen):
    """One submitted file and how much of it was read, with the reason where not all of it was."""

    path: str
    role: str
    state: Literal["read", "partly", "unreadable", "ignored"]
    reason: Words | None = None


class SubmissionRecord(Frozen):
    """The files that were handed in, and the time, where it is known."""

    sha256: str
    submitted_at: datetime | None = None
    files: tuple[GradedFile, ...] = ()
    report: str | None = Field(default=None, description="The file that was taken as the answer sheet.")
    report_reason: Words = Field(default="", description="Why that one, where there were several.")
    unopened_sha256: str = Field(
        default="", description="Of the submission as it lay, where some of it could not be opened, or grading failed."
    )


class QuestionScore(Frozen):
    """The score of one question. `pending` are points that a person has yet to decide."""

    id: str
    title: Words
    score: Points
    pending: Points
    max_score: Points


class Subject(NamedTuple):
    """The hashes that bind a decision to an item's answer, each empty where it is unknown: `owner` is the name that the
    hand-in was found under, `hand_in` everything that was handed in, and `asked` what the lab asks of the item.
    `answer` is the text that was read; it is empty if that does not distinguish one answer from another, for example if
    nothing was read."""

    owner: str = ""
    hand_in: str = ""
    asked: str = ""
    answer: str = ""

    @classmethod
    def from_text(cls, text: str) -> "Subject":
        """The subject whose `str` this is. Any other text yields one that equals no subject."""
        parts = text.split(":")
        return cls(*parts) if len(parts) == len(cls._fields) else cls(*[text and "?"] * len(cls._fields))

    def __str__(self) -> str:
        return ":".join(self) if any(self) else ""


class BoundHashes(NamedTuple):
    """The hashes that an entry of `overrides.toml` was bound to when it was first applied; see `Override` for the
    fields."""

    subject: str
    about: str


EVERYONE, MAXIMUM = "*", "* maximum"
_OF_ANSWER, _OF_SLIP = "* answer ", "* slip "


class Scope(NamedTuple):
    """The subject of a decision for the whole class: those who gave an `answer`, those who made the `slip` with an id,
    the maximum of the item (`is_maximum`), or, without any of these, everyone."""

    answer: str = ""
    slip: str = ""
    is_maximum: bool = False

    @classmethod
    def from_text(cls, text: str) -> "Scope | None":
        """The scope whose `str` this is; None for the id of a student."""
        if text not in (EVERYONE, MAXIMUM) and not text.startswith((_OF_ANSWER, _OF_SLIP)):
            return None
        slip = text.removeprefix(_OF_SLIP) if text.startswith(_OF_SLIP) else ""
        return cls(text.removeprefix(_OF_ANSWER) if text.startswith(_OF_ANSWER) else "", slip, text == MAXIMUM)

    def __str__(self) -> str:
        if self.is_maximum:
            return MAXIMUM
        return f"{_OF_ANSWER}{self.answer}" if self.answer else f"{_OF_SLIP}{self.slip}" if self.slip else EVERYONE

    def key(self, item: str) -> str:
        """The key of such a decision about an item among a student's decisions, which are by item."""
        return f"{item} {self}"


class Override(Frozen):
    """A person's decision about an item, in place of the grader's: a status, points, or rows of the item's rubric by
    their numbers from 1, which are worth what the lab says now. The status follows from points and rows."""

    status: Status | None = None
    points: Points | None = None
    rows: tuple[int, ...] | None = None
    reason: str
    author: str
    date: date
    finding: str = Field(default="", description="The `finding` of the item that it was decided on; may be unknown.")
    subject: str = Field(default="", description="The `subject` of the item that it was decided on; may be unknown.")
    about: str = Field(default="", description="The answer that it was decided on, in short.")
    scope: str = Field(default="", description="Of a decision for the whole class: whom it is about; see `Scope`.")
    bound: BoundHashes | None = Field(
        default=None, exclude=True, description="See `BoundHashes`; held by the gradebook alone."
    )
    sections: tuple[Part, ...] | None = Field(
        default=None,
        exclude=True,
        description="Which parts of the submission answer which questions, in place of a verdict.",
    )


class AppliedOverride(Override):
    """An override that is in force, and what the grader had concluded. `stale`: it was decided on another answer, so it
    is not in force."""

    before: Status
    score_before: Points
    suggestion_before: Status | None = None
    stale: bool = False


class ChangedWorth(Frozen):
    """A change of an item's maximum for the whole class, to nothing if it does not count, and the item's outcome
    before."""

    maximum_before: Points
    score_before: Points
    status_before: Status
    reason: str
    author: str
    date: date


class Lateness(Frozen):
    """The relation of a hand-in to its deadline. `penalty` is the number of points that the rule takes off; None means
    that the hand-in is not graded.

    `late_by` is in seconds, 0 for what is in time or within grace, None where the time of the hand-in is not known.
    """

    deadline: datetime
    extension: Words = Field(default="", description="Why the deadline is not everyone's.")
    late_by: int | None
    penalty: Points | None
    percent: Points | None = Field(
        default=None, description="What the rule takes off in percent instead; `penalty` is 0 then."
    )
    percent_of: Literal["earned", "maximum"] = "earned"
    text: Words = Field(description="All of it in one sentence, for the student.")
    rule: Words = Field(default="", description="The whole rule, for who is late.")
    time_from: Words = Field(default="", description="Who says when it was handed in.")


class LookedAgain(Frozen):
    """A student's request to look at an item again, and the answer."""

    text: str
    asked: date
    answer: str
    answered: date
    answered_by: str


class Versions(Frozen):
    """The versions by which an item was graded, where they differ from those of its result."""

    lab_sha256: str
    truth_sha256: str
    grader_version: str


class ItemResult(Frozen):
    """The outcome of one rubric item, and the proof of it. `pending` are points that a person has yet to decide."""

    id: str
    question: str
    title: Words
    status: Status
    score: Points
    pending: Points
    max_score: Points
    found: Words | None = None
    expected: Words | None = None
    truths: tuple[str, ...] = Field(default=(), description="Ids of the truths that the expectation comes from.")
    diagnoses: tuple[Diagnosis, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    feedback: Words = ""
    note: Words = Field(default="", description="For staff.")
    suggestion: Status | None = None
    group: str = Field(default="", description="Items of one group hold like answers: one decision settles them all.")
    tags: tuple[str, ...] = Field(default=(), description="What was recognised in an answer that was not decided.")
    decided_by: Words = Field(default="", description="Who decided about this answer, when and why, if a person did.")
    confidence: float = 1.0
    finding: str = Field(default="", description="Stands for what the grader found: it changes when that changes.")
    subject: str = Field(default="", description="What a decision about the item is bound to.")
    override: AppliedOverride | None = None
    earlier: AppliedOverride | None = Field(
        default=None, description="A decision about another answer, which is not in force: a person looks again."
    )
    worth: ChangedWorth | None = Field(default=None, description="That it is worth something else for the whole class.")
    requests: tuple[LookedAgain, ...] = Field(
        default=(), description="Requests of the student to look again that were answered, the oldest first."
    )
    kept_from: Versions | None = Field(
        default=None, description="By what it was graded, where a regrade of other items left it as it was."
    )


def is_confirmed(item: ItemResult) -> bool:
    """Whether a person only confirmed what the grader had decided, and had nothing to say about it."""
    put = item.override
    return bool(put and not (put.reason or put.scope) and (put.before, put.score_before) == (item.status, item.score))


def is_settled_for_class(item: ItemResult) -> bool:
    """Whether a decision for the whole class leaves nothing to decide about an item."""
    return bool((item.override and item.override.scope) or (item.worth and not item.max_score))


_LONGEST_ABOUT: Final = 200


def answer_summary(item: ItemResult) -> str:
    """The answer that a decision about an item is about, in short, for people; empty where nothing was read."""
    words = item.found or next((place.quote for place in item.evidence if place.quote.strip()), "")
    text = " ".join(words.split())
    return text if len(text) <= _LONGEST_ABOUT else f"{text[: _LONGEST_ABOUT - 1]}…"


class Quantity(Frozen):
    """The quantity that values measure: the measure's title, the unit after a value, and whether the lower of two
    values is better."""

    title: str = "accuracy"
    unit: str = "%"
    is_lower_better: bool = False


class Curve(Frozen):
    """An experiment's usual measure over the updates of one training run, as its logs hold it, in the order of
    `steps`; of an accuracy in percent. `is_selecting`: checkpoints are selected on this split. `by_epoch`: the steps
    are epochs, since the logs do not tell updates."""

    experiment: str
    split: str
    is_selecting: bool = False
    quantity: Quantity = Quantity()
    seed: int | None = None
    by_epoch: bool = False
    steps: tuple[int, ...]
    values: tuple[float, ...]


class CurveBand(Frozen):
    """The range in which `share` percent of the means over the repetitions are expected: the band of a truth."""

    id: str
    experiment: str
    split: str
    quantity: Quantity = Quantity()
    schedule: int | None = Field(default=None, description="Updates at which the learning rate reaches zero.")
    low: float
    high: float
    share: int


class Average(Frozen):
    """The mean over the repetitions that a report tells of one experiment's usual measure. `split` is None where the
    report does not say which; then `asked` is the one that results are asked for. `stated` is false where only the
    single values are told."""

    experiment: str
    split: str | None
    asked: str = "test"
    quantity: Quantity = Quantity()
    value: float
    stated: bool = True


class Result(Frozen):
    """One graded submission. `score` counts decided points only; `pending` are those that await a person.

    `score` is the sum of the items' scores less `late_penalty`, which is never more than that sum; `pending` is what
    the score can still rise by.
    """

    schema_version: Literal[1] = Field(default=1, alias="schema")
    student: Student
    lab: LabReference
    language: str = Field(default="en", description="Of the words in it.")
    truth_sha256: str
    grader_version: str
    submission: SubmissionRecord
    score: Points
    pending: Points
    max_score: Points
    late_penalty: Points = Decimal(0)
    lateness: Lateness | None = None
    needs_review: bool
    questions: tuple[QuestionScore, ...]
    items: tuple[ItemResult, ...]
    flags: tuple[Flag, ...] = ()
    series: tuple[SeriesPrint, ...] = Field(
        default=(), description="Fingerprints of the logged accuracies, for comparing students. For staff only."
    )
    curves: tuple[Curve, ...] = Field(default=(), description="The logged accuracies, for a figure; long ones thinned.")
    curve_bands: tuple[CurveBand, ...] = Field(default=(), description="The bands that the curves are held against.")
    averages: tuple[Average, ...] = Field(default=(), description="The reported averages, for comparing students.")
    average_bands: tuple[CurveBand, ...] = Field(default=(), description="All bands of the experiments in `averages`.")
    prose: TextPrint | None = Field(
        default=None, description="Fingerprint of the report's prose, for comparing students. For staff only."
    )
    reader: ReaderUsed | None = Field(
        default=None, description="Of a reader that was asked; items tell its part in them by tags. For staff only."
    )
    error: Words | None = Field(default=None, description="Why grading failed, when it did. Never the student's fault.")

    def to_json(self) -> str:
        """The text of `result.json`: the same result always gives the same bytes."""
        unused = {"reader"} if self.reader is None else None
        return self.model_dump_json(indent=2, by_alias=True, exclude=unused) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> "Result":
        """Read a result back. Raises pydantic.ValidationError when the text is no result."""
        return cls.model_validate_json(text)
