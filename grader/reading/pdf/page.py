"""One page of a PDF as visual lines."""

from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final, NamedTuple

from grader.message import say
from grader.reading.evidence import Box
from grader.reading.pdf.columns import regions
from grader.reading.pdf.drawings import DrawingReader, Drawings
from grader.reading.pdf.figures import figure_boxes, inside
from grader.reading.pdf.fractions import with_fractions
from grader.reading.pdf.frame import UPRIGHT, frame_of, shown_box
from grader.reading.pdf.glyphs import Glyph, GlyphReader
from grader.reading.pdf.lines import fragments, lines
from grader.reading.pdf.marks import pieces
from grader.reading.pdf.page_line import PageLine
from grader.reading.pdf.repair import repaired
from grader.reading.pdf.table_rows import page_rows
from grader.reading.pdf.underscores import with_underscores

MOST_CHARACTERS: Final = 30_000
"""On one page. A dense page of print has 6,000."""


class Page(NamedTuple):
    """A page's lines in reading order, its height in points, the boxes of its figures, and what was left out of it."""

    lines: list[PageLine]
    height: float
    figures: list[Box]
    problems: tuple[str, ...]


def page_lines(pdf: Any, number: int) -> Page:
    """The lines of a page, counted from 1, of an open pypdfium2 document. Raises PdfiumError when it is damaged."""
    with closing(pdf[number - 1]) as page, closing(page.get_textpage()) as text_page:
        width, height = page.get_size()
        frame = frame_of(page, width, height)
        count = text_page.count_chars()
        drawings = DrawingReader(frame).drawings(page)
        glyphs = repaired(GlyphReader(text_page, frame, MOST_CHARACTERS).glyphs())
    problems: tuple[str, ...] = ()
    if count > MOST_CHARACTERS:
        problems = (
            say(
                "page {page} has {count} characters; only the first {most} are read",
                page=number,
                count=count,
                most=MOST_CHARACTERS,
            ),
        )
    pictures, drawn = figure_boxes(drawings, width, height)
    glyphs = with_underscores(glyphs, drawings.rules)
    read = _lines(glyphs, drawings, number, height)
    found = [line._replace(in_figure=True) if drawn and inside(line.box, drawn) else line for line in read]
    return Page(found, height, [*pictures, *drawn], problems)


def _lines(glyphs: list[Glyph], drawings: Drawings, page: int, height: float) -> Iterator[PageLine]:
    for direction in _directions(glyphs):
        alike = fragments([glyph for glyph in glyphs if glyph.direction == direction])
        if direction == UPRIGHT:
            alike = with_fractions(alike, drawings.rules)
        for region in regions(alike, height if direction == UPRIGHT else 0.0):
            if direction == UPRIGHT:
                yield from page_rows(lines(region), page, drawings)
                continue
            for line in lines(region):
                written = tuple(pieces(line))
                if written:
                    yield PageLine(page, shown_box(line.box, direction), line.size, written)


def _directions(glyphs: list[Glyph]) -> list[tuple[int, int]]:
    """The writing directions on a page, upright text first."""
    return sorted({glyph.direction for glyph in glyphs}, key=lambda d: (d != UPRIGHT, d))
