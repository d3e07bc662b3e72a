"""What a text says about a parameter: a whole text read as statements, or what can be made out of it."""

import re
from collections.abc import Iterator, Mapping, Sequence

from grader.frozen import Frozen
from grader.lab.matching import Matcher, Text
from grader.lab.parameter_grammar import ParameterGrammar
from grader.lab.wording import Sentence, sentences

LONGEST = 1_500
"""Longer texts, in characters, are not read: no definition is near that long."""
_ASIDE = re.compile(r"\s\(([^()]{1,200})\)")
_DENIED_WITHIN = 6
_LIST_LENGTH = 3
_MOST_ASIDES = 6
_MOST_SENTENCES = 40


class Place(Frozen):
    """A statement, or a mistake, and where in the text it is made."""

    name: str
    start: int
    end: int


class Understanding(Frozen):
    """What a text says.

    A text that is `whole` consists of `statements` and, where nothing else fits, of `mistakes`; with `other_value` it
    states another value than the right one. In any other text, `held` are the parts of a right definition that stand
    somewhere in it, `denied` those that it denies, `suspected` the mistakes that its words betray, and `stuck` is
    where the first words stand that were not understood.
    """

    whole: bool = False
    is_right: bool = False
    other_value: bool = False
    is_list: bool = False
    statements: frozenset[str] = frozenset()
    mistakes: frozenset[str] = frozenset()
    held: tuple[Place, ...] = ()
    holds_right: bool = False
    denied: tuple[Place, ...] = ()
    suspected: tuple[Place, ...] = ()
    stuck: tuple[int, int] | None = None


def understood(text: str, grammar: ParameterGrammar) -> Understanding:
    """Read a text by a parameter's grammar. What stands in brackets may belong to the sentence around it or be a
    statement apart."""
    if len(text) > LONGEST:
        return Understanding()
    found = _read(text, grammar)
    asides = [match[1] for match in _ASIDE.finditer(text)]
    if found.whole or not 0 < len(asides) <= _MOST_ASIDES:
        return found
    apart = _read(" ; ".join((_ASIDE.sub(" ", text), *asides)), grammar)
    return apart if apart.whole else found


def _read(text: str, grammar: ParameterGrammar) -> Understanding:
    cut = sentences(text, grammar.vocabulary, grammar.spelling, (grammar.name,))
    if not 0 < len(cut) <= _MOST_SENTENCES:
        return Understanding()
    searched = _searched(cut, grammar)
    stuck = None
    for any_value, with_mistakes in ((False, False), (True, False), (True, True)):
        said, stuck = _said(cut, grammar, any_value, with_mistakes)
        if stuck is None:
            return searched.model_copy(update=_whole(said, any_value, cut, grammar))
    return searched.model_copy(update={"stuck": stuck})


def _said(
    cut: Sequence[Sentence], grammar: ParameterGrammar, any_value: bool, with_mistakes: bool
) -> tuple[frozenset[str], tuple[int, int] | None]:
    """The names of all that sentences say, and where the first words stand that do not fit, if any."""
    said = frozenset[str]()
    for sentence in cut:
        reading = _Reading(sentence, grammar, any_value, with_mistakes)
        if reading.said is None:
            return said, reading.place
        said |= reading.said
    return said, None


def _whole(
    said: frozenset[str], any_value: bool, cut: Sequence[Sentence], grammar: ParameterGrammar
) -> Mapping[str, object]:
    """What a text says of which every sentence is understood."""
    mistakes = said & grammar.mistakes.keys()
    is_list = any(_is_list(sentence, grammar.function_words) for sentence in cut)
    return {
        "whole": True,
        "other_value": any_value,
        "is_list": is_list,
        "is_right": not mistakes and not is_list and any(names <= said for names in grammar.right),
        "statements": said - mistakes,
        "mistakes": mistakes,
    }


class _Reading:
    """One sentence as a row of statements. `said` names them, or is None when they do not make up the sentence; then
    `place` is where the first word stands that fits nowhere."""

    def __init__(self, sentence: Sentence, grammar: ParameterGrammar, any_value: bool, with_mistakes: bool) -> None:
        self._grammar = grammar
        self._text = Text(sentence.words, sentence.gaps, any_value=any_value)
        self._statements = {**grammar.statements, **(grammar.mistakes if with_mistakes else {})}
        self.said = self._read(sentence)
        self.place = sentence.places[min(self._text.reached, len(sentence.words) - 1)]

    def _read(self, sentence: Sentence) -> frozenset[str] | None:
        """Go through the sentence once. At each place is known what may have been said so far: in `closed` where a
        statement has just ended, in `begun` where one may begin."""
        last = len(sentence.words)
        begun: dict[int, frozenset[str]] = {0: frozenset()}
        closed: dict[int, frozenset[str]] = {}
        for place in range(last):
            if place in closed:
                for name, adding in self._grammar.adds.items():
                    for end in _ends(adding, self._text, place):
                        _add(closed, end, closed[place] | {name})
                for end in _ends(self._grammar.joining, self._text, place):
                    _add(begun, end, closed[place])
                if place in sentence.gaps:
                    _add(begun, place, closed[place])
            if place in begun:
                for name, end in self._stated(place):
                    _add(closed, end, begun[place] | {name})
        return closed.get(last)

    def _stated(self, place: int) -> Iterator[tuple[str, int]]:
        for start in (place, *_ends(self._grammar.opening, self._text, place)):
            for name, matcher in self._statements.items():
                for end in _ends(matcher, self._text, start):
                    yield name, end


def _add(places: dict[int, frozenset[str]], place: int, said: frozenset[str]) -> None:
    places[place] = places.get(place, frozenset()) | said


def _ends(matcher: Matcher | None, text: Text, start: int) -> tuple[int, ...]:
    return matcher.ends(text, start) if matcher is not None and matcher.begins(text, start) else ()


def _is_list(sentence: Sentence, function_words: frozenset[str]) -> bool:
    """Whether a sentence is a mere list of words: several pieces without a single word that ties words together."""
    inside = [gap for gap in sentence.gaps if 0 < gap < len(sentence.words)]
    return len(inside) + 1 >= _LIST_LENGTH and function_words.isdisjoint(sentence.words)


def _searched(cut: tuple[Sentence, ...], grammar: ParameterGrammar) -> Understanding:
    """What can be made out of a text without reading all of it."""
    known = {**grammar.adds, **grammar.statements}
    wanted = {name: known[name] for names in grammar.right for name in names}
    found = [place for sentence in cut for place in _places(sentence, wanted, grammar)]
    held = tuple(place for place, denied in found if not denied)
    names = {place.name for place in held}
    return Understanding(
        held=held,
        holds_right=any(needed <= names for needed in grammar.right),
        denied=tuple(place for place, denied in found if denied),
        suspected=tuple(
            place for sentence in cut for place, denied in _places(sentence, grammar.betrayals, grammar) if not denied
        ),
    )


def _places(
    sentence: Sentence, matchers: Mapping[str, Matcher], grammar: ParameterGrammar
) -> Iterator[tuple[Place, bool]]:
    """The longest place of each pattern in a sentence, and whether the words before it deny it."""
    text = Text(sentence.words, sentence.gaps, any_value=True)
    for name, matcher in matchers.items():
        excuse = grammar.excuses.get(name)
        if any(_ends(excuse, text, start) for start in range(len(sentence.words))):
            continue
        start = 0
        while start < len(sentence.words):
            ends = _ends(matcher, text, start)
            if not ends:
                start += 1
                continue
            place = Place(name=name, start=sentence.places[start][0], end=sentence.places[ends[-1] - 1][1])
            yield place, _is_denied(sentence, text, start, grammar)
            start = ends[-1]


def _is_denied(sentence: Sentence, text: Text, start: int, grammar: ParameterGrammar) -> bool:
    """A denial reaches over the words behind it up to the next gap."""
    first = max([0, start - _DENIED_WITHIN, *(gap for gap in sentence.gaps if gap <= start)])
    return any(_ends(grammar.denials, text, place) for place in range(first, start))
