"""The formulas of a document's blocks, within bounds for the whole of it."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from grader.reading.document import Block, BlockKind
from grader.reading.maths.formula import Formula, formulas_in, formulas_of

MOST_FORMULAS: Final = 5_000
"""In one document that are looked into; a report has a few hundred."""

MOST_CHARACTERS: Final = 400_000
"""Of formulas in one document that are looked into."""

_NO_MATHS: Final = (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.FIGURE)


def with_formulas(blocks: Iterable[Block]) -> list[Block]:
    """The blocks with the formulas that `$…$` and the like mark in their texts, and what they say; code and output
    have none."""
    return list(_bounded(blocks, _found, _may_hold))


def understood(blocks: Iterable[Block]) -> list[Block]:
    """The blocks with what the formulas say whose places are known."""
    return list(_bounded(blocks, _told, lambda block: bool(block.formulas)))


def _found(block: Block) -> tuple[Formula, ...]:
    return _told(block) if block.formulas else formulas_in(block.text)


def _may_hold(block: Block) -> bool:
    return bool(block.formulas) or "$" in block.text or "\\" in block.text


def _told(block: Block) -> tuple[Formula, ...]:
    return tuple(found for place in block.formulas for found in formulas_of(block.text, place.start, place.end))


def _bounded(
    blocks: Iterable[Block], read: Callable[[Block], tuple[Formula, ...]], may_hold: Callable[[Block], bool]
) -> Iterator[Block]:
    formulas, characters = MOST_FORMULAS, MOST_CHARACTERS
    for block in blocks:
        if block.kind in _NO_MATHS or formulas <= 0 or characters <= 0 or not may_hold(block):
            yield block
            continue
        found = read(block)
        formulas -= max(len(found), len(block.formulas))
        characters -= sum(formula.end - formula.start for formula in found)
        yield block.model_copy(update={"formulas": found}) if found or block.formulas else block
