"""The characters of a PDF page with their boxes, in the order in which the file draws them."""

import ctypes
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from grader.reading.document import RepairKind
from grader.reading.pdf.characters import ACCENTS, SPACE, characters_of, touching_of
from grader.reading.pdf.frame import UPRIGHT, Frame
from grader.reading.pdf.marked import Mark
from grader.reading.pdf.signs import is_ligature, large_sign, sign
from grader.reading.pdf.styles import Style, StyleReader

_SPACES: Final = frozenset((0x09, 0x0A, 0x0D, 0x20, 0xA0))
_ADDRESS: Final = ctypes.c_void_p
_OWNER_OF: Final = ctypes.CFUNCTYPE(_ADDRESS, _ADDRESS, ctypes.c_int)
"""A signature with bare addresses: cheaper, and owners can be compared."""


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


class _Run(NamedTuple):
    """The characters from `first` to `last`, which touch and are of one style, and whether a space stands before them
    in the file or for pdfium."""

    first: int
    last: int
    style: Style
    spaced: bool
    torn: bool


class GlyphReader:
    """Reads the first `limit` characters of one open text page."""

    def __init__(self, text_page: Any, frame: Frame, limit: int) -> None:
        import pypdfium2.raw as pdfium

        self._owner_of = ctypes.cast(pdfium.FPDFText_GetTextObject, _OWNER_OF)
        self._page = ctypes.cast(text_page.raw, _ADDRESS).value
        self._characters = characters_of(text_page, limit)
        self._styles = StyleReader(text_page, frame)
        self._shift = frame.e
        self._straight = frame[:4] == (1, 0, 0, -1)

    def glyphs(self) -> Iterator[Glyph]:
        """The characters but for the spaces, which are noted in what follows them."""
        return map(self._glyph, self._runs())

    def _runs(self) -> Iterator[_Run]:
        """Text objects are only told apart where characters do not touch or differ in height."""
        codes, count = self._characters.codes, len(self._characters.codes)
        touching = touching_of(self._characters)
        style, current, index = None, 0, 0
        spaced = torn = False
        while index < count:
            start, code = index, codes[index]
            index += 1
            if code in _SPACES:
                left, bottom, right, top = self._characters.box(start)
                drawn = right - left > 0.01 or top - bottom > 0.01
                spaced, torn = spaced or drawn, torn or not drawn
                continue
            owner = self._owner_of(self._page, start)
            if not owner:
                continue
            if style is None or owner != current:
                style, current = self._styles.style(start, owner), owner
            if self._is_plain(style) and not (start and codes[start - 1] in ACCENTS):
                index = touching.index(0, index)
                while codes[index - 1] == SPACE:
                    index -= 1
            yield from self._parted(_Run(start, index - 1, style, spaced, torn))
            spaced = torn = False

    def _parted(self, run: _Run) -> Iterator[_Run]:
        """A run, its last character apart where an accent follows to be put on it."""
        codes = self._characters.codes
        if run.first < run.last < len(codes) - 1 and codes[run.last + 1] in ACCENTS:
            yield run._replace(last=run.last - 1)
            run = _Run(run.last, run.last, run.style, spaced=False, torn=False)
        yield run

    def _is_plain(self, style: Style) -> bool:
        return self._straight and style.direction == UPRIGHT and not style.face.large_signs

    def _glyph(self, run: _Run) -> Glyph:
        first, last, style, spaced, torn = run
        face, size, direction, baseline, top, bottom = style
        if face.large_signs:
            return self._large_glyph(run)
        if self._straight and direction == UPRIGHT:
            left, right = self._characters.lefts[first] + self._shift, self._characters.rights[last] + self._shift
        else:
            left, _, right, _ = self._styles.place(self._characters.box(first), direction)
        if face.italic:
            right = max(right, self._styles.ink(last, direction)[2])
        text, marks = self._text(first, last)
        return Glyph(text, left, top, right, bottom, baseline, size, face.bold, spaced, False, direction, torn, marks)

    def _large_glyph(self, run: _Run) -> Glyph:
        """Large signs hang from their origin, so their line is found from their middle instead."""
        index, style = run.first, run.style
        code = self._characters.codes[index]
        left, top, right, bottom = self._styles.ink(index, style.direction)
        baseline = (top + bottom) / 2 + 0.25 * style.size
        text = large_sign(code, self._styles.is_named(index, code))
        return Glyph(text, left, top, right, bottom, baseline, style.size, False, run.spaced, True, style.direction)

    def _text(self, first: int, last: int) -> tuple[str, tuple[Mark, ...]]:
        """A run's text, its ligatures marked: one code for several letters, or several characters in one place."""
        codes, lefts, _, rights, _ = self._characters
        if first == last:
            text = sign(codes[first])
            return text, (Mark(RepairKind.LIGATURE, 0, len(text)),) if is_ligature(codes[first]) else ()
        marks: list[Mark] = []
        if len(set(lefts[first : last + 1])) <= last - first:
            for index in range(first, last):
                if lefts[index] == lefts[index + 1] and rights[index] == rights[index + 1]:
                    start = marks.pop().start if marks and marks[-1].end == index - first + 1 else index - first
                    marks.append(Mark(RepairKind.LIGATURE, start, index - first + 2))
        return "".join(map(chr, codes[first : last + 1])), tuple(marks)
