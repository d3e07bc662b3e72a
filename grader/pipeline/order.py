"""What is to be graded, by what, under which circumstances beside the hand-in, and what became of it in a run."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from pydantic import Field

from grader.checks.finding import STATUS_WORDS, Finding, Status
from grader.cohort.attention import Absent
from grader.frozen import Frozen
from grader.gradebook.outline import one_of_equal
from grader.gradebook.store import Kept
from grader.intake.store import Listing
from grader.intake.submission import Source
from grader.lab.definition import Item, Lab
from grader.lab.truth import GroundTruth
from grader.message import Words, joined, say
from grader.reader.answer import Record
from grader.report.resources import PLAIN, Presentation
from grader.result import AppliedOverride, Lateness, LookedAgain, Override, Result
from grader.scoring import decided_status

_LENGTH = 16


class Circumstances(Frozen):
    """A hand-in's lateness, what persons decided about its items, and what a reader says that it states."""

    lateness: Lateness | None = None
    overrides: dict[str, Override] = Field(default_factory=dict)
    answers: dict[str, tuple[LookedAgain, ...]] = Field(
        default_factory=dict, description="By item: the student's requests to look again that were answered."
    )
    blind: frozenset[str] | None = Field(
        default=None, description="For blind grading: the words of names that must not be seen."
    )
    reader: Record | None = Field(default=None, description="What a reader answered, where one was asked.")


ORDINARY = Circumstances()


def fingerprint(finding: Finding) -> str:
    """Stands for what was found, where and with which outcome; not for the words in which it is told."""
    told = {
        "item": finding.item,
        "status": finding.status,
        "share": str(finding.share),
        "found": finding.found,
        "expected": finding.expected.text if finding.expected else None,
        "diagnoses": [diagnosis.id for diagnosis in finding.diagnoses],
        "evidence": [one.model_dump(mode="json", exclude={"box"}) for one in finding.evidence],
    }
    text = json.dumps(told, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_LENGTH]


def applied(item: Item, finding: Finding, override: Override, score_before: object) -> AppliedOverride:
    """An override put in force on a finding."""
    fields = {**dict(override), "status": decided_status(item, override)}
    return AppliedOverride(
        **fields,
        before=finding.status,
        score_before=score_before,
        stale=bool(override.finding) and override.finding != fingerprint(finding),
    )


def staff_note(finding: Finding, put: AppliedOverride) -> Words:
    """The finding's note, after a warning where the override was decided on another finding."""
    if not put.stale:
        return finding.note
    warning = say(
        "The override by {author} of {date} was decided on another finding; since then the grader concludes "
        "'{status}'. Look again, then renew or remove the override.",
        author=put.author,
        date=put.date,
        status=STATUS_WORDS[put.before],
    )
    return joined(" ", (warning, finding.note)) if finding.note else warning


def status_of(finding: Finding, put: AppliedOverride | None) -> Status:
    """The status in force."""
    return put.status if put and put.status else finding.status


@dataclass(frozen=True)
class Order:
    """The hand-ins of a class, the lab and the truth that they are graded by, and how the results are presented.

    `circumstances` are by student id. `missing` are students of whom there is no hand-in, for the files of the class.
    The stages of grading are kept beside the results `with_readings`. `debug` has errors printed with where in the
    program they happened. `listings` are of the stores in which hand-ins lie.
    """

    sources: tuple[Source, ...]
    lab: Lab
    truth: GroundTruth
    with_reports: bool = True
    with_readings: bool = True
    circumstances: Mapping[str, Circumstances] = field(default_factory=dict)
    presentation: Presentation = PLAIN
    missing: tuple[Absent, ...] = ()
    debug: bool = False
    listings: tuple[Listing, ...] = ()

    def circumstances_of(self, source: Source) -> Circumstances:
        """What counts for a hand-in beside itself."""
        return self.circumstances.get(source.student_id, ORDINARY)


@dataclass(frozen=True, slots=True)
class Graded:
    """A student's grade in short, as all those of a class are in memory together; points as in a result. `made_by` are
    the grader, and a hash of language and templates.

    `unchanged`: an earlier grade still holds. `result` is there only where it lies in no folder. `report_problem` is
    why the report could not be made, if it could not.
    """

    student: str
    made_by: tuple[str, str]
    result_sha256: str
    score: Decimal
    pending: Decimal
    max_score: Decimal
    error: str | None
    flags: tuple[str, ...]
    stale: tuple[str, ...]
    unchanged: bool = False
    result: Result | None = None
    report_problem: str | None = None


def in_short(kept: Kept, *, unchanged: bool = False, report_problem: str | None = None) -> Graded:
    """A grade in short."""
    outline = kept.outline
    return Graded(
        student=kept.student,
        made_by=one_of_equal((kept.inputs.grader, kept.inputs.presentation)),
        result_sha256=kept.result_sha256,
        score=one_of_equal(outline.score),
        pending=one_of_equal(outline.pending),
        max_score=one_of_equal(outline.max_score),
        error=outline.error,
        flags=one_of_equal(outline.flags),
        stale=one_of_equal(outline.stale),
        unchanged=unchanged,
        report_problem=report_problem,
    )
