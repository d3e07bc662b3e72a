"""The desk where hand-ins are checked: one thread reads what waits, so many at a time, and everybody gets an answer."""

import queue
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Final, NamedTuple

from grader.lab.definition import Lab
from grader.selfcheck.look import Look, UnseenError, looks
from grader.selfcheck.seen import Seen

_PAUSE: Final = 0.1
"""In seconds: how long is waited for a hand-in where nothing is being read."""


class Limits(NamedTuple):
    """What a course lets one person, and everybody together, ask for. `largest` is in bytes, of one upload; `hourly` is
    how many uploads an address may send in an hour, 0 for any number; `waiting` how many may wait."""

    largest: int = 32 * 2**20
    hourly: int = 30
    waiting: int = 200
    files: int = 60


class BusyError(Exception):
    """So many wait that this one would wait too long."""


class Desk:
    """Reads hand-ins as they come. Every folder is gone when its answer is there, whatever happened."""

    def __init__(self, lab: Lab, limits: Limits, workers: int) -> None:
        self.lab, self.limits = lab, limits
        self._workers = workers
        self._queue: queue.Queue[tuple[Look, Future[Seen]]] = queue.Queue(limits.waiting)
        self._answers: dict[Path, Future[Seen]] = {}
        self._closed = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def folder(self) -> Path:
        """An empty folder for one upload; `submit` or the caller removes it."""
        return Path(tempfile.mkdtemp(prefix="check-"))

    def submit(self, folder: Path, paths: tuple[Path, ...], language: str) -> "Future[Seen]":
        """What will be read of the files in a folder. Raises BusyError; then the folder is gone too."""
        work = folder / "work"
        work.mkdir()
        answer: Future[Seen] = Future()
        try:
            self._queue.put_nowait((Look(paths, self.lab, language, work), answer))
        except queue.Full as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise BusyError from error
        return answer

    def close(self) -> None:
        """Take no more; what is being read is given up."""
        self._closed = True
        self._thread.join(timeout=5)

    def _work(self) -> None:
        while not self._closed:
            try:
                for look, found in looks(self._waiting(), self._workers):
                    self._told(look, found)
            except Exception as error:  # nobody is left without an answer, and the desk goes on
                for folder in list(self._answers):
                    self._tell(folder, UnseenError(f"{type(error).__name__}: {error}"))

    def _waiting(self) -> Iterator[Look | None]:
        while not self._closed:
            try:
                busy = bool(self._answers)
                look, answer = self._queue.get_nowait() if busy else self._queue.get(timeout=_PAUSE)
            except queue.Empty:
                yield None
                continue
            self._answers[look.work.parent] = answer
            yield look

    def _told(self, look: Look, found: Seen | UnseenError) -> None:
        self._tell(look.work.parent, found)

    def _tell(self, folder: Path, found: Seen | UnseenError) -> None:
        answer = self._answers.pop(folder)
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(found, UnseenError):
            answer.set_exception(found)
        else:
            answer.set_result(found)


class Counter:
    """How often each address came within the last hour. It forgets those that stay away."""

    _HOUR: Final = 3600.0

    def __init__(self, hourly: int) -> None:
        self._hourly = hourly
        self._times: dict[str, list[float]] = {}

    def admits(self, address: str) -> bool:
        """Whether one more upload of an address is within the limit; it is counted if so."""
        if not self._hourly:
            return True
        now = time.monotonic()
        self._times = {one: recent for one, times in self._times.items() if (recent := self._recent(times, now))}
        own = self._times.setdefault(address, [])
        if len(own) >= self._hourly:
            return False
        own.append(now)
        return True

    def _recent(self, times: list[float], now: float) -> list[float]:
        return [time_ for time_ in times if now - time_ < self._HOUR]
