"""The drawings of a PDF page besides text: thin rules, pictures, paths of plots, and the places where together they are
a figure."""

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice, pairwise
from math import inf
from typing import Any, Final, NamedTuple

from grader.reading.document import Block, BlockKind, Box, ReadingDoubt
from grader.reading.pdf.characters import ADDRESS, MOST_OBJECTS, NUMBER_OF, PART_OF, objects_in
from grader.reading.pdf.glyphs import Frame, Turn, bounding_box, rounded_box
from grader.reading.pdf.lines import runs

_MOST_PLOTTED: Final = 2_000
_MOST_SEGMENTS: Final = 40
_MOST_IN_FORM: Final = 200
_THIN: Final = 1.6
"""In points: rules of tables and fractions are 0.4 to 1 thick."""

_HEAVY: Final = 3.0
_LONG: Final = 40.0
"""In points: a rule at the head or foot of a table may be so thick, where it is at least so long."""

_DEEPEST: Final = 30
_LONGEST_TAG: Final = 64
_MOST_COLUMNS: Final = 40
_MOST_ROWS: Final = 1_000
_TALL: Final = 150.0
"""In points."""

_OVERLAP: Final = 3.0
"""In points: the room that fonts claim above and below their letters may overlap so far."""

_FEWEST_CURVED: Final = 10
"""So many curved paths are markers of a plot; fewer may be frames with round corners."""


_BOUNDS_OF: Final = ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS, *[ADDRESS] * 4)
_POINT_OF: Final = ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS, ADDRESS, ADDRESS)
"""Signatures with bare addresses: cheaper than pypdfium2's own."""


class NamedTable(NamedTuple):
    """A table that the file itself marks as one: its box, the heights between rows, the x between columns."""

    box: Box
    heights: tuple[float, ...]
    cuts: tuple[float, ...]


class Drawings(NamedTuple):
    """Boxes of a page in points from its top left corner. `rules` lie flat, `uprights` are rules that stand; `plots`
    are paths that slope, `curved` those with bows, `straight` all others; `forms` are embedded drawings that hold paths
    that slope, or pictures. `tables` are those that the file marks, as browsers and Word do. `covers` are all of them
    and whatever else is drawn besides text; the whole page where it has more than is read."""

    rules: list[Box]
    uprights: list[Box]
    images: list[Box]
    plots: list[Box]
    forms: list[Box]
    straight: list[Box]
    tables: list[NamedTable]
    curved: list[Box]
    covers: list[Box]


def with_markers(drawings: Drawings, frames: Sequence[Box]) -> Drawings:
    """The drawings with the curved ones as marks of plots, where there are plots or many such marks; the `frames` of
    texts are no marks. Without plots all are plain shapes."""
    marks = [box for box in drawings.curved if box not in frames]
    if len(marks) >= _FEWEST_CURVED or drawings.plots:
        return drawings._replace(plots=[*drawings.plots, *marks], straight=[*drawings.straight, *frames], curved=[])
    return drawings._replace(straight=[*drawings.straight, *drawings.curved], curved=[])


def right_of(x: float, drawings: Drawings) -> Drawings:
    """The drawings but for those that begin left of an x."""
    kinds: dict[str, Any] = drawings._asdict()
    kept = {
        kind: [entry for entry in found if (entry if kind != "tables" else entry.box)[0] >= x]
        for kind, found in kinds.items()
    }
    return Drawings(**kept)


def on_turned_page(drawings: Drawings, turn: Turn) -> Drawings:
    """The drawings on a turned page, without the tables that the file marks."""
    kinds: dict[str, Any] = drawings._asdict() | {"tables": []}
    boxes: dict[str, Any] = {kind: [turn.box(box) for box in found] for kind, found in kinds.items()}
    if turn.direction[1]:
        boxes |= {"rules": boxes["uprights"], "uprights": boxes["rules"]}
    return Drawings(**boxes)


class DrawingReader:
    """Reads the objects of one open page."""

    def __init__(self, frame: Frame) -> None:
        import pypdfium2.raw as pdfium

        self._pdfium = pdfium
        self._frame = frame
        self._floats = (ctypes.c_float * 4)()
        self._places = [ctypes.addressof(self._floats) + 4 * index for index in range(4)]
        self._bounds_of = ctypes.cast(pdfium.FPDFPageObj_GetBounds, _BOUNDS_OF)
        self._mark_of = ctypes.cast(pdfium.FPDFPageObj_GetMarkedContentID, NUMBER_OF)
        self._length_of = ctypes.cast(pdfium.FPDFPath_CountSegments, NUMBER_OF)
        self._segment_of = ctypes.cast(pdfium.FPDFPath_GetPathSegment, PART_OF)
        self._point_of = ctypes.cast(pdfium.FPDFPathSegment_GetPoint, _POINT_OF)
        self._kind_of = ctypes.cast(pdfium.FPDFPathSegment_GetType, NUMBER_OF)
        self._plotted = self._looked_into = 0

    def drawings(self, page: Any, objects: Mapping[int, int]) -> Drawings:
        """The drawings among the first 20,000 objects of a page, which are given with their kinds."""
        pdfium = self._pdfium
        found = Drawings([], [], [], [], [], [], [], [], [])
        texts: dict[int, list[Box]] = {}
        if pdfium.FPDFPage_CountObjects(page) > MOST_OBJECTS:
            found.covers.append((0.0, 0.0, *page.get_size()))
        for drawn, kind in objects.items():
            part = self._mark_of(drawn) if kind == pdfium.FPDF_PAGEOBJ_TEXT else -1
            box = self._box(drawn) if kind != pdfium.FPDF_PAGEOBJ_TEXT or part >= 0 else None
            if box is None:
                continue
            if part >= 0:
                texts.setdefault(part, []).append(box)
                continue
            found.covers.append(box)
            is_path = kind == pdfium.FPDF_PAGEOBJ_PATH
            if kind == pdfium.FPDF_PAGEOBJ_FORM and self._is_drawing(drawn):
                found.forms.append(box)
            elif not is_path and kind != pdfium.FPDF_PAGEOBJ_IMAGE:
                continue
            elif _lies_flat(box):  # Ghostscript makes pictures of the rules of PostScript
                found.rules.append(box)
            elif box[2] - box[0] <= _THIN and box[3] - box[1] > 2 * _THIN:
                found.uprights.append(box)
            elif not is_path:
                found.images.append(box)
            else:
                shape = self._shape(drawn)
                {"sloping": found.plots, "curved": found.curved}.get(shape, found.straight).append(box)
        tables = _TagReader().tables(page) if texts else ()
        found.tables.extend(table for rows in tables if (table := _named_table(rows, texts)) is not None)
        return found

    def _box(self, drawn: int) -> Box | None:
        if not self._bounds_of(drawn, *self._places):
            return None
        left, bottom, right, top = self._floats
        return self._frame.box(left, bottom, right, top)

    def _is_drawing(self, form: int, depth: int = 0) -> bool:
        """Whether a form draws a picture, something sloping or many marks of one size, and not text or a table only."""
        pdfium = self._pdfium
        marks: list[Box] = []
        for drawn, kind in islice(objects_in(form).items(), _MOST_IN_FORM):
            self._looked_into += 1
            if self._looked_into > MOST_OBJECTS:
                return False
            if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
                return True
            if kind == pdfium.FPDF_PAGEOBJ_PATH and self._shape(drawn) == "sloping":
                return True
            if kind == pdfium.FPDF_PAGEOBJ_PATH and (box := self._box(drawn)):
                marks.append(box)
            if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < 2 and self._is_drawing(drawn, depth + 1):
                return True
        return bool(_point_clouds(marks))

    def _shape(self, path: int) -> str:
        """`sloping` for a path with a line that is neither flat nor upright, else `curved` or `straight`."""
        if self._plotted >= _MOST_PLOTTED:
            return "straight"
        self._plotted += 1
        curved = False
        before: tuple[float, float] | None = None
        for kind, x, y in self._segments(path):
            if kind == self._pdfium.FPDF_SEGMENT_BEZIERTO:
                curved = True
            elif (
                kind == self._pdfium.FPDF_SEGMENT_LINETO
                and before
                and min(abs(x - before[0]), abs(y - before[1])) > 0.01
            ):
                return "sloping"
            before = (x, y)
        return "curved" if curved else "straight"

    def _segments(self, path: int) -> Iterator[tuple[int, float, float]]:
        x, y = self._places[:2]
        for index in range(min(self._length_of(path), _MOST_SEGMENTS)):
            segment = self._segment_of(path, index)
            self._point_of(segment, x, y)
            yield self._kind_of(segment), self._floats[0], self._floats[1]


class _TagReader:
    """Reads the tags of one open page, where the file has them."""

    def __init__(self) -> None:
        import pypdfium2.raw as pdfium

        self._pdfium = pdfium
        self._left = MOST_OBJECTS
        self._name = ctypes.create_string_buffer(_LONGEST_TAG)

    def tables(self, page: Any) -> list[list[list[list[int]]]]:
        """The parts of the page's content in each cell of each row of each table that no other one holds."""
        tree = self._pdfium.FPDF_StructTree_GetForPage(page)
        if not tree:
            return []
        try:
            count = min(self._pdfium.FPDF_StructTree_CountChildren(tree), MOST_OBJECTS)
            tops = [self._pdfium.FPDF_StructTree_GetChildAtIndex(tree, index) for index in range(count)]
            return [list(self._rows(table)) for top in tops if top for table in self._marked(top, ("Table",))]
        finally:
            self._pdfium.FPDF_StructTree_Close(tree)

    def _rows(self, table: Any) -> Iterator[list[list[int]]]:
        for row in self._below(table, ("TR",)):
            yield [list(self._content(cell)) for cell in self._below(row, ("TH", "TD"))]

    def _marked(self, element: Any, names: Sequence[str], depth: int = 0) -> Iterator[Any]:
        """The element if it has one of some names, else those below it that do."""
        if self._tag(element) in names:
            yield element
        elif depth < _DEEPEST:
            yield from self._below(element, names, depth + 1)

    def _below(self, element: Any, names: Sequence[str], depth: int = 0) -> Iterator[Any]:
        for child, _ in self._children(element):
            if child:
                yield from self._marked(child, names, depth)

    def _content(self, element: Any, depth: int = 0) -> Iterator[int]:
        for child, part in self._children(element):
            if part >= 0:
                yield part
            if child and depth < _DEEPEST:
                yield from self._content(child, depth + 1)

    def _children(self, element: Any) -> Iterator[tuple[Any, int]]:
        for index in range(max(self._pdfium.FPDF_StructElement_CountChildren(element), 0)):
            self._left -= 1
            if self._left < 0:
                return
            yield (
                self._pdfium.FPDF_StructElement_GetChildAtIndex(element, index),
                self._pdfium.FPDF_StructElement_GetChildMarkedContentID(element, index),
            )

    def _tag(self, element: Any) -> str:
        size = self._pdfium.FPDF_StructElement_GetType(element, self._name, _LONGEST_TAG)
        return self._name.raw[: max(size - 2, 0)].decode("utf-16-le", "ignore") if size <= _LONGEST_TAG else ""


def _named_table(rows: Sequence[Sequence[Sequence[int]]], texts: Mapping[int, Sequence[Box]]) -> NamedTable | None:
    """A table by where the texts of its cells stand; None where they overlap, no rows fill all columns, or a
    cell is so tall that the table rather arranges the page."""
    found = [[[box for part in cell for box in texts.get(part, ())] for cell in row] for row in rows]
    placed = [[bounding_box(boxes) if boxes else None for boxes in row] for row in found]
    placed = [row for row in placed if any(row)]
    width = max((len(row) for row in placed), default=0)
    full = [row for row in placed if len(row) == width]
    if not 2 <= width <= _MOST_COLUMNS or not 2 <= len(placed) <= _MOST_ROWS:
        return None
    if len(full) < 2 and min(map(len, placed)) < width - 1:  # a browser leaves out the empty cell above the rows' names
        return None
    if any(box and box[3] - box[1] > _TALL for row in placed for box in row):
        return None
    columns = [[box for row in full if (box := row[column])] for column in range(width)]
    bands = [[box for box in row if box] for row in placed]
    if not all(columns):
        return None
    across = [(max(b[2] for b in left_column), min(b[0] for b in other)) for left_column, other in pairwise(columns)]
    across = [_room(pair, [box for band in bands for box in band]) for pair in across]
    down = []
    for first, other in pairwise(bands):
        top = min(b[1] for b in other)
        bottom = max((b[3] for b in first if b[3] <= top + _OVERLAP), default=inf)  # without cells of several rows
        down.append((bottom, top))
    if any(left > right for left, right in across) or any(bottom == inf for bottom, _ in down):
        return None
    box = bounding_box([box for band in bands for box in band])
    return NamedTable(box, tuple(sum(pair) / 2 for pair in down), tuple(sum(pair) / 2 for pair in across))


def _room(between: tuple[float, float], boxes: Sequence[Box]) -> tuple[float, float]:
    """Return the part of the room between two columns that is left by cells that reach into it, but not over it."""
    left, right = between
    ends = [b[2] for b in boxes if b[0] < left < b[2] < right]
    starts = [b[0] for b in boxes if left < b[0] < right < b[2]]
    return max([left, *ends]), min([right, *starts])


def _lies_flat(box: Box) -> bool:
    height = box[3] - box[1]
    return height <= _THIN or (height <= _HEAVY and box[2] - box[0] >= _LONG)


_SMALLEST: Final = 36.0
"""In points: anything narrower or lower is a sign, a logo or a rule."""

_LARGEST: Final = 0.8
"""Share of the page's area: anything larger is a background behind the text."""
_SMALL_FRAME: Final = 0.4
_TALLEST_SIGN: Final = 40.0
"""In points; that of a root over a fraction."""

_APART: Final = 8.0
"""In points: drawings nearer to each other are one figure."""

_EDGE: Final = 2.0
"""In points: lines whose left edges are so near begin at one edge."""
_MOST: Final = 1_000
_MOST_GROUPS: Final = 100
_MOST_SHOWN: Final = 20


def figure_boxes(drawings: Drawings, width: float, height: float) -> tuple[list[Box], list[Box]]:
    """The boxes of pictures, and those of drawn figures, whose text is on the page too; in points, clipped to it."""
    images, plots, forms, straight = (
        [box for box in boxes[:_MOST] if (box[2] - box[0]) * (box[3] - box[1]) <= _LARGEST * width * height]
        for boxes in (drawings.images, drawings.plots, drawings.forms, drawings.straight)
    )
    sloping = _merged([*plots, *_point_clouds(drawings.curved)])
    # A ground behind the text of a page is no frame of a plot where all that slopes may be letters drawn as outlines.
    most = _LARGEST if any(box[3] - box[1] > _TALLEST_SIGN for box in plots) else _SMALL_FRAME
    straight = [box for box in straight if (box[2] - box[0]) * (box[3] - box[1]) <= most * width * height]
    frames = [box for box in straight if any(_near(box, plot) for plot in sloping)]
    drawn = _merged([*sloping, *frames, *forms])
    return _fitting(_merged(images), width, height), _fitting(drawn, width, height)


def _point_clouds(curved: Sequence[Box]) -> list[Box]:
    """Return the areas over which many marks of one size are spread, as high as wide, as in a scatter plot or a
    heatmap. Bullets stand below one another, and outlined letters differ in size."""
    sizes: dict[int, list[Box]] = {}
    for box in curved:
        width, height = box[2] - box[0], box[3] - box[1]
        if abs(width - height) <= _ROUND and width <= _LARGEST_MARK:
            sizes.setdefault(round(width / _ROUND), []).append(box)
    return [
        bounding_box(marks)
        for marks in sizes.values()
        if len(marks) >= _FEWEST_MARKS
        and min(len({round(mark[side] / _SMALLEST_STEP) for mark in marks}) for side in (0, 1)) >= _FEWEST_PLACES
    ]


_ROUND: Final = 0.5
_LARGEST_MARK: Final = 40.0
_SMALLEST_STEP: Final = 4.0
"""In points: marks nearer to each other stand in one place."""
_FEWEST_PLACES: Final = 8
_FEWEST_MARKS: Final = 30

_SIGN: Final = (1.5, 24.0)
"""In points: the height of an outlined letter or digit; an embedded formula is not much higher."""
_FEWEST_SIGNS: Final = 3
_LEVEL: Final = 0.8
"""In points: outlined letters stand on one baseline."""


def drawn_words(drawings: Drawings, figures: Sequence[Box], texts: Sequence[Box]) -> list[Box]:
    """Return the places where formulas or words are drawn instead of written: as outlines of letters side by side on
    one baseline, or as low pictures beside words on their line. `drawings` are those as read, `figures` larger
    drawings, `texts` lines."""
    signs = filter(_is_sign, {*map(rounded_box, (*drawings.plots, *drawings.curved))})
    outlines = [box for box in signs if not is_in_figure(box, figures)][:_MOST]
    found = [group for group in _merged(sorted(outlines)) if _holds_word(group, outlines)]
    beside = (box for box in drawings.images[:_MOST] if _SIGN[0] < box[3] - box[1] < _SMALLEST)
    return [*found, *(box for box in beside if any(_is_beside(box, text) for text in texts))][:_MOST_SHOWN]


def _is_sign(box: Box) -> bool:
    return _SIGN[0] <= box[3] - box[1] <= _SIGN[1] and box[2] - box[0] <= _SIGN[1]


def _holds_word(group: Box, outlines: Sequence[Box]) -> bool:
    """Whether enough of the outlines in a box stand side by side on one baseline."""
    bottoms = sorted((box[3], box[0]) for box in outlines if is_in_figure(box, [group]))
    lines = runs(bottoms, lambda first, other: other[0] - first[0] <= _LEVEL)
    return any(len({left // 1 for _, left in line}) >= _FEWEST_SIGNS for line in lines)


def _is_beside(box: Box, text: Box) -> bool:
    """Whether a picture stands on a line of text, next to its words or among them."""
    is_level = min(box[3], text[3]) - max(box[1], text[1]) > (text[3] - text[1]) / 2
    return is_level and box[2] > text[0] - _APART and box[0] < text[2] + _APART and box[3] - box[1] < _SIGN[1]


def with_figures(blocks: list[Block], boxes: Sequence[tuple[int, Box, ReadingDoubt | None]]) -> list[Block]:
    """The blocks with one for each figure, before the first on its page that stands below it; a note that was moved to
    another page stays there. Given are the page of each, its box, and, if it stands within lines, why these are not
    read for sure."""
    result = list(blocks)
    for page, box, unsure in sorted(boxes, key=lambda place: -place[1][1]):
        least = list(accumulate((block.page or 0 for block in reversed(result)), min))[::-1]
        indices = [index for index, block in enumerate(result) if block.page == page == least[index]]
        position = _position([result[index] for index in indices], box)
        later = next((index for index, block in enumerate(result) if (block.page or 0) > page), len(result))
        place = indices[position] if position < len(indices) else indices[-1] + 1 if indices else later
        figure = Block(kind=BlockKind.FIGURE, text="", page=page, box=rounded_box(box))
        in_line = {"in_line": unsure is not None, "unsure": unsure}
        result.insert(place, figure.model_copy(update=in_line))
    return result


def is_in_figure(box: Box, figures: Sequence[Box]) -> bool:
    """Whether a box lies in one of some figures, give or take what sticks out."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(f[0] <= x <= f[2] and f[1] <= y <= f[3] and box[0] > f[0] - 12 and box[2] < f[2] + 12 for f in figures)


def _position(blocks: Sequence[Block], box: Box) -> int:
    """Before the first block in the same column that begins below the figure's middle, else behind the column."""
    middle = (box[1] + box[3]) / 2
    last = len(blocks)
    for index in _in_column(blocks, box):
        place = blocks[index].box
        if place and place[1] >= middle:
            return index
        last = index + 1
    return last


def _in_column(blocks: Sequence[Block], box: Box) -> list[int]:
    """The blocks of the column in which a figure stands. A short one, such as a title, is of it where it begins as
    others of it do."""
    over = [b.box for b in blocks if b.box and b.box[0] < box[2] and b.box[2] > box[0]]
    edges = {round(stacked_box[0] / _EDGE) for stacked_box in over}
    return [i for i, b in enumerate(blocks) if b.box and (b.box in over or round(b.box[0] / _EDGE) in edges)]


def _fitting(boxes: list[Box], width: float, height: float) -> list[Box]:
    clipped = [(max(b[0], 0.0), max(b[1], 0.0), min(b[2], width), min(b[3], height)) for b in boxes]
    return [b for b in clipped if b[2] - b[0] >= _SMALLEST and b[3] - b[1] >= _SMALLEST][:_MOST_SHOWN]


def _merged(boxes: Sequence[Box]) -> list[Box]:
    """Merges touching boxes until none touch."""
    groups: list[Box] = []
    for box in boxes:
        grown = box
        while touching := [group for group in groups if _near(group, grown)]:
            groups = [group for group in groups if group not in touching]
            grown = bounding_box([grown, *touching])
        groups.append(grown)
        if len(groups) > _MOST_GROUPS:
            break
    return groups


def _near(a: Box, b: Box) -> bool:
    return a[0] <= b[2] + _APART and b[0] <= a[2] + _APART and a[1] <= b[3] + _APART and b[1] <= a[3] + _APART
