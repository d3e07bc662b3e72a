"""What awaits a person, in the order in which it is least work to decide."""

from collections.abc import Sequence
from decimal import Decimal

from grader.frozen import Frozen
from grader.message import Words
from grader.result import ItemResult, Points, Result, Status


class ReviewEntry(Frozen):
    """One student's item to decide: `points` are at stake, `quote` is the first evidence and `file` where it stands."""

    student: str
    name: str
    status: Status
    points: Points
    reason: Words
    suggestion: Status | None
    found: Words | None
    quote: str | None
    file: str | None


class ReviewGroup(Frozen):
    """All students for whom one item is to be decided: like answers stand together. `points` are those of all."""

    item: str
    title: Words
    points: Points
    entries: tuple[ReviewEntry, ...]


def awaits_person(item: ItemResult) -> bool:
    """Whether a person must decide about an item; it may be worth no points."""
    return item.pending > 0 or item.status in (Status.REVIEW, Status.ERROR)


def review_queue(results: Sequence[Result]) -> tuple[ReviewGroup, ...]:
    """One group per item, the most points at stake first; within it by suggestion and answer, so that like meets like.

    Give graded results only: of a failed one every item awaits a person, and it is looked at as a whole; and of one
    that came too late to be graded nothing is left to decide.
    """
    groups: dict[str, list[tuple[ItemResult, ReviewEntry]]] = {}
    for result in results:
        for item in result.items:
            if awaits_person(item):
                groups.setdefault(item.id, []).append((item, _entry(result, item)))
    return tuple(sorted((_group(pairs) for pairs in groups.values()), key=lambda group: -group.points))


def _group(pairs: Sequence[tuple[ItemResult, ReviewEntry]]) -> ReviewGroup:
    item = pairs[0][0]
    entries = sorted((entry for _, entry in pairs), key=_likeness)
    points = sum((entry.points for entry in entries), Decimal(0))
    return ReviewGroup(item=item.id, title=item.title, points=points, entries=tuple(entries))


def _likeness(entry: ReviewEntry) -> tuple[str, str, str, str, str]:
    return entry.status, entry.suggestion or "", entry.reason, entry.found or entry.quote or "", entry.student


def _entry(result: Result, item: ItemResult) -> ReviewEntry:
    first = item.evidence[0] if item.evidence else None
    return ReviewEntry(
        student=result.student.id,
        name=result.student.name,
        status=item.status,
        points=item.pending,
        reason=item.note or item.feedback,
        suggestion=item.suggestion,
        found=item.found,
        quote=first.quote if first else None,
        file=first.file if first else None,
    )
