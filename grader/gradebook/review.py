"""Like answers that await a person, put together so that one decision settles them all."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from grader.frozen import Frozen
from grader.result import ItemResult, Points, Result, Status


class AnswerGroup(Frozen):
    """Answers with the same normalised text. `suggestion` is the grader's own; `tags` say what was recognised in it."""

    group: str
    item: str
    text: str
    quote: str
    reason: str
    suggestion: Status | None
    tags: tuple[str, ...]
    students: tuple[str, ...]
    points: Points


def answer_groups(results: Iterable[Result]) -> tuple[AnswerGroup, ...]:
    """The groups by item, those with the same tags beside each other, and the most frequent of these first."""
    members: dict[str, list[tuple[str, ItemResult]]] = defaultdict(list)
    for result in results:
        for item in result.items:
            if item.group and item.status is Status.REVIEW:
                members[item.group].append((result.student.id, item))
    groups = [_group(pairs) for pairs in members.values()]
    weight: dict[tuple[str, tuple[str, ...]], int] = defaultdict(int)
    for group in groups:
        weight[group.item, group.tags] += len(group.students)
    return tuple(
        sorted(
            groups,
            key=lambda one: (one.item, -weight[one.item, one.tags], one.tags, -len(one.students), one.text),
        )
    )


def _group(pairs: Sequence[tuple[str, ItemResult]]) -> AnswerGroup:
    first = pairs[0][1]
    return AnswerGroup(
        group=first.group,
        item=first.id,
        text=first.found or "",
        quote=first.evidence[0].quote if first.evidence else "",
        reason=first.note or first.feedback,
        suggestion=first.suggestion,
        tags=first.tags,
        students=tuple(sorted(student for student, _ in pairs)),
        points=sum((item.pending for _, item in pairs), start=first.pending * 0),
    )
