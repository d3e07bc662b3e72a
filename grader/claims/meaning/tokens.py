"""A sentence as the model sees it: lower-case words without accents, kinds of numbers, signs, and placeholders for what
names an experiment or a split, so that a model serves every lab."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from grader.claims.results.vocabulary import Kind, Mention, folded

FIRST: Final = "<first>"
SECOND: Final = "<second>"
EXPERIMENT: Final = "<experiment>"
VALID: Final = "<valid>"
TEST: Final = "<test>"
PLACEHOLDERS: Final = frozenset({FIRST, SECOND, EXPERIMENT, VALID, TEST})
LONGEST: Final = 800
"""Characters of a statement that are read."""

_TOKEN: Final = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)?|%|->|[<>=≈≤≥±→]|[.;:,!?()]|[+-](?=\s?\d)")
_SPLITS: Final = {"valid": VALID, "test": TEST}


class Tokens(NamedTuple):
    """The tokens of a sentence. `lead` is the experiment that is named first, of two that are compared; "" where none
    is named, or where nothing is compared."""

    words: tuple[str, ...]
    lead: str = ""


def choice_tokens(text: str, found: Sequence[Mention]) -> Tokens:
    """The tokens of a sentence that may tell how a checkpoint was chosen: all experiments are alike."""
    return Tokens(_tokens(text, found, {}))


def comparison_tokens(text: str, found: Sequence[Mention], two: tuple[str, str]) -> Tokens:
    """The tokens of a sentence that may compare two experiments. The one that is named first is told from the other
    one, whichever it is, so that what is learned of one holds for the other."""
    named = [one.value for one in found if one.kind is Kind.EXPERIMENT and one.value in two]
    if not named:
        return Tokens(_tokens(text, found, {}))
    other = two[1] if named[0] == two[0] else two[0]
    return Tokens(_tokens(text, found, {named[0]: FIRST, other: SECOND}), named[0])


def _tokens(text: str, found: Sequence[Mention], names: Mapping[str, str]) -> tuple[str, ...]:
    tokens: list[str] = []
    position = 0
    for one in found:
        if one.kind not in (Kind.EXPERIMENT, Kind.SPLIT) or one.start < position or one.start > LONGEST:
            continue
        name = names.get(one.value, EXPERIMENT) if one.kind is Kind.EXPERIMENT else _SPLITS.get(one.value)
        if name is not None:
            tokens += [*_plain(text[position : one.start]), name]
            position = one.end
    return (*tokens, *_plain(text[position:LONGEST]))


def _plain(text: str) -> list[str]:
    return [_number(token) if token[0].isdigit() else folded(token) for token in _TOKEN.findall(text)]


def _number(token: str) -> str:
    """The kind of a number: a fraction, a small or a large one, one that may be an accuracy in percent."""
    value, is_decimal = float(token.replace(",", ".")), not token.isdigit()
    kinds = (
        (1, "#fraction" if is_decimal else "#digit"),
        (11, "#small" if is_decimal else "#digit"),
        (45, "#small" if is_decimal else "#low"),
        (100.01, "#accuracy" if is_decimal else "#percent"),
    )
    return next((name for end, name in kinds if value < end), "#large")
