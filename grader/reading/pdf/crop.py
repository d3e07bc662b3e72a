"""Pages of a PDF as pictures, and whole passages cut from them, to show evidence as it stands on its page."""

import io
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from grader.reading.document import Box
from grader.reading.pdf.annotations import page_with_annotations

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SCALE: Final = 2.0
"""Pixels to the point; reports print them at about 200 to the inch."""
MOST_PIXELS: Final = 4_000_000
_SMALLEST_SIDE: Final = 4.0
_INK: Final = 48
"""Levels of 255 by which ink differs from the paper around it."""
_WHITE: Final = 255
_COLOURED: Final = 40
_COLOURS: Final = 32
_AROUND: Final = 250.0
"""Points above and below a place in which its column is looked for."""
_GUTTER: Final = 12.0
_NARROWEST_COLUMN: Final = 0.35
"""Of the width of what is printed: narrower ones are columns of a table."""
_HIGHEST_PASSAGE: Final = 76.0
"""A paragraph or table that is higher is shown in part: the marked lines and their neighbours."""
_HIGHEST: Final = 150.0
_LOOSEST: Final = 0.75
"""The largest gap between two lines of one passage, as a part of the height of a line."""
_MARGIN: Final = 4.0
_MARK: Final = (180, 35, 24)
_VEIL: Final = (222, 222, 222)
_FRAME: Final = 3
"""Pixels between words and the line that marks them, and around what is hidden."""
_BESIDE: Final = 36.0
"""Points above and below a box in a strip of its page."""
_SLACK: Final = 6
"""Pixels by which a box may reach beyond its words."""

Span = tuple[int, int]


class CropError(ValueError):
    """The reason why there is no picture: the file, the page or the box is impossible. The message is for people."""


class Passage(NamedTuple):
    """Rows and columns of a page's pixels: `top` to `bottom`, `left` to `right`."""

    left: int
    top: int
    right: int
    bottom: int


class PageImage:
    """A page as a picture; boxes are in points from the top left corner of the page as it is shown."""

    def __init__(self, pixels: "NDArray[np.uint8]", scale: float) -> None:
        """`pixels` are rows of red, green, blue and a fourth byte that means nothing, at `scale` pixels to the point.
        They are kept, and changed by `hide`."""
        import numpy as np
        from PIL import Image

        self._pixels = pixels[:, :, :3]
        self.scale = scale
        height, width = pixels.shape[:2]
        colours = Image.frombuffer("RGBX", (width, height), pixels, "raw", "RGBX", 0, 1)
        self._grey = np.array(colours.convert("L"))
        self._dark = self._grey < _WHITE - _INK
        self._passages: dict[Passage, Passage] = {}

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of rows and of columns."""
        height, width = self._grey.shape
        return height, width

    def hide(self, boxes: Sequence[Box]) -> None:
        """Paint over what stands in some boxes."""
        for box in boxes:
            left, top, right, bottom = self._inside(box, _FRAME)
            self._pixels[top:bottom, left:right] = _VEIL
            self._grey[top:bottom, left:right] = _VEIL[0]
            self._dark[top:bottom, left:right] = False
        self._passages.clear()

    def passage(self, boxes: Sequence[Box]) -> Passage:
        """The row, paragraph or table in which all of the boxes stand, with whole lines only: it is cut in the white
        between lines. Of a high one the boxes' lines and their neighbours. Raises CropError for boxes off the page."""
        lefts, tops, rights, bottoms = zip(*(self._inside(box, 0) for box in boxes), strict=True)
        at = Passage(min(lefts), min(tops), max(rights), max(bottoms))
        if at.right - at.left < _SMALLEST_SIDE or at.bottom - at.top < _SMALLEST_SIDE:
            height, width = self._grey.shape
            raise CropError(
                f"the box {boxes[0]} does not lie on the page, which is {width / self.scale:g} by "
                f"{height / self.scale:g} points"
            )
        if at not in self._passages:
            left, right = self._column(at)
            top, bottom = self._lines(at, left, right)
            left, right = self._trimmed(Passage(left, top, right, bottom))
            self._passages[at] = Passage(min(left, at.left), top, max(right, at.right), bottom)
        return self._passages[at]

    def strip(self, box: Box) -> Passage:
        """The whole width of the page at a box, with some lines above and below. Raises CropError."""
        left, top, right, bottom = box
        width = self._grey.shape[1]
        around = self._inside((left, top - _BESIDE, right, bottom + _BESIDE), 0)
        if min(around.bottom - around.top, right - left) < _SMALLEST_SIDE:
            raise CropError(f"the box {box} does not lie on the page")
        return Passage(0, around.top, width, around.bottom)

    def png(self, passage: Passage, marked: Sequence[Box]) -> bytes:
        """A passage as a PNG of few colours, with a frame around each of some boxes. The same page gives the same
        bytes."""
        import numpy as np
        from PIL import Image

        left, top, right, bottom = passage
        cut = self._pixels[top:bottom, left:right]
        written = io.BytesIO()
        edges = [edge for box in marked for edge in _edges(self._inside(box, _FRAME), passage)]
        if int(_spread(cut).max()) > _COLOURED:
            framed = cut.copy()
            for rows, columns in edges:
                framed[rows, columns] = _MARK
            image = Image.fromarray(framed).quantize(_COLOURS, dither=Image.Dither.NONE)
        else:
            levels = (np.minimum(self._grey[top:bottom, left:right], 247) + 8) // 17
            for rows, columns in edges:
                levels[rows, columns] = 16
            image = Image.fromarray(levels, "P")
            image.putpalette([value for level in range(16) for value in (level * 17,) * 3] + list(_MARK))
        image.save(written, "PNG", compress_level=4)  # a twenty-fifth larger than at 6, in three fifths of the time
        return written.getvalue()

    def _inside(self, box: Box, grown: int) -> Passage:
        """A box in pixels, cut off at the page's edges."""
        height, width = self._grey.shape
        if not all(abs(side) < 1e6 for side in box):
            raise CropError(f"no picture can be made of the box {box}")
        left, top, right, bottom = (side * self.scale for side in box)
        return Passage(
            min(max(int(left) - grown, 0), width),
            min(max(int(top) - grown, 0), height),
            min(max(round(right) + grown, 0), width),
            min(max(round(bottom) + grown, 0), height),
        )

    def _ink(self, rows: Span, columns: Span) -> "NDArray[np.bool_]":
        """A mask of printed pixels: those that differ from the most frequent level of the part of the page."""
        import numpy as np

        place = slice(*rows), slice(*columns)
        part = self._grey[place]
        levels = part[::4]
        if 2 * np.count_nonzero(levels == _WHITE) > levels.size:  # told much faster than by counting all levels
            return self._dark[place]
        paper = int(np.bincount(levels.ravel(), minlength=256).argmax())
        ink: NDArray[np.bool_] = part < max(paper - _INK, 0)
        return ink | (part > paper + _INK) if paper + _INK < _WHITE else ink

    def _used(self, rows: Span, columns: Span) -> list[Span]:
        """The runs of columns of pixels in which something is printed."""
        import numpy as np

        return _runs(np.logical_or.reduce(self._ink(rows, columns), axis=0))

    def _column(self, at: Passage) -> Span:
        """The left and right ends of the text column around a place: a gutter separates columns that are side by side
        over a large part of the page's height."""
        height, width = self._grey.shape
        around = round(_AROUND * self.scale)
        printed = self._used((max(at.top - around, 0), min(at.bottom + around, height)), (0, width))
        if not printed:
            return at.left, at.right
        first, last = printed[0][0], printed[-1][1]
        left, right = min(first, at.left), max(last, at.right)
        for begin, end in ((candidate[1], other[0]) for candidate, other in pairwise(printed)):
            if end - begin < _GUTTER * self.scale:
                continue
            if end <= at.left + _SLACK:
                left = end
            elif begin >= at.right - _SLACK:
                right = min(right, begin)
        return (left, right) if right - left >= _NARROWEST_COLUMN * (last - first) else (first, last)

    def _lines(self, at: Passage, left: int, right: int) -> Span:
        """The top and bottom of the lines that belong together."""
        import numpy as np

        high = round(_HIGHEST * self.scale)
        begin = max(at.top - high, 0)
        end = min(min(at.bottom, at.top + high) + high, self._grey.shape[0])
        counts = np.count_nonzero(self._ink((begin, end), (left, right)), axis=1)
        near = counts[max(at.top - begin - 40, 0) : at.bottom - begin + 40]
        bands = _runs(counts > int(near.min(initial=0)))
        passage_bands = [band for band in bands if band[1] > at.top - begin and band[0] < at.bottom - begin]
        if not passage_bands:
            return at.top, min(at.bottom, at.top + high)
        shown = _whole(bands, passage_bands, round(_HIGHEST_PASSAGE * self.scale))
        top, bottom = bands[shown[0]][0], bands[shown[1]][1]
        if bottom - top > high:
            top = max(top, at.top - begin - _FRAME)
            bottom = max((band[1] for band in bands if top < band[1] <= top + high), default=top + high)
        above = top - (bands[shown[0] - 1][1] if shown[0] else 0)
        below = (bands[shown[1] + 1][0] if shown[1] + 1 < len(bands) else len(counts)) - bottom
        margin = round(_MARGIN * self.scale)
        return begin + top - min(above, margin), begin + bottom + min(below, margin)

    def _trimmed(self, passage: Passage) -> Span:
        """The passage's columns without the white on its sides."""
        left, top, right, bottom = passage
        used = self._used((top, bottom), (left, right))
        margin = round(_MARGIN * self.scale)
        if not used:
            return left, right
        return max(left + used[0][0] - margin, 0), min(left + used[-1][1] + margin, self._grey.shape[1])


@contextmanager
def opened_pages(location: Path) -> Iterator[Any]:
    """A PDF to take pictures of. Scripts and forms in the file do not run. Raises CropError."""
    import pypdfium2

    try:
        with closing(pypdfium2.PdfDocument(location)) as pdf:
            yield pdf
    except (pypdfium2.PdfiumError, OSError, MemoryError) as error:
        raise CropError(f"the file cannot be shown: {error}") from error


def page_image(pdf: Any, page: int) -> PageImage:
    """A page, counted from 1, of a PDF of `opened_pages`; coarser where it would have more than `MOST_PIXELS` pixels.

    The same file gives the same picture. Raises CropError.
    """
    if not 1 <= page <= len(pdf):
        raise CropError(f"there is no page {page}: the file has {len(pdf)}")
    with closing(page_with_annotations(pdf, page).page) as opened:
        width, height = opened.get_size()
        if not (_SMALLEST_SIDE <= width < 1e6 and _SMALLEST_SIDE <= height < 1e6):
            raise CropError(f"page {page} cannot be shown: it is {width:g} by {height:g} points")
        scale = min(SCALE, (MOST_PIXELS / (width * height)) ** 0.5)
        bitmap = opened.render(
            scale=scale, may_draw_forms=False, draw_annots=False, rev_byteorder=True, prefer_bgrx=True
        )
        with closing(bitmap):
            return PageImage(bitmap.to_numpy(), scale)  # which has a hold of the pixels beyond the bitmap


def _spread(pixels: "NDArray[np.uint8]") -> "NDArray[np.uint8]":
    """Return how far red, green and blue of each pixel lie apart; 0 for grey."""
    import numpy as np

    red, green, blue = (pixels[:, :, at] for at in range(3))
    highest = np.maximum(np.maximum(red, green), blue)
    spread: NDArray[np.uint8] = highest - np.minimum(np.minimum(red, green), blue)
    return spread


def _runs(flags: "NDArray[np.bool_]") -> list[Span]:
    """The start and end of each run of true values."""
    import numpy as np

    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _whole(bands: Sequence[Span], passage_bands: Sequence[Span], highest: int) -> Span:
    """The first and the last of the bands that make a passage with some of them, by number.

    Lines belong together where the gap between them is small for their height.
    """
    first, last = bands.index(passage_bands[0]), bands.index(passage_bands[-1])
    line = (
        max(end - begin for begin, end in passage_bands)
        if len(passage_bands) == 1
        else sorted(e - b for b, e in passage_bands)[len(passage_bands) // 2]
    )
    gap = max(line * _LOOSEST, 2.0)
    whole_first, whole_last = first, last
    while whole_first and bands[whole_first][0] - bands[whole_first - 1][1] <= gap:
        whole_first -= 1
    while whole_last + 1 < len(bands) and bands[whole_last + 1][0] - bands[whole_last][1] <= gap:
        whole_last += 1
    if bands[whole_last][1] - bands[whole_first][0] <= highest:
        return whole_first, whole_last
    return max(whole_first, first - 1), min(whole_last, last + 1)


def _edges(passage: Passage, within: Passage) -> Iterator[tuple[slice, slice]]:
    """The four sides of a frame as parts of a picture, two pixels wide."""
    height, width = within.bottom - within.top, within.right - within.left
    left, right = max(passage.left - within.left, 0), min(passage.right - within.left, width)
    top, bottom = max(passage.top - within.top, 0), min(passage.bottom - within.top, height)
    if right - left < _FRAME or bottom - top < _FRAME:
        return
    across, down = slice(left, right), slice(top, bottom)
    yield slice(top, top + 2), across
    yield slice(bottom - 2, bottom), across
    yield down, slice(left, left + 2)
    yield down, slice(right - 2, right)
