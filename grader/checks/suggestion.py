"""A name that was meant by another one."""

import difflib
from collections.abc import Iterable

from grader.message import say

_LIKENESS = 0.6


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like a given one, if any is like it."""
    return next(iter(difflib.get_close_matches(name, list(known), 1, _LIKENESS)), None)


def meant(name: str, known: Iterable[str]) -> str:
    """`Did you mean …? ` with a space behind it, or nothing."""
    found = nearest(name, known)
    return say("Did you mean {name!r}? ", name=found) if found else say("")
