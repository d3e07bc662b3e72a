"""What pdfium says of the characters of a page, asked for in bulk, and which of them touch."""

import ctypes
from collections import deque
from itertools import repeat
from typing import Any, Final, NamedTuple

from grader.reading.evidence import Box
from grader.reading.pdf.signs import COMBINING

SPACE: Final = 0x20
ACCENTS: Final = frozenset(map(ord, COMBINING))
PLAIN: Final = frozenset(range(0x20, 0x7F)) - ACCENTS
"""Characters that may be put together without a look at each, the space among them."""

_TOUCHING: Final = (-0.12, 0.06)
"""In heights of a font, which are 1 to 1.4 em: characters with a gap in between belong to one word."""

_WIDEST: Final = 0.85
"""In heights of a font: a space that is wider parts more than words."""

_SURROGATES: Final = 0xD800
"""UTF-16 units from here on may not be characters by themselves."""

_ADDRESS: Final = ctypes.c_void_p
_CODE_OF: Final = ctypes.CFUNCTYPE(ctypes.c_uint, _ADDRESS, ctypes.c_int)
_BOX_OF: Final = ctypes.CFUNCTYPE(ctypes.c_int, _ADDRESS, ctypes.c_int, _ADDRESS)
"""Signatures with bare addresses: cheaper than pypdfium2's own."""


class Characters(NamedTuple):
    """The characters of a text page in the order of drawing: codes, and loose boxes in the page's own coordinates."""

    codes: list[int]
    lefts: list[float]
    tops: list[float]
    rights: list[float]
    bottoms: list[float]

    def box(self, index: int) -> Box:
        """(left, bottom, right, top) of one."""
        return self.lefts[index], self.bottoms[index], self.rights[index], self.tops[index]


def characters_of(text_page: Any, limit: int) -> Characters:
    """The first `limit` characters. pdfium is asked in bulk, by loops that run in C."""
    import pypdfium2.raw as pdfium

    page = ctypes.cast(text_page.raw, _ADDRESS).value
    count = min(limit, text_page.count_chars())
    boxes = (ctypes.c_float * (4 * count))()
    start = ctypes.addressof(boxes)
    box_of = ctypes.cast(pdfium.FPDFText_GetLooseCharBox, _BOX_OF)
    deque(map(box_of, repeat(page), range(count), range(start, start + 16 * count, 16)), maxlen=0)
    codes = _codes(text_page, count)
    return Characters(codes, boxes[0::4], boxes[1::4], boxes[2::4], boxes[3::4])


def _codes(text_page: Any, count: int) -> list[int]:
    """All codes in one call, where pdfium gives one for each character; else they are asked for one by one."""
    import pypdfium2.raw as pdfium

    text = (ctypes.c_ushort * (count + 1))()
    written = pdfium.FPDFText_GetText(text_page, 0, count, text)
    codes = text[:count]
    if written == count + 1 and all(codes) and max(codes, default=0) < _SURROGATES:
        return codes
    code_of = ctypes.cast(pdfium.FPDFText_GetUnicode, _CODE_OF)
    return list(map(code_of, repeat(ctypes.cast(text_page.raw, _ADDRESS).value), range(count)))


def touching_of(characters: Characters) -> bytes:
    """For each character 1 where it is plain or a space and follows such a one without a gap, or stands in its very
    place, as the letters of a ligature do; 0 else, and one 0 at the end."""
    codes, lefts, tops, rights, bottoms = characters
    least, most = _TOUCHING
    plain = [code in PLAIN for code in codes]
    follows = (
        one and other and top == height and bottom == depth
        and (least * (top - bottom) < left - edge < most * (top - bottom) or (left == start and right == edge))
        and (code != SPACE or right - left < _WIDEST * (top - bottom))
        for one, other, code, start, left, height, top, edge, right, depth, bottom in zip(
            plain, plain[1:], codes[1:], lefts, lefts[1:], tops, tops[1:], rights, rights[1:], bottoms, bottoms[1:],
            strict=False,
        )
    )  # fmt: skip
    return bytes([0, *follows, 0])
