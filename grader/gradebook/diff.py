"""What became of grades from one time to another, by how much, and why."""

from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from grader.gradebook.inputs import Reason, reasons
from grader.gradebook.kept import Kept
from grader.gradebook.outline import ItemOutline, Outline

_OF_THE_WHOLE = frozenset({Reason.OVERRIDES, Reason.LATENESS, Reason.ROSTER, Reason.REPORTS})
"""What changes no finding: an override changes its own item, lateness the total."""


class ItemChange(NamedTuple):
    """One item, of which one may be missing: a lab gains and loses items. `decision` is the override that is now in
    force, where it is another than before."""

    item: str
    before: ItemOutline | None
    after: ItemOutline | None
    why: tuple[Reason, ...]
    decision: str = ""


class GradeChange(NamedTuple):
    """One student's grade made anew. `points` is by how much the score rose; the items are those that are otherwise."""

    student: str
    before: Kept
    after: Kept
    points: Decimal
    why: tuple[Reason, ...]
    items: tuple[ItemChange, ...]

    @property
    def shows(self) -> bool:
        """Whether the outcome is another, not only the way to it."""
        return bool(self.items) or _outcome(self.before) != _outcome(self.after)


class Differences(NamedTuple):
    """Between two times: grades made anew, those of students new to the gradebook, and students who are not covered
    any more. `same` is how many kept the very same grade."""

    changed: tuple[GradeChange, ...]
    added: tuple[Kept, ...]
    gone: tuple[str, ...]
    same: int


def differences(
    before: Mapping[str, Kept], after: Mapping[str, Kept], covered_before: Collection[str] = ()
) -> Differences:
    """What differs between the grades of students at two times."""
    both = [(before[student], kept) for student, kept in sorted(after.items()) if student in before]
    return Differences(
        changed=tuple(changes(old, new) for old, new in both if old.id != new.id),
        added=tuple(kept for student, kept in sorted(after.items()) if student not in before),
        gone=tuple(sorted(set(covered_before) - after.keys())),
        same=sum(old.id == new.id for old, new in both),
    )


def changes(before: Kept, after: Kept) -> GradeChange:
    """What differs between two grades of one student."""
    why = reasons(before.origin, after.origin)
    old, new = before.outline, after.outline
    return GradeChange(
        student=after.student,
        before=before,
        after=after,
        points=new.score - old.score,
        why=why,
        items=tuple(_items(old, new, why)),
    )


def _items(before: Outline, after: Outline, why: tuple[Reason, ...]) -> Iterator[ItemChange]:
    found = tuple(reason for reason in why if reason not in _OF_THE_WHOLE) or why
    for item in dict.fromkeys((*after.items, *before.items)):
        if before.items.get(item) == after.items.get(item):
            continue
        old, new = before.item(item), after.item(item)
        if old and new and old.override != new.override:
            yield ItemChange(item, old, new, (Reason.OVERRIDES,), new.override)
        else:
            yield ItemChange(item, old, new, found)


def _outcome(kept: Kept) -> tuple[object, ...]:
    outline = kept.outline
    return outline.score, outline.pending, outline.max_score, outline.late_penalty, outline.error
