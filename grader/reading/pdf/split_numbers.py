"""Numbers that a line's end parts between groups of digits: `22 819` and `840` become `22 819 840`."""

import re
from collections.abc import Sequence
from typing import Final

from grader.reading.document import Block, BlockKind, Repair, RepairKind
from grader.reading.pdf.hyphens import within

_SPACES: Final = " \u00a0\u2009\u202f"
_END: Final = re.compile(rf"(?<![\w.,'/-])\d{{1,3}}(?P<groups>(?:[{_SPACES}]\d{{3}})*)$")
_START: Final = re.compile(rf"\d{{3}}(?P<groups>(?:[{_SPACES}]\d{{3}})*)(?![\w'/-]|[.,]\d)")
_GROUPED: Final = re.compile(rf"(?<![\d.,])\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?![\d])")
_UNGROUPED: Final = re.compile(r"(?<![\d.,])\d{5,}(?![\d])|\d,\d{3}(?!\d)")
_AFTER_OPERATOR: Final = re.compile(r"[=+×*·−–/:]\s*\d{1,3}$")
_BEFORE_OPERATOR: Final = re.compile(r"\s*[×*·x^]")


def with_numbers_joined(blocks: list[Block]) -> list[Block]:
    """The blocks with each number that the end of a full line parts put on the upper one. What was put together is
    marked as a join.

    Where one group stands on each line, they are one number only where the document sets its groups apart by spaces
    and the upper one follows an operator: two numbers in one place would be no formula.
    """
    spaced = any(_GROUPED.search(block.text) for block in blocks)
    spaced = spaced and not any(_UNGROUPED.search(block.text) for block in blocks)
    rights = _rights(blocks)
    result = list(blocks)
    for index in reversed(range(len(result) - 1)):
        upper, lower = result[index], result[index + 1]
        end, start = _END.search(upper.text), _START.match(lower.text)
        if not (end and start and _runs_on(upper, lower, rights)):
            continue
        grouped = end["groups"] or start["groups"]
        formula = (
            spaced and _AFTER_OPERATOR.search(upper.text) and not _BEFORE_OPERATOR.match(lower.text[start.end() :])
        )
        if grouped or formula:
            result[index], result[index + 1] = _joined(upper, lower, start.end())
    return [block for block in result if block.text or block.kind is not BlockKind.LINE or block in blocks]


def _rights(blocks: Sequence[Block]) -> dict[tuple[int | None, int], float]:
    """How far the lines of a page reach that begin in about the same place."""
    rights: dict[tuple[int | None, int], float] = {}
    for block in blocks:
        if block.box and block.kind in (BlockKind.LINE, BlockKind.LIST_ITEM):
            for place in _places(block):
                rights[place] = max(rights.get(place, 0.0), block.box[2])
    return rights


def _places(block: Block) -> list[tuple[int | None, int]]:
    left = int(block.box[0] // 30) if block.box else 0
    return [(block.page, left + step) for step in (-1, 0, 1)]


def _runs_on(upper: Block, lower: Block, rights: dict[tuple[int | None, int], float]) -> bool:
    """Whether two lines are neighbours in a paragraph and the lower one's first digits had no room on the upper one."""
    if lower.kind is not BlockKind.LINE or upper.kind not in (BlockKind.LINE, BlockKind.LIST_ITEM):
        return False
    if upper.page != lower.page or not upper.box or not lower.box or "\t" in upper.text + lower.text:
        return False
    height = upper.box[3] - upper.box[1]
    if not 0 < lower.box[3] - upper.box[3] < 2 * height:
        return False
    digits = 3 * (lower.box[2] - lower.box[0]) / max(len(lower.text), 1)
    return upper.box[2] + digits > rights.get(_places(upper)[1], 0.0)


def _joined(upper: Block, lower: Block, length: int) -> tuple[Block, Block]:
    """Both lines with the lower one's first groups moved up."""
    place = len(upper.text)
    gone = length + (lower.text[length : length + 1] == " ")
    join = Repair(kind=RepairKind.JOINED, start=place, end=place + 1)
    repairs = (*upper.repairs, join, *within(lower, 0, length, place + 1))
    return (
        upper.model_copy(update={"text": f"{upper.text} {lower.text[:length]}", "repairs": repairs}),
        lower.model_copy(update={"text": lower.text[gone:], "repairs": within(lower, gone, len(lower.text), -gone)}),
    )
