"""What the characters of one text object of a PDF share."""

import ctypes
from typing import Any, NamedTuple

from grader.reading.evidence import Box
from grader.reading.pdf.frame import UPRIGHT, Frame, upright

_BOLD_NAMES = ("bold", "black", "heavy", "demi", "cmbx", "sfbx", "ecbx", "-bd", "medi")
_ITALIC_NAMES = ("italic", "oblique", "cmmi", "cmti", "slanted", "-it")
_LARGE_SIGN_NAMES = ("cmex", "mathextension", "mathex")
_FORCE_BOLD = 1 << 18

ASCENT, DESCENT = 0.75, 0.25
"""In em: the height and depth that a character is taken to have."""


class Face(NamedTuple):
    """What a font's name and flags say about it."""

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
        x, y = self._origin
        baseline = self.place((x, y, x, y), direction)[1]
        height = abs(self._size.value) * (c * c + d * d) ** 0.5
        height = height if height > 0.1 else 1.0
        top, bottom = baseline - ASCENT * height, baseline + DESCENT * height
        return Style(self._face(owner), height, direction, baseline, top, bottom)

    def ink(self, index: int, direction: tuple[int, int]) -> Box:
        """What a character's drawing covers."""
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
            self._faces[address] = _face(name.value, pdfium.FPDFFont_GetFlags(font))
        return self._faces[address]


def _face(name: bytes, flags: int) -> Face:
    lower = name.decode("latin-1").lower()
    return Face(
        bold=bool(flags > 0 and flags & _FORCE_BOLD) or any(part in lower for part in _BOLD_NAMES),
        italic=any(part in lower for part in _ITALIC_NAMES),
        large_signs=any(part in lower for part in _LARGE_SIGN_NAMES),
    )
