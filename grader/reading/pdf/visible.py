"""Which characters of a PDF page can be seen on it: those without which its picture would be another one.

The page is drawn with its text and without, and each letter and digit is looked at where it stands. So it does not
matter how a text is hidden: by its colour or rendering mode, under something, outside the page or a clipping path, in a
layer that is off. Only a line that begins on the page and runs over its edge is text as it was meant.
"""

import ctypes
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any, Final
from unicodedata import category

from grader.reading.document import Box
from grader.reading.pdf.characters import Characters
from grader.reading.pdf.glyphs import Frame

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.intp]
    Boxes = NDArray[np.float64]
    """A row for each character: left, top, right, bottom, in points from the top left corner of the shown page."""

SMALLEST: Final = 2.4
"""In points, the larger side of a character's place: text in a font of less than 2 points is not for people."""
_FAINTEST: Final = 10
"""In levels of grey from 0 to 255: a text that changes the picture less is not seen."""
_MOST_PIXELS: Final = 4_000_000
"""Of one picture: a page that would have more is drawn coarser."""
_CLOSER: Final = 4.0
"""Pixels in a point, for a second look at what was not seen with one."""
_MARGIN: Final = 0.2
"""Of a character's width and height: what is so near to its edges may be ink of the next one."""
_SHARED: Final = 0.5
"""Characters that share so much of their widths and heights stand over each other."""
_LEVEL: Final = 0.3
"""Of their height, so much the characters of a line differ in height."""
_NEXT: Final = 4.0
"""Heights: what stands farther off is no part of the line."""
_NEIGHBOURS: Final = 3
"""In reading order, so many further characters may stand over one."""


def hidden_in(
    page: Any, characters: Characters, owners: Sequence[int], frame: Frame, rules: Sequence[Box] = ()
) -> frozenset[int]:
    """The characters of an open pypdfium2 page that cannot be seen, by their indices. `owners` are the addresses of the
    text objects that draw the characters, 0 for those that pdfium adds. Only letters and digits are looked at, as many
    signs have no ink of their own; where an object shows none of its letters and digits, its signs are hidden, too.
    Raises PdfiumError when the page cannot be drawn."""
    import numpy as np

    drawn = [index for index, code in enumerate(characters.codes) if owners[index] and _has_ink(chr(code))]
    if not drawn:
        return frozenset()
    boxes = _shown(characters, frame)
    looked_at = np.array(drawn)
    sizes = (boxes[:, 2:] - boxes[:, :2]).max(1)[looked_at]
    is_lost = np.zeros(len(boxes), bool)
    is_lost[looked_at[(sizes > 0) & (sizes < SMALLEST)]] = True
    unseen = _unseen(page, looked_at, boxes, set(owners), 1.0)
    if len(unseen):
        is_lost[_unseen(page, unseen, boxes, set(owners), _CLOSER)] = True
    drawn_by = np.array(owners)
    over, under = _overlapping(looked_at[~is_lost[looked_at]], boxes, characters, drawn_by)
    if len(over):  # each is looked at without the other
        with _left_out(page, under - over):
            later = looked_at[np.isin(drawn_by[looked_at], list(over))]
            is_lost[_unseen(page, later, boxes, over, _CLOSER)] = True
        first = looked_at[np.isin(drawn_by[looked_at], list(under - over))]
        is_lost[_unseen(page, first, boxes, under - over, _CLOSER)] = True
    is_lost[_running_over(is_lost, looked_at, boxes, page.get_width(), rules)] = False
    lost = frozenset(np.flatnonzero(is_lost).tolist())
    whole = {owners[index] for index in lost} - {owners[index] for index in drawn if index not in lost}
    return lost | {index for index, owner in enumerate(owners) if owner in whole}


def _has_ink(character: str) -> bool:
    """Whether it is a letter that fills its place, or a digit: accents by themselves do not."""
    return character.isalnum() and (character.isascii() or category(character) != "Lm")


def _shown(characters: Characters, frame: Frame) -> "Boxes":
    import numpy as np

    _, lefts, tops, rights, bottoms = (np.array(one, float) for one in characters)
    a, b, c, d, e, f = frame
    across = np.stack([a * lefts + c * bottoms + e, a * rights + c * tops + e])
    down = np.stack([b * lefts + d * bottoms + f, b * rights + d * tops + f])
    return np.stack([across.min(0), down.min(0), across.max(0), down.max(0)], axis=1)


def _unseen(page: Any, some: "Indices", boxes: "Boxes", without: Collection[int], scale: float) -> "Indices":
    """Those of some characters that leave no trace in the picture when text objects, their own too, are left out."""
    import numpy as np

    width, height = page.get_size()
    scale = min(scale, (_MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
    with_text = _picture(page, scale)
    with _left_out(page, without):
        without_text = _picture(page, scale)
    differs = np.maximum(with_text, without_text) - np.minimum(with_text, without_text) >= _FAINTEST
    rows, columns = differs.shape
    traces = differs.tobytes()
    margins = np.tile(boxes[some, 2:] - boxes[some, :2], 2) * (_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    inner = np.clip((boxes[some] + margins) * scale, -1, max(rows, columns) + 1)
    edges = np.stack([np.floor(inner[:, :2]), np.ceil(inner[:, 2:])], 1).reshape(-1, 4).astype(int)
    places = np.clip(edges, 0, (columns, rows, columns, rows)).tolist()
    return some[[not _has_trace(traces, columns, place) for place in places]]


def _has_trace(traces: bytes, columns: int, place: Sequence[int]) -> bool:
    """Whether some byte is set in a place of a table of so many columns; most letters have ink at half their height."""
    left, top, right, bottom = place
    half = (top + bottom) // 2
    for row in (*range(half, bottom), *range(top, half)):
        if traces.find(1, row * columns + left, row * columns + right) >= 0:
            return left < right
    return False


def _picture(page: Any, scale: float) -> "NDArray[np.uint8]":
    """The page in levels of grey."""
    with closing(page.render(scale=scale, grayscale=True, may_draw_forms=False)) as bitmap:
        pixels: NDArray[np.uint8] = bitmap.to_numpy().copy()
        return pixels if pixels.ndim == 2 else pixels[:, :, 0]


@contextmanager
def _left_out(page: Any, owners: Collection[int]) -> Iterator[None]:
    """While some text objects of a page are not drawn."""
    import pypdfium2.raw as pdfium

    objects = [ctypes.cast(owner, pdfium.FPDF_PAGEOBJECT) for owner in owners if owner]
    for one in objects:
        pdfium.FPDFPageObj_SetIsActive(one, False)
    try:
        yield
    finally:
        for one in objects:
            pdfium.FPDFPageObj_SetIsActive(one, True)


def _running_over(
    is_lost: "NDArray[np.bool_]", some: "Indices", boxes: "Boxes", width: float, rules: Sequence[Box]
) -> list[int]:
    """The lost characters that go on a line that begins on the page and runs over its right edge, as lines do that were
    not broken, and rows of tables: nobody hid them."""
    import numpy as np

    if not (is_lost[some] & (boxes[some, 2] > width)).any():
        return []
    heights = [top for left, top, right, _ in rules if left < width < right]
    first, last = min(heights, default=inf), max(heights, default=-inf)
    rows = np.round((boxes[some, 1] + boxes[some, 3]) / 4)
    order = some[np.lexsort((boxes[some, 0], rows))]
    found: list[int] = []
    for before, index in pairwise(order.tolist()):
        left, top, right, bottom = boxes[index]
        is_kept = not is_lost[before] or (found and found[-1] == before)
        is_level = abs(top - boxes[before, 1]) < _LEVEL * (bottom - top)
        is_near = left - boxes[before, 2] < _NEXT * (bottom - top) or first < (top + bottom) / 2 < last
        if is_lost[index] and right > width and is_kept and is_level and is_near:
            found.append(index)
    return found


def _overlapping(
    some: "Indices", boxes: "Boxes", characters: Characters, drawn_by: "NDArray[np.int64]"
) -> tuple[set[int], set[int]]:
    """The text objects of which characters stand over ones of another object, and those others, which are drawn before
    them. The same character drawn twice is one in bold."""
    import numpy as np

    codes = np.array(characters.codes)
    middles = (boxes[some, 1] + boxes[some, 3]) / 2
    order = some[np.lexsort((boxes[some, 0], np.round(middles / 4)))]
    over: set[int] = set()
    under: set[int] = set()
    for step in range(1, _NEIGHBOURS + 1):
        one, other = order[:-step], order[step:]
        shared = np.minimum(boxes[one, 2:], boxes[other, 2:]) - np.maximum(boxes[one, :2], boxes[other, :2])
        sizes = np.minimum(boxes[one, 2:] - boxes[one, :2], boxes[other, 2:] - boxes[other, :2])
        meet = (shared > _SHARED * sizes).all(1) & (codes[one] != codes[other]) & (drawn_by[one] != drawn_by[other])
        over.update(drawn_by[np.maximum(one, other)[meet]].tolist())
        under.update(drawn_by[np.minimum(one, other)[meet]].tolist())
    return over, under
