"""A limit on the processor time of a piece of work, which other work on the machine does not use up."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooSlowError(BaseException):
    """The time is over. No `except Exception` stops it."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise TooSlowError in the body when it has used so much processor time, and again if that is swallowed."""

    def give_up(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
