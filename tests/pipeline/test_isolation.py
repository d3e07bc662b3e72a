"""No job can touch another: not by a crash, a hang, or by eating memory."""

import os
import signal
import time
from collections.abc import Callable

from grader.pipeline.isolation import Outcome, Send, run_isolated

BEHAVIOURS = ("fine", "hang", "exit", "crash", "memory", "raise", "fine too")


def misbehave(job: str, send: Send) -> None:
    send(job.encode())
    action: Callable[[], object] | None = {
        "hang": lambda: time.sleep(60),
        "exit": lambda: os._exit(3),
        "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
        "memory": lambda: bytearray(4 * 2**30),
        "raise": lambda: 1 / 0,
    }.get(job)
    if action:
        action()
    send(b"end")


def outcomes(workers: int) -> dict[str, Outcome]:
    return {
        outcome.job: outcome
        for outcome in run_isolated(misbehave, BEHAVIOURS, workers=workers, seconds=2, memory=2 * 2**30)
    }


def test_every_job_ends_and_only_the_bad_ones_fail() -> None:
    started = time.monotonic()
    by_job = outcomes(workers=3)
    assert time.monotonic() - started < 20
    assert set(by_job) == set(BEHAVIOURS)
    for job in ("fine", "fine too"):
        assert by_job[job].failure is None
        assert by_job[job].messages == (job.encode(), b"end")
    assert "longer than 2 seconds" in str(by_job["hang"].failure)
    assert "exit status 3" in str(by_job["exit"].failure)
    assert "SIGSEGV" in str(by_job["crash"].failure)
    for job in ("memory", "raise"):
        assert by_job[job].failure is not None


def test_what_was_sent_before_the_end_is_kept() -> None:
    assert outcomes(workers=1)["crash"].messages == (b"crash",)


def test_stopping_early_kills_what_runs() -> None:
    running = run_isolated(misbehave, ("fine", "hang"), workers=2, seconds=60)
    assert next(running).job == "fine"
    started = time.monotonic()
    running.close()
    assert time.monotonic() - started < 5
