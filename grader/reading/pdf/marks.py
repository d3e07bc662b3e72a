"""The text of a line: spaces from gaps, powers and indices marked, cells parted where the gaps are wide."""

from math import inf
from typing import Final, NamedTuple

from grader.reading.document import Box, ReadingDoubt, RepairKind
from grader.reading.pdf.characters import COMBINING, HAIR, THIN, Mark, MarkedText, tidy_text
from grader.reading.pdf.glyphs import Glyph
from grader.reading.pdf.lines import SMALLER, Fragment, Line, leave_room

_SPACE: Final = 0.15
"""In em: a gap from here on is a space. TeX's narrowest space between words is 0.19 em (Times, fully shrunk)."""

_THIN_SPACE: Final = 0.185
"""In em: after a comma or point a gap up to here is the thin space of mathematics, which sets `1,024` as `1, 024`."""

_NARROWEST_WORD: Final = 0.25
"""In em: a gap up to here without a space in the file may be one within a number, as formula editors set `1 ,024`."""

_DOUBTFUL: Final = 0.1
"""In em: a gap from here on within a word is wide enough for others to take it for a space."""

_RAISED: Final = 0.18
_LOWERED: Final = 0.06
"""In em of the larger text: how far a smaller character must leave its baseline to be a power or an index."""

_REACH: Final = 0.4
"""In em of the larger text: a power or index stands at most this far from what it belongs to."""

_OVER: Final = 0.5
"""In em: text of full size that stands so far over what is before it is another text, such as the next cell's."""

_KINDS: Final = {"^": RepairKind.POWER, "_": RepairKind.INDEX}


class Piece(NamedTuple):
    """The text between two wide gaps of a line, or where it is printed over another one, with its first and last edge
    and whether it is bold throughout."""

    marked: MarkedText
    left: float
    right: float
    bold: bool

    @property
    def text(self) -> str:
        """The characters alone."""
        return self.marked.text


class _Level(NamedTuple):
    """A height at which text is written, and where its mark stands in the line's text."""

    baseline: float
    size: float
    kind: RepairKind | None = None
    start: int = 0

    def holds(self, fragment: Fragment) -> bool:
        """Whether a fragment stands at this level."""
        return (
            abs(fragment.baseline - self.baseline) <= 0.06 * self.size
            and SMALLER * self.size < fragment.size < self.size / SMALLER
        )

    def sign(self, fragment: Fragment) -> str:
        """Return the sign that attaches a fragment to text of this level: `^`, `_` or nothing."""
        if fragment.size > SMALLER * self.size:
            return ""
        rise = (self.baseline - fragment.baseline) / self.size
        return "^" if rise >= _RAISED else "_" if rise <= -_LOWERED else ""


class _Writer:
    """Writes one line from left to right, opening a brace for each step up or down and closing it on return."""

    def __init__(self, line: Line) -> None:
        self._levels = [_Level(line.baseline, line.size)]
        self._right: float | None = None
        self._text: list[str] = []
        self._length = 0
        self._marks: list[Mark] = []
        self._fragments: list[Fragment] = []
        self._pieces: list[Piece] = []

    def write(self, fragment: Fragment) -> None:
        """Append a fragment."""
        base = self._levels[0]
        gap = fragment.left - self._right if self._right is not None else 0.0
        if self._fragments and _parts(self._fragments[-1], gap, fragment, base.size):
            self._cut()
        attached = self._step(fragment, gap)
        previous: Glyph | None = None
        for glyph in fragment.glyphs:
            if previous is not None:
                self._space(glyph.left - previous.right, glyph.size, glyph)
            elif not attached and self._right is not None:
                self._space(gap, max(self._levels[-1].size, fragment.size), glyph)
            if glyph.marks:
                self._marks.extend(mark.with_offset(self._length) for mark in glyph.marks)
            self._append(glyph.text)
            previous = glyph
        self._fragments.append(fragment)
        self._right = max(self._right or fragment.right, fragment.right)

    def pieces(self) -> list[Piece]:
        """Everything written."""
        self._cut()
        return self._pieces

    def _append(self, text: str) -> None:
        self._text.append(text)
        self._length += len(text)

    def _step(self, fragment: Fragment, gap: float) -> bool:
        """Go to the level of a fragment; whether it is attached as a power or an index."""
        for depth in range(len(self._levels) - 1, -1, -1):
            if self._levels[depth].holds(fragment):
                self._return_to(depth)
                return False
        if gap > _REACH * self._levels[0].size:
            self._return_to(0)
        sign = self._levels[-1].sign(fragment)
        if not sign:
            self._return_to(0)
            sign = self._levels[0].sign(fragment)
        if not sign:
            return False
        self._levels.append(_Level(fragment.baseline, fragment.size, _KINDS[sign], self._length))
        self._append(sign + "{")
        return True

    def _return_to(self, depth: int) -> None:
        for level in reversed(self._levels[depth + 1 :]):
            self._append("}")
            if level.kind:
                self._marks.append(Mark(level.kind, level.start, self._length))
        del self._levels[depth + 1 :]

    def _space(self, gap: float, size: float, glyph: Glyph) -> None:
        beside = last, first = self._text[-1][-1:], glyph.text[0]
        is_doubtful = gap >= _DOUBTFUL * size
        if gap >= _SPACE * size or (glyph.spaced and gap > -0.3 * size):
            self._append(THIN if gap < _widest_thin(last, first, spaced=glyph.spaced) * size else " ")
        elif is_doubtful and all(map(str.isdigit, beside)):
            self._append(HAIR)
        elif (glyph.torn or is_doubtful) and all(map(str.isalnum, beside)):
            self._marks.append(Mark(RepairKind.JOINED, self._length, self._length))

    def _cut(self) -> None:
        self._return_to(0)
        marked = tidy_text("".join(self._text), self._marks)
        if marked.text:
            bold = all(fragment.bold for fragment in self._fragments)
            left, right = min(f.left for f in self._fragments), max(f.right for f in self._fragments)
            self._pieces.append(Piece(marked, left, right, bold))
        self._text, self._length, self._marks = [], 0, []
        self._fragments, self._right = [], None


def _widest_thin(last: str, first: str, *, spaced: bool) -> float:
    """Return, in em, the gap between two characters, `spaced` in the file or not, below which it may be one within a
    number."""
    if last.isdigit() and (first.isdigit() or first in ",.") and not spaced:
        return _NARROWEST_WORD
    return _THIN_SPACE if last == "." or (last == "," and not spaced) else -inf


def _parts(last: Fragment, gap: float, fragment: Fragment, size: float) -> bool:
    """Whether a fragment is another text than that before it."""
    return leave_room(last, gap, fragment, size) or _is_over(fragment, gap, size)


def _is_over(fragment: Fragment, gap: float, size: float) -> bool:
    """Whether a fragment is text of full size, and no accent or sign, that stands over what is before it."""
    has_words = any(character.isalnum() for glyph in fragment.glyphs for character in glyph.text)
    is_accent = fragment.glyphs[0].text in COMBINING
    return gap <= -_OVER * size and fragment.size > SMALLER * size and has_words and not is_accent


def pieces(line: Line) -> list[Piece]:
    """The texts of a line between its wide gaps, from left to right."""
    writer = _Writer(line)
    for fragment in line.fragments:
        writer.write(fragment)
    return writer.pieces()


class PageLine(NamedTuple):
    """A visual line: its page from 1, its box, its size in points, the texts between its wide gaps. `in_figure`: it is
    part of a drawing; `table`: its pieces are the cells of a row, on one line or several, of the table in this box;
    `is_caption`: it is a caption by where it stands; `unsure`: why it may say something else than what is read."""

    page: int
    box: Box
    size: float
    pieces: tuple[Piece, ...]
    in_figure: bool = False
    table: Box | None = None
    is_caption: bool = False
    unsure: ReadingDoubt | None = None

    @property
    def text(self) -> str:
        """The whole line."""
        if len(self.pieces) == 1:
            return self.pieces[0].marked.text
        return " ".join([piece.marked.text for piece in self.pieces if piece.marked.text])

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(piece.bold for piece in self.pieces)
