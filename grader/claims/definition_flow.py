"""Definitions in running text: which sentence is about which parameter, decided for all sentences together.

What a sentence is about is told by its words, compared with the lab's marked examples, and by the names in it. Each
parameter has at most one run of sentences, and runs in the order of the lab's configuration are likelier, so that
definitions without names are found by their order.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from grader.claims.definition_openings import VALUE, spelled
from grader.lab.definition import Lab, Parameter

_END: Final = re.compile(r"(?<!i\.e)(?<!e\.g)(?<!c\.-à-d)[.;!?](?=\s)|\n(?=\s*\n|\d{1,2}\.?\s+[A-ZÀ-Ý])")
_ASSIGNMENT: Final = re.compile(rf"[\w.]*\(?\s*\w+\s*=\s*(?:{VALUE})\s*[,)]*")
_FEWEST_WORDS: Final = 4
_NO_SENTENCE: Final = re.compile(r"\s*\[\d+\]|.*[:?]\s*$", re.DOTALL)
"""An entry of a bibliography, an announcement, a question."""
_MOST: Final = 60
_LONGEST: Final = 1_500
"""A longer run of text, in characters, is no sentence but a log or a list of numbers."""
_NONE: Final = 0.1
"""How like its nearest examples a sentence must be to be about a parameter at all."""
_NAMED, _OTHER_NAMED, _IN_ORDER, _BEGUN, _GAP = 0.15, 0.06, 0.05, 0.07, 0.02
"""What a name in a sentence, another parameter's name in it, the configuration's order, a new run, and a sentence
between two runs that belongs to none count."""
_STRAY: Final = 0.1
"""How like its nearest examples a further sentence of a definition must be to belong to it."""


class Unit(NamedTuple):
    """A sentence, or a part of one that names another parameter than the part before."""

    start: int
    end: int


class Run(NamedTuple):
    """Sentences about one parameter, from `start` to `end`; `named` where its name stands in them."""

    parameter: str
    start: int
    end: int
    named: bool


def runs(text: str, spans: Sequence[tuple[int, int]], wanted: Sequence[str], lab: Lab) -> Iterator[Run]:
    """The runs of sentences within some spans of a text that define the wanted parameters."""
    scorer = lab.short_answers.scorer() if lab.short_answers else None
    units = [unit for start, end in spans for unit in _units(text, start, end, lab)][:_MOST]
    asked = [one for one in lab.parameters if one.id in wanted]
    if scorer is None or not units or not asked:
        return
    likeness = [scorer.about(text[unit.start : unit.end]) for unit in units]
    mentioned = [{one.id for one in lab.parameters if names(one, text[u.start : u.end])} for u in units]
    worth = [
        [_worth(like.get(one.id, 0.0), one.id, said) for one in asked]
        for like, said in zip(likeness, mentioned, strict=True)
    ]
    for number, first, last in _best(worth, [lab.parameters.index(one) for one in asked]):
        of_run = range(first, last + 1)
        named = any(asked[number].id in mentioned[at] for at in of_run)
        yield Run(asked[number].id, units[first].start, units[last].end, named)


def _worth(likeness: float, parameter: str, mentioned: set[str]) -> float:
    named = (_NAMED if "_" in parameter else _NAMED / 2) if parameter in mentioned else 0.0
    others = _OTHER_NAMED if mentioned - {parameter} else 0.0
    return likeness - _NONE + named - others


def names(parameter: Parameter, text: str) -> bool:
    """Whether a text speaks of a parameter by its name; a name that is also a common word tells less, but counts."""
    return bool(_name(parameter).search(text))


@lru_cache
def _name(parameter: Parameter) -> re.Pattern[str]:
    own = [name for name in parameter.names if len(name) > 1 or len(parameter.names) == 1]
    return re.compile(rf"(?<![\w/×·^]){'(?:' + '|'.join(map(spelled, own)) + ')'}(?![\w/×·^]|\s*[/×])", re.IGNORECASE)


def _units(text: str, start: int, end: int, lab: Lab) -> Iterator[Unit]:
    """The sentences of a span that say something beside settings in code, cut where a clause names another
    parameter."""
    ends = [match.end() for match in _END.finditer(text, start, end)]
    for begin, stop in zip([start, *ends], [*ends, end], strict=True):
        cuts = [begin, *_clauses(text, begin, stop, lab), stop]
        for one, two in pairwise(cuts):
            if two - one > _LONGEST:
                continue
            settings = list(_ASSIGNMENT.finditer(text, one, two))
            rest = text[settings[-1].end() : two] if settings else text[one:two]
            if settings and len(re.findall(r"[^\W\d_]{2,}", rest)) >= _FEWEST_WORDS:
                one = settings[-1].end()
            rest = _ASSIGNMENT.sub(" ", text[one:two])
            if not _NO_SENTENCE.match(text[one:two]) and len(re.findall(r"[^\W\d_]{2,}", rest)) >= _FEWEST_WORDS:
                yield Unit(one, two)


def _clauses(text: str, start: int, end: int, lab: Lab) -> Iterator[int]:
    """Where, behind a comma or a linking word, a clause begins that names another parameter than what stands before."""
    seen: set[str] = set()
    places = [start, *(match.end() for match in re.finditer(r"[,:]\s|\s(?=(?:and|et|while)\s)", text[start:end]))]
    places = [start, *(start + one for one in places[1:])]
    for one, two in zip(places, [*places[1:], end], strict=True):
        said = {parameter.id for parameter in lab.parameters if names(parameter, text[one:two])}
        if said and seen and not said & seen and len(said) == 1:
            yield one
            seen = said
        seen |= said


_BEFORE, _BETWEEN, _AFTER = -1, -2, -3
"""Where a sentence stands that belongs to no run: definitions stand together, so that one between them costs."""

_State = tuple[int, int, int]
"""The parameter of the current sentence or its place among the runs, the parameter before, those that had their run."""
_Path = tuple[tuple[int, int, int], ...]


def _best(worth: Sequence[Sequence[float]], order: Sequence[int]) -> _Path:
    """The runs that are worth most together: of each, the number of its parameter, its first and its last sentence."""
    states: dict[_State, tuple[float, _Path]] = {(_BEFORE, -1, 0): (0.0, ())}
    for at, values in enumerate(worth):
        following: dict[_State, tuple[float, _Path]] = {}
        for state, (total, found) in states.items():
            for next_, value, path in _steps(state, found, at, values, order):
                if next_ not in following or total + value > following[next_][0]:
                    following[next_] = (total + value, path)
        states = following
    return max(states.values(), key=lambda one: one[0])[1]


def _steps(
    state: _State, found: _Path, at: int, values: Sequence[float], order: Sequence[int]
) -> Iterator[tuple[_State, float, _Path]]:
    """What a sentence may be after what is before it, with what that is worth."""
    now, before, done = state
    if now == _AFTER:
        yield state, 0.0, found
        return
    if now == _BEFORE:
        yield state, 0.0, found
    else:
        yield (_BETWEEN, before, done), -_GAP, found
        yield (_AFTER, before, done), 0.0, found
    if now >= 0:
        yield state, values[now], (*found[:-1], (now, found[-1][1], at))
    for new, value in enumerate(values):
        if not done >> new & 1:
            is_next = before >= 0 and order[new] == order[before] + 1
            gain = value - _BEGUN + (_IN_ORDER if is_next else 0.0)
            yield (new, new, done | 1 << new), gain, (*found, (new, at, at))


def own_end(text: str, start: int, end: int, parameter: str, lab: Lab) -> int:
    """Where a definition ends whose first sentence begins at `start`: before the first further sentence that is not
    about its parameter."""
    scorer = lab.short_answers.scorer() if lab.short_answers else None
    ends = [match.end() for match in _END.finditer(text, start, end)]
    if scorer is None or not ends or parameter not in scorer.topics:
        return end
    for one, two in zip(ends, [*ends[1:], end], strict=True):
        if text[one:two].strip() and scorer.about(text[one:two])[parameter] < _STRAY:
            return one
    return end
