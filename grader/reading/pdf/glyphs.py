"""The characters of a PDF page with their boxes and styles, in the order in which the file draws them, in points from
the top left corner of the page as it is shown.
"""

import ctypes
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, NamedTuple

from grader.reading.document import Box, RepairKind
from grader.reading.pdf.characters import (
    ACCENTS,
    SPACE,
    Characters,
    Mark,
    has_room,
    is_ligature,
    large_sign,
    same_places,
    sign,
    stray_ligature,
    touching_of,
)

UPRIGHT = (1, 0)
"""The writing direction of text that runs from left to right."""


class Frame(NamedTuple):
    """An affine map: x' = a x + c y + e, y' = b x + d y + f. It knows the page's rotation and its crop box."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def point(self, x: float, y: float) -> tuple[float, float]:
        """A point on the shown page, in points from its top left corner."""
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """A rectangle on the shown page as (left, top, right, bottom)."""
        a, b, c, d, e, f = self
        x0, y0, x1, y1 = (
            a * left + c * bottom + e,
            b * left + d * bottom + f,
            a * right + c * top + e,
            b * right + d * top + f,
        )
        # This runs for every path and cell of a page, where calls of `min` and `max` would take most of the time.
        x0, x1 = (x0, x1) if x0 <= x1 else (x1, x0)
        return (x0, y0, x1, y1) if y0 <= y1 else (x0, y1, x1, y0)

    def direction(self, x: float, y: float) -> tuple[int, int]:
        """The quarter turn nearest to a direction, as a unit vector on the shown page."""
        u, v = self.a * x + self.c * y, self.b * x + self.d * y
        if abs(u) >= abs(v):
            return (1 if u >= 0 else -1), 0
        return 0, (1 if v >= 0 else -1)


def bounding_box(boxes: Sequence[Box]) -> Box:
    """The smallest box that holds some boxes."""
    if len(boxes) == 1:
        return boxes[0]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def rounded_box(box: Box) -> Box:
    """A box as it is kept, in tenths of points."""
    left, top, right, bottom = (round(side, 1) for side in box)
    return left, top, right, bottom


def frame_of(page: Any, width: float, height: float) -> Frame:
    """The frame of a pypdfium2 page of this shown size in points."""
    import pypdfium2.raw as pdfium

    scale = min(1000.0, 1e8 / max(width, height, 1.0))
    across, down = int(width * scale), int(height * scale)
    x, y = ctypes.c_int(), ctypes.c_int()

    def shown(px: float, py: float) -> tuple[float, float]:
        pdfium.FPDF_PageToDevice(page, 0, 0, across, down, 0, px, py, x, y)
        return x.value / scale, y.value / scale

    (e, f), (ax, ay), (cx, cy) = shown(0, 0), shown(100, 0), shown(0, 100)
    sides = ((ax - e) / 100, (ay - f) / 100, (cx - e) / 100, (cy - f) / 100)
    a, b, c, d = (round(side) if abs(side - round(side)) < 1e-3 else side for side in sides)
    return Frame(a, b, c, d, e, f)


def upright(box: Box, direction: tuple[int, int]) -> Box:
    """A box in the coordinates in which text of this direction runs from left to right."""
    dx, dy = direction
    left, top, right, bottom = box
    x0, y0, x1, y1 = left * dx + top * dy, top * dx - left * dy, right * dx + bottom * dy, bottom * dx - right * dy
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def shown_box(box: Box, direction: tuple[int, int]) -> Box:
    """The inverse of `upright`."""
    dx, dy = direction
    return upright(box, (dx, -dy))


class Turn(NamedTuple):
    """A quarter or half turn of a page of some size, in points, after which text of a direction is upright."""

    direction: tuple[int, int]
    width: float
    height: float

    @property
    def size(self) -> tuple[float, float]:
        """The width and height of the turned page."""
        return (self.width, self.height) if self.direction[0] else (self.height, self.width)

    @property
    def _origin(self) -> tuple[float, float]:
        left, top, _, _ = upright((0.0, 0.0, self.width, self.height), self.direction)
        return left, top

    def frame(self, frame: Frame) -> Frame:
        """The frame of the turned page, from that of the page as it is shown."""
        (dx, dy), (left, top), (a, b, c, d, e, f) = self.direction, self._origin, frame
        return Frame(
            dx * a + dy * b,
            dx * b - dy * a,
            dx * c + dy * d,
            dx * d - dy * c,
            dx * e + dy * f - left,
            dx * f - dy * e - top,
        )

    def box(self, box: Box) -> Box:
        """A box of the shown page on the turned one."""
        (left, top), (x0, y0, x1, y1) = self._origin, upright(box, self.direction)
        return x0 - left, y0 - top, x1 - left, y1 - top

    def to_shown(self, box: Box) -> Box:
        """A box of the turned page on the page as it is shown."""
        left, top = self._origin
        return shown_box((box[0] + left, box[1] + top, box[2] + left, box[3] + top), self.direction)


_BOLD_NAMES = ("bold", "black", "heavy", "demi", "cmbx", "sfbx", "ecbx", "-bd", "medi")
_ITALIC_NAMES = ("italic", "oblique", "cmmi", "cmti", "slanted", "-it")
_LARGE_SIGN_NAMES = ("cmex", "mathextension", "mathex")
_FORCE_BOLD = 1 << 18

ASCENT, DESCENT = 0.75, 0.25
"""In em: the height and depth that a character is taken to have."""


class Face(NamedTuple):
    """The properties of a font by its name and flags."""

    bold: bool
    italic: bool
    large_signs: bool


class Style(NamedTuple):
    """Size in points, writing direction, and heights when upright."""

    face: Face
    size: float
    direction: tuple[int, int]
    baseline: float
    top: float
    bottom: float


_ADDRESS = ctypes.c_void_p
_FROM_PAGE = ctypes.CFUNCTYPE(ctypes.c_int, _ADDRESS, ctypes.c_int, _ADDRESS)
_FROM_PAGE_TWICE = ctypes.CFUNCTYPE(ctypes.c_int, _ADDRESS, ctypes.c_int, _ADDRESS, _ADDRESS)
_FROM_OBJECT = ctypes.CFUNCTYPE(ctypes.c_int, _ADDRESS, _ADDRESS)
_FONT_OF = ctypes.CFUNCTYPE(_ADDRESS, _ADDRESS)
"""Signatures with bare addresses: cheaper than pypdfium2's own."""


class StyleReader:
    """Asks pdfium for the style at a character of one open text page."""

    def __init__(self, text_page: Any, frame: Frame) -> None:
        import pypdfium2.raw as pdfium

        self._pdfium = pdfium
        self._frame = frame
        self._page = ctypes.cast(text_page.raw, _ADDRESS).value
        self._text_page = text_page.raw
        self._matrix_of = ctypes.cast(pdfium.FPDFText_GetMatrix, _FROM_PAGE)
        self._origin_of = ctypes.cast(pdfium.FPDFText_GetCharOrigin, _FROM_PAGE_TWICE)
        self._size_of = ctypes.cast(pdfium.FPDFTextObj_GetFontSize, _FROM_OBJECT)
        self._font_of = ctypes.cast(pdfium.FPDFTextObj_GetFont, _FONT_OF)
        self._faces: dict[int | None, Face] = {}
        self._matrix = (ctypes.c_float * 6)()
        self._size = ctypes.c_float()
        self._origin = (ctypes.c_double * 2)()
        self._sides = tuple(ctypes.c_double() for _ in range(4))
        self._matrix_at, self._size_at, self._origin_at = map(
            ctypes.addressof, (self._matrix, self._size, self._origin)
        )

    def style(self, index: int, owner: int) -> Style:
        """The style of a text object, given by its address and the index of a character in it."""
        self._matrix_of(self._page, index, self._matrix_at)
        a, b, c, d, _, _ = self._matrix
        self._size_of(owner, self._size_at)
        direction = self._frame.direction(a, b)
        self._origin_of(self._page, index, self._origin_at, self._origin_at + 8)
        x, baseline = self._frame.point(*self._origin)
        if direction != UPRIGHT:
            baseline = upright((x, baseline, x, baseline), direction)[1]
        height = abs(self._size.value) * (c * c + d * d) ** 0.5
        height = height if height > 0.1 else 1.0
        top, bottom = baseline - ASCENT * height, baseline + DESCENT * height
        return Style(self._face(owner), height, direction, baseline, top, bottom)

    def ink(self, index: int, direction: tuple[int, int]) -> Box:
        """Return the box that a character's drawing covers."""
        left, right, bottom, top = self._sides
        self._pdfium.FPDFText_GetCharBox(self._text_page, index, left, right, bottom, top)
        return self.place((left.value, bottom.value, right.value, top.value), direction)

    def place(self, rectangle: Box, direction: tuple[int, int]) -> Box:
        """A rectangle (left, bottom, right, top) of the page, turned so that text of this direction is upright."""
        box = self._frame.box(*rectangle)
        return box if direction == UPRIGHT else upright(box, direction)

    def is_named(self, index: int, code: int) -> bool:
        """Whether the font gives a Unicode value; else the code is a bare slot."""
        return code != 0 and self._pdfium.FPDFText_HasUnicodeMapError(self._text_page, index) != 1

    def _face(self, owner: int) -> Face:
        address = self._font_of(owner)
        if address not in self._faces:
            pdfium = self._pdfium
            font = ctypes.cast(address, pdfium.FPDF_FONT)
            name = ctypes.create_string_buffer(128)
            pdfium.FPDFFont_GetBaseFontName(font, name, 128)
            lower, flags = name.value.decode("latin-1").lower(), pdfium.FPDFFont_GetFlags(font)
            self._faces[address] = Face(
                bold=bool(flags > 0 and flags & _FORCE_BOLD) or any(part in lower for part in _BOLD_NAMES),
                italic=any(part in lower for part in _ITALIC_NAMES),
                large_signs=any(part in lower for part in _LARGE_SIGN_NAMES),
            )
        return self._faces[address]


SPACES: Final = frozenset((0x09, 0x0A, 0x0D, 0x20, 0xA0))


class Glyph(NamedTuple):
    """Some characters drawn side by side without a gap, a letter, a word or several, and their place, in points from
    the top left corner of the page turned so that the text is upright.

    `left` to `right` is the advance, widened by an italic's overhang. `spaced` says that a space character stands
    before it, `torn` that pdfium would put one there; `large` that it is a mathematical sign that grows, whose
    `baseline` is then derived from its middle. `marks` are those of its text.
    """

    text: str
    left: float
    top: float
    right: float
    bottom: float
    baseline: float
    size: float
    bold: bool = False
    spaced: bool = False
    large: bool = False
    direction: tuple[int, int] = UPRIGHT
    torn: bool = False
    marks: tuple[Mark, ...] = ()


class GlyphReader:
    """Reads the characters of one open text page but for some to leave out."""

    def __init__(self, text_page: Any, frame: Frame, characters: Characters, leave_out: Collection[int] = ()) -> None:
        self._characters, self._left_out = characters, leave_out
        self._codes, self._owners, boxes = (character.tolist() for character in characters)
        self._lefts, _, self._rights, _ = boxes
        self._styles = StyleReader(text_page, frame)
        self._shift = frame.e
        self._straight = frame[:4] == (1, 0, 0, -1)
        self._same = same_places(characters)

    def glyphs(self) -> Iterator[Glyph]:
        """The characters but for the spaces, which are noted in what follows them. Text objects are only told apart
        where characters do not touch or differ in height."""
        codes, count = self._codes, len(self._codes)
        drawn = has_room(self._characters)
        touching = bytearray(touching_of(self._characters))
        for index in self._left_out:  # what is left out touches nothing
            touching[index] = touching[index + 1] = 0
        style, current, index = None, 0, 0
        spaced = torn = False
        while index < count:
            start, code = index, codes[index]
            index += 1
            if code in SPACES:
                spaced, torn = spaced or drawn[start] > 0, torn or not drawn[start]
                continue
            owner = self._owners[start]
            if not owner or start in self._left_out:
                continue
            if style is None or owner != current:
                style, current = self._styles.style(start, owner), owner
            is_plain = self._straight and style.direction == UPRIGHT and not style.face.large_signs
            if is_plain and not (start and codes[start - 1] in ACCENTS):
                index = touching.index(0, index)
                while codes[index - 1] == SPACE:
                    index -= 1
            last = index - 1
            if start < last < count - 1 and codes[index] in ACCENTS:  # to be put on the last character alone
                yield self._glyph(start, last - 1, style, spaced, torn)
                start, spaced, torn = last, False, False
            yield self._glyph(start, last, style, spaced, torn)
            spaced = torn = False

    def _glyph(self, first: int, last: int, style: Style, spaced: bool, torn: bool) -> Glyph:
        """The characters from `first` to `last`, which touch and are of one style, and whether a space stands before
        them in the file or for pdfium."""
        face, size, direction, baseline, top, bottom = style
        if face.large_signs:
            return self._large_glyph(first, style, spaced)
        if self._straight and direction == UPRIGHT:
            left, right = self._lefts[first] + self._shift, self._rights[last] + self._shift
        else:
            left, _, right, _ = self._styles.place(self._characters.box(first), direction)
        if face.italic:
            right = max(right, self._styles.ink(last, direction)[2])
        text, marks = self._text(first, last)
        return Glyph(text, left, top, right, bottom, baseline, size, face.bold, spaced, False, direction, torn, marks)

    def _large_glyph(self, index: int, style: Style, spaced: bool) -> Glyph:
        """Large signs hang from their origin, so their line is found from their middle instead."""
        code = self._codes[index]
        left, top, right, bottom = self._styles.ink(index, style.direction)
        baseline = (top + bottom) / 2 + 0.25 * style.size
        text = large_sign(code, self._styles.is_named(index, code))
        return Glyph(text, left, top, right, bottom, baseline, style.size, False, spaced, True, style.direction)

    def _text(self, first: int, last: int) -> tuple[str, tuple[Mark, ...]]:
        """A run's text, its ligatures marked: one code for several letters, or several characters in one place."""
        codes = self._codes[first : last + 1]
        if first == last:
            beside = (*self._codes[max(first - 1, 0) : first], *self._codes[last + 1 : last + 2])
            stray = stray_ligature(codes[0], beside)
            text = stray or sign(codes[0])
            return text, (Mark(RepairKind.LIGATURE, 0, len(text)),) if stray or is_ligature(codes[0]) else ()
        marks: list[Mark] = []
        index = self._same.find(1, first, last)
        while index >= 0:
            end = self._same.find(0, index)
            marks.append(Mark(RepairKind.LIGATURE, index - first, min(end, last) - first + 1))
            index = self._same.find(1, end, last)
        return "".join(map(chr, codes)), tuple(marks)
