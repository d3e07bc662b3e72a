"""Find the option of which an answer says what a question asks: `The large network took longer`."""

import re
from collections.abc import Iterator, Mapping, Set
from itertools import chain
from typing import Final, NamedTuple

from grader.claims.numerals import sentence_bounds
from grader.claims.statements import is_doubtful
from grader.lab.definition import Question
from grader.language import lexicon
from grader.language.folding import fold_text

_CONTRARY: Final = {
    "takes_longer": "takes_shorter",
    "is_better": "is_worse",
    "is_larger": "is_smaller",
}
_SIDES: Final = {**_CONTRARY, **{less: more for more, less in _CONTRARY.items()}}
"""The kinds of comparatives, each with its contrary."""
_PAIR: Final = 2
_SHARED_BEGINNING: Final = r"\w{0,8}"


class ComparedOption(NamedTuple):
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


def compared_options(text: str, start: int, choices: Mapping[str, str], kind: str) -> list[ComparedOption]:
    """Return the option that sentences after `start` say to be more so, or nothing if they differ or leave it open.

    The option stands before the comparative in its clause. A contrary comparative means the other one of two options.
    Reasons do not count.
    """
    names = {option: _spelled(option, choices) for option in choices}
    found: list[ComparedOption] = []
    for match in lexicon.find_all(f"<{kind}|{_SIDES[kind]}>", text, start):
        left, right = sentence_bounds(text, *match.span())
        found += _said_at(text, (max(left, start), right), match, names, kind)
    return found if len({named.option for named in found}) == 1 else []


def _said_at(
    text: str, sentence: tuple[int, int], comparative: re.Match[str], names: Mapping[str, str], kind: str
) -> Iterator[ComparedOption]:
    left, right = sentence
    aside = lexicon.search("<because|but_or_while|contrast>", text, max(left, comparative.start()), right)
    right = aside.start() if aside else right
    left = max((end.end() for end in re.finditer(r"[,;:]\s", text[left : comparative.start()])), default=0) + left
    clause = text[left:right]
    sides = [side for side in (kind, _SIDES[kind]) if lexicon.search(f"<{side}>", clause)]
    before = list(_named(text, left, comparative.start(), names))
    options = {named.option for named in before}
    behind = text[comparative.end() : right]
    if len(sides) * len(options) != 1 or _is_open(clause + text[right : sentence[1]][-1:], behind, options, names):
        return
    if sides == [kind]:
        yield before[0]
    elif len(names) == _PAIR:
        yield before[0]._replace(option=next(option for option in names if option not in options))


def _is_open(clause: str, behind: str, options: Set[str], names: Mapping[str, str]) -> bool:
    """Whether a clause denies something or leaves it open, joins a reason, or names options behind its comparative with
    which it does not compare."""
    others = {named.option for named in _named(behind, 0, len(behind), names)}
    is_compared = not others or lexicon.match(r"[^.;]{0,40}?<compared_with>", behind)
    if not is_compared or not options.isdisjoint(others):
        return True
    is_open = "?" in clause or lexicon.search("<because|but_or_while|contrast|negation|supposition>", clause)
    return bool(is_open) or is_doubtful(clause, 0, len(clause))


def _named(text: str, start: int, end: int, names: Mapping[str, str]) -> Iterator[ComparedOption]:
    """Yield the places between two offsets that name an option."""
    for option, spelled in names.items():
        for match in re.finditer(rf"(?<![^\W_])(?:{spelled})(?![^\W_])", fold_text(text[start:end])) if spelled else ():
            yield ComparedOption(option, start + match.start(), start + match.end())


def _spelled(option: str, choices: Mapping[str, str]) -> str:
    """Return a pattern for an option's name.

    Its last word may be longer, and the words before it may be comparatives: `larger network` for `large net`. Words
    that no other option has name it alone, if they are no comparatives.
    """
    words = re.findall(r"[^\W_]+", fold_text(choices[option]))
    others = set(
        chain.from_iterable(re.findall(r"[^\W_]+", fold_text(text)) for key, text in choices.items() if key != option)
    )
    if not words:
        return ""
    *first, last = map(re.escape, words)
    whole = r"[\s_-]+".join([*(rf"{word}(?:e?r)?" for word in first), last + (_SHARED_BEGINNING if first else "s?")])
    alone = [
        re.escape(word) for word in words if word not in others and not lexicon.search("<is_larger|is_smaller>", word)
    ]
    return "|".join([whole, *alone])
