"""Grading with its cost told: `python -m tests.hostile.timed CLASS` prints what each hand-in of a class cost."""

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Lock, Thread
from typing import NamedTuple

from grader.intake.layouts import Layout, find_all_sources
from grader.intake.submission import Source
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.pipeline.classroom import warmth_of
from grader.pipeline.isolation import Outcome, Send, run_isolated
from grader.pipeline.order import Order
from grader.pipeline.worker import SENT_RESULT, Job, bounds_of, follow_up_job, grade_job
from grader.result import Result

COST = b"T"
LOOK = 0.2
"""In seconds."""
NOTHING = (0.0, 0.0)


class Cost(NamedTuple):
    """What one hand-in came to: seconds of computing in all its processes, MiB of the largest one, its result, and
    why it ended early."""

    student: str
    seconds: float
    memory: float
    result: Result | None
    failure: str | None


def grade_timed(job: Job, send: Send) -> None:
    """Grade, and send again and again what it has cost so far: the process may not live to the end."""
    lock = Lock()

    def send_whole(message: bytes) -> None:
        with lock:
            send(message)

    def tell() -> None:
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        send_whole(COST + f"{time.process_time():.2f} {memory:.0f}".encode())

    def keep_telling() -> None:
        while not over.wait(LOOK):
            tell()

    over = Event()
    Thread(target=keep_telling, daemon=True).start()
    try:
        grade_job(job, send_whole)
    finally:
        over.set()
        tell()


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
        preload = ("grader.pipeline.warm",)
        warmth = warmth_of(Order(sources, lab, truth, with_reports=with_report), sources)
        before: dict[str, tuple[float, float]] = {}

        def again(job: Job, outcome: Outcome) -> Job | None:
            another = follow_up_job(job, outcome)
            if another:
                before[job.source.student_id] = _more(before.get(job.source.student_id, NOTHING), outcome)
            return another

        outcomes = run_isolated(
            grade_timed, jobs, workers=workers, preload=preload, bounds=bounds_of, anew=again, warmth=warmth
        )
        for outcome in outcomes:
            sent = {message[:1]: message[1:] for message in outcome.messages}
            seconds, memory = _more(before.get(outcome.job.source.student_id, NOTHING), outcome)
            result = Result.from_json(sent[SENT_RESULT]) if SENT_RESULT in sent else None
            yield Cost(outcome.job.source.student_id, seconds, memory, result, outcome.failure)


def _more(before: tuple[float, float], outcome: Outcome) -> tuple[float, float]:
    """The cost of a hand-in whose process was followed by another."""
    told = [message[1:] for message in outcome.messages if message[:1] == COST]
    seconds, memory = map(float, told[-1].split()) if told else NOTHING
    return before[0] + seconds, max(before[1], memory)


if __name__ == "__main__":
    for one in costs(Path(sys.argv[1]), with_report="--reports" in sys.argv):
        error = one.result.error if one.result else one.failure
        print(
            f"{one.seconds:7.2f} s {one.memory:6.0f} MiB  {one.student[:50]}  {one.failure or ''} {error or ''}",
            flush=True,
        )
