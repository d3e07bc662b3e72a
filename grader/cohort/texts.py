"""Reports whose prose is alike, by the fingerprints of their runs of words. Likeness is no proof of copying."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import ceil
from typing import Final, NamedTuple

from grader.frozen import Frozen
from grader.message import Words, say
from grader.result import Result

LEAST_SHARE: Final = 0.4
FEWEST_RUNS: Final = 60
"""Of the smaller sample that is compared: with fewer, chance has too much of a say."""
_FEWEST_OWNERS: Final = 5
_MOST_OWNERS: Final = 50
_SHARE_OF_CLASS: Final = 0.2


class LikeTexts(Frozen):
    """Students whose texts are alike, each with some other of them. `least` and `most` are shares (0 to 1) of the
    shorter text's runs of five words that stand in the other text too, over the pairs that are alike; `runs` tells, by
    student, how long the texts are."""

    students: tuple[str, ...]
    pairs: int
    least: float
    most: float
    runs: tuple[int, ...]
    meaning: Words


class _Text(NamedTuple):
    """One student's print. `own` are its hashes that few others have, `end` is how far they were sampled."""

    student: str
    submission: str
    runs: int
    own: list[int]
    end: int


def like_texts(results: Sequence[Result]) -> tuple[LikeTexts, ...]:
    """The groups of students whose prose is alike, the most alike first.

    Runs of words that many hold, more than a fifth of the class, or 50, but never 5 or fewer, are the course's and do
    not count. Identical hand-ins are told elsewhere.
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
    """How many hashes each two texts have in common, by places in the list."""
    owners: dict[int, list[int]] = {}
    for place, text in enumerate(texts):
        for one in text.own:
            owners.setdefault(one, []).append(place)
    return Counter(pair for places in owners.values() for pair in combinations(places, 2))


def _share(first: _Text, second: _Text, common: int) -> float | None:
    """Both texts as far as both were sampled: the share in the smaller sample estimates that of the texts. None where
    they are not alike."""
    end = min(first.end, second.end)
    smaller = min(bisect_right(first.own, end), bisect_right(second.own, end))
    share = common / smaller if smaller >= FEWEST_RUNS else 0.0
    return None if share < LEAST_SHARE or first.submission == second.submission else share


def _joined(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The places that pairs bring together, group by group."""
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
