"""Refusals as they are listed: all of them accounted for, none drowning the rest."""

from collections.abc import Iterable
from itertools import groupby
from typing import Final

from grader.intake.names import is_archive
from grader.intake.order import natural
from grader.intake.roles import role_of
from grader.intake.submission import Refusal, Role

MOST_ALIKE: Final = 20
"""Refusals for one and the same reason that are listed one by one."""


def condensed(refused: Iterable[Refusal]) -> tuple[Refusal, ...]:
    """In the order of their paths; of many with one reason the first ones, and how many more there are."""
    by_reason = groupby(sorted(refused, key=lambda one: (one.reason, natural(one.path))), lambda one: one.reason)
    listed = [one for reason, alike in by_reason for one in _first_of(reason, list(alike))]
    return tuple(sorted(listed, key=lambda one: natural(one.path)))


def _first_of(reason: str, alike: list[Refusal]) -> list[Refusal]:
    more = len(alike) - MOST_ALIKE
    if more <= 1:
        return alike
    alike.sort(key=lambda one: not may_hold_answers(one))
    rest = any(may_hold_answers(one) for one in alike[MOST_ALIKE:])
    return [*alike[:MOST_ALIKE], Refusal(path=f"… and {more:,} more", reason=reason, is_many=rest)]


def may_hold_answers(refusal: Refusal) -> bool:
    """Whether something to grade may be missing without it: by its name a report, code or a log, or an archive, or what
    may hold any of these."""
    return refusal.is_many or is_archive(refusal.path) or role_of(refusal.path, b"") is not Role.OTHER
