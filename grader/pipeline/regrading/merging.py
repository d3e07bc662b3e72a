"""A regrade of some items: these are taken from the new result, all others stay as they were."""

from collections.abc import Collection, Iterator
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import NamedTuple

from grader.lateness import late_flags
from grader.result import ItemResult, QuestionScore, Result, Versions
from grader.scoring import Score, after_lateness


class KeptItem(NamedTuple):
    """An item that was kept as it was, although it would be otherwise now."""

    before: ItemResult
    now: ItemResult


class Merged(NamedTuple):
    """The result in force, and what was kept in it."""

    result: Result
    kept: tuple[KeptItem, ...]


def named(item: str, only: Collection[str]) -> bool:
    """Whether an item is meant by one of some names, in which `*` stands for anything. No names mean all items."""
    return not only or any(fnmatchcase(item, one) for one in only)


def merged(before: Result | None, now: Result, only: Collection[str]) -> Merged:
    """The new result, in which the items that `only` does not name are as they were before. Points are summed anew and
    lateness is taken off anew. An item without a past is taken as it is now."""
    if before is None or not only or before.error:
        return Merged(now, ())
    past = {item.id: item for item in before.items}
    pairs = [(past.get(item.id), item) for item in now.items]
    kept = tuple(KeptItem(old, new) for old, new in pairs if old and not named(new.id, only) and _differs(old, new))
    if not kept:
        return Merged(now, ())
    versions = Versions(
        lab_sha256=before.lab.sha256, truth_sha256=before.truth_sha256, grader_version=before.grader_version
    )
    stay = {one.before.id: _as_kept(one.before, versions) for one in kept}
    items = tuple(stay.get(item.id, item) for item in now.items)
    return Merged(summed(now, items).model_copy(update={"flags": tuple(_flags(before, now))}), kept)


def _differs(old: ItemResult, new: ItemResult) -> bool:
    return old.model_copy(update={"kept_from": None}) != new


def _as_kept(item: ItemResult, versions: Versions) -> ItemResult:
    return item.model_copy(update={"kept_from": item.kept_from or versions})


def summed(now: Result, items: tuple[ItemResult, ...]) -> Result:
    """A result with other items: their points summed anew, and lateness taken off anew."""
    earned = Score(score=_sum(items, "score"), pending=_sum(items, "pending"), max_score=_sum(items, "max_score"))
    total = after_lateness(earned, now.lateness)
    return now.model_copy(
        update={
            "items": items,
            "questions": tuple(_question(one, items) for one in now.questions),
            "score": total.score,
            "pending": total.pending,
            "max_score": total.max_score,
            "late_penalty": earned.score - total.score,
            "needs_review": total.pending > 0,
        }
    )


def _flags(before: Result, now: Result) -> Iterator[object]:
    """A flag may belong to an item that was kept, so those of before stay; but lateness is of now."""
    late = late_flags(now.lateness)
    old = late_flags(before.lateness)
    yield from (flag for flag in before.flags if flag.id not in {one.id for one in old})
    yield from (flag for flag in now.flags if flag.id in {one.id for one in late})


def _question(question: QuestionScore, items: tuple[ItemResult, ...]) -> QuestionScore:
    own = tuple(item for item in items if item.question == question.id)
    points = {name: _sum(own, name) for name in ("score", "pending", "max_score")}
    return question.model_copy(update=points)


def _sum(items: Collection[ItemResult], field: str) -> Decimal:
    return sum((getattr(item, field) for item in items), Decimal(0))
