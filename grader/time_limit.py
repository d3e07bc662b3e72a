"""A limit on computing time, for work whose time no size bounds: what a stranger wrote may be made to be slow."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_AGAIN: Final = 0.5
"""In seconds: after so long the error is raised once more, where a library swallowed it."""


class TooSlowError(BaseException):
    """The time is over. No `except Exception` stops it."""


@contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """Raise TooSlowError in the body once it has used so much processor time, on which other programs have no
    influence. Where the system cannot do that, and outside of the main thread, there is no limit."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def give_up(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    started = time.process_time()
    handler = signal.signal(signal.SIGPROF, give_up)
    left, interval = signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        if left:
            signal.setitimer(signal.ITIMER_PROF, max(left - (time.process_time() - started), 0.001), interval)
