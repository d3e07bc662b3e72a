"""Which automatic verdicts on short answers a person looks at all the same, and what such looks found in this class."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import ceil
from typing import Final

from grader.frozen import Frozen
from grader.message import Words
from grader.result import ItemResult, Result
from grader.risk import upper_bound

AUTOMATIC: Final = "automatic:"
"""Begins the tag of a verdict that a model of marked examples gave; the verdict follows."""
SHARE: Final = 0.05
LEAST_OF_HUNDRED: Final = 20


class Audit(Frozen):
    """An automatic verdict that a person is asked to confirm or to overrule. It stands meanwhile. `is_done`: a person
    has done so."""

    item: str
    student: str
    group: str
    verdict: str
    found: Words | None
    is_done: bool = False


class AuditResult(Frozen):
    """Of a question's audited verdicts in this class: how many there were, how many a person overruled, and the
    one-sided 95 % bound of the share of wrong ones."""

    item: str
    audited: int
    overruled: int
    bound: float


def verdict_of(item: ItemResult) -> str | None:
    """The automatic verdict on an item, if a model gave one."""
    return next((tag.removeprefix(AUTOMATIC) for tag in item.tags if tag.startswith(AUTOMATIC)), None)


def audits(results: Sequence[Result], share: float = SHARE) -> tuple[Audit, ...]:
    """A share of the automatic verdicts, and 20 in a class of 100 at least. The choice looks random, but is the same
    for the same class: it goes by the hash of item and answer, so that nobody can choose either."""
    automatic = [
        Audit(
            item=item.id,
            student=result.student.id,
            group=item.group,
            verdict=verdict,
            found=item.found,
            is_done=bool(item.decided_by),
        )
        for result in results
        for item in result.items
        if (verdict := verdict_of(item)) is not None
    ]
    number = max(ceil(share * len(automatic)), ceil(LEAST_OF_HUNDRED * len(results) / 100)) if automatic else 0
    drawn = sorted(
        automatic, key=lambda one: hashlib.sha256(f"{one.item} {one.group} {one.student}".encode()).hexdigest()
    )
    return tuple(sorted(drawn[:number], key=lambda one: (one.item, one.student)))


def audit_results(results: Iterable[Result]) -> tuple[AuditResult, ...]:
    """What people found where they looked at automatic verdicts, by item."""
    found: dict[str, list[bool]] = defaultdict(list)
    for result in results:
        for item in result.items:
            verdict = verdict_of(item)
            if item.decided_by and verdict is not None:
                found[item.id].append(verdict != item.status.value)
    return tuple(
        AuditResult(
            item=item, audited=len(wrong), overruled=sum(wrong), bound=round(upper_bound(sum(wrong), len(wrong)), 4)
        )
        for item, wrong in sorted(found.items())
    )
