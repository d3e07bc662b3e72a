"""A limit on how long a piece of work may take in a test.

Limits are seconds of a machine that has its cores for itself. Two processes on the two threads of one core take nearly
twice the processor time for the same work, so the limits grow with what a fixed piece of work takes at that moment.
They guard against work that grows out of proportion, not against work that is a little slower, so each is allowed
several times over.
"""

import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_REFERENCE = 0.006
"""Seconds that the fixed piece of work takes where the limits hold as they are written."""
_ALLOWANCE = 3


def pace() -> float:
    """How many times as long as the reference this machine takes at present; at least 1."""
    return max(1.0, min(_fixed_work() for _ in range(3)) / _REFERENCE)


def _fixed_work() -> float:
    started = time.process_time()
    counts = dict.fromkeys(range(97), 0)
    for number, match in enumerate(re.finditer(r"\d+(?:\.\d+)?", "seed 1 79.3 | " * 4_000)):
        counts[number % 97] += len(match.group())
    for number in range(60_000):
        counts[number % 97] += number
    return time.process_time() - started


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail when the body computes for more than so many seconds, even in the middle of a regular expression."""
    limit = _ALLOWANCE * seconds * pace()

    def give_up(_signal: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"took longer than {limit:.1f} s; {seconds} s are usual on a free machine")

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
