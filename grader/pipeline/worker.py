"""What happens in the process of one submission."""

import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.intake.opening import open_submission
from grader.intake.submission import Source
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.language import language_of
from grader.message import say
from grader.pipeline.blind.seen import pictures_seen, seen
from grader.pipeline.cage import Bounds
from grader.pipeline.circumstances import ORDINARY, Circumstances
from grader.pipeline.isolation import Send
from grader.pipeline.one import Stages, failed_result, result_of, stages
from grader.pipeline.readings import CLAIMS, FINDINGS, READING
from grader.pipeline.replay import Basis, kept_stages
from grader.report.presentation import PLAIN, Presentation

RESULT, REPORT, PAGE, PROBLEM = b"R", b"P", b"H", b"E"
"""The tags of a worker's messages: the result as JSON, the report as PDF and as HTML, and why there is none."""

STAGES: Final = {READING: b"D", CLAIMS: b"C", FINDINGS: b"F"}
"""The tags of the files that keep the stages of grading, by name."""


@dataclass(frozen=True)
class Job:
    """One submission to grade, and whether a report is wanted. `work` is an empty folder of its own. The stages of
    grading are kept where there is a `basis`."""

    source: Source
    lab: Lab
    truth: GroundTruth
    work: Path
    with_report: bool
    debug: bool = False
    circumstances: Circumstances = ORDINARY
    presentation: Presentation = PLAIN
    basis: Basis | None = None


def bounds_of(job: Job) -> Bounds:
    """What grading a submission may touch: the submission, the lab's own files, templates of an instructor's own, and
    its folder."""
    return Bounds((*files_of(job.source), *job.lab.files, *own_templates(job.presentation)), job.work, talks=job.debug)


def files_of(source: Source) -> tuple[Path, ...]:
    """Where a hand-in lies. Of an archive that holds several, all of it must be readable."""
    return tuple(part.path for part in source.parts) or (source.path,)


def own_templates(presentation: Presentation) -> tuple[Path, ...]:
    """The folder of templates of an instructor's own, if there is one."""
    return (presentation.templates,) if presentation.templates else ()


def grade_job(job: Job, send: Send) -> None:
    """Grade a submission and send its result; then render and send its report, which may fail without harm."""
    submission = done = None
    language = language_of(job.presentation.language)
    try:
        submission = open_submission(job.source, job.work)
        done = stages(submission, job.lab, job.truth, job.circumstances.reader)
        result = result_of(submission, done.found, job.lab, job.truth, job.circumstances, language)
    except Exception as error:  # whatever it is, it is not the student's fault, and all items go to a person
        _explain(job)
        result = failed_result(job.source, job.lab, job.truth, _reason(error), job.circumstances, language)
    shown = seen(result, job.circumstances.blind)
    send(RESULT + shown.to_json().encode())
    if submission and done and not result.error:
        _keep(job, done, submission.sha256, send)
    if not job.with_report:
        return
    try:
        from grader.report.render import student_page, student_report

        pictures = pictures_seen(result, submission, job.circumstances.blind) if submission else {}
        send(REPORT + student_report(shown, pictures, job.presentation))
        send(PAGE + student_page(shown, pictures, job.presentation).encode())
    except Exception as error:  # the grade stands without its report
        _explain(job)
        send(PROBLEM + _reason(error).encode())


def _keep(job: Job, done: Stages, submission_sha256: str, send: Send) -> None:
    """Send the stages to be kept, unless names must not be seen: a reading is full of them."""
    if job.basis is None or job.circumstances.blind is not None:
        return
    try:
        for name, content in kept_stages(done, submission_sha256, job.basis, job.circumstances.reader).items():
            send(STAGES[name] + content)
    except Exception:  # the grade stands without them
        _explain(job)


def _explain(job: Job) -> None:
    if job.debug:
        traceback.print_exc()


def _reason(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return say("it needed more memory than one submission may take")
    return f"{type(error).__name__}: {error}"
