"""Decides which characters of a PDF page a person sees: those without which the page's picture would be another one.

The page is drawn once, and once more without its text where something else stands at the place of a character; the
pictures are compared there. So it does not matter how a text is hidden: by its colour, its rendering mode or opacity,
under something, by a clipping path, in a layer that is off. `visibility` says which difference can be seen.
"""

import ctypes
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import repeat
from math import ceil, inf
from sys import maxunicode
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from unicodedata import category

from grader.reading.document import Box
from grader.reading.pdf.characters import ADDRESS, NUMBER_OF, Characters
from grader.reading.pdf.drawings import Drawings
from grader.reading.pdf.glyphs import SPACES, Frame
from grader.reading.visibility import CLEAR_CONTRAST, MIN_CONTRAST, Visibility, contrast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.intp]
    Boxes = NDArray[np.float64]
    """A row for each character: left, top, right, bottom, in points from the top left corner of the shown page."""
    Picture = NDArray[np.uint8]

SMALLEST: Final = 2.4
"""In points, the larger side of a character's place: text in a font of less than 2 points is not for people."""
_CLEAR_LEVELS: Final = 34
"""In levels of grey from 0 to 255: a difference that is certainly seen, as that of #dddddd and white."""
_CLEAR_STEP: Final = 60
"""In levels of red, green or blue: a difference that is certainly seen."""
_MOST_PIXELS: Final = 4_000_000
"""Of one picture: a page that would have more is drawn coarser."""
_CLOSER: Final = 4.0
"""Pixels in a point, for a second look in colour at what was not clear with one: where a pixel is wider than a
letter's lines, the letter looks paler than it is."""
_MARGIN: Final = 0.2
"""Of a character's width and height: what is so near to its edges may be ink of the next one."""
_LEVEL: Final = 0.3
"""Of their height, so much the characters of a line differ in height."""
_NEXT: Final = 4.0
"""Heights: what stands farther off is no part of the line."""
_BESIDE: Final = 0.5
"""Heights: parts of a formula are so near to its line."""
_WITHIN_WORD: Final = 0.3
"""Heights: characters of one word stand nearer to each other."""
_SCAN: Final = 0.6
"""Of the page's area: a picture that is at least so large may be a scan of the page."""
_RECOGNISED: Final = 0.7
"""Of the characters over a scan: where at least so many stand on ink of it, they were recognised in it."""
_SAMPLED: Final = 4
"""Rows and columns of a character's place."""
_MOST_COVERS: Final = 4_000
_MOST_BATCHES: Final = 4
_MOST_PAIRS: Final = 2_000


class Sight(NamedTuple):
    """The characters of a page that are not read, by their indices: those that cannot be seen; those of which it cannot
    be established; those of lines that run over the page's edge; those of an invisible text over a scan. `clips` are
    the boxes of clipping paths that cut words off, as of a table that a browser would scroll."""

    hidden: frozenset[int] = frozenset()
    doubtful: frozenset[int] = frozenset()
    cut: frozenset[int] = frozenset()
    recognised: frozenset[int] = frozenset()
    clips: tuple[Box, ...] = ()

    @property
    def unread(self) -> frozenset[int]:
        """All of them."""
        return self.hidden | self.doubtful | self.cut | self.recognised


def sight_of(page: Any, characters: Characters, frame: Frame, drawings: Drawings) -> Sight:
    """Return what can be seen of the text of an open pypdfium2 page. Only letters and digits are looked at, as many
    signs have no ink of their own; if an object shows none of its letters and digits, its signs are not read, either.
    Raises PdfiumError when the page cannot be drawn."""
    import numpy as np

    codes, owners, _ = characters
    inked = [code for code in set(codes.tolist()) if code <= maxunicode and _has_ink(chr(code))]
    drawn = np.flatnonzero(np.isin(codes, inked) & (owners > 0))
    if not len(drawn):
        return Sight()
    boxes = shown_boxes(characters, frame)
    sizes = (boxes[:, 2:] - boxes[:, :2]).max(1)
    signs = np.flatnonzero((owners > 0) & ~np.isin(codes, list(SPACES)))
    clips = tuple(_cutting_clips(page, frame, boxes[signs], owners[signs]))
    pictures = _Pictures(page, characters, boxes, frame, drawings)
    kinds = pictures.kinds(drawn)
    kinds[drawn[(sizes[drawn] > 0) & (sizes[drawn] < SMALLEST)]] = Visibility.HIDDEN
    if not kinds.any():
        return Sight(clips=clips)
    is_lost = kinds == Visibility.HIDDEN
    cut: list[int] = []
    if len(lost := drawn[is_lost[drawn]]):
        edges = _edges(page, frame, owners[lost].tolist())
        outside, crossing = _outside_and_crossing(lost, boxes, edges)
        cut = [*_running_over(outside, drawn[~is_lost[drawn]], boxes, page, drawings.rules), *crossing]
    is_lost[cut] = False
    recognised = pictures.on_scan(np.flatnonzero(is_lost & (sizes >= SMALLEST)))
    is_lost[recognised] = False
    doubtful = words_of(np.flatnonzero(kinds == Visibility.DOUBTFUL).tolist(), characters)
    if cut:
        beyond = (boxes[:, :2] >= page.get_size()).any(1) | (boxes[:, 2:] <= 0).any(1)
        cut = list(words_of(cut, characters) | set(np.flatnonzero(beyond).tolist()))
    found = [set(np.flatnonzero(is_lost).tolist()), doubtful, set(cut), set(recognised)]
    if not any(found):
        return Sight(clips=clips)
    drawn_by = owners.tolist()
    shown = {drawn_by[at] for at in set(drawn.tolist()).difference(*found)}
    others = set(range(len(drawn_by))).difference(*found, drawn.tolist())
    for some in found:
        whole = {drawn_by[at] for at in some} - shown - {0}
        some |= {at for at in others if drawn_by[at] in whole}
    hidden, unclear, beyond, unknown = map(frozenset, found)
    return Sight(hidden, unclear, beyond, unknown, clips)


def words_of(some: Iterable[int], characters: Characters) -> set[int]:
    """Some characters with all others of their words and numbers: a part of a number is another number."""
    codes, (lefts, tops, rights, bottoms) = characters.codes.tolist(), characters.boxes.tolist()

    def is_next(index: int, other: int) -> bool:
        """Whether a character goes on with the word of the one before it."""
        height = max(tops[index] - bottoms[index], 1e-3)
        is_near = abs(bottoms[index] - bottoms[other]) < _LEVEL * height
        return codes[other] not in SPACES and is_near and lefts[other] - rights[index] < _WITHIN_WORD * height

    found: set[int] = set()
    for start in sorted(some):
        if start in found:
            continue
        first = last = start
        while first and codes[first] not in SPACES and is_next(first - 1, first):
            first -= 1
        while last + 1 < len(codes) and is_next(last, last + 1):
            last += 1
        found.update(range(first, last + 1))
    return found


def _has_ink(character: str) -> bool:
    """Whether it is a letter that fills its place, or a digit: accents by themselves do not."""
    return character.isalnum() and (character.isascii() or category(character) != "Lm")


def shown_boxes(characters: Characters, frame: Frame) -> "Boxes":
    """The places of characters on the page as it is shown."""
    import numpy as np

    lefts, tops, rights, bottoms = characters.boxes
    a, b, c, d, e, f = frame
    across = np.stack([a * lefts + c * bottoms + e, a * rights + c * tops + e])
    down = np.stack([b * lefts + d * bottoms + f, b * rights + d * tops + f])
    return np.stack([across.min(0), down.min(0), across.max(0), down.max(0)], axis=1)


class _Pictures:
    """Pictures of one page with and without some of its text objects."""

    def __init__(self, page: Any, characters: Characters, boxes: "Boxes", frame: Frame, drawings: Drawings) -> None:
        import numpy as np

        self._page, self._boxes, self._frame, self._drawings = page, boxes, frame, drawings
        self._codes, self._owners, _ = characters
        self._texts = frozenset(self._owners.tolist()) - {0}
        self._width, self._height = page.get_size()
        self._scale = min(1.0, (_MOST_PIXELS / max(self._width * self._height, 1.0)) ** 0.5)
        margins = np.tile(boxes[:, 2:] - boxes[:, :2], 2) * (_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        self._inner = boxes + margins

    def kinds(self, drawn: "Indices") -> "NDArray[np.int8]":
        """The visibility of some characters, in an array for all."""
        import numpy as np

        kinds = np.zeros(len(self._boxes), np.int8)
        whole = self._grey(())
        traces = whole <= 255 - _CLEAR_LEVELS
        for left, top, right, bottom in self._covers():
            traces[top:bottom, left:right] = False
        if len(unclear := self._without_trace(traces, drawn)):
            self._judge(kinds, unclear, whole, (), self._texts)
        for batch in _batches(self._meeting(drawn[kinds[drawn] < Visibility.HIDDEN])):
            some = drawn[np.isin(self._owners[drawn], list(batch))]
            self._judge(kinds, some, self._grey(self._texts - batch), self._texts - batch, self._texts)  # by itself
            self._judge(kinds, some, whole, (), batch)  # among all others
        return kinds

    def on_scan(self, hidden: "Indices") -> list[int]:
        """The hidden characters, if a picture is as large as the page and most of them stand where it shows something:
        they seem to have been recognised there."""
        if not len(hidden):
            return []
        least = _SCAN * self._width * self._height
        pictures = (*self._drawings.images, *self._drawings.forms)
        scans = [picture for picture in pictures if (picture[2] - picture[0]) * (picture[3] - picture[1]) >= least]
        if not scans:
            return []
        ground = self._grey(self._texts)
        found = []
        for at in hidden.tolist():
            left, top, right, bottom = (max(round(side * self._scale), 0) for side in self._boxes[at].tolist())
            place = ground[top:bottom, left:right]
            found.append(place.size > 0 and int(place.max()) - int(place.min()) >= _CLEAR_STEP)
        return hidden.tolist() if sum(found) >= _RECOGNISED * len(found) else []

    def _covers(self) -> Iterator[tuple[int, int, int, int]]:
        """The places, in pixels, of all that is drawn besides text: ink there may be of something else."""
        covers = [*self._drawings.covers, *_annotations(self._page, self._frame)]
        if len(covers) > _MOST_COVERS:
            covers = [(0.0, 0.0, self._width, self._height)]
        for box in covers:
            left, top, right, bottom = (max(side * self._scale, 0.0) for side in box)
            yield int(left), int(top), ceil(right), ceil(bottom)

    def _judge(
        self,
        kinds: "NDArray[np.int8]",
        some: "Indices",
        picture: "Picture",
        without: Collection[int],
        without_more: Collection[int],
    ) -> None:
        """Set how well some characters can be seen by what they change: in `picture`, which is the page without some
        text objects, against the page without more of them. What was seen less before stays so."""
        import numpy as np

        other = self._grey(without_more)
        differs = np.maximum(picture, other) - np.minimum(picture, other) >= _CLEAR_LEVELS
        unclear = self._without_trace(differs, some)
        if not len(unclear):
            return
        left, top = np.maximum(self._boxes[unclear, :2].min(0), 0)
        right, bottom = np.minimum(self._boxes[unclear, 2:].max(0), (self._width, self._height))
        if right - left < 1 or bottom - top < 1:
            kinds[unclear] = Visibility.HIDDEN
            return
        closer = _Part(self._page, (int(left), int(top), ceil(right), ceil(bottom)))
        first, second = closer.picture(without), closer.picture(without_more)
        steps = np.maximum(first, second) - np.minimum(first, second)
        for at, place in zip(unclear.tolist(), closer.places(self._inner[unclear]), strict=True):
            kinds[at] = max(kinds[at], _visibility(first[place], second[place], steps[place]))

    def _without_trace(self, traces: "NDArray[np.bool_]", some: "Indices") -> "Indices":
        """Return those of some characters at whose places no pixel of a picture is set."""
        import numpy as np

        rows, columns = traces.shape
        inner = np.clip(self._inner[some] * self._scale, -1, max(rows, columns) + 1)
        edges = np.stack([np.floor(inner[:, :2]), np.ceil(inner[:, 2:])], 1).reshape(-1, 4).astype(int)
        places = np.clip(edges, 0, (columns, rows, columns, rows))
        starts, sizes = places[:, :2, None], (places[:, 2:] - places[:, :2])[:, :, None]
        xs, ys = (starts + sizes * (np.arange(_SAMPLED) / _SAMPLED)).astype(int).transpose(1, 0, 2)
        inside = np.minimum(ys, rows - 1)[:, :, None], np.minimum(xs, columns - 1)[:, None, :]
        is_unclear = ~(traces[inside].any((1, 2)) & (sizes > 0).all((1, 2)))  # most are clear by some of their pixels
        content = traces.tobytes() if is_unclear.any() else b""
        is_unclear[is_unclear] = [not _has_trace(content, columns, place) for place in places[is_unclear].tolist()]
        unclear: Indices = some[is_unclear]
        return unclear

    def _grey(self, without: Collection[int]) -> "Picture":
        """The page in levels of grey."""
        with _left_out(self._page, without):
            bitmap = self._page.render(scale=self._scale, grayscale=True, may_draw_forms=False)
        with closing(bitmap):
            pixels: Picture = bitmap.to_numpy().copy()
            return pixels if pixels.ndim == 2 else pixels[:, :, 0]

    def _meeting(self, some: "Indices") -> list[tuple[int, int]]:
        """Pairs of text objects of which characters stand over each other. The same character drawn twice is one in
        bold."""
        import numpy as np

        order = some[np.argsort(self._owners[some], kind="stable")]
        objects, starts = np.unique(self._owners[order], return_index=True)
        if len(objects) < 2:
            return []
        inner = self._inner[order]
        lows, highs = np.minimum.reduceat(inner[:, :2], starts), np.maximum.reduceat(inner[:, 2:], starts)
        ends = [*starts[1:].tolist(), len(order)]
        signs = self._codes[order]
        downwards = np.argsort(lows[:, 1], kind="stable")
        (lefts, tops), (rights, bottoms) = lows[downwards].T, highs[downwards].T
        below = np.searchsorted(tops, bottoms)
        pairs: list[tuple[int, int]] = []
        for first in range(0, len(objects), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            near = slice(first, int(below[part].max()))
            meet = (tops[part, None] < bottoms[near]) & (tops[near] < bottoms[part, None])
            meet &= (lefts[part, None] < rights[near]) & (lefts[near] < rights[part, None])
            for above, under in np.argwhere(np.triu(meet, 1)).tolist():
                lower_index, other = sorted((int(downwards[first + above]), int(downwards[first + under])))
                a, b = (slice(int(starts[at]), ends[at]) for at in (lower_index, other))
                one_box, other_box = inner[a, None], inner[None, b]
                over = (one_box[..., :2] < other_box[..., 2:]) & (other_box[..., :2] < one_box[..., 2:])
                if (over.all(2) & (signs[a, None] != signs[None, b])).any():
                    pairs.append((int(objects[lower_index]), int(objects[other])))
                if len(pairs) >= _MOST_PAIRS:
                    return sorted(pairs)
        return sorted(pairs)


_AT_ONCE: Final = 100
"""Text objects that are compared with others in one step."""


def _batches(pairs: Sequence[tuple[int, int]]) -> list[frozenset[int]]:
    """The objects of some pairs in batches none of which holds a pair. What finds no place in a few batches is in the
    last one."""
    others: dict[int, set[int]] = {}
    for first, other in pairs:
        others.setdefault(first, set()).add(other)
        others.setdefault(other, set()).add(first)
    batches: list[set[int]] = []
    for first in sorted(others, key=lambda key: -len(others[key])):
        free = next((batch for batch in batches if not batch & others[first]), None)
        if free is None and len(batches) < _MOST_BATCHES:
            batches.append(free := set())
        (batches[-1] if free is None else free).add(first)
    return [frozenset(batch) for batch in batches]


class _Part(NamedTuple):
    """A part of a page, in points, that is looked at from nearby and in colour."""

    page: Any
    box: tuple[int, int, int, int]

    @property
    def scale(self) -> float:
        """Pixels to the point."""
        left, top, right, bottom = self.box
        area: float = (right - left) * (bottom - top)
        return min(_CLOSER, float((_MOST_PIXELS / area) ** 0.5))

    def picture(self, without: Collection[int]) -> "Picture":
        """It without some text objects; a row for each line of pixels."""
        width, height = self.page.get_size()
        left, top, right, bottom = self.box
        crop = (left, max(height - bottom, 0), max(width - right, 0), top)
        with _left_out(self.page, without):
            bitmap = self.page.render(scale=self.scale, crop=crop, may_draw_forms=False, prefer_bgrx=True)
        with closing(bitmap):
            pixels: Picture = bitmap.to_numpy()[:, :, :3].copy()
            return pixels

    def places(self, boxes: "Boxes") -> Iterator[tuple[slice, slice]]:
        """The rows and columns of its pictures where some boxes are."""
        left, top, _, _ = self.box
        for x0, y0, x1, y1 in boxes.tolist():
            rows = (max(round((y0 - top) * self.scale), 0), max(round((y1 - top) * self.scale), 0))
            columns = (max(round((x0 - left) * self.scale), 0), max(round((x1 - left) * self.scale), 0))
            yield slice(*rows), slice(*columns)


def _visibility(first: "Picture", second: "Picture", steps: "Picture") -> Visibility:
    """Return how well a difference of two pictures of a place can be seen, where it is largest."""
    if not steps.size:
        return Visibility.HIDDEN
    if int(steps.max()) >= _CLEAR_STEP:
        return Visibility.SHOWN
    row, column = divmod(int(steps.sum(2).argmax()), steps.shape[1])
    colours = [tuple(picture[row, column, ::-1].tolist()) for picture in (first, second)]
    difference = contrast(*colours)
    if difference >= CLEAR_CONTRAST:
        return Visibility.SHOWN
    return Visibility.DOUBTFUL if difference >= MIN_CONTRAST else Visibility.HIDDEN


def _has_trace(traces: bytes, columns: int, place: Sequence[int]) -> bool:
    """Whether some byte is set in a place of a table of so many columns; most letters have ink at half their height."""
    left, top, right, bottom = place
    half = (top + bottom) // 2
    for row in (*range(half, bottom), *range(top, half)):
        if traces.find(1, row * columns + left, row * columns + right) >= 0:
            return left < right
    return False


def _annotations(page: Any, frame: Frame) -> list[Box]:
    """The places of what annotations draw on a page."""
    import pypdfium2.raw as pdfium

    found = []
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        if not (annotation := pdfium.FPDFPage_GetAnnot(page, index)):
            continue
        kind, side = pdfium.FPDFAnnot_GetSubtype(annotation), pdfium.FS_RECTF()
        has_own = pdfium.FPDFAnnot_GetAP(annotation, pdfium.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0) > 2
        is_drawn = has_own or kind not in (pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP)
        if is_drawn and pdfium.FPDFAnnot_GetRect(annotation, side):
            found.append(frame.box(side.left, side.bottom, side.right, side.top))
        pdfium.FPDFPage_CloseAnnot(annotation)
    return found


_SET_ACTIVE: Final = ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS, ctypes.c_int)
_CLIP_OF: Final = ctypes.CFUNCTYPE(ADDRESS, ADDRESS)


@contextmanager
def _left_out(page: Any, owners: Collection[int]) -> Iterator[None]:
    """While some text objects of a page are not drawn."""
    import pypdfium2.raw as pdfium

    objects, set_active = [owner for owner in owners if owner], ctypes.cast(pdfium.FPDFPageObj_SetIsActive, _SET_ACTIVE)
    deque(map(set_active, objects, repeat(0)), maxlen=0)
    try:
        yield
    finally:
        deque(map(set_active, objects, repeat(1)), maxlen=0)


def _edges(page: Any, frame: Frame, owners: Sequence[int]) -> "Boxes":
    """For each of some text objects, the box within which the page and its clipping paths show it."""
    import numpy as np

    width, height = page.get_size()
    boxes: dict[int, Box] = {}
    for owner in set(owners):
        clips = [frame.box(*clip) for clip in _clips(owner)]
        lefts, tops, rights, bottoms = zip((0.0, 0.0, width, height), *clips, strict=True)
        boxes[owner] = max(lefts), max(tops), min(rights), min(bottoms)
    return np.array([boxes[owner] for owner in owners]).reshape(-1, 4)


def _cutting_clips(page: Any, frame: Frame, boxes: "Boxes", owners: "Indices") -> Iterator[Box]:
    """The boxes within which clipping paths show some characters, where they cut the last one of a line."""
    import numpy as np

    rows = np.round((boxes[:, 1] + boxes[:, 3]) / 4)
    order = np.lexsort((boxes[:, 2], rows))
    last = order[np.append(rows[order][1:] != rows[order][:-1], True)]
    edges = _edges(page, frame, owners[last].tolist())
    crosses = (boxes[last, 2] > edges[:, 2] + _CROSSING) & (edges[:, 2] < page.get_width() - _CROSSING)
    found: list[list[float]] = np.unique(edges[crosses], axis=0).tolist()
    yield from ((left, top, right, bottom) for left, top, right, bottom in found)


_CROSSING: Final = 0.5
"""In points."""


def _clips(owner: int) -> Iterator[Box]:
    """The boxes of the clipping paths of an object, in the page's own coordinates."""
    import pypdfium2.raw as pdfium

    path = ctypes.cast(pdfium.FPDFPageObj_GetClipPath, _CLIP_OF)(owner) if owner else None
    if not path or ctypes.cast(pdfium.FPDFClipPath_CountPaths, NUMBER_OF)(path) <= 0:
        return
    path = ctypes.cast(path, pdfium.FPDF_CLIPPATH)
    x, y = ctypes.c_float(), ctypes.c_float()
    for index in range(min(pdfium.FPDFClipPath_CountPaths(path), _MOST_CLIPS)):
        count = min(pdfium.FPDFClipPath_CountPathSegments(path, index), _MOST_CLIPS)
        segments = [pdfium.FPDFClipPath_GetPathSegment(path, index, at) for at in range(count)]
        points = [(x.value, y.value) for segment in segments if pdfium.FPDFPathSegment_GetPoint(segment, x, y)]
        if points:
            (left, right), (bottom, top) = ((min(side), max(side)) for side in zip(*points, strict=True))
            yield left, bottom, right, top


_MOST_CLIPS: Final = 40


def _outside_and_crossing(some: "Indices", boxes: "Boxes", edges: "Boxes") -> tuple["Indices", list[int]]:
    """Return the characters that are outside of a box of their own for the larger part, and those of them that reach
    into it: what a browser prints may be cut between two pages."""
    import numpy as np

    chosen_boxes = boxes[some]
    middles = (chosen_boxes[:, :2] + chosen_boxes[:, 2:]) / 2
    is_outside = ((middles < edges[:, :2]) | (middles > edges[:, 2:])).any(1)
    reaches = (chosen_boxes[:, :2] < edges[:, 2:]).all(1) & (chosen_boxes[:, 2:] > edges[:, :2]).all(1)
    outside: Indices = some[is_outside]
    return (outside if len(outside) <= _MOST_OUTSIDE else np.empty(0, int)), some[is_outside & reaches].tolist()


_MOST_OUTSIDE: Final = 4_000


def _running_over(outside: "Indices", seen: "Indices", boxes: "Boxes", page: Any, rules: Sequence[Box]) -> list[int]:
    """Return those of the lost characters `outside` of what is shown that go on a line of which a part is seen, as
    unbroken lines and rows of tables do, or that belong to a formula in it: nobody hid them."""
    import numpy as np

    if not len(outside):
        return []
    steps = np.median(np.abs(np.diff(boxes[seen, :2], axis=0)), axis=0) if len(seen) > 1 else np.zeros(2)
    along = int(steps[1] > steps[0])  # 1 where text stands on its side
    width = page.get_width()
    heights = [top for left, top, right, _ in rules if left < width < right]
    first, last = min(heights, default=inf), max(heights, default=-inf)
    middles = (boxes[outside, along] + boxes[outside, 2 + along]) / 2
    order = outside[np.argsort(np.abs(middles - page.get_size()[along] / 2))]
    found: list[int] = []
    room, count = np.concatenate([boxes[seen], boxes[outside]]), len(seen)
    for index in order.tolist():
        box, anchors = boxes[index], room[:count]
        size = box[3 - along] - box[1 - along]
        middle = (box[1 - along] + box[3 - along]) / 2
        gaps = np.maximum(box[along] - anchors[:, 2 + along], anchors[:, along] - box[2 + along])
        levels = np.abs(anchors[:, 1 - along] - box[1 - along])
        is_in_table = not along and box[2] > width and first < middle < last
        if ((levels < _LEVEL * size) & ((gaps < _NEXT * size) | is_in_table)).any():
            found.append(index)
            room[count], count = box, count + 1
    anchors, on_line = room[:count], set(found)
    rest = [index for index in order.tolist() if index not in on_line]
    sizes = np.minimum(anchors[:, 2] - anchors[:, 0], anchors[:, 3] - anchors[:, 1]) if rest else np.zeros(0)
    for index in rest:
        box = boxes[index]
        apart = np.maximum(box[:2] - anchors[:, 2:], anchors[:, :2] - box[2:])
        reach = np.maximum(sizes, max(box[2] - box[0], box[3] - box[1]))
        if ((apart[:, 1 - along] < _BESIDE * reach) & (apart[:, along] < _NEXT * reach)).any():
            found.append(index)
    return found
