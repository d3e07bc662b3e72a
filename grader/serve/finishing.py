"""Reports rendered anew in the background, while people go on deciding."""

import threading
from collections.abc import Callable
from typing import NamedTuple

from grader.pipeline.finishing import Finished

Finish = Callable[[Callable[[int, int], None]], Finished]


class State(NamedTuple):
    """How far it is: `made` of `of` reports; what came of it; why it could not be done."""

    running: bool = False
    made: int = 0
    of: int = 0
    finished: Finished | None = None
    problem: str = ""


class Finisher:
    """Does one finish at a time."""

    def __init__(self, finish: Finish) -> None:
        self._finish = finish
        self._lock = threading.Lock()
        self.state = State()

    def begin(self) -> None:
        """Begin, unless it is going on."""
        with self._lock:
            if self.state.running:
                return
            self.state = State(running=True)
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            finished = self._finish(self._told)
            self.state = State(finished=finished)
        except Exception as error:  # the review goes on; what is wrong is shown
            self.state = State(problem=f"{type(error).__name__}: {error}")

    def _told(self, made: int, of: int) -> None:
        self.state = State(running=True, made=made, of=of)
