"""Answers that many students share and that earned no points: perhaps the key or the question's wording is wrong."""

from collections.abc import Sequence
from math import ceil
from typing import Final

from grader.frozen import Frozen
from grader.message import Words, say
from grader.result import Result, Status

_FEWEST: Final = 3
_SHARE: Final = 0.2
"""Of the class. Fewer students may make one mistake by chance, or learn it from each other."""

_LOST: Final = (Status.INCORRECT, Status.PARTIAL)


class SharedAnswer(Frozen):
    """An answer to one rubric item that several students gave and that did not count in full."""

    item: str
    title: Words
    found: Words
    expected: Words | None
    students: tuple[str, ...]
    meaning: Words


def shared_answers(results: Sequence[Result]) -> tuple[SharedAnswer, ...]:
    """Such answers, the most frequent first; those that await a person count where not full points are suggested."""
    groups: dict[tuple[str, str], list[str]] = {}
    titles: dict[str, tuple[str, str | None]] = {}
    for result in results:
        for item in result.items:
            verdict = item.suggestion if item.status is Status.REVIEW else item.status
            if item.found and verdict in _LOST:
                groups.setdefault((item.id, item.found), []).append(result.student.id)
                titles.setdefault(item.id, (item.title, item.expected))
    fewest = max(_FEWEST, ceil(_SHARE * len(results)))
    found = [
        SharedAnswer(
            item=item,
            title=titles[item][0],
            found=answer,
            expected=titles[item][1],
            students=tuple(students),
            meaning=say(
                "{count} of {students} students gave this answer. Before grades go out, see whether the key or the "
                "wording of the question is wrong.",
                count=len(students),
                students=len(results),
            ),
        )
        for (item, answer), students in groups.items()
        if len(students) >= fewest
    ]
    return tuple(sorted(found, key=lambda one: (-len(one.students), one.item, one.found)))
