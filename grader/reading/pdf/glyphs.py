"""The characters of a PDF page with their boxes, in the order in which the file draws them."""

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple

from grader.reading.evidence import Box
from grader.reading.pdf.frame import UPRIGHT, Frame, upright
from grader.reading.pdf.signs import large_sign, sign

_SPACES = frozenset((0x09, 0x0A, 0x0D, 0x20, 0xA0))
_BOLD_NAMES = ("bold", "black", "heavy", "demi", "cmbx", "sfbx", "ecbx", "-bd", "medi")
_ITALIC_NAMES = ("italic", "oblique", "cmmi", "cmti", "slanted", "-it")
_LARGE_SIGN_NAMES = ("cmex", "mathextension", "mathex")
_FORCE_BOLD = 1 << 18
_OWNER_ADDRESS = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
"""FPDFText_GetTextObject returning a bare address: cheaper, and two of them can be compared."""

_ASCENT, _DESCENT = 0.75, 0.25
"""In em: the height and depth that a character is taken to have."""


class Glyph(NamedTuple):
    """A character and its place, in points from the top left corner of the page turned so that the text is upright.

    `left` to `right` is the advance, widened by an italic's overhang. `spaced` says that a space character stands
    before it; `large` that it is a mathematical sign that grows, whose `baseline` is then derived from its middle.
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


class Face(NamedTuple):
    """What a font's name and flags say about it."""

    bold: bool
    italic: bool
    large_signs: bool


class Style(NamedTuple):
    """What the characters of one text object share: size in points, writing direction, heights when upright."""

    face: Face
    size: float
    direction: tuple[int, int]
    baseline: float
    top: float
    bottom: float


class GlyphReader:
    """Reads the characters of one open text page. pdfium is asked as rarely as possible: once per text object for
    what its characters share, twice per character for the rest."""

    def __init__(self, text_page: Any, frame: Frame) -> None:
        import pypdfium2.raw as pdfium

        self._pdfium = pdfium
        self._page = text_page.raw
        self._frame = frame
        self._straight = frame[:4] == (1, 0, 0, -1)
        self._faces: dict[int, Face] = {}
        self._rectangle = pdfium.FS_RECTF()

    def glyphs(self, limit: int) -> Iterator[Glyph]:
        """At most `limit` characters; spaces are left out and noted in the next one."""
        unicode, loose_box = self._pdfium.FPDFText_GetUnicode, self._pdfium.FPDFText_GetLooseCharBox
        owner_of = ctypes.cast(self._pdfium.FPDFText_GetTextObject, _OWNER_ADDRESS)
        page, box, handle = self._page, self._rectangle, ctypes.cast(self._page, ctypes.c_void_p)
        style, current, spaced = None, None, False
        for index in range(min(limit, self._pdfium.FPDFText_CountChars(page))):
            code = unicode(page, index)
            loose_box(page, index, box)
            if code in _SPACES:
                spaced = spaced or box.right - box.left > 0.01 or box.top - box.bottom > 0.01
                continue
            owner = owner_of(handle, index)
            if not owner:
                continue
            if style is None or owner != current:
                style, current = self._style(index), owner
            yield self._glyph(index, code, style, spaced)
            spaced = False

    def _glyph(self, index: int, code: int, style: Style, spaced: bool) -> Glyph:
        (bold, italic, large_signs), size, direction, baseline, top, bottom = style
        box = self._rectangle
        if large_signs:
            return self._large_glyph(index, code, style, spaced)
        if self._straight and direction == UPRIGHT:
            left, right = box.left + self._frame.e, box.right + self._frame.e
        else:
            left, _, right, _ = self._place((box.left, box.bottom, box.right, box.top), direction)
        if italic:
            right = max(right, self._ink(index, direction)[2])
        return Glyph(sign(code), left, top, right, bottom, baseline, size, bold, spaced, False, direction)

    def _large_glyph(self, index: int, code: int, style: Style, spaced: bool) -> Glyph:
        """Large signs hang from their origin, so their line is found from their middle instead."""
        named = code != 0 and self._pdfium.FPDFText_HasUnicodeMapError(self._page, index) != 1
        left, top, right, bottom = self._ink(index, style.direction)
        baseline = (top + bottom) / 2 + 0.25 * style.size
        text = large_sign(code, named)
        return Glyph(text, left, top, right, bottom, baseline, style.size, False, spaced, True, style.direction)

    def _style(self, index: int) -> Style:
        owner = self._pdfium.FPDFText_GetTextObject(self._page, index)
        matrix = self._pdfium.FS_MATRIX()
        self._pdfium.FPDFText_GetMatrix(self._page, index, matrix)
        size = ctypes.c_float()
        self._pdfium.FPDFTextObj_GetFontSize(owner, size)
        direction = self._frame.direction(matrix.a, matrix.b)
        x, y = ctypes.c_double(), ctypes.c_double()
        self._pdfium.FPDFText_GetCharOrigin(self._page, index, x, y)
        baseline = self._place((x.value, y.value, x.value, y.value), direction)[1]
        height = abs(size.value) * (matrix.c**2 + matrix.d**2) ** 0.5
        height = height if height > 0.1 else 1.0
        top, bottom = baseline - _ASCENT * height, baseline + _DESCENT * height
        return Style(self._face(owner), height, direction, baseline, top, bottom)

    def _face(self, owner: Any) -> Face:
        font = self._pdfium.FPDFTextObj_GetFont(owner)
        address = ctypes.cast(font, ctypes.c_void_p).value or 0
        if address not in self._faces:
            name = ctypes.create_string_buffer(128)
            self._pdfium.FPDFFont_GetBaseFontName(font, name, 128)
            self._faces[address] = _face(name.value, self._pdfium.FPDFFont_GetFlags(font))
        return self._faces[address]

    def _ink(self, index: int, direction: tuple[int, int]) -> Box:
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        self._pdfium.FPDFText_GetCharBox(self._page, index, left, right, bottom, top)
        return self._place((left.value, bottom.value, right.value, top.value), direction)

    def _place(self, rectangle: Box, direction: tuple[int, int]) -> Box:
        box = self._frame.box(*rectangle)
        return box if direction == UPRIGHT else upright(box, direction)


def _face(name: bytes, flags: int) -> Face:
    lower = name.decode("latin-1").lower()
    return Face(
        bold=bool(flags > 0 and flags & _FORCE_BOLD) or any(part in lower for part in _BOLD_NAMES),
        italic=any(part in lower for part in _ITALIC_NAMES),
        large_signs=any(part in lower for part in _LARGE_SIGN_NAMES),
    )
