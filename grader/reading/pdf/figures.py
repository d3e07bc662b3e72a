"""Where a page shows figures: pictures, embedded drawings, plots."""

from collections.abc import Sequence
from typing import Final

from grader.reading.document import Block, BlockKind
from grader.reading.evidence import Box
from grader.reading.pdf.drawings import Drawings

_SMALLEST: Final = 36.0
"""In points: what is less wide or less high is a sign, a logo or a rule."""

_LARGEST: Final = 0.8
"""Of the page's area: what covers more lies behind the text."""

_APART: Final = 8.0
"""In points: drawings nearer to each other are one figure."""

_MOST: Final = 1_000
_MOST_GROUPS: Final = 100
_MOST_SHOWN: Final = 20


def figure_boxes(drawings: Drawings, width: float, height: float) -> tuple[list[Box], list[Box]]:
    """The boxes of pictures, and those of drawn figures, whose text is on the page too; in points, clipped to it."""
    images, plots, forms, straight = (
        [box for box in boxes[:_MOST] if _area(box) <= _LARGEST * width * height]
        for boxes in (drawings.images, drawings.plots, drawings.forms, drawings.straight)
    )
    sloping = _merged(plots)
    frames = [box for box in straight if any(_near(box, plot) for plot in sloping)]
    drawn = _merged([*sloping, *frames, *forms])
    return _fitting(_merged(images), width, height), _fitting(drawn, width, height)


def with_figures(blocks: list[Block], boxes: Sequence[tuple[int, Box]]) -> list[Block]:
    """The blocks, ordered by page, with one for each figure, before the first on its page that stands below it."""
    pages: dict[int | None, list[Block]] = {}
    for block in blocks:
        pages.setdefault(block.page, []).append(block)
    for page, box in sorted(boxes, key=lambda place: -place[1][1]):
        on_page = pages.setdefault(page, [])
        on_page.insert(_position(on_page, box), Block(kind=BlockKind.FIGURE, text="", page=page, box=_rounded(box)))
    return [block for page in sorted(pages, key=lambda page: page or 0) for block in pages[page]]


def inside(box: Box, figures: Sequence[Box]) -> bool:
    """Whether a box lies in one of some figures, give or take what sticks out."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(f[0] <= x <= f[2] and f[1] <= y <= f[3] and box[0] > f[0] - 12 and box[2] < f[2] + 12 for f in figures)


def _position(blocks: Sequence[Block], box: Box) -> int:
    """Before the first block in the same column that begins below the figure's middle, else behind the column."""
    middle = (box[1] + box[3]) / 2
    last = len(blocks)
    beside = [i for i, b in enumerate(blocks) if b.box and b.box[0] < box[2] and b.box[2] > box[0]]
    for index in beside:
        place = blocks[index].box
        if place and place[1] >= middle:
            return index
        last = index + 1
    return last


def _fitting(boxes: list[Box], width: float, height: float) -> list[Box]:
    clipped = [(max(b[0], 0.0), max(b[1], 0.0), min(b[2], width), min(b[3], height)) for b in boxes]
    return [b for b in clipped if b[2] - b[0] >= _SMALLEST and b[3] - b[1] >= _SMALLEST][:_MOST_SHOWN]


def _merged(boxes: Sequence[Box]) -> list[Box]:
    """Boxes that touch put together, until none do."""
    groups: list[Box] = []
    for box in boxes:
        grown = box
        while touching := [group for group in groups if _near(group, grown)]:
            groups = [group for group in groups if group not in touching]
            grown = _around([grown, *touching])
        groups.append(grown)
        if len(groups) > _MOST_GROUPS:
            break
    return groups


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _near(a: Box, b: Box) -> bool:
    return a[0] <= b[2] + _APART and b[0] <= a[2] + _APART and a[1] <= b[3] + _APART and b[1] <= a[3] + _APART


def _around(boxes: list[Box]) -> Box:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _rounded(box: Box) -> Box:
    left, top, right, bottom = (round(side, 1) for side in box)
    return left, top, right, bottom
