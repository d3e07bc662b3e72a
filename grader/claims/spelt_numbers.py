"""Read numbers in words, such as `a stride of two`, and `no padding` if the lab says that this means zero."""

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Final

from grader.claims.numerals import RESULT, Firmness, Form, Quantity, firmness_at, sentence_bounds
from grader.language import lexicon
from grader.language.folding import fold_text
from grader.language.shapes import WORD

_AMBIGUOUS: Final = (0, 1)
"""In `zero padding` and `one`, the word is a number only if it is stated and ends a clause."""
_WINDOW: Final = 40
_CLAUSE_ENDS: Final = r"\s*(?:\Z|[.,;:!?)\n]|<and>\s)"
_LEFT_OPEN: Final = r"\?|<possible|doubt|ignorance|own_ignorance|untold>"
_MOST_TEXT: Final = 60_000


@lru_cache(maxsize=256)
def spelt_quantities(text: str, none: Sequence[str] = ()) -> tuple[Quantity, ...]:
    """Return the numbers that a text states in words, in order.

    `none` are words for zero, such as `no padding`. They do not count in a condition, a question or a doubt.
    """
    text = text[:_MOST_TEXT]
    found = [quantity for match in WORD.finditer(text) if (quantity := _number_at(text, match)) is not None]
    for words in none:
        spelled = r"[\s-]+".join(map(re.escape, fold_text(words).split()))
        for match in re.finditer(rf"(?<![^\W_]){spelled}(?![^\W_])", fold_text(text)):
            sentence = text[slice(*sentence_bounds(text, *match.span()))]
            if not lexicon.search(_LEFT_OPEN, sentence):
                # A denial such as `no parameters` states the number 0, whatever the verb is.
                firmness = max(Firmness.STATED, firmness_at(text, *match.span()))
                found.append(_quantity(text, match.start(), match.end(), 0, firmness))
    return tuple(sorted(found, key=lambda candidate: candidate.start))


_POWER: Final = r"(?<![\w.,×/^*-])(?<![×/]\s)10\s?\^\s?[({]?(?P<power>[-+]?\d{1,2})[)}]?(?!\w|\.\d|\s?[×/*^])"


@lru_cache(maxsize=256)
def powers_of_ten(text: str) -> tuple[Quantity, ...]:
    """Return the numbers that are written as a power of ten alone, `10^-3`."""
    return tuple(
        _quantity(text, *match.span(), Decimal(1).scaleb(int(match["power"])), firmness_at(text, *match.span()))
        for match in re.finditer(_POWER, text[:_MOST_TEXT])
    )


_SQUARE: Final = r"(?<![\w.,×/^*+=-])(?<![×/+=-]\s)(?P<side>\d{1,5})\s?[×x]\s?(?P=side)(?![\d.,]*\d|\w|\s?[×x/*^=+(-])"


@lru_cache(maxsize=256)
def squares(text: str) -> tuple[Quantity, ...]:
    """Return the sides of squares that are written as a size, `a kernel of 3x3`."""
    return tuple(
        _quantity(text, *match.span(), Decimal(match["side"]), firmness_at(text, *match.span()))
        for match in re.finditer(_SQUARE, text[:_MOST_TEXT])
    )


def _number_at(text: str, match: re.Match[str]) -> Quantity | None:
    """Return the number for a word, or None if the word is part of a longer number or of a compound."""
    value = lexicon.number(match.group())
    if value is None or re.match(r"-\w|\s?%|[.,/]\d", text[match.end() :][:4]) or text[: match.start()].endswith("-"):
        return None
    beside = WORD.match(text, match.end() + 1)
    before = text[max(0, match.start() - _WINDOW) : match.start()]
    last = next(reversed(WORD.findall(before)), "")
    if (beside and _is_number(beside.group())) or (before.endswith(" ") and _is_number(last)):
        return None
    if value in _AMBIGUOUS and not (lexicon.search(RESULT, before) and lexicon.match(_CLAUSE_ENDS, text, match.end())):
        return None
    return _quantity(text, match.start(), match.end(), value, firmness_at(text, match.start(), match.end()))


def _is_number(word: str) -> bool:
    return (lexicon.number(word) or 0) > 1 or lexicon.fullmatch("<spelt_number>", word) is not None


def _quantity(text: str, start: int, end: int, value: Decimal | int, firmness: Firmness) -> Quantity:
    unit = WORD.match(text, end + 1) if text[end : end + 1] == " " else None
    return Quantity(
        text=text[start:end],
        readings=(Decimal(value),),
        plain=(Decimal(value),),
        resolution=Decimal(1) if value == int(value) else Decimal(0),
        form=Form.DECIMAL,
        unit=unit.group() if unit else "",
        firmness=firmness,
        start=start,
        end=end,
    )
