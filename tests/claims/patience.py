"""A limit on how long a piece of work may take in a test."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail when the body computes for more than so many seconds, even in the middle of a regular expression."""

    def give_up(_signal: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"took longer than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
