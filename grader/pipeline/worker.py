"""The process of one submission, from its files to a PDF that course systems accept without complaint."""

import shutil
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from grader.intake.submission import Source, Submission
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.message import language_of, say
from grader.pipeline.assigning import key_of_sections, sections_in
from grader.pipeline.cage import Bounds, watch_file, with_last_opened
from grader.pipeline.isolation import Outcome, Send
from grader.pipeline.order import ORDINARY, Circumstances, failed_result, opened_whole, result_of
from grader.pipeline.stages import FINDINGS, HIDDEN_TEXT, READING, Basis, Maker, kept_stages
from grader.report.pictures import Picture, Pictures, Place
from grader.report.resources import PLAIN, Presentation
from grader.report.views.student import printed_pictures
from grader.result import Result

if TYPE_CHECKING:
    from grader.pipeline.one import Stages

SENT_RESULT, SENT_REPORT, SENT_PAGE, SENT_PROBLEM = b"R", b"P", b"H", b"E"
"""The tags of a worker's messages: the result as JSON, the report as PDF and as HTML, and why there is none."""

STAGES: Final = {READING: b"D", FINDINGS: b"F", HIDDEN_TEXT: b"I"}
"""The tags of the files for staff: those that keep the stages of grading, and the picture of hidden text."""

HELP: Final = b"X"
"""The tag of the wish for a helper."""
MAKER: Final = b"M"
"""The tag of who made the reading, as JSON."""

READY: Final[list[tuple[Lab, GroundTruth]]] = []
"""The lab that this process, or the one that it was forked from, has worked with before: all that was worked out from
these objects is still known."""


@dataclass(frozen=True)
class Job:
    """One submission to grade, and whether a report is wanted. `work` is an empty folder of its own. The stages of
    grading are kept where there is a `basis`. `left_out` are the files, by their paths, that ended the process before;
    `converts` says whether helpers are there that convert documents and read pictures, `with_pictures` whether the
    report shows pages."""

    source: Source
    lab: Lab
    truth: GroundTruth
    work: Path
    with_report: bool
    debug: bool = False
    circumstances: Circumstances = ORDINARY
    presentation: Presentation = PLAIN
    basis: Basis | None = None
    left_out: tuple[str, ...] = ()
    converts: bool = False
    with_pictures: bool = True


@dataclass(frozen=True)
class WorkerOutput:
    """The output of a process for a student's hand-in, from whichever stage it began: the result, the reports, and
    files of stages that are new. `maker` made the reading, where one was used; `problem` says why something is
    lacking."""

    student: str
    result: Result | None = None
    problem: str = ""
    maker: Maker | None = None
    stages: Mapping[str, bytes] = field(default_factory=dict)
    report: bytes | None = None
    page: bytes | None = None


def read_output(student: str, outcome: Outcome) -> WorkerOutput:
    """Return the output that a worker sent. It has handled a stranger's files, so nothing is taken for granted."""
    sent = outcome.sent
    problem = sent[SENT_PROBLEM].decode(errors="replace") if SENT_PROBLEM in sent else outcome.failure
    try:
        maker = Maker.model_validate_json(sent[MAKER]) if MAKER in sent else None
        result = Result.from_json(sent[SENT_RESULT]) if SENT_RESULT in sent else None
        if result is not None and result.student.id != student:
            raise ValueError("it is another student's")
    except (ValueError, RecursionError):
        return WorkerOutput(student, problem=say("its process sent no valid result"))
    stages = {name: sent[tag] for name, tag in STAGES.items() if tag in sent}
    return WorkerOutput(student, result, problem or "", maker, stages, sent.get(SENT_REPORT), sent.get(SENT_PAGE))


def follow_up_job(job: Any, outcome: Outcome) -> Job | None:
    """The job to do in the place of one that ended so: with a helper that it asked for, without the file at which its
    process ended, or without pictures of pages where the result was sent and its report was not. None where the outcome
    is what there is."""
    if not isinstance(job, Job):
        return None
    another = _another(job, outcome)
    if another:
        shutil.rmtree(job.work, ignore_errors=True)
        job.work.mkdir(exist_ok=True)
    return another


def _another(job: Job, outcome: Outcome) -> Job | None:
    sent = outcome.sent
    if HELP in sent and not job.converts:
        return replace(job, converts=True)
    if not outcome.failure:
        return None
    if SENT_RESULT in sent:
        lacks_report = job.with_report and not sent.keys() & {SENT_PAGE, SENT_PROBLEM}
        return replace(job, with_pictures=False) if lacks_report and job.with_pictures else None
    left_out = with_last_opened(job.left_out, outcome.messages)
    return replace(job, left_out=left_out) if left_out else None


def bounds_of(job: Job) -> Bounds:
    """Return the limits for grading a submission: the submission, the lab's own files, an instructor's own templates,
    and its folder."""
    readable = (*files_of(job.source), *job.lab.files, *own_templates(job.presentation))
    return Bounds(readable, job.work, talks=job.debug, converts=job.converts)


def files_of(source: Source) -> tuple[Path, ...]:
    """Return the paths of a hand-in. An archive that holds several hand-ins must be readable as a whole."""
    found = (source.path if source.path in part.path.parents else part.path for part in source.parts)
    return tuple(dict.fromkeys(found)) or (source.path,)


def own_templates(presentation: Presentation) -> tuple[Path, ...]:
    """The folder of templates of an instructor's own, if there is one."""
    return (presentation.templates,) if presentation.templates else ()


def grade_job(job: Job, send: Send) -> None:
    """Grade a submission and send its result; then render and send its report, which may fail without harm."""
    from grader.pipeline.blind import pictures_seen, visible_result
    from grader.pipeline.one import stages
    from grader.reading import pandoc, tesseract

    submission = done = None
    job = replace(job, **ready(job.lab, job.truth))
    language = language_of(job.presentation.language)
    try:
        submission = opened_whole(job.source, job.work)
        if not job.converts and pandoc.asks_for_help(submission.files):
            send(HELP)
            return
        watch = partial(watch_file, send)
        reader = job.circumstances.reader
        put = sections_in(job.circumstances.overrides)
        done = stages(submission, job.lab, job.truth, reader, put, leave_out=job.left_out, watch=watch)
        if tesseract.asks_for_help():
            send(HELP)
            return
        result = result_of(submission, done.found, job.lab, job.truth, job.circumstances, language)
    except Exception as error:  # whatever it is, it is not the student's fault, and all items go to a person
        _explain(job)
        result = failed_result(job.source, job.lab, job.truth, _reason(error), job.circumstances, language)
    shown = visible_result(result, job.circumstances.blind)
    send(SENT_RESULT + shown.to_json().encode())
    if submission and done and not result.error:
        _keep(job, done, submission, result, send)
    if not job.with_report:
        return
    try:
        from grader.report.render import student_page

        shows = submission if job.with_pictures else None
        pictures = pictures_seen(result, shows, job.circumstances.blind) if shows else {}
        send(SENT_REPORT + light_report(shown, pictures, job.presentation))
        send(SENT_PAGE + student_page(shown, pictures, job.presentation).encode())
    except Exception as error:  # the grade stands without its report
        _explain(job)
        send(SENT_PROBLEM + _reason(error).encode())


def ready(lab: Lab, truth: GroundTruth) -> dict[str, Any]:
    """A lab and its truth as this process knows them."""
    for pair in READY:
        if pair == (lab, truth):
            return {"lab": pair[0], "truth": pair[1]}
    READY[:] = [(lab, truth)]
    return {"lab": lab, "truth": truth}


def _keep(job: Job, done: "Stages", submission: Submission, result: Result, send: Send) -> None:
    """Send the files for staff, unless names must not be seen: a reading is full of them."""
    from grader.pipeline.pictures import hidden_text_picture

    if job.basis is None or job.circumstances.blind is not None:
        return
    try:
        sections = key_of_sections(sections_in(job.circumstances.overrides))
        kept = kept_stages(done, submission.sha256, job.basis, job.circumstances.reader, sections)
        for name, content in kept.items():
            send(STAGES[name] + content)
        picture = hidden_text_picture(result, submission) if job.with_pictures else None
        if picture is not None:
            send(STAGES[HIDDEN_TEXT] + picture)
    except Exception:  # the grade stands without them
        _explain(job)


def _explain(job: Job) -> None:
    if job.debug:
        traceback.print_exc()


def _reason(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return say("it needed more memory than one submission may take")
    return f"{type(error).__name__}: {error}"


LARGEST: Final = 200_000
"""In bytes: a class of 500 then stays below the 100 MB that a course system usually takes at once."""
_WORDS: Final = 110_000
"""Of these so many are for what is no picture, as a first guess; a long report takes about as many."""


def light_report(result: Result, pictures: Pictures, presentation: Presentation) -> bytes:
    """The report as a PDF of at most `LARGEST` bytes, if leaving out pictures can do that; those of the items that
    matter most, which come first, are kept. The page for the browser shows all of them."""
    from grader.report.render import student_report

    room = LARGEST - _WORDS
    shown = _first(printed_pictures(result, pictures), room)
    made = student_report(result, shown, presentation)
    while len(made) > LARGEST and shown:
        taken = sum(map(len, {picture.png for picture in shown.values()}))
        room = min(room, taken) - (len(made) - LARGEST)
        shown = _first(shown, room)
        made = student_report(result, shown, presentation)
    return made


def _first(pictures: Pictures, most: int) -> Pictures:
    """The first pictures that together have so many bytes at most; one that several places share counts once."""
    kept: dict[Place, Picture] = {}
    seen_images: set[bytes] = set()
    for place, picture in pictures.items():
        if picture.png not in seen_images:
            seen_images.add(picture.png)
            most -= len(picture.png)
        if most < 0:
            break
        kept[place] = picture
    return kept
