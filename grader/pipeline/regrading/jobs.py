"""What happens in the process of one submission that is graded again or whose report is rendered again."""

import traceback
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grader.intake.opening import open_submission
from grader.intake.submission import Source, Submission
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.language import language_of
from grader.pipeline.cage import Bounds
from grader.pipeline.circumstances import Circumstances
from grader.pipeline.evidence_pictures import evidence_pictures
from grader.pipeline.isolation import Send
from grader.pipeline.one import result_of
from grader.pipeline.readings import StoredReadingError
from grader.pipeline.replay import Basis, replayed
from grader.pipeline.worker import (
    SENT_PAGE,
    SENT_PROBLEM,
    SENT_REPORT,
    SENT_RESULT,
    STAGES,
    Job,
    bounds_of,
    files_of,
    grade_job,
    own_templates,
    ready,
)
from grader.report.pictures import Pictures
from grader.report.presentation import Presentation
from grader.result import Result

MAKER = b"M"
"""The tag of who made the reading, as JSON."""


@dataclass(frozen=True)
class ReplayJob:
    """A hand-in to grade from the reading in `folder`; `submission` says who, when, and which hand-in is expected."""

    folder: Path
    submission: Submission
    lab: Lab
    truth: GroundTruth
    circumstances: Circumstances
    language: str
    basis: Basis
    use_claims: bool = True
    debug: bool = False


@dataclass(frozen=True)
class RenderJob:
    """A report to render; with pictures where the hand-in is at hand, else with those that are given. `work` is an
    empty folder of its own."""

    result: Result
    source: Source | None
    work: Path
    presentation: Presentation
    debug: bool = False
    pictures: Pictures = field(default_factory=dict)


def bounds_of_any(job: Any) -> Bounds:
    """What a job of any of the kinds may touch."""
    match job:
        case ReplayJob():
            return Bounds((job.folder, *job.lab.files), talks=job.debug)
        case RenderJob():
            hand_in = files_of(job.source) if job.source else ()
            return Bounds((*hand_in, *own_templates(job.presentation)), job.work, talks=job.debug)
    return bounds_of(job)


def regrade_job(job: Any, send: Send) -> None:
    """Do a job of any of the kinds."""
    if isinstance(job, Job):
        grade_job(job, send)
        return
    try:
        if isinstance(job, ReplayJob):
            _replay(job, send)
        else:
            _render(job, send)
    except StoredReadingError as error:
        send(SENT_PROBLEM + f"the stored reading {error}".encode())
    except Exception as error:  # what was graded before must not suffer
        if job.debug:
            traceback.print_exc()
        send(SENT_PROBLEM + f"{type(error).__name__}: {error}".encode())


def _replay(job: ReplayJob, send: Send) -> None:
    job = replace(job, **ready(job.lab, job.truth))
    expected = job.submission.sha256
    done = replayed(
        job.folder,
        expected,
        job.lab,
        job.truth,
        job.basis,
        use_claims=job.use_claims,
        record=job.circumstances.reader,
    )
    language = language_of(job.language)
    result = result_of(job.submission, done.found, job.lab, job.truth, job.circumstances, language)
    send(SENT_RESULT + result.to_json().encode())
    send(MAKER + done.maker.model_dump_json().encode())
    for name, content in done.fresh.items():
        send(STAGES[name] + content)


def _render(job: RenderJob, send: Send) -> None:
    from grader.pipeline.light_report import light_report
    from grader.report.render import student_page

    submission = open_submission(job.source, job.work) if job.source else None
    is_same = submission is not None and submission.sha256 == job.result.submission.sha256
    pictures = evidence_pictures(job.result, submission) if submission and is_same else job.pictures
    send(SENT_REPORT + light_report(job.result, pictures, job.presentation))
    send(SENT_PAGE + student_page(job.result, pictures, job.presentation).encode())
