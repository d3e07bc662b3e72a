"""Who looks at what, so that two people do not decide the same."""

import threading
import time
from typing import Final

_GONE: Final = 20.0
"""Seconds after which a person who was not heard of is elsewhere."""


class Presence:
    """The group that each grader looks at."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at: dict[str, tuple[str, float]] = {}

    def looks(self, grader: str, group: str) -> None:
        """Note that a grader looks at a group; at none with an empty one."""
        with self._lock:
            self._at[grader] = (group, time.monotonic())

    def others(self, grader: str) -> dict[str, tuple[str, ...]]:
        """The other graders by the group that they look at."""
        now = time.monotonic()
        found: dict[str, list[str]] = {}
        with self._lock:
            for name, (group, when) in self._at.items():
                if name != grader and group and now - when < _GONE:
                    found.setdefault(group, []).append(name)
        return {group: tuple(sorted(names)) for group, names in found.items()}
