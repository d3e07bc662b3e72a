"""One submission through all rooms, from its source to its result."""

from pathlib import Path

from grader import __version__
from grader.checks.finding import Finding, Flag, Severity, Status
from grader.checks.runner import Findings, run_checks
from grader.claims.answer import extract
from grader.claims.series_print import series_prints
from grader.intake.opening import open_submission
from grader.intake.submission import Source, Submission
from grader.lab.definition import Item, Lab
from grader.lab.truth import GroundTruth
from grader.lateness import late_flags
from grader.pipeline.circumstances import ORDINARY, Circumstances, applied, fingerprint, staff_note, status_of
from grader.pipeline.curves import curve_bands, curves
from grader.reading.evidence import Evidence
from grader.reading.reader import read
from grader.reading.reading import FileRecord, FileState
from grader.result import (
    AppliedOverride,
    GradedFile,
    ItemResult,
    LabReference,
    QuestionScore,
    Result,
    Student,
    SubmissionRecord,
)
from grader.scoring import Grade, grade


def grade_source(
    source: Source, lab: Lab, truth: GroundTruth, work: Path, circumstances: Circumstances = ORDINARY
) -> Result:
    """Grade one hand-in. `work` is an empty folder for what has to be unpacked."""
    return grade_submission(open_submission(source, work), lab, truth, circumstances)


def grade_submission(
    submission: Submission, lab: Lab, truth: GroundTruth, circumstances: Circumstances = ORDINARY
) -> Result:
    """Grade a hand-in that lies opened on this machine."""
    reading = read(submission)
    answer = extract(reading, lab)
    checked = run_checks(answer, truth, lab)
    flagged = checked.model_copy(update={"flags": (*checked.flags, *_unreadable(reading.files))})
    result = _result(submission, reading.files, flagged, lab, truth, circumstances)
    chosen = {"report": answer.report, "report_reason": answer.report_reason}
    record = result.submission.model_copy(update=chosen)
    drawn = {"curves": curves(answer.runs), "curve_bands": curve_bands(answer.runs, truth)}
    return result.model_copy(update={"submission": record, "series": series_prints(reading.runs, lab), **drawn})


def failed_result(
    source: Source, lab: Lab, truth: GroundTruth, reason: str, circumstances: Circumstances = ORDINARY
) -> Result:
    """The result of a hand-in on which the grader itself failed: every item awaits a person, none is lost."""
    findings = tuple(
        Finding(item=item.id, status=Status.ERROR, feedback="The grader failed on this hand-in; a person decides.")
        for item in lab.items
    )
    submission = Submission(
        student_id=source.student_id,
        student_name=source.student_name,
        identity=source.identity,
        submitted_at=source.submitted_at,
        sha256="",
    )
    result = _result(submission, (), Findings(findings=findings, flags=()), lab, truth, circumstances)
    return result.model_copy(update={"error": reason})


def _result(
    submission: Submission,
    files: tuple[FileRecord, ...],
    checked: Findings,
    lab: Lab,
    truth: GroundTruth,
    circumstances: Circumstances,
) -> Result:
    late = circumstances.lateness
    points = grade(checked.findings, lab, circumstances.overrides, late)
    return Result(
        schema=1,
        student=Student(id=submission.student_id, name=submission.student_name, identity=submission.identity),
        lab=LabReference(id=lab.id, title=lab.title, sha256=lab.sha256),
        truth_sha256=truth.sha256,
        grader_version=__version__,
        submission=SubmissionRecord(
            sha256=submission.sha256,
            submitted_at=submission.submitted_at,
            files=tuple(GradedFile(path=f.path, role=f.role, state=f.state.value, reason=f.reason) for f in files),
        ),
        score=points.total.score,
        pending=points.total.pending,
        max_score=points.total.max_score,
        late_penalty=points.late_penalty,
        lateness=late,
        needs_review=points.needs_review,
        questions=tuple(_question(question.id, question.title, points) for question in lab.questions),
        items=tuple(_items(checked.findings, lab, points, circumstances)),
        flags=(*checked.flags, *late_flags(late)),
    )


def _question(question: str, title: str, points: Grade) -> QuestionScore:
    score = points.questions[question]
    return QuestionScore(id=question, title=title, score=score.score, pending=score.pending, max_score=score.max_score)


def _items(findings: tuple[Finding, ...], lab: Lab, points: Grade, circumstances: Circumstances) -> list[ItemResult]:
    found = {finding.item: finding for finding in findings}
    plain = grade(findings, lab) if circumstances.overrides else points
    return [
        _item(found[item.id], question.id, item, points, _override(item, found[item.id], circumstances, plain))
        for question in lab.questions
        for item in question.items
    ]


def _override(item: Item, finding: Finding, circumstances: Circumstances, plain: Grade) -> AppliedOverride | None:
    override = circumstances.overrides.get(item.id)
    return applied(item, finding, override, plain.items[item.id].score) if override else None


def _item(finding: Finding, question: str, item: Item, points: Grade, put: AppliedOverride | None) -> ItemResult:
    score = points.items[finding.item]
    return ItemResult(
        id=finding.item,
        question=question,
        title=item.title,
        status=status_of(finding, put),
        score=score.score,
        pending=score.pending,
        max_score=score.max_score,
        found=finding.found,
        expected=finding.expected.text if finding.expected else None,
        truths=finding.expected.truths if finding.expected else (),
        diagnoses=finding.diagnoses,
        evidence=finding.evidence,
        feedback=finding.feedback,
        note=staff_note(finding, put) if put else finding.note,
        suggestion=None if put else finding.suggestion,
        group=finding.group,
        tags=finding.tags,
        decided_by=finding.decided_by,
        confidence=finding.confidence,
        finding=fingerprint(finding),
        override=put,
    )


def _unreadable(files: tuple[FileRecord, ...]) -> list[Flag]:
    """One flag for each file that could not be read, or not whole."""
    return [
        Flag(
            id="unreadable" if file.role != "log" else "log-damaged",
            severity=Severity.WARNING,
            message=f"{file.path}: {file.reason}",
            evidence=(Evidence(file=file.path, quote=""),),
        )
        for file in files
        if file.state in (FileState.UNREADABLE, FileState.PARTLY)
    ]
