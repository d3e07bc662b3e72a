"""Submissions that are alike, in their prose or in their logged accuracies. Likeness asks for a look; it proves
nothing by itself.

The same seeds on the same kind of machine give the same accuracies to the last digit, so equal values are the normal
case. Equal wall-clock times, or the same process, are not: then the files are the same ones.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import combinations
from math import ceil
from typing import Final, NamedTuple

from grader.frozen import Frozen
from grader.message import Words, say
from grader.result import Result, SeriesPrint

LEAST_SHARE: Final = 0.4
FEWEST_RUNS: Final = 60
"""Fewest hashes in the smaller of two compared samples; with fewer, chance dominates."""
_FEWEST_OWNERS: Final = 5
_MOST_OWNERS: Final = 50
_SHARE_OF_CLASS: Final = 0.2


class LikeTexts(Frozen):
    """A group of students, each of whose texts is similar to at least one other. `least` and `most`, over the similar
    pairs, are the share (0 to 1) of the shorter text's runs of five words that also occur in the other text; `runs` is
    the length of each student's text."""

    students: tuple[str, ...]
    pairs: int
    least: float
    most: float
    runs: tuple[int, ...]
    meaning: Words


class _Text(NamedTuple):
    """One student's text fingerprint. `own` are the hashes that few other students have, `end` is the bound of the
    sample."""

    student: str
    submission: str
    runs: int
    own: list[int]
    end: int


def like_texts(results: Sequence[Result]) -> tuple[LikeTexts, ...]:
    """The groups of students whose prose is alike, the most alike first.

    Runs of words that many students share come from the course and do not count; many is more than a fifth of the class
    or 50 students, but never 5 or fewer. Identical hand-ins are reported separately.
    """
    texts = _texts(results)
    alike = {
        (first, second): share
        for (first, second), common in _common(texts).items()
        if (share := _share(texts[first], texts[second], common))
    }
    groups = [_group(texts, members, alike) for members in _joined(alike)]
    return tuple(sorted(groups, key=lambda one: (-one.most, one.students)))


def _texts(results: Sequence[Result]) -> list[_Text]:
    printed = [(result, result.prose.hashes) for result in results if result.prose]
    owners = Counter(one for _, hashes in printed for one in hashes)
    most = max(_FEWEST_OWNERS, min(_MOST_OWNERS, ceil(_SHARE_OF_CLASS * len(printed))))
    return [
        _Text(
            student=result.student.id,
            submission=result.submission.sha256,
            runs=result.prose.runs if result.prose else 0,
            own=[one for one in hashes if owners[one] <= most],
            end=2**63 if result.prose and result.prose.is_whole else hashes[-1],
        )
        for result, hashes in printed
    ]


def _common(texts: Sequence[_Text]) -> Counter[tuple[int, int]]:
    """The number of common hashes of each pair of texts, by their indices in the list."""
    owners: dict[int, list[int]] = {}
    for place, text in enumerate(texts):
        for one in text.own:
            owners.setdefault(one, []).append(place)
    return Counter(pair for places in owners.values() for pair in combinations(places, 2))


def _share(first: _Text, second: _Text, common: int) -> float | None:
    """The share of common runs, estimated from the range in which both texts were sampled; None where the texts are not
    similar."""
    end = min(first.end, second.end)
    smaller = min(bisect_right(first.own, end), bisect_right(second.own, end))
    share = common / smaller if smaller >= FEWEST_RUNS else 0.0
    return None if share < LEAST_SHARE or first.submission == second.submission else share


def _joined(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The connected components of pairs of indices."""
    group_of: dict[int, list[int]] = {}
    for first, second in pairs:
        one, other = (group_of.setdefault(place, [place]) for place in (first, second))
        if one is not other:
            one += other
            group_of.update(dict.fromkeys(other, one))
    return [sorted(group) for group in {id(group): group for group in group_of.values()}.values()]


def _group(texts: Sequence[_Text], members: Sequence[int], alike: Mapping[tuple[int, int], float]) -> LikeTexts:
    inside = set(members)
    shares = [share for (first, _), share in alike.items() if first in inside]
    return LikeTexts(
        students=tuple(texts[place].student for place in members),
        pairs=len(shares),
        least=round(min(shares), 3),
        most=round(max(shares), 3),
        runs=tuple(texts[place].runs for place in members),
        meaning=say(
            "Up to {share:.0f} % of the shorter text's runs of five words stand in the other one too. Numbers, "
            "formulas, tables, code, references, the lab's own words and whatever many students share are left out. "
            "That texts are alike is no proof of copying: they may have one source, or one group.",
            share=max(shares) * 100,
        ),
    )


class IdenticalSubmissions(Frozen):
    """Students whose hand-ins have the same file names and the same bytes."""

    sha256: str
    students: tuple[str, ...]


class Similarity(Frozen):
    """The similarities between hand-ins, by kind."""

    identical_submissions: tuple[IdenticalSubmissions, ...]
    texts: tuple[LikeTexts, ...] = ()


def similarity(results: Sequence[Result]) -> Similarity:
    """The similarities among submissions. Empty hand-ins are left out, as they are always equal."""
    groups: dict[str, list[str]] = {}
    for result in results:
        if result.submission.files:
            groups.setdefault(result.submission.sha256, []).append(result.student.id)
    return Similarity(
        identical_submissions=tuple(
            IdenticalSubmissions(sha256=sha256, students=tuple(students))
            for sha256, students in groups.items()
            if len(students) > 1
        ),
        texts=like_texts(results),
    )


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
    """The students with equal curves, grouped by what else they share."""
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
    comparable = all(series.times or series.process for _, series in shared)
    rest = Sharing.SAME_VALUES if comparable else Sharing.UNKNOWN
    return [*((Sharing.SAME_FILES, students) for students in same), (rest, everyone)]


def _title(series: SeriesPrint) -> str:
    experiment = series.experiment or say("an unknown experiment")
    if series.seed is None:
        return say("{experiment}, {split}", experiment=experiment, split=series.split)
    return say("{experiment} seed {seed}, {split}", experiment=experiment, seed=series.seed, split=series.split)
