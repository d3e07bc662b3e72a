"""Logged accuracies that several students share, and what that does and does not show.

The same seeds on the same kind of machine give the same accuracies to the last digit, so equal values are the normal
case. Equal wall-clock times, or the same process, are not: then the files are the same ones.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from grader.frozen import Frozen
from grader.message import Words, say
from grader.result import Result, SeriesPrint


class Sharing(StrEnum):
    """What two submissions have in common."""

    SAME_FILES = "same files"
    SAME_VALUES = "same values"
    UNKNOWN = "same values, times unknown"


_MEANING: Final = {
    Sharing.SAME_FILES: say(
        "Values and wall-clock times, or the process that wrote them, are the same: these are copies of the same log "
        "files. Why is open: working together, one account, or a shared folder."
    ),
    Sharing.SAME_VALUES: say(
        "The values are the same but were written at other times or by other processes: the same seeds were run on "
        "like machines, and reproduce. Nothing follows about copying."
    ),
    Sharing.UNKNOWN: say(
        "The values are the same; these logs do not say when and where they were written. The same seeds reproduce on "
        "like machines, so nothing follows about copying."
    ),
}


class SharedSeries(Frozen):
    """Students whose logs hold the same accuracy curves. For staff only; it proves nothing about anyone."""

    sharing: Sharing
    students: tuple[str, ...]
    series: tuple[Words, ...]
    meaning: Words


def shared_series(results: Sequence[Result]) -> tuple[SharedSeries, ...]:
    """Groups of students with common curves: the same files first, then the largest groups."""
    owners: dict[str, list[tuple[str, SeriesPrint]]] = {}
    for result in results:
        for series in result.series:
            owners.setdefault(series.values, []).append((result.student.id, series))
    groups: dict[tuple[Sharing, tuple[str, ...]], list[str]] = {}
    for shared in owners.values():
        for sharing, students in _sharing(shared):
            groups.setdefault((sharing, students), []).append(_title(shared[0][1]))
    found = [
        SharedSeries(sharing=sharing, students=students, series=tuple(sorted(set(titles))), meaning=_MEANING[sharing])
        for (sharing, students), titles in groups.items()
    ]
    order = list(Sharing)
    return tuple(sorted(found, key=lambda one: (order.index(one.sharing), -len(one.students), one.students)))


def _sharing(shared: Sequence[tuple[str, SeriesPrint]]) -> list[tuple[Sharing, tuple[str, ...]]]:
    """The ways in which the owners of equal curves share them."""
    everyone = tuple(sorted({student for student, _ in shared}))
    if len(everyone) < 2:
        return []
    copies: dict[tuple[str, str], set[str]] = {}
    for student, series in shared:
        for kind, mark in (("times", series.times), ("process", series.process)):
            if mark:
                copies.setdefault((kind, mark), set()).add(student)
    same = sorted({tuple(sorted(students)) for students in copies.values() if len(students) > 1})
    if everyone in same:
        return [(Sharing.SAME_FILES, everyone)]
    told = all(series.times or series.process for _, series in shared)
    rest = Sharing.SAME_VALUES if told else Sharing.UNKNOWN
    return [*((Sharing.SAME_FILES, students) for students in same), (rest, everyone)]


def _title(series: SeriesPrint) -> str:
    experiment = series.experiment or say("an unknown experiment")
    if series.seed is None:
        return say("{experiment}, {split}", experiment=experiment, split=series.split)
    return say("{experiment} seed {seed}, {split}", experiment=experiment, seed=series.seed, split=series.split)
