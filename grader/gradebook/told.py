"""Changes of grades in words."""

from collections.abc import Iterable, Iterator
from types import MappingProxyType

from grader.cohort.changes import Change
from grader.gradebook.diff import Differences, GradeChange, ItemChange
from grader.gradebook.inputs import Reason
from grader.gradebook.kept import Kept
from grader.gradebook.outline import ItemOutline
from grader.message import Message, joined, say
from grader.result import Status

_REASONS = MappingProxyType(
    {
        Reason.SUBMISSION: say("another submission"),
        Reason.LAB: say("the lab changed"),
        Reason.TRUTH: say("the truth changed"),
        Reason.GRADER: say("the grader changed"),
        Reason.OVERRIDES: say("overrides changed"),
        Reason.LATENESS: say("lateness changed"),
        Reason.ROSTER: say("who the student is changed"),
        Reason.REPORTS: say("language or templates changed"),
        Reason.FAILURE: say("the grader had failed or failed now"),
        Reason.AGAIN: say("graded again"),
    }
)
_STATUSES = MappingProxyType(
    {
        Status.CORRECT: say("correct"),
        Status.PARTIAL: say("partial"),
        Status.INCORRECT: say("incorrect"),
        Status.MISSING: say("missing"),
        Status.REVIEW: say("for review"),
        Status.NOT_RUN: say("not checked"),
        Status.ERROR: say("not graded"),
    }
)


def why(reasons: Iterable[Reason]) -> Message:
    """Reasons, such as `the lab changed, overrides changed`."""
    return joined(", ", [_REASONS[reason] for reason in reasons])


def item_words(item: ItemOutline | None) -> Message:
    """An item's outcome, such as `partial, 1 / 2`; nothing where there is no such item."""
    if item is None:
        return say("not in the lab")
    status = _STATUSES[Status(item.status)]
    return say("{status}, {score:g} / {max_score:g}", status=status, score=item.score, max_score=item.max_score)


def grade_words(kept: Kept) -> Message:
    """A grade, such as `13.5 / 20, 2 await review`."""
    outline = kept.outline
    if outline.error is not None:
        return _STATUSES[Status.ERROR]
    points = say("{score:g} / {max_score:g}", score=float(outline.score), max_score=float(outline.max_score))
    pending, penalty = float(outline.pending), float(outline.late_penalty)
    late = [say("{penalty:g} taken off for lateness", penalty=penalty)] if penalty else []
    waiting = [say("{pending:g} await review", pending=pending)] if pending else []
    return joined(", ", [points, *late, *waiting])


def item_why(change: ItemChange) -> Message:
    """Why an item is otherwise; whose decision it is now, where that is the reason."""
    if not change.decision:
        return why(change.why)
    return say("decided by {decision}", decision=change.decision)


def class_changes(found: Differences) -> tuple[Change, ...]:
    """The changes that the report of a class shows: each student's score, then the items that are otherwise."""
    return tuple(change for one in found.changed if one.shows for change in _of_student(one))


def _of_student(change: GradeChange) -> Iterator[Change]:
    before, after = grade_words(change.before), grade_words(change.after)
    yield Change(student=change.student, before=before, after=after, why=why(change.why))
    for item in change.items:
        before, after = item_words(item.before), item_words(item.after)
        yield Change(student=change.student, item=item.item, before=before, after=after, why=item_why(item))
