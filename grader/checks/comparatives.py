"""Find the option of which an answer says what a question asks: `The large network took longer`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from grader.claims.numerals import sentence_bounds
from grader.claims.statements import is_doubtful
from grader.lab.definition import Question
from grader.language import lexicon
from grader.language.folding import folded

_CONTRARY: Final = {
    "takes_longer": "takes_shorter",
    "is_better": "is_worse",
    "is_larger": "is_smaller",
}
_SIDES: Final = {**_CONTRARY, **{less: more for more, less in _CONTRARY.items()}}
"""The kinds of comparatives, each with its contrary."""
_PAIR: Final = 2
_SHARED_BEGINNING: Final = r"\w{0,8}"


class Compared(NamedTuple):
    """The option that a sentence says to be more so, and the place of its name."""

    option: str
    start: int
    end: int


def told_comparative(question: Question, title: str) -> str:
    """Return the kind of the only comparative in a question, or else in an item's title, or an empty text."""
    for text in (f"{question.title}. {question.asks}", title):
        kinds = [kind for kind in _SIDES if lexicon.search(f"<{kind}>", text)]
        if kinds:
            return kinds[0] if len(kinds) == 1 else ""
    return ""


def compared(text: str, start: int, choices: Mapping[str, str], kind: str) -> list[Compared]:
    """Return the option that sentences after `start` say to be more so, or nothing if they differ or leave it open.

    The option stands before the comparative in its clause. A contrary comparative means the other one of two options.
    Reasons do not count.
    """
    names = {option: _spelled(option, choices) for option in choices}
    found: list[Compared] = []
    for match in lexicon.find_all(f"<{kind}|{_SIDES[kind]}>", text, start):
        left, right = sentence_bounds(text, *match.span())
        found += _said_at(text, (max(left, start), right), match, names, kind)
    return found if len({one.option for one in found}) == 1 else []


def _said_at(
    text: str, sentence: tuple[int, int], comparative: re.Match[str], names: Mapping[str, str], kind: str
) -> Iterator[Compared]:
    left, right = sentence
    aside = lexicon.search("<because|but_or_while|contrast>", text, left, right)
    right = aside.start() if aside and aside.start() > left else right
    left = max((end.end() for end in re.finditer(r"[,;:]\s", text[left : comparative.start()])), default=0) + left
    clause = text[left:right]
    sides = [side for side in (kind, _SIDES[kind]) if lexicon.search(f"<{side}>", clause)]
    before = list(_named(text, left, comparative.start(), names))
    behind = {one.option for one in _named(text, comparative.end(), right, names)}
    is_compared = not behind or lexicon.match(r"[^.;]{0,40}?<compared_with>", text, comparative.end(), right)
    options = {one.option for one in before}
    is_told = comparative.start() < right and len(sides) == 1 and len(options) == 1 and options.isdisjoint(behind)
    is_open = "?" in text[left : sentence[1]] or lexicon.search("<negation|supposition>", clause)
    if not (is_told and is_compared) or is_open or is_doubtful(clause, 0, len(clause)):
        return
    if sides == [kind]:
        yield before[0]
    elif len(names) == _PAIR:
        yield before[0]._replace(option=next(option for option in names if option not in options))


def _named(text: str, start: int, end: int, names: Mapping[str, str]) -> Iterator[Compared]:
    """Yield the places between two offsets that name an option."""
    for option, spelled in names.items():
        for match in re.finditer(rf"(?<![^\W_])(?:{spelled})(?![^\W_])", folded(text[start:end])) if spelled else ():
            yield Compared(option, start + match.start(), start + match.end())


def _spelled(option: str, choices: Mapping[str, str]) -> str:
    """Return a pattern for an option's name.

    Its last word may be longer, and the words before it may be comparatives: `larger network` for `large net`. Words
    that no other option has name it alone, if they are no comparatives.
    """
    words = re.findall(r"[^\W_]+", folded(choices[option]))
    others = set(chain.from_iterable(re.findall(r"[^\W_]+", folded(text)) for key, text in choices.items() if key != option))
    if not words:
        return ""
    *first, last = map(re.escape, words)
    whole = r"[\s_-]+".join([*(rf"{word}(?:e?r)?" for word in first), last + (_SHARED_BEGINNING if first else "s?")])
    alone = [re.escape(word) for word in words if word not in others and not lexicon.search("<is_larger|is_smaller>", word)]
    return "|".join([whole, *alone])


def agreed(found: Sequence[Compared]) -> bool:
    """Whether there are sentences, and all of them mean one option."""
    return len({one.option for one in found}) == 1
