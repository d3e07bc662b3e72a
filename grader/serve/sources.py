"""The parts of a hand-in that can be shown: pictures of its pages, and the stored reading beside its result."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from grader.pipeline.outputs import PAGE
from grader.pipeline.pictures import item_pictures, page_text
from grader.pipeline.stages import HIDDEN_TEXT, READING, StoredReadingError, kept_in
from grader.reading.reading import Reading
from grader.report.pictures import Picture
from grader.result import Evidence

_KEPT: Final = 48
"""Number of recently used hand-ins that are kept in memory."""
_AROUND: Final = 4
"""Lines that are shown before and after a quote."""
_LONGEST_LINE: Final = 400
MOST_LINES: Final = 4000

Value = TypeVar("Value")


class Line(NamedTuple):
    """A line of a hand-in, and whether it belongs to the quote."""

    text: str
    quoted: bool


class Text(NamedTuple):
    """A file as it was read."""

    file: str
    lines: tuple[str, ...]
    more: int


def _remembered(make: Callable[[Path], Value]) -> Callable[[Path], Value]:
    """The function with its last values kept; a value is computed anew after its file has changed."""
    made = lru_cache(_KEPT)(lambda path, stamp: make(path))

    def of(path: Path) -> Value:
        try:
            stamp = path.stat().st_mtime_ns
        except OSError:
            stamp = 0
        return made(path, stamp)

    return of


class Sources:
    """Shows hand-ins from a folder of graded submissions. Students are looked up among the results, never used as a
    path."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._page = _remembered(page_text)
        self._reading = _remembered(_reading)

    def pictures(self, student: str, item: str) -> dict[int, Picture]:
        """The pictures of an item's evidence that the student's report has, by the number of the evidence, from 0."""
        return item_pictures(self._page(self._out / student / PAGE), item)

    def hidden_text(self, student: str) -> bytes | None:
        """The picture of the first text that a PDF of the hand-in hides, where there is one."""
        try:
            return (self._out / student / HIDDEN_TEXT).read_bytes()
        except OSError:
            return None

    def reading(self, student: str) -> Reading | None:
        """The stored reading of a hand-in; None where there is none."""
        return self._reading(self._out / student / READING)

    def surroundings(self, student: str, evidence: Evidence) -> tuple[Line, ...]:
        """The quoted lines with the lines before and after; empty where the reading was not stored."""
        reading = self.reading(student)
        return _quoted_lines(reading, evidence) if reading else ()

    def texts(self, student: str) -> tuple[Text, ...]:
        """All texts of a hand-in as they were read; empty where the reading was not stored."""
        reading = self.reading(student)
        return tuple(_texts(reading)) if reading else ()


def _reading(path: Path) -> Reading | None:
    try:
        return kept_in(path, Reading).value
    except StoredReadingError:
        return None


def _texts(reading: Reading) -> Iterator[Text]:
    for document in reading.documents:
        yield _text(document.file, [block.text for block in document.blocks])
    for notebook in reading.notebooks:
        yield _text(notebook.file, [line for cell in notebook.cells for line in _cell(cell.source, cell.output)])


def _cell(source: str, output: str) -> list[str]:
    return [*source.splitlines(), *output.splitlines(), ""]


def _text(file: str, lines: list[str]) -> Text:
    return Text(file, tuple(line[:_LONGEST_LINE] for line in lines[:MOST_LINES]), max(len(lines) - MOST_LINES, 0))


def _quoted_lines(reading: Reading, evidence: Evidence) -> tuple[Line, ...]:
    for document in reading.documents:
        if document.file == evidence.file or any(block.file == evidence.file for block in document.blocks):
            blocks = [
                (block.text, is_near(block.page, block.line, evidence) and holds(block.text, evidence.quote))
                for block in document.blocks
            ]
            if any(quoted for _, quoted in blocks):
                return _window(blocks)
    for notebook in reading.notebooks:
        if notebook.file != evidence.file:
            continue
        for cell in notebook.cells:
            if evidence.cell is None or cell.index == evidence.cell:
                lines = [(line, holds(line, evidence.quote)) for line in _cell(cell.source, cell.output)]
                if any(quoted for _, quoted in lines):
                    return _window(lines)
    return ()


def is_near(page: int | None, line: int | None, evidence: Evidence) -> bool:
    """Whether a page and a line, as far as they are known, are those of a piece of evidence or next to them."""
    same_page = evidence.page is None or page == evidence.page
    return same_page and (evidence.line is None or line is None or abs(line - evidence.line) <= _AROUND)


def holds(line: str, quote: str) -> bool:
    """Whether a line contains the quote or, if it is long enough, is contained in it."""
    first, other = " ".join(line.split()), " ".join(quote.strip("…").split())
    return bool(first and other) and (other in first or (len(first) > _AROUND and first in other))


def _window(lines: list[tuple[str, bool]]) -> tuple[Line, ...]:
    """The first run of consecutive quoted lines, with the lines around it."""
    first = next(number for number, (_, quoted) in enumerate(lines) if quoted)
    last = first
    while last + 1 < len(lines) and lines[last + 1][1]:
        last += 1
    shown = lines[max(first - _AROUND, 0) : last + _AROUND + 1]
    return tuple(Line(text[:_LONGEST_LINE], quoted) for text, quoted in shown)
