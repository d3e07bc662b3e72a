"""No job can touch another: not by a crash, a hang, or by eating memory."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

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


def outcomes(workers: int, *jobs: str) -> dict[str, Outcome]:
    return {
        outcome.job: outcome for outcome in run_isolated(misbehave, jobs, workers=workers, seconds=2, memory=2 * 2**30)
    }


def test_every_job_ends_and_only_the_bad_ones_fail() -> None:
    started = time.monotonic()
    by_job = outcomes(3, *BEHAVIOURS)
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
    assert outcomes(1, "crash")["crash"].messages == (b"crash",)


def test_stopping_early_kills_what_runs() -> None:
    running = run_isolated(misbehave, ("fine", "hang"), workers=2, seconds=60)
    assert next(running).job == "fine"
    started = time.monotonic()
    running.close()
    assert time.monotonic() - started < 5


def tell_much(job: str, send: Send) -> None:
    time.sleep(0.1 if job == "first" else 0.3)
    send(b"x" if job == "first" else b"x" * 2**23)


def test_what_the_caller_does_meanwhile_is_no_time_of_the_jobs() -> None:
    found = []
    for outcome in run_isolated(tell_much, ("first", "second"), workers=2, seconds=1.0):
        found.append(outcome)
        time.sleep(1.2)
    assert [(outcome.failure, len(outcome.messages)) for outcome in found] == [(None, 1)] * 2


def call_at_every_depth(_: str, send: Send) -> None:
    def nothing() -> None: ...

    def deeper(left: int) -> None:
        for _ in range(50):
            nothing()
        if left:
            deeper(left - 1)

    deeper(500)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    deeper(500)
    send(str(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before).encode())


def test_no_call_maps_memory_anew_however_deep_it_is() -> None:
    (outcome,) = run_isolated(call_at_every_depth, ("",), workers=1)
    assert int(outcome.messages[0]) < 50


PROGRAM = """
import os
print("imported", os.getpid(), flush=True)
if __name__ == "__main__":
    from grader.pipeline.isolation import run_isolated
    from tests.pipeline.test_isolation import misbehave
    print(len(list(run_isolated(misbehave, ("fine", "fine too"), workers=1))))
"""


def test_jobs_do_not_import_the_main_program(tmp_path: Path) -> None:
    """As that of a Dask worker, which takes as long as a short hand-in."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    path = os.pathsep.join((str(Path(__file__).parents[2]), *sys.path))
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert done.stdout.count("imported") == 1
    assert done.stdout.endswith("2\n")
