"""What is to be graded, by what, under which circumstances beside the hand-in; the result that follows from what was
found in it, and what became of it in a run."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from pydantic import Field

from grader import __version__
from grader.checks.finding import STATUS_WORDS, Finding, Status, in_force
from grader.cohort.attention import Absent
from grader.frozen import Frozen
from grader.gradebook.outline import one_of_equal
from grader.gradebook.store import Kept
from grader.intake.store import Listing
from grader.intake.submission import Source, Submission
from grader.lab.definition import Item, Lab
from grader.lab.truth import GroundTruth
from grader.message import ENGLISH, Language, Words, joined, say, say_data, translated
from grader.pipeline.stages import Judged
from grader.reader.answer import Record
from grader.report.resources import PLAIN, Presentation
from grader.result import (
    AppliedOverride,
    ExperimentTitle,
    GradedFile,
    ItemResult,
    LabReference,
    Lateness,
    LookedAgain,
    Override,
    QuestionScore,
    Result,
    Student,
    SubmissionRecord,
)
from grader.scoring import Grade, Score, decided_status, grade, late_flags

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


def applied(item: Item, override: Override, before: Status, finding: str, score_before: object) -> AppliedOverride:
    """An override put in force on a finding, of which the status and the fingerprint are given."""
    fields = {**dict(override), "status": decided_status(item, override)}
    stale = bool(override.finding) and override.finding != finding
    return AppliedOverride(**fields, before=before, score_before=score_before, stale=stale)


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


def failed_result(
    source: Source,
    lab: Lab,
    truth: GroundTruth,
    reason: str,
    circumstances: Circumstances = ORDINARY,
    language: Language = ENGLISH,
) -> Result:
    """The result of a hand-in on which the grader itself failed: every item awaits a person, none is lost."""
    feedback = say("The grader failed on this hand-in; a person decides.")
    findings = tuple(Finding(item=item.id, status=Status.ERROR, feedback=feedback) for item in lab.items)
    result = _result(source.submission(""), Judged(findings=findings, flags=()), lab, truth, circumstances)
    return said(result.model_copy(update={"error": reason}), language)


def result_of(
    submission: Submission,
    found: Judged,
    lab: Lab,
    truth: GroundTruth,
    circumstances: Circumstances = ORDINARY,
    language: Language = ENGLISH,
) -> Result:
    """What was found, worth points under the circumstances; the words of the result are in the language. Of the
    submission only who handed it in, when, and its hash are asked."""
    return said(_result(submission, found, lab, truth, circumstances), language)


def _result(
    submission: Submission, found: Judged, lab: Lab, truth: GroundTruth, circumstances: Circumstances
) -> Result:
    late = circumstances.lateness
    findings = found.findings if found.is_settled else in_force(found, lab).findings
    points = grade(findings, lab, circumstances.overrides, late)
    return Result(
        schema=1,
        student=Student(id=submission.student_id, name=submission.student_name, identity=submission.identity),
        lab=LabReference(
            id=lab.id,
            title=say_data(lab.title),
            sha256=lab.sha256,
            experiments=tuple(ExperimentTitle(id=one.id, title=say_data(one.title)) for one in lab.experiments),
        ),
        truth_sha256=truth.sha256,
        grader_version=__version__,
        submission=SubmissionRecord(
            sha256=submission.sha256,
            submitted_at=submission.submitted_at,
            files=tuple(
                GradedFile(path=file.path, role=file.role, state=file.state.value, reason=file.reason)
                for file in found.files
            ),
            report=found.report,
            report_reason=found.report_reason,
        ),
        score=points.total.score,
        pending=points.total.pending,
        max_score=points.total.max_score,
        late_penalty=points.late_penalty,
        lateness=late,
        needs_review=points.needs_review,
        questions=tuple(
            QuestionScore(id=one.id, title=say_data(one.title), **dict(points.questions[one.id]))
            for one in lab.questions
        ),
        items=tuple(_items(findings, lab, points, circumstances)),
        flags=(*found.flags, *late_flags(late)),
        series=found.series,
        curves=found.curves,
        curve_bands=found.curve_bands,
        averages=found.averages,
        average_bands=found.average_bands,
        prose=found.prose,
        reader=found.reader,
    )


def _items(
    findings: tuple[Finding, ...], lab: Lab, points: Grade, circumstances: Circumstances
) -> Iterator[ItemResult]:
    found = {finding.item: finding for finding in findings}
    plain = grade(findings, lab) if circumstances.overrides else points
    for question in lab.questions:
        for item in question.items:
            finding, override, put = found[item.id], circumstances.overrides.get(item.id), None
            if override:
                score_before = plain.items[item.id].score
                put = applied(item, override, finding.status, fingerprint(finding), score_before)
            requests = circumstances.answers.get(item.id, ())
            yield _item(finding, question.id, item, points.items[item.id], put, requests)


def _item(
    finding: Finding,
    question: str,
    item: Item,
    score: Score,
    put: AppliedOverride | None,
    requests: tuple[LookedAgain, ...],
) -> ItemResult:
    return ItemResult(
        id=finding.item,
        question=question,
        title=say_data(item.title),
        status=put.status if put and put.status else finding.status,
        **dict(score),
        found=finding.found,
        expected=finding.expected.text if finding.expected else None,
        truths=finding.expected.truths if finding.expected else (),
        diagnoses=finding.diagnoses,
        evidence=finding.evidence,
        feedback=finding.feedback,
        note=staff_note(finding, put) if put else finding.note,
        suggestion=finding.suggestion,
        group=finding.group,
        tags=finding.tags,
        decided_by=finding.decided_by,
        confidence=finding.confidence,
        finding=fingerprint(finding),
        override=put,
        requests=requests,
    )


def said(result: Result, language: Language) -> Result:
    """The same result with every message in a language. What the student wrote is no message and stays as it is."""
    return translated(result, language).model_copy(update={"language": language.code})
