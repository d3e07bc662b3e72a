"""Find contradictions between a text and the lab's relations for a parameter.

The lab says what grows with a parameter, and which of two states is right. A sentence contradicts a relation only if it
names both sides and denies nothing. A sentence that is not understood contradicts nothing.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise, takewhile, zip_longest
from math import isclose, prod
from typing import Final, NamedTuple

from grader.lab.definition import Contrary, Lab, Parameter, Trend
from grader.language import lexicon
from grader.model.answers import model_input, quotients

_TOKEN: Final = re.compile(r"[^\W\d]+|\d*[.,]?\d+|[%=>→⇒,;:()/-]")
_SENTENCE: Final = re.compile(r"(?<=[.;!?])(?<!\be\.g\.)(?<!\bi\.e\.)\s+|\n|(?<=\w)\s*;\s*")
_CLAUSE_END: Final = re.compile(r"(?<=[.;:!?,])\s+")
_CLAUSE: Final = re.compile(
    r"\s[-–—]+\s|[,;:()]|\b(?:and|et)\b(?=.*\b(?:others?|the rest|le reste|autres?)\b)"
    r"|\b(?:but|mais|while|whereas|tandis|though|pour|afin|contre|against|so|in order)\b"
    r"|\bto (?:keep (?:it|them|the (?:model|adapter|network))|not|avoid|prevent|reduce|limit|fight|stop)\b"
)
_REACH: Final = 8
"""The most words between a word of direction and its subject."""
_MERGED: Final = 8
"""The most words between `plus` and the size that it compares: `plus le rang est petit`."""
_BEHIND: Final = 6
"""The most words between `predict` and its object."""
_LIKENED: Final = 3
"""The most words from `like` to the rest: `like all the others`."""
_MOST_SENTENCES: Final = 40
_NOT_COMPARED: Final = frozenset({"de", "en", "au", "non", "or", "ou", "at", "no", "once", "d", "un"})
"""Words before `plus` or `more` that make it no comparison: `more or less`, `au plus`, `en plus`."""


class Contradiction(NamedTuple):
    """A sentence that contradicts a relation, the best verdict on such an answer, whether the text says nothing else,
    and the lab's sentence on what is right, if it has one."""

    quote: str
    worth: str
    is_all: bool
    why: str


class _Mark(NamedTuple):
    """A word of direction, 1 for more and -1 for less, and its subject.

    The subject is the parameter (0), something that grows (1) or shrinks (-1) with it, or something else (None).
    `is_condition`: a word such as `when` or `with` introduces it.
    """

    sign: int
    of: int | None
    is_condition: bool


def contradiction(text: str, asked: Parameter) -> Contradiction | None:
    """Return the first sentence of a definition that contradicts the lab's relations, or None."""
    sentences = [entry.strip(" ,;:.") for entry in _SENTENCE.split(text)[:_MOST_SENTENCES]]
    for sentence in sentences:
        folded = _folded(sentence)
        is_all = [*filter(None, sentences)] == [sentence]
        for trend in asked.trends:
            if -1 in _trend_signs(folded, trend, asked):
                return Contradiction(sentence, trend.worth, is_all, "")
        for contrary in asked.contraries:
            if _says_contrary(folded, contrary, asked):
                return Contradiction(sentence, contrary.worth, is_all, contrary.why)
    return None


def parts_lacking(text: str, asked: Parameter) -> list[str]:
    """The parts of a right definition of which a text has no word, beside the parameter's value."""
    words = _TOKEN.findall(_folded(text.replace(asked.value, "")))
    return [part.says for part in asked.parts if not any(map(_matcher(part.words), words))]


def says_only_right(text: str, asked: Parameter) -> bool:
    """Whether a definition has one of the lab's forms of right definitions, so that it cannot be wrong.

    Each of its words belongs to the form, is a function word, or is the parameter's name or value.
    """
    is_known_word = _matcher((*asked.names, *asked.spellings, *lexicon.words("small_word")))
    less_value = text.replace(asked.value, "")
    words = [word for word in _TOKEN.findall(_folded(less_value)) if word[0].isalnum() or word == "%"]
    return len(words) <= _LONGEST_PLAIN and any(
        all(any(map(_matcher(group), words)) for group in form.needs)
        and all(is_known_word(word) or _matcher((*form.allows, *chain(*form.needs)))(word) for word in words)
        for form in asked.forms
    )


_LONGEST_PLAIN: Final = 24
"""The most words of a definition that its words alone can decide."""


def says_trend(text: str, asked: Parameter) -> bool:
    """Whether a text correctly says what grows or shrinks with the parameter, and nothing wrong about that."""
    is_said = any(1 in _trend_signs(_folded(text), trend, asked) for trend in asked.trends)
    return is_said and contradiction(text, asked) is None


def without_trends(text: str, asked: Parameter) -> str:
    """Return a text without the clauses that correctly say what grows or shrinks with the parameter.

    For example, `…; the larger r is, the more is trained`.
    """
    clauses, left = _CLAUSE_END.split(text), []
    while clauses and len(clauses) <= _MOST_SENTENCES:
        is_next = says_trend(" ".join(clauses[1:2]), asked)  # then this clause is complete without the one before
        trend_length = next((n for n in (1, 2)[: 2 - is_next] if says_trend(" ".join(clauses[:n]), asked)), 0)
        left += [] if trend_length else clauses[:1]
        clauses = clauses[trend_length or 1 :]
    return " ".join([*left, *clauses])


def turned_quotient(text: str, asked: Parameter, lab: Lab) -> tuple[str, str] | None:
    """Return the quotient of the right definition that a text inverts, in names or values, without also giving it; or
    None."""
    found = model_input(text)
    for parameter in lab.parameters:
        for word in parameter.words:
            found = re.sub(rf"\b{re.escape(word.rstrip('*'))}\b", parameter.names[-1], found)
    values = {candidate.names[-1]: re.escape(candidate.value) for candidate in lab.parameters}
    stated_quotients = set(quotients(found))
    for above, below in quotients(model_input(asked.summary)):
        pair = f"{values.get(below, '(?!)')}{_DIVIDED}{values.get(above, '(?!)')}"
        is_turned = (below, above) in stated_quotients or re.search(rf"(?<![\w.,]){pair}(?![\w]|[.,]\d)", text)
        is_turned = is_turned or re.search(rf"\bdivi\w+ (?:by|par) (?:the |le |lora_)*{above}\b", found)
        if is_turned and (above, below) not in stated_quotients:
            return above, below
    return None


_DIVIDED: Final = r"\s?(?:/|÷|over|divided by|sur|divisée? par)\s?"


def _folded(text: str) -> str:
    """Return a text in lower case without accents and with hyphenated words joined: `low-rank` is no size."""
    written = text.casefold().replace("’", "'")
    plain = unicodedata.normalize("NFKD", _SHORT_FORM.sub(lambda form: _IN_FULL[form.group()], written))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    whole = re.sub(r"(?<=[^\W\d])- (?=[^\W\d])", "", plain)  # a word that a line end broke
    joined = re.sub(r"(?<=[^\W\d])-(?=[^\W\d])", "_", whole).replace("d'apres", "dapres")
    return _LOW_RANK.sub("low_rank", re.sub(r"\b([a-z]) (?:et|and) ([a-z])\b", r"\1_\2", joined))


_IN_FULL: Final = {"n't": " not", "w/o": "without", "e.g.": "eg", "e.g": "eg", "p. ex.": "eg", "i.e.": "ie"}
_SHORT_FORM: Final = re.compile("|".join(map(re.escape, _IN_FULL)))
_LOW_RANK: Final = re.compile(
    r"\blow rank\b(?= \w*(?:matri|update|decomp|approx|adapt|weigh))"
    r"|\bde (?:(?:faible|bas|petit) rang|rang (?:faible|bas))\b"
)


# --- Directions -------------------------------------------------------------------------------------------------------


def _trend_signs(sentence: str, trend: Trend, asked: Parameter) -> Iterator[int]:
    """Yield 1 for each correct statement of what grows or shrinks with the parameter in a sentence, -1 for each wrong
    one."""
    words = _TOKEN.findall(sentence)
    sides = _Sides.from_trend(trend, asked)
    yield from _proportions(words, sides)
    yield from _amounts(sentence, words, sides)
    marks = list(_marks(words, trend, asked))
    first = next((at for at, mark in enumerate(marks) if mark.of == 0), 0)
    if marks and marks[first].is_condition and any(mark.of for mark in marks[:first]):
        marks.reverse()  # `more parameters when r is large, and fewer when it is small`
    of = None
    for mark in marks:
        if mark.of and of:
            yield prod((mark.of, mark.sign, of.sign))
        of = mark if mark.of == 0 else of if mark.of else None


def _amounts(sentence: str, words: Sequence[str], sides: "_Sides") -> Iterator[int]:
    """Yield 1 for a true dependence without a direction: `it controls how many parameters are trained`."""
    amount = lexicon.search(_AMOUNT, sentence)
    if amount and any(map(sides.rises, _TOKEN.findall(amount["of"]))) and not any(map(sides.falls, words)):
        yield 1


_AMOUNT: Final = r"\b<determining>\W(?:\w+\W){0,2}<quantity_of>\W?(?P<of>(?:\w+\W?){1,2})"


def _marks(words: Sequence[str], trend: Trend, asked: Parameter) -> Iterator[_Mark]:
    """Return the words of direction in a sentence with their subjects."""
    said_of = _Sides.from_trend(trend, asked)
    merged, denied, is_bound = list(_merged(words)), _denied(words), _listed("direction_end")
    places = [place for place, _, _ in merged]
    for (place, end, sign), before, after in zip(merged, [-1, *places], [*places[1:], len(words)], strict=False):
        behind = _until(is_bound, words[before + 1 : place][::-1])
        ahead = _until(is_bound, words[end + 1 : after][:_REACH])
        of = None if place in denied else said_of.nearest(words[place:end], ahead, behind)
        if of is None and place in (0, 1) and not ahead and not trend.of:
            of = 0  # `the larger, the …`
        opening = words[:place][::-1][: len(behind) + 1]
        if of and any(map(_listed("relief"), (*opening, *ahead))):
            of = None
        yield _Mark(sign, of, any(map(_listed("condition"), opening)))


class _Sides(NamedTuple):
    """The words for both sides of a trend, and for other things with a trend. `may_be_it`: `it` may be the
    parameter."""

    names: Callable[[str], bool]
    rises: Callable[[str], bool]
    falls: Callable[[str], bool]
    foreign: Callable[[str], bool]
    may_be_it: bool

    @classmethod
    def from_trend(cls, trend: Trend, asked: Parameter) -> "_Sides":
        own_names = (*asked.names, *asked.words)
        rest = (word for other in asked.trends for word in (other.of or own_names))
        names = trend.of or own_names
        return cls(
            _matcher(names),
            _matcher(trend.rises),
            _matcher(trend.falls),
            _matcher(tuple(word for word in rest if word not in names)),
            not trend.of,
        )

    def nearest(self, between: Sequence[str], ahead: Sequence[str], behind: Sequence[str]) -> int | None:
        """Return the side to which a word of direction belongs, or None.

        Words within it count first, then those before, then those after it, the nearest first. A pronoun counts last.
        """
        for words in (between, ahead, behind):
            nearby_words = _until(_listed("compared_with"), words)
            if any(map(self.foreign, nearby_words)) or (
                any(map(self.rises, nearby_words)) and any(map(self.falls, nearby_words))
            ):
                return None
            if words is ahead and self.may_be_it and any(map(_listed("value_noun"), nearby_words[:1])):
                return 0
            sides = (
                0 if self.names(word) else self.rises(word) - self.falls(word)
                for word in nearby_words
                if self.names(word) or self.is_effect(word)
            )
            side = next(sides, None)
            if words is ahead and side == 1 and any(map(self.falls, behind)) and not any(map(self.rises, behind)):
                return -1  # `the frozen part has more influence`
            if side is not None:
                return side
            is_it = any(map(_listed("pronoun"), nearby_words)) or (
                words is behind and any(map(_listed("object_pronoun"), nearby_words[:1]))
            )
            if self.may_be_it and is_it and words is not between:
                return 0
        return 0 if self.may_be_it and any(map(_listed("pronoun"), between)) else None

    def is_effect(self, word: str) -> bool:
        """Whether it grows or shrinks with the parameter."""
        return self.rises(word) or self.falls(word)


def _proportions(words: Sequence[str], sides: _Sides) -> Iterator[int]:
    """Yield 1 for each correct statement of proportionality to the parameter or its inverse, -1 for each wrong one."""
    for at, word in enumerate(words):
        ahead, behind = words[at + 1 :][:_BEHIND], words[:at][::-1][:_REACH]
        sign = _sign(word) if ahead[:1] in (["with"], ["avec"]) and not any(map(_sign, ahead)) else 0
        if word.startswith(("proportional", "proportionn")):
            sign = -1 if any(neighbour.startswith("invers") for neighbour in (*behind[:1], *ahead[:3])) else 1
        is_to_it = any(map(sides.names, ahead)) or (sides.may_be_it and any(map(_listed("pronoun"), ahead)))
        if sign and is_to_it and at not in _denied(words):
            effects = (
                sides.rises(neighbour) - sides.falls(neighbour) for neighbour in behind if sides.is_effect(neighbour)
            )
            yield prod((sign, next(effects, 0)))


def _merged(words: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Return the words of direction as first position, last position and sign. `plus … petit` is one."""
    found = [(at, sign) for at, word in enumerate(words) if (sign := _sign(word)) and not _is_idle(words, at)]
    bounds, degrees = _listed("direction_end"), _listed("degree")
    ends: set[int] = set()
    for (at, sign), following in zip_longest(found, found[1:]):
        if at in ends:
            continue
        end = at
        if following and degrees(words[at]) and not degrees(words[following[0]]):
            later, other = following
            between = words[at:later]
            if len(between) <= _MERGED and not any(map(bounds, between)) and "de" not in between:
                end, sign = later, prod((sign, other))
        ends.add(end)
        yield at, end, sign


def _is_idle(words: Sequence[str], at: int) -> bool:
    before = words[at - 1] if at else ""
    return _listed("degree")(words[at]) and (before in _NOT_COMPARED or words[at + 1 : at + 2] in (["or"], ["ou"]))


def _sign(word: str) -> int:
    return _listed("more")(word) - _listed("less")(word)


# --- States -----------------------------------------------------------------------------------------------------------


def _says_contrary(sentence: str, contrary: Contrary, asked: Parameter) -> bool:
    """Whether some clause of a sentence says the contrary of the right state, and none says the right one."""
    spaced = f" {' '.join(_TOKEN.findall(sentence))} "
    if any(f" {_folded(phrase)} " in spaced for phrase in contrary.unless if " " in phrase):
        return False
    if any(map(_matcher(contrary.unless), spaced.split())):
        return False
    signs = set(_clause_signs(sentence, contrary, asked))
    return -1 in signs and 1 not in signs


def _clause_signs(sentence: str, contrary: Contrary, asked: Parameter) -> Iterator[int]:
    """Return for each relevant clause whether it says the right state (1), the contrary (-1), or neither or both
    (0)."""
    of = _matcher(contrary.of)
    for clause in _CLAUSE.split(sentence):
        words = _TOKEN.findall(clause)
        heads = [at for at, word in enumerate(words) if of(word)]
        if heads or not contrary.of or _share_sign(words, asked) < 0:
            yield sum(set(_state_signs(words, heads, contrary, asked)))


def _state_signs(words: Sequence[str], heads: Sequence[int], contrary: Contrary, asked: Parameter) -> Iterator[int]:
    """Yield 1 for each right state in a clause and -1 for each wrong one, inverted if denied."""
    right, wrong = _matcher(contrary.right), _matcher(contrary.wrong)
    signs = [(at, right(word) - wrong(word)) for at, word in enumerate(words) if right(word) != wrong(word)]
    rests = [at for at, word in enumerate(words) if _listed("the_rest")(word)]
    turned = 1 if all(any(map(_listed("likened_to"), words[:at][-_LIKENED:])) for at in rests) else -1
    if contrary.behind:
        heading = _matcher(
            ("and", "et", *(word for candidate in asked.contraries if candidate.behind for word in candidate.of))
        )
        sign_at, signs, turned = dict(signs), [], 1
        for head in heads:
            reached = takewhile(lambda at: not heading(words[at]), range(len(words))[head + 1 :][:_BEHIND])
            signs += [(at, sign_at[at]) for at in reached if at in sign_at][:1]
    denied = _denied(words, asked.value)
    turned *= _share_sign(words, asked)
    is_denied = not contrary.behind and any(at in denied for at, _ in signs)
    for at, sign in signs:
        yield prod((turned, sign, -1 if at in denied or is_denied else 1))


def _share_sign(words: Sequence[str], asked: Parameter) -> int:
    """Return -1 if some words give the complement of the parameter's share, as `95 %` for 0.05, otherwise 1."""
    try:
        value = float(asked.value)
    except ValueError:
        return 1
    if not 0 < value < 1:
        return 1
    numbers = [
        float(word.replace(",", ".")) / (100 if words[at + 1 : at + 2] == ["%"] else 1)
        for at, word in enumerate(words)
        if word[-1].isdigit()
    ]
    is_rest = any(isclose(number + value, 1) for number in numbers)
    is_rest = is_rest or any(first == "1" and second in ("-", "minus", "moins") for first, second in pairwise(words))
    return -1 if is_rest else 1


# --- Words ------------------------------------------------------------------------------------------------------------


def _denied(words: Sequence[str], value: str = "") -> set[int]:
    """Return the positions in the scope of a negation, which is the rest of its clause.

    A negation that is the parameter's own value does not count.
    """
    found: set[int] = set()
    is_denied = False
    for at, word in enumerate(words):
        if word in _ENDINGS:
            is_denied = False
        if is_denied:
            found.add(at)
        is_value = word == value.casefold() and words[at + 1 : at + 2] != ["of"]
        is_only = word in ("ne", "n") and any(candidate in ("que", "qu") for candidate in words[at + 1 : at + 5])
        is_step = word == "pas" and any(map(_listed("determiner"), words[:at][-1:]))
        is_denied = is_denied or (
            _listed("negation", "half_negation")(word) and not is_value and not is_only and not is_step
        )
    return found


def _until(ends: Callable[[str], bool], words: Sequence[str]) -> list[str]:
    """Return the first of some words, up to one that ends them."""
    return [*takewhile(lambda word: not ends(word), words)]


_ENDINGS: Final = frozenset(",;:()→⇒=>") | {"but", "mais"}


@lru_cache(maxsize=64)
def _matcher(stems: Iterable[str]) -> Callable[[str], bool]:
    """Return a function that says whether a word is one of some words, or begins like one with a star."""
    whole = frozenset(_folded(stem) for stem in stems if not stem.endswith("*"))
    begun = tuple(_folded(stem[:-1]) for stem in stems if stem.endswith("*"))
    return lambda word: word in whole or (bool(begun) and word.startswith(begun))


@lru_cache(maxsize=16)
def _listed(*concepts: str) -> Callable[[str], bool]:
    return _matcher(lexicon.words(*concepts))
