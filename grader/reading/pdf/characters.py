"""Characters of a page from pdfium, the meaning of their codes, and text with marks where it was inferred."""

import ctypes
import re
import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from grader.reading.document import Box, Repair, RepairKind

ADDRESS: Final = ctypes.c_void_p
NUMBER_OF: Final = ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS)
PART_OF: Final = ctypes.CFUNCTYPE(ADDRESS, ADDRESS, ctypes.c_int)
"""Signatures with bare addresses: cheaper than pypdfium2's own."""

MOST_OBJECTS: Final = 20_000
"""Of one page or embedded drawing."""


def objects_of(page: Any) -> dict[int, int]:
    """The first 20,000 objects of an open pypdfium2 page in the order of drawing, with the kind of each."""
    import pypdfium2.raw as pdfium

    return _kinds(address_of(page.raw), pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject)


def objects_in(form: int) -> dict[int, int]:
    """The first 20,000 objects of an embedded drawing."""
    import pypdfium2.raw as pdfium

    return _kinds(form, pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject)


def _kinds(holder: int, count_of: Any, object_of: Any) -> dict[int, int]:
    import pypdfium2.raw as pdfium

    count, kind_of = ctypes.cast(count_of, NUMBER_OF)(holder), ctypes.cast(pdfium.FPDFPageObj_GetType, NUMBER_OF)
    found = list(map(ctypes.cast(object_of, PART_OF), repeat(holder), range(min(count, MOST_OBJECTS))))
    return dict(zip(found, map(kind_of, found), strict=True))


def address_of(pointer: Any) -> int:
    """The address that a pointer of pypdfium2 holds."""
    return ctypes.cast(pointer, ADDRESS).value or 0


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Indices = NDArray[np.int64]
    Boxes = NDArray[np.float64]

LOST: Final = "\ufffd"
"""Stands for a character whose meaning the file does not give."""

_HYPHENS: Final = frozenset({0x02, 0xAD, 0x2010, 0x2011, 0xFFFE})
"""How pdfium reports a hyphen at the end of a line, the soft hyphen, and the typographic ones."""

_SYMBOLS: Final = {0xF0B7: "•", 0xF0A7: "•", 0xF0D8: "•", 0xF0FC: "•", 0xF076: "•", 0xF0B4: "×", 0xF0B1: "±"}
"""Symbol and Wingdings as word processors write them, in the private use area."""

_CORK: Final = {
    0x10: "“", 0x11: "”", 0x12: "„", 0x13: "«", 0x14: "»", 0x15: "–", 0x16: "—",
    0x1B: "ff", 0x1C: "fi", 0x1D: "fl", 0x1E: "ffi", 0x1F: "ffl", 0x88: "•",
}  # fmt: skip
"""Slots of TeX's bitmap fonts, which give no Unicode values, where Unicode has control characters. Source: the T1
encoding, the bullet of TS1 (LaTeX's encguide)."""

COMBINING: Final = {
    "´": "\u0301", "`": "\u0300", "ˆ": "\u0302", "^": "\u0302", "¨": "\u0308", "˜": "\u0303", "~": "\u0303",
    "¸": "\u0327", "˚": "\u030a", "ˇ": "\u030c", "˘": "\u0306", "¯": "\u0304", "˙": "\u0307", "˝": "\u030b",
    **{chr(code): chr(code) for code in range(0x300, 0x329)},
}  # fmt: skip
"""Accents that fonts draw by themselves, and Unicode's combining ones: what they become on a letter."""

_SLOTS: Final = {
    slot: sign
    for sign, slots in {
        "(": (0x00, 0x10, 0x12, 0x20, 0x30),
        ")": (0x01, 0x11, 0x13, 0x21, 0x31),
        "[": (0x02, 0x14, 0x22, 0x32, 0x68),
        "]": (0x03, 0x15, 0x23, 0x33, 0x69),
        "{": (0x08, 0x1A, 0x28, 0x38, 0x6E),
        "}": (0x09, 0x1B, 0x29, 0x39, 0x6F),
        "|": (0x0C,),
        "/": (0x0E, 0x1E, 0x2E),
        "∑": (0x50, 0x58),
        "∏": (0x51, 0x59),
        "∫": (0x52, 0x5A),
        "√": (0x70, 0x71, 0x72, 0x73, 0x74),
    }.items()
    for slot in slots
}
"""TeX's large signs by their slot. Source: the OMX encoding (LaTeX's encguide)."""

_PIECES: Final = {0xF8EB: "(", 0xF8F6: ")", 0xF8EE: "[", 0xF8F9: "]", 0xF8F1: "{", 0xF8FC: "}"}
"""The upper ends of brackets that are built from pieces. Source: Adobe's corporate use area, F8E6 to F8FE."""


def sign(code: int) -> str:
    """The text of a character code. Superscript digits stay; ligatures and mathematical letters become plain ones."""
    if 0x20 <= code < 0x7F:
        return chr(code)
    if code in _HYPHENS:
        return "-"
    if code in _CORK:
        return _CORK[code]
    if code > 0x10FFFF:
        return ""
    if code < 0x20 or 0xD800 <= code < 0xE000 or code in (0xFFFE, 0xFFFF):
        return LOST
    if 0xFB00 <= code <= 0xFB06 or 0x1D400 <= code <= 0x1D7FF:
        return unicodedata.normalize("NFKC", chr(code))
    if 0xE000 <= code <= 0xF8FF:
        return _SYMBOLS.get(code) or (chr(code - 0xF000) if 0xF021 <= code <= 0xF07E else LOST)
    return chr(code)


_STRAY_LIGATURES: Final = {0x014C: "ft", 0x019F: "ti", 0x01A9: "tt", 0x01AB: "tti"}
"""Letters without a meaning in English and French by which PDF printers name ligatures of Calibri and similar fonts."""


def stray_ligature(code: int, beside: Iterable[int]) -> str:
    """The letters for which a character stands beside others, given by their codes, as in `funcƟon`; empty if it is no
    ligature there."""
    is_within = any(ord("a") <= other <= ord("z") for other in beside)
    return _STRAY_LIGATURES.get(code, "") if is_within else ""


def is_ligature(code: int) -> bool:
    """Whether a character code stands for several letters."""
    return 0xFB00 <= code <= 0xFB06 or len(_CORK.get(code, "")) > 1


def large_sign(code: int, named: bool) -> str:
    """The text of a character of a font of large mathematical signs; empty for the further pieces of one sign.

    `named` is true where the font gives a Unicode value and false where `code` is a bare slot.
    """
    if not named:
        return _SLOTS.get(code, "")
    if 0xF8E5 <= code <= 0xF8FE:
        return _PIECES.get(code, "")
    return sign(code)


SPACE: Final = 0x20
ACCENTS: Final = frozenset(map(ord, COMBINING))
PLAIN: Final = frozenset(range(0x20, 0x7F)) - ACCENTS
"""Characters that may be put together without a look at each, the space among them."""

_TOUCHING: Final = (-0.12, 0.06)
"""In heights of a font, which are 1 to 1.4 em: characters with a gap in between belong to one word."""

_WIDEST: Final = 0.85
"""In heights of a font: a wider space separates more than words."""

_POINT: Final = 0.01
"""In points: what is not wider or taller has no room."""

_TALLEST: Final = 12.0
"""Times its width: no letter, digit or point is taller."""

_SURROGATES: Final = 0xD800
"""UTF-16 units from here on may not be characters by themselves."""

_LOW_SURROGATES: Final = 0xDC00
_PRIVATE: Final = 0xE000
"""The first unit behind the surrogates."""

_SECOND_HALF: Final = 0x110000
"""No character: stands where the second half of one was."""

_OWNER_OF: Final = ctypes.CFUNCTYPE(ctypes.c_size_t, ADDRESS, ctypes.c_int)
_CODE_OF: Final = ctypes.CFUNCTYPE(ctypes.c_uint, ADDRESS, ctypes.c_int)
_BOX_OF: Final = ctypes.CFUNCTYPE(ctypes.c_int, ADDRESS, ctypes.c_int, ADDRESS)


class Characters(NamedTuple):
    """The characters of a text page in the order of drawing: codes, the addresses of the text objects that draw them, 0
    for those that pdfium adds and for second halves, and loose boxes in the page's own coordinates, with a row for each
    side: left, top, right, bottom."""

    codes: "Indices"
    owners: "Indices"
    boxes: "Boxes"

    def box(self, index: int) -> Box:
        """(left, bottom, right, top) of a character."""
        left, top, right, bottom = self.boxes[:, index].tolist()
        return left, bottom, right, top


def characters_of(text_page: Any, limit: int) -> Characters:
    """The first `limit` characters. pdfium is asked in bulk, by loops that run in C."""
    import numpy as np
    import pypdfium2.raw as pdfium

    page, count = address_of(text_page.raw), min(limit, text_page.count_chars())
    boxes = np.zeros((count, 4), np.float32)
    start, end = boxes.ctypes.data, boxes.ctypes.data + boxes.nbytes
    box_of = ctypes.cast(pdfium.FPDFText_GetLooseCharBox, _BOX_OF)
    deque(map(box_of, repeat(page), range(count), range(start, end, 16)), maxlen=0)
    owner_of = ctypes.cast(pdfium.FPDFText_GetTextObject, _OWNER_OF)
    codes, owners = _codes(text_page, count), np.fromiter(map(owner_of, repeat(page), range(count)), np.int64, count)
    _shorten(text_page, owners, boxes)
    return Characters(codes, np.where(codes == _SECOND_HALF, 0, owners), boxes.T.astype(float, order="C"))


def _shorten(text_page: Any, owners: "Indices", boxes: "NDArray[np.float32]") -> None:
    """Give characters of a font that claims to be many times as tall as its letters, as fonts of formulas do that
    Ghostscript wrote, the height of the ink of their text object."""
    import numpy as np
    import pypdfium2.raw as pdfium

    widths, heights = boxes[:, 2] - boxes[:, 0], boxes[:, 1] - boxes[:, 3]
    tall = np.flatnonzero((heights > _TALLEST * widths) & (widths > _POINT))
    for owner in np.unique(owners[tall]):
        indices = tall[owners[tall] == owner]
        sides = [tuple(ctypes.c_double() for _ in range(4)) for _ in indices]
        for at, (left, right, bottom, top) in zip(indices.tolist(), sides, strict=True):
            pdfium.FPDFText_GetCharBox(text_page, at, left, right, bottom, top)
        boxes[indices, 1], boxes[indices, 3] = (
            max(side[3].value for side in sides),
            min(side[2].value for side in sides),
        )


def _codes(text_page: Any, count: int) -> "Indices":
    """All codes in one call, where pdfium gives one for each character; those that it may give for others, and all
    where it does not, are asked for one by one."""
    import numpy as np
    import pypdfium2.raw as pdfium

    text = np.zeros(count + 1, np.uint16)
    written = pdfium.FPDFText_GetText(text_page, 0, count, text.ctypes.data_as(ctypes.POINTER(ctypes.c_ushort)))
    codes = text[:count].astype(np.int64)
    is_rare = codes >= _SURROGATES
    is_whole = written == count + 1 and codes.all() and (codes[is_rare] >= _PRIVATE).all()
    asked = np.flatnonzero(is_rare) if is_whole else np.arange(count)
    code_of = ctypes.cast(pdfium.FPDFText_GetUnicode, _CODE_OF)
    codes[asked] = list(map(code_of, repeat(address_of(text_page.raw)), asked.tolist()))
    is_swapped = (codes % 0x100 == 0) & (codes >= ord("a") << 8) & (codes <= ord("z") << 8)
    if is_swapped.any():  # Ghostscript swaps the bytes of a ligature's letters: two or more in a row
        is_swapped &= np.append(is_swapped[1:], False) | np.append(False, is_swapped[:-1])
        codes[is_swapped] >>= 8
    return codes if is_whole else np.array(_whole(codes.tolist()), np.int64)


def _whole(codes: list[int]) -> list[int]:
    """The codes with pairs of surrogates put together, as pdfium gives the letters of formulas: 𝑊."""
    whole = list(codes)
    for index, (high, low) in enumerate(pairwise(codes)):
        if _SURROGATES <= high < _LOW_SURROGATES <= low < _LOW_SURROGATES + 0x400:
            whole[index] = 0x10000 + ((high - _SURROGATES) << 10) + (low - _LOW_SURROGATES)
            whole[index + 1] = _SECOND_HALF
    return whole


def has_room(characters: Characters) -> bytes:
    """For each character 1 where its place is more than a point, as those of the spaces that pdfium adds are not."""
    lefts, tops, rights, bottoms = characters.boxes
    return bytes((rights - lefts > _POINT) | (tops - bottoms > _POINT))


def same_places(characters: Characters) -> bytes:
    """For each character 1 where the next one stands in its very place, as the letters of a ligature do; 0 else."""
    lefts, _, rights, _ = characters.boxes
    return bytes((lefts[1:] == lefts[:-1]) & (rights[1:] == rights[:-1])) + b"\0"


def touching_of(characters: Characters) -> bytes:
    """For each character 1 where it is plain or a space and follows such a one without a gap, or stands in its very
    place; 0 else, and one 0 at the end. A digit behind a point and a space is 0: how wide the space is tells whether
    they are one number."""
    import numpy as np

    codes, (lefts, tops, rights, bottoms) = characters.codes, characters.boxes
    digits = (codes >= ord("0")) & (codes <= ord("9"))
    plain, heights, gaps = np.isin(codes, list(PLAIN)), (tops - bottoms)[1:], lefts[1:] - rights[:-1]
    is_level = (tops[1:] == tops[:-1]) & (bottoms[1:] == bottoms[:-1])
    is_near = (_TOUCHING[0] * heights < gaps) & (gaps < _TOUCHING[1] * heights)
    is_same = np.frombuffer(same_places(characters), bool)[:-1]
    is_narrow = (codes[1:] != SPACE) | ((rights - lefts)[1:] < _WIDEST * heights)
    follows = plain[1:] & plain[:-1] & is_level & (is_near | is_same) & is_narrow
    follows[2:] &= ~((codes[1:-2] == ord(".")) & (codes[2:-1] == SPACE) & digits[:-3] & digits[3:])  # to be measured
    return bytes([0, *follows.tolist(), 0])


THIN: Final = "\u2009"
"""Written for a gap that is either a space or the thin space of mathematics; `tidied` decides."""

HAIR: Final = "\u200a"
"""Written for a gap between two digits that is narrower than a space; `tidied` decides."""


class Mark(NamedTuple):
    """`text[start:end]` was inferred; equal ends stand for something left out."""

    kind: RepairKind
    start: int
    end: int

    def with_offset(self, by: int) -> "Mark":
        """The same mark in a text with `by` characters before it."""
        return Mark(self.kind, self.start + by, self.end + by)


class MarkedText(NamedTuple):
    """A text with its marks."""

    text: str
    marks: tuple[Mark, ...] = ()

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """The marks as a block holds them, in order."""
        ordered = sorted(self.marks, key=lambda mark: (mark.start, -mark.end))
        return tuple(Repair(kind=kind, start=start, end=end) for kind, start, end in ordered)


def join_texts(separator: str, parts: Sequence[MarkedText]) -> MarkedText:
    """The concatenation of texts, with their marks."""
    if len(parts) == 1:
        return parts[0]
    marks: list[Mark] = []
    length = 0
    for text, inner in parts:
        marks.extend(mark.with_offset(length) for mark in inner)
        length += len(text) + len(separator)
    return MarkedText(separator.join(part.text for part in parts), tuple(marks))


def cut(marked: MarkedText, start: int, end: int) -> MarkedText:
    """A part of a text without the blanks at its ends, with the marks that lie in it."""
    part = marked.text[start:end]
    start += len(part) - len(part.lstrip())
    text = part.strip()
    inside = [mark for mark in marked.marks if start <= mark.start and mark.end <= start + len(text)]
    return MarkedText(text, tuple(mark.with_offset(-start) for mark in inside))


_GROUP: Final = 3
"""Digits that are set apart in large numbers."""

_HUNDREDTHS: Final = re.compile(
    rf"(?<![\d.,])(?<!,[ {THIN}])(?:(?<![(\[{{])|(?=\d{{1,3}},{THIN}\d{{1,2}}\s?[+×*/−-]))"
    rf"\d{{1,3}},(?P<space>{THIN})\d{{1,2}}(?!\d|,\s?\d)"
)
"""A number with a thin space behind its comma, which may be a decimal one; no two of a list, no pair in brackets."""


_WITH_GAPS: Final = re.compile(rf"\d+(?:[{THIN}{HAIR}]*[.,]?[{THIN}{HAIR}]*\d+)+")
"""Digits with marks and narrow gaps between them."""


def _gaps(number: str) -> Iterator[tuple[int, str]]:
    """For each narrow gap within some digits, by its place: a space, or nothing. None stands before a mark, behind a
    point, or behind a comma and before three digits; whether one behind another comma is one, the document tells. Where
    gaps alone part groups of three, one that is wide enough for a space makes spaces of all."""
    first, *groups = re.findall(r"\d+", number)
    are_thousands = len(first) <= _GROUP and {*map(len, groups)} == {_GROUP}
    spaces = {THIN: " ", HAIR: " " if are_thousands and THIN in number else ""}
    for at, sign in enumerate(number):
        before, after = number[at - 1], number[at + 1 : at + 2]
        if sign not in spaces:
            continue
        if before.isdigit() and after.isdigit():
            yield at, spaces[sign]
        elif before != "," or len(number[at + 1 :].split(",")[0].split(".")[0].strip(THIN + HAIR)) == _GROUP:
            yield at, ""


def tidy_text(raw: str, marks: Iterable[Mark]) -> MarkedText:
    """A text with single spaces, none at its ends, and without the narrow gaps within numbers; thin ones stay where the
    whole document must tell what the comma before them is."""
    if THIN not in raw and " ".join(raw.split()) == raw:
        return MarkedText(raw, tuple(marks))
    found = {match.start() + at: sign for match in _WITH_GAPS.finditer(raw) for at, sign in _gaps(match[0])}
    thin = {at for at, sign in enumerate(raw) if found.get(at, sign) in ("", HAIR)}
    doubtful = {match.start("space") for match in _HUNDREDTHS.finditer(raw)}
    kept: list[str] = []
    offsets: list[int] = []
    for index, character in enumerate(raw):
        offsets.append(len(kept))
        if not character.isspace() or index in doubtful:
            kept.append(character)
        elif index not in thin and kept and kept[-1] != " ":
            kept.append(" ")
    end = len(kept) - 1 if kept and kept[-1] == " " else len(kept)
    offsets.append(end)
    left_out = [Mark(RepairKind.JOINED, offsets[index], offsets[index]) for index in thin]
    moved = [Mark(kind, min(offsets[start], end), min(offsets[stop], end)) for kind, start, stop in marks]
    return MarkedText("".join(kept[:end]), (*moved, *left_out))
