"""The order for a grading: what is to be graded, by what, and under which circumstances beside the hand-in. The module
also derives the result from the findings, and records the outcome of each hand-in in a run."""

import hashlib
import json
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from pydantic import Field

from grader import __version__
from grader.checks.feedback import left_to_person
from grader.checks.finding import UNDECIDED, Finding, Status, in_force
from grader.checks.outcomes import Outcomes, with_tests
from grader.cohort.attention import Absent
from grader.frozen import Frozen
from grader.gradebook.outline import one_of_equal
from grader.gradebook.review import plain_words
from grader.gradebook.store import StoredGrade
from grader.intake.opening import open_submission
from grader.intake.store import Listing
from grader.intake.submission import Source, Submission
from grader.lab.definition import Item, Lab
from grader.lab.truth import GroundTruth
from grader.message import ENGLISH, Language, say, say_data, translate
from grader.pipeline.hashes import hash_of, source_hashes
from grader.pipeline.stages import HandInFindings
from grader.reader.answer import Record
from grader.reading.reading import FileRecord, FileState
from grader.report.resources import PLAIN, Presentation
from grader.result import (
    MAXIMUM,
    AppliedOverride,
    BoundHashes,
    ChangedWorth,
    ExperimentTitle,
    GradedFile,
    ItemResult,
    LabReference,
    Lateness,
    LookedAgain,
    Override,
    QuestionScore,
    Result,
    Scope,
    Student,
    Subject,
    SubmissionRecord,
    is_settled_for_class,
)
from grader.scoring import (
    Grade,
    Score,
    after_lateness,
    decided_status,
    given_points,
    grade,
    late_flags,
    rounded_points,
    still_judges,
)

_LENGTH = 16


class Circumstances(Frozen):
    """A hand-in's lateness, what persons decided about its items, what a reader says that it states, and what tests of
    it came to."""

    lateness: Lateness | None = None
    overrides: dict[str, Override] = Field(default_factory=dict)
    answers: dict[str, tuple[LookedAgain, ...]] = Field(
        default_factory=dict, description="By item: the student's requests to look again that were answered."
    )
    blind: frozenset[str] | None = Field(
        default=None, description="For blind grading: the words of names that must not be seen."
    )
    reader: Record | None = Field(default=None, description="What a reader answered, where one was asked.")
    tests: Outcomes | None = Field(default=None, description="Results of tests that staff ran with other tools.")


ORDINARY = Circumstances()


def opened_whole(source: Source, work: Path) -> Submission:
    """A hand-in, opened, with the hash of what could not be let in. For `work` see `open_submission`."""
    submission = open_submission(source, work)
    if not submission.refused:
        return submission
    return submission.model_copy(update={"unopened_sha256": source_hashes([source])[0]})


def fingerprint(finding: Finding) -> str:
    """Stands for what was found, where and with which outcome; not for the words in which it is told."""
    facts = {
        "item": finding.item,
        "status": finding.status,
        "share": str(finding.share),
        "found": finding.found,
        "expected": finding.expected.text if finding.expected else None,
        "diagnoses": [diagnosis.id for diagnosis in finding.diagnoses],
        "evidence": [place.model_dump(mode="json", exclude={"box"}) for place in finding.evidence],
    }
    text = json.dumps(facts, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_LENGTH]


def subject_of(finding: Finding, submission: Submission, files: Collection[FileRecord], item: Item, asked: str) -> str:
    """Return the key that binds a decision to a finding; `asked` stands for the truth, the item for what is asked of
    it.

    An answer that was read is told from others by its words, however its file format spells quotation marks, spaces and
    emphasis. One that was only located, such as by the caption of a
    figure, is told by the files in which it was, and by all that were not read.
    """
    quotes = [place.quote for place in finding.evidence if place.quote.strip()]
    places = {place.file for place in finding.evidence}
    located = [file for file in files if file.path in places or file.state is not FileState.READ]
    concerned = [] if finding.found else located
    answer = ""
    if (finding.found or quotes) and all(file.sha256 for file in concerned):
        found = _plain(finding.found) if isinstance(finding.found, str) else finding.found
        outcome = [finding.status, str(finding.share), found, finding.expected and finding.expected.text]
        what = [
            finding.item,
            outcome,
            [diagnosis.id for diagnosis in finding.diagnoses],
            [_plain(quote) for quote in quotes],
        ]
        answer = _hash([what, sorted(file.sha256 for file in concerned)])
    hand_in = _hash(submission.sha256) if submission.sha256 or submission.unopened_sha256 else ""
    if submission.unopened_sha256:
        hand_in = f"{hand_in}-{submission.unopened_sha256[:_LENGTH]}"
    question = item.model_dump(mode="json", include={"check", "options", "needs"})
    if item.evidence != "report":
        question["evidence"] = item.evidence
    if item.witness:
        question["witness"] = item.witness
    owner = _hash(submission.origin) if submission.origin else ""
    return str(Subject(owner=owner, hand_in=hand_in, asked=_hash([question, asked]), answer=answer))


def _plain(words: str) -> str:
    from grader.claims.passage import normalise

    return " ".join(unicodedata.normalize("NFKC", normalise(words).text).split())


def _hash(value: object) -> str:
    return hash_of(value)[:_LENGTH]


def subject_in(result: Result, item: ItemResult) -> str:
    """Return the key that binds a decision to an item of a result. For a result of an earlier version, only the
    submission is known."""
    if item.subject or not result.submission.sha256:
        return item.subject
    return str(Subject(hand_in=f"{_hash(result.submission.sha256)}*"))


def with_override(item: ItemResult, lab_item: Item, override: Override | None) -> ItemResult:
    """An item that no person decided about, with a decision, if there is one: in force if it is about this answer. One
    about another answer is a suggestion: the item awaits a person, whatever the grader concludes by itself."""
    if override is None:
        return item
    status = decided_status(lab_item, override)
    fields = {**dict(override), "status": status, "before": item.status, "score_before": item.score}
    if still_judges(override, item.finding, item.subject):
        put = AppliedOverride.model_validate({**fields, "bound": None})
        worth = given_points(lab_item, override)
        return item.model_copy(update={"status": status, "score": worth, "pending": Decimal(0), "override": put})
    bound = override.bound or BoundHashes(override.subject, override.about)
    earlier_fields = {**fields, **bound._asdict(), "bound": None, "suggestion_before": item.suggestion, "stale": True}
    waits = {"status": Status.REVIEW, "score": Decimal(0), "pending": lab_item.points, "suggestion": status}
    return item.model_copy(update={**waits, "earlier": AppliedOverride.model_validate(earlier_fields)})


def undecided_item(item: ItemResult) -> ItemResult:
    """The item as the grader left it, before any person decided."""
    put, worth = item.override or item.earlier, item.worth
    if put is None and worth is None:
        return item
    status, score, maximum = item.status, item.score, item.max_score
    if put:
        status, score = put.before, put.score_before
    if worth:
        status, score, maximum = worth.status_before, worth.score_before, worth.maximum_before
    pending = maximum if status in UNDECIDED else Decimal(0)
    plain = {"status": status, "score": score, "pending": pending, "max_score": maximum}
    gone = {"override": None, "earlier": None, "worth": None}
    suggestion = {"suggestion": item.earlier.suggestion_before} if item.earlier else {}
    return item.model_copy(update={**plain, **gone, **suggestion})


def decided_item(item: ItemResult, lab_item: Item, overrides: Mapping[str, Override]) -> ItemResult:
    """An item with what persons decided, whatever was decided about it before. A decision about this student's answer
    counts before those for the whole class, and these before one about an earlier answer."""
    plain = undecided_item(item)
    of_class = [put for key, put in overrides.items() if put.scope and key.partition(" ")[0] == item.id]
    if changed := overrides.get(f"{item.id} {MAXIMUM}"):
        plain, lab_item = _with_worth(plain, lab_item, changed)
    if is_settled_for_class(plain):
        return plain
    own_override = overrides.get(item.id)
    if own_override and still_judges(own_override, plain.finding, plain.subject):
        return with_override(plain, lab_item, own_override)
    concerned = [put for put in of_class if put.scope != MAXIMUM and _concerns(put, plain, lab_item)]
    best = max(concerned, key=lambda put: given_points(lab_item, put), default=None)
    return with_override(plain, lab_item, best or own_override)


def _concerns(put: Override, item: ItemResult, lab_item: Item) -> bool:
    """Whether a decision for the whole class changes an item. What everyone is given is never less than what is there
    already."""
    scope, worth = Scope.from_text(put.scope) or Scope(), given_points(lab_item, put)
    changes = worth > item.score or item.status in UNDECIDED
    if scope.answer:
        return is_answer(item, scope.answer) and (changes or worth != item.score)
    if scope.slip:
        return scope.slip in {diagnosis.id for diagnosis in item.diagnoses} and (changes or worth != item.score)
    return changes


def is_answer(item: ItemResult, answer: str) -> bool:
    """Whether an item holds an answer, in other signs, spaces and capitals perhaps."""
    return bool(item.found) and plain_answer(item.found or "") == plain_answer(answer)


def plain_answer(text: str) -> str:
    """An answer without what says nothing: a whole number without its separators, words without case and signs."""
    digits = "".join(sign for sign in text if sign not in " ,.'’_\u00a0\u202f")
    return digits if digits.isdecimal() else plain_words(text)


def _with_worth(item: ItemResult, lab_item: Item, put: Override) -> tuple[ItemResult, Item]:
    """An undecided item, and the lab's, that are worth what was decided for the whole class; the same share of the
    points was earned. An item that is worth nothing any more is not assessed."""
    maximum = put.points or Decimal(0)
    score = rounded_points(item.score * maximum / item.max_score, lab_item.rounding) if item.max_score else Decimal(0)
    was = ChangedWorth(
        maximum_before=item.max_score,
        score_before=item.score,
        status_before=item.status,
        **put.model_dump(include={"reason", "author", "date"}),
    )
    now = {
        "status": item.status if maximum else Status.NOT_RUN,
        "score": maximum if item.status is Status.CORRECT else score,
        "pending": maximum if item.status in UNDECIDED else Decimal(0),
        "max_score": maximum,
    }
    return item.model_copy(update={**now, "worth": was}), lab_item.model_copy(update={"points": maximum})


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
        """Return the circumstances of a hand-in."""
        return self.circumstances.get(source.student_id, ORDINARY)


@dataclass(frozen=True, slots=True)
class GradeSummary:
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
    submission_sha256: str = ""


def in_short(kept: StoredGrade, *, unchanged: bool = False, report_problem: str | None = None) -> GradeSummary:
    """A grade in short."""
    outline = kept.outline
    return GradeSummary(
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
        submission_sha256=kept.submission_sha256,
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
    submission = source.submission("", source_hashes([source])[0])
    feedback = left_to_person(say("The grader failed here."))
    findings = tuple(Finding(item=item.id, status=Status.ERROR, feedback=feedback) for item in lab.items)
    result = _result(submission, HandInFindings(findings=findings, flags=()), lab, truth, circumstances)
    return translate_result(result.model_copy(update={"error": reason}), language)


def result_of(
    submission: Submission,
    found: HandInFindings,
    lab: Lab,
    truth: GroundTruth,
    circumstances: Circumstances = ORDINARY,
    language: Language = ENGLISH,
) -> Result:
    """Return the result: the findings with their points under the circumstances, in words of the language. The only
    facts used about the submission are its student, its time and its hash."""
    return translate_result(_result(submission, found, lab, truth, circumstances), language)


def _result(
    submission: Submission, found: HandInFindings, lab: Lab, truth: GroundTruth, circumstances: Circumstances
) -> Result:
    late = circumstances.lateness
    findings = found.findings if found.is_settled else in_force(found, lab).findings
    findings = with_tests(findings, circumstances.tests, lab, is_doubtful=bool(found.doubts))
    points = grade(findings, lab, lateness=late)
    plain = Result(
        schema=1,
        student=Student(
            id=submission.student_id,
            name=submission.student_name,
            identity=submission.identity,
            origin=submission.origin,
        ),
        lab=LabReference(
            id=lab.id,
            title=say_data(lab.title),
            sha256=lab.sha256,
            names_markers=lab.names_markers,
            rounding=lab.rounding,
            experiments=tuple(
                ExperimentTitle(id=experiment.id, title=say_data(experiment.title)) for experiment in lab.experiments
            ),
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
            unopened_sha256=submission.unopened_sha256,
        ),
        score=points.total.score,
        pending=points.total.pending,
        max_score=points.total.max_score,
        late_penalty=points.late_penalty,
        lateness=late,
        needs_review=points.needs_review,
        questions=tuple(
            QuestionScore(id=question.id, title=say_data(question.title), **dict(points.questions[question.id]))
            for question in lab.questions
        ),
        items=tuple(_items(findings, submission, found, lab, truth, points)),
        flags=(*found.flags, *late_flags(late)),
        series=found.series,
        curves=found.curves,
        curve_bands=found.curve_bands,
        averages=found.averages,
        average_bands=found.average_bands,
        prose=found.prose,
        reader=found.reader,
    )
    return with_decisions(plain, lab, circumstances.overrides, circumstances.answers)


def _items(
    findings: tuple[Finding, ...],
    submission: Submission,
    found: HandInFindings,
    lab: Lab,
    truth: GroundTruth,
    points: Grade,
) -> Iterator[ItemResult]:
    by_item = {finding.item: finding for finding in findings}
    for question in lab.questions:
        for item in question.items:
            finding = by_item[item.id]
            subject = subject_of(finding, submission, found.files, item, truth.sha256)
            yield ItemResult(
                id=finding.item,
                question=question.id,
                title=say_data(item.title),
                status=finding.status,
                **dict(points.items[item.id]),
                found=finding.found,
                expected=finding.expected.text if finding.expected else None,
                truths=finding.expected.truths if finding.expected else (),
                diagnoses=finding.diagnoses,
                evidence=finding.evidence,
                feedback=finding.feedback,
                note=finding.note,
                suggestion=finding.suggestion,
                group=finding.group,
                tags=finding.tags,
                decided_by=finding.decided_by,
                confidence=finding.confidence,
                finding=fingerprint(finding),
                subject=subject,
            )


Answers = Mapping[str, tuple[LookedAgain, ...]]
"""By item: a student's requests that were answered."""


def with_decisions(
    result: Result, lab: Lab, overrides: Mapping[str, Override], answers: Answers | None = None
) -> Result:
    """The result with these overrides by item, and no others; with these answers to requests, unless they are to stay
    as they are. Items that the lab does not have keep what they have."""
    known_items = {item.id: item for item in lab.items}
    items = tuple(
        decided_item(item, known_items[item.id], overrides) if item.id in known_items else item for item in result.items
    )
    if answers is not None:
        items = tuple(item.model_copy(update={"requests": answers.get(item.id, ())}) for item in items)
    return result if items == result.items else with_items(result, items)


def with_items(now: Result, items: tuple[ItemResult, ...]) -> Result:
    """A result with other items: their points summed anew, and lateness taken off anew."""
    earned = Score(score=_sum(items, "score"), pending=_sum(items, "pending"), max_score=_sum(items, "max_score"))
    total = after_lateness(earned, now.lateness, now.lab.rounding)
    items_by_question = {
        question.id: [item for item in items if item.question == question.id] for question in now.questions
    }
    questions = tuple(
        question.model_copy(
            update={name: _sum(items_by_question[question.id], name) for name in ("score", "pending", "max_score")}
        )
        for question in now.questions
    )
    return now.model_copy(
        update={
            "items": items,
            "questions": questions,
            "score": total.score,
            "pending": total.pending,
            "max_score": total.max_score,
            "late_penalty": earned.score - total.score,
            "needs_review": total.pending > 0,
        }
    )


def _sum(items: Collection[ItemResult], field: str) -> Decimal:
    return sum((getattr(item, field) for item in items), Decimal(0))


def translate_result(result: Result, language: Language) -> Result:
    """The same result with every message in a language. What the student wrote is no message and stays as it is."""
    return translate(result, language).model_copy(update={"language": language.code})
