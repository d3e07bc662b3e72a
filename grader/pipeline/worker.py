"""What happens in the process of one submission."""

import traceback
from dataclasses import dataclass
from pathlib import Path

from grader.intake.opening import open_submission
from grader.intake.submission import Source
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.pipeline.circumstances import ORDINARY, Circumstances
from grader.pipeline.evidence_pictures import evidence_pictures
from grader.pipeline.isolation import Send
from grader.pipeline.one import failed_result, grade_submission
from grader.report.presentation import PLAIN, Presentation

RESULT, REPORT, PAGE, PROBLEM = b"R", b"P", b"H", b"E"
"""The tags of a worker's messages: the result as JSON, the report as PDF and as HTML, and why there is none."""


@dataclass(frozen=True)
class Job:
    """One submission to grade, and whether a report is wanted. `work` is an empty folder of its own."""

    source: Source
    lab: Lab
    truth: GroundTruth
    work: Path
    with_report: bool
    debug: bool = False
    circumstances: Circumstances = ORDINARY
    presentation: Presentation = PLAIN


def grade_job(job: Job, send: Send) -> None:
    """Grade a submission and send its result; then render and send its report, which may fail without harm."""
    submission = None
    try:
        submission = open_submission(job.source, job.work)
        result = grade_submission(submission, job.lab, job.truth, job.circumstances)
    except Exception as error:  # whatever it is, it is not the student's fault, and all items go to a person
        _explain(job)
        result = failed_result(job.source, job.lab, job.truth, _reason(error), job.circumstances)
    send(RESULT + result.to_json().encode())
    if not job.with_report:
        return
    try:
        from grader.report.render import student_page, student_report

        pictures = evidence_pictures(result, submission) if submission else {}
        send(REPORT + student_report(result, pictures, job.presentation))
        send(PAGE + student_page(result, pictures, job.presentation).encode())
    except Exception as error:  # the grade stands without its report
        _explain(job)
        send(PROBLEM + _reason(error).encode())


def _explain(job: Job) -> None:
    if job.debug:
        traceback.print_exc()


def _reason(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "it needed more memory than one submission may take"
    return f"{type(error).__name__}: {error}"
