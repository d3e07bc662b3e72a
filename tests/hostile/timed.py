"""Grading with its cost told: `python -m tests.hostile.timed CLASS` prints what each hand-in of a class cost."""

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from grader.intake.layouts import Layout
from grader.intake.several import find_all_sources
from grader.intake.submission import Source
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.pipeline.isolation import Send, run_isolated
from grader.pipeline.worker import RESULT, Job, bounds_of, grade_job
from grader.result import Result

COST = b"T"


class Cost(NamedTuple):
    """What one hand-in came to: seconds of computing, MiB of memory, its result, and why it ended early; then the first
    three are not known."""

    student: str
    seconds: float
    memory: float
    result: Result | None
    failure: str | None


def grade_timed(job: Job, send: Send) -> None:
    """Grade, and send what it cost."""
    started = time.process_time()
    try:
        grade_job(job, send)
    finally:
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        send(COST + f"{time.process_time() - started:.2f} {memory:.0f}".encode())


def costs(folder: Path, *, with_report: bool = False, workers: int = 2) -> Iterator[Cost]:
    """Of all hand-ins of a class, as they come."""
    sources, _ = find_all_sources([folder], Layout.CLASS)
    yield from costs_of(sources, with_report=with_report, workers=workers)


def costs_of(sources: tuple[Source, ...], *, with_report: bool, workers: int) -> Iterator[Cost]:
    """Of these hand-ins."""
    place = lab_folder("nlp-frameworks")
    lab, truth = load_lab(place), load_truth(place)
    with tempfile.TemporaryDirectory() as work:
        jobs = [Job(source, lab, truth, Path(work) / str(number), with_report) for number, source in enumerate(sources)]
        for job in jobs:
            job.work.mkdir()
        preload = ("grader.pipeline.warm",) if with_report else ("grader.pipeline.worker",)
        for outcome in run_isolated(grade_timed, jobs, workers=workers, preload=preload, bounds=bounds_of):
            sent = {message[:1]: message[1:] for message in outcome.messages}
            seconds, memory = map(float, sent.get(COST, b"0 0").split())
            result = Result.from_json(sent[RESULT]) if RESULT in sent else None
            yield Cost(outcome.job.source.student_id, seconds, memory, result, outcome.failure)


if __name__ == "__main__":
    for one in costs(Path(sys.argv[1]), with_report="--reports" in sys.argv):
        error = one.result.error if one.result else one.failure
        print(
            f"{one.seconds:7.2f} s {one.memory:6.0f} MiB  {one.student[:50]}  {one.failure or ''} {error or ''}",
            flush=True,
        )
