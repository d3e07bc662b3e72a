"""One submission through all rooms, from its source to its result."""

from pathlib import Path

from grader import __version__
from grader.checks.finding import Finding, Flag, Severity, Status
from grader.checks.runner import Findings, run_checks
from grader.claims.answer import extract
from grader.intake.opening import open_submission
from grader.intake.submission import Source, Submission
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.reading.evidence import Evidence
from grader.reading.reader import read
from grader.reading.reading import FileRecord, FileState
from grader.result import GradedFile, ItemResult, LabReference, QuestionScore, Result, Student, SubmissionRecord
from grader.scoring import Grade, grade


def grade_source(source: Source, lab: Lab, truth: GroundTruth, work: Path) -> Result:
    """Grade one hand-in. `work` is an empty folder for what has to be unpacked."""
    submission = open_submission(source, work)
    reading = read(submission)
    answer = extract(reading, lab)
    checked = run_checks(answer, truth, lab)
    flagged = checked.model_copy(update={"flags": (*checked.flags, *_unreadable(reading.files))})
    result = _result(submission, reading.files, flagged, lab, truth)
    chosen = {"report": answer.report, "report_reason": answer.report_reason}
    return result.model_copy(update={"submission": result.submission.model_copy(update=chosen)})


def failed_result(source: Source, lab: Lab, truth: GroundTruth, reason: str) -> Result:
    """The result of a hand-in on which the grader itself failed: every item awaits a person, none is lost."""
    findings = tuple(
        Finding(item=item.id, status=Status.ERROR, feedback="The grader failed on this hand-in; a person decides.")
        for item in lab.items
    )
    submission = Submission(student_id=source.student_id, student_name=source.student_name, sha256="")
    result = _result(submission, (), Findings(findings=findings, flags=()), lab, truth)
    return result.model_copy(update={"error": reason})


def _result(
    submission: Submission, files: tuple[FileRecord, ...], checked: Findings, lab: Lab, truth: GroundTruth
) -> Result:
    points = grade(checked.findings, lab)
    return Result(
        schema=1,
        student=Student(id=submission.student_id, name=submission.student_name),
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
        needs_review=points.needs_review,
        questions=tuple(_question(question.id, question.title, points) for question in lab.questions),
        items=tuple(_items(checked.findings, lab, points)),
        flags=checked.flags,
    )


def _question(question: str, title: str, points: Grade) -> QuestionScore:
    score = points.questions[question]
    return QuestionScore(id=question, title=title, score=score.score, pending=score.pending, max_score=score.max_score)


def _items(findings: tuple[Finding, ...], lab: Lab, points: Grade) -> list[ItemResult]:
    found = {finding.item: finding for finding in findings}
    return [
        _item(found[item.id], question.id, item.title, points) for question in lab.questions for item in question.items
    ]


def _item(finding: Finding, question: str, title: str, points: Grade) -> ItemResult:
    score = points.items[finding.item]
    return ItemResult(
        id=finding.item,
        question=question,
        title=title,
        status=finding.status,
        score=score.score,
        pending=score.pending,
        max_score=score.max_score,
        found=finding.found,
        expected=finding.expected.text if finding.expected else None,
        truths=finding.expected.truths if finding.expected else (),
        diagnoses=finding.diagnoses,
        evidence=finding.evidence,
        feedback=finding.feedback,
        note=finding.note,
        suggestion=finding.suggestion,
        confidence=finding.confidence,
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
