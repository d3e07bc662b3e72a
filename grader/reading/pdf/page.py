"""One page of a PDF as visual lines."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final, NamedTuple

from grader.reading.pdf.blocks import PageLine
from grader.reading.pdf.columns import regions
from grader.reading.pdf.frame import UPRIGHT, frame_of, shown_box
from grader.reading.pdf.glyphs import Glyph, GlyphReader
from grader.reading.pdf.lines import fragments, lines
from grader.reading.pdf.marks import pieces
from grader.reading.pdf.repair import repaired, thin_rules, with_underscores

MOST_CHARACTERS: Final = 30_000
"""On one page. A dense page of print has 6,000."""


class Page(NamedTuple):
    """A page's lines in reading order, its height in points, and what was left out of it."""

    lines: list[PageLine]
    height: float
    problems: tuple[str, ...]


def page_lines(pdf: Any, number: int) -> Page:
    """The lines of a page, counted from 1, of an open pypdfium2 document. Raises PdfiumError when it is damaged."""
    with closing(pdf[number - 1]) as page, closing(page.get_textpage()) as text_page:
        width, height = page.get_size()
        frame = frame_of(page, width, height)
        count = text_page.count_chars()
        glyphs = repaired(GlyphReader(text_page, frame).glyphs(MOST_CHARACTERS))
        glyphs = with_underscores(glyphs, thin_rules(page, frame))
    problems: tuple[str, ...] = ()
    if count > MOST_CHARACTERS:
        problems = (f"page {number} has {count} characters; only the first {MOST_CHARACTERS} are read",)
    found = [line for direction in _directions(glyphs) for line in _lines(glyphs, direction, number)]
    return Page(found, height, problems)


def _directions(glyphs: list[Glyph]) -> list[tuple[int, int]]:
    """The writing directions on a page, upright text first."""
    return sorted({glyph.direction for glyph in glyphs}, key=lambda d: (d != UPRIGHT, d))


def _lines(glyphs: list[Glyph], direction: tuple[int, int], page: int) -> Iterator[PageLine]:
    alike = fragments(glyph for glyph in glyphs if glyph.direction == direction)
    for region in regions(alike):
        for line in lines(region):
            written = tuple(pieces(line))
            if written:
                yield PageLine(page, shown_box(line.box, direction), line.size, written)
