"""The parts of a hand-in's text that a person assigned to questions, where the text itself does not say which is which.

A text is listed as units: headings, paragraphs, items of lists, tables and listings. A person says at which units the
answers to which questions begin. Each block is then marked with its question, whatever becomes of the blocks around it.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from grader.intake.submission import Role
from grader.reading.document import Block, BlockKind, Document, Evidence, Part
from grader.reading.notebook import Cell, Notebook, notebook_document
from grader.reading.reading import Reading

FIRST_WORDS: Final = 60
"""In characters, of a unit's text; a part is found again by them."""
_MOST_UNITS: Final = 600
_LONG_ROW: Final = 8
"""In words: a row of a table that long may be an answer of its own."""
_GAP: Final = 0.7
"""Of the height of a line: lines of a page further apart are of different paragraphs."""


class Unit(NamedTuple):
    """A piece of a file's text: its number in the file, the text, its place, and the numbers of its first block and of
    the one behind it."""

    file: str
    number: int
    text: str
    place: Evidence
    start: int
    end: int

    @property
    def words(self) -> str:
        """The first words, by which the unit is found again."""
        return " ".join(self.text.split())[:FIRST_WORDS].strip()


def texts(reading: Reading) -> tuple[Document, ...]:
    """The reports and notebooks of a hand-in that hold any text, reports first."""
    reports = {file.path for file in reading.files if file.role is Role.REPORT}
    written = (document for document in reading.documents if document.file in reports)
    return tuple(document for document in chain(written, map(notebook_document, reading.notebooks)) if document.blocks)


def units(document: Document) -> tuple[Unit, ...]:
    """A text in units, in order."""
    blocks = document.blocks
    starts = [at for at in range(len(blocks)) if at == 0 or _begins(blocks[at - 1], blocks[at])][:_MOST_UNITS]
    found: list[Unit] = []
    for start, end in zip(starts, [*starts[1:], len(blocks)], strict=True):
        text = "\n".join(block.text for block in blocks[start:end]).strip()
        if text:
            place = blocks[start].evidence(document.file, text[:FIRST_WORDS])
            found.append(Unit(document.file, len(found), text, place, start, end))
    return tuple(found)


def _begins(above: Block, block: Block) -> bool:
    """Whether a block begins a unit."""
    if block.kind in (BlockKind.OUTPUT, BlockKind.CAPTION, BlockKind.FIGURE) or not block.text.strip():
        return False
    if block.kind in (BlockKind.HEADING, BlockKind.LIST_ITEM) or block.starts_paragraph or block.cell != above.cell:
        return True
    if block.kind is BlockKind.ROW and len(block.text.split()) >= _LONG_ROW:
        return True
    return block.kind is not above.kind or not above.text.strip() or _stands_apart(above, block)


def _stands_apart(above: Block, block: Block) -> bool:
    """Whether a line stands on another page than the one above it, or further below it than lines of a paragraph do; in
    a text file, behind an empty line."""
    if above.box and block.box:
        height = block.box[3] - block.box[1]
        return above.page != block.page or not -height < block.box[1] - above.box[3] < _GAP * height
    return above.line is not None and block.line is not None and block.line > above.line + 1


def mark_of_text(reading: Reading, parts: Iterable[Part]) -> str:
    """Stands for the letters and digits of the files in which some parts lie."""
    files = {part.file for part in parts}
    file_letters = sorted(
        (text.file, _letters(block.text for block in text.blocks)) for text in texts(reading) if text.file in files
    )
    return hashlib.sha256(repr(file_letters).encode()).hexdigest()[:16]


def _letters(lines: Iterable[str]) -> str:
    return "".join(filter(str.isalnum, "".join(lines).casefold()))


def assign_questions(reading: Reading, parts: Sequence[Part]) -> Reading:
    """The reading with every block of the files in which parts lie marked with its question."""
    by_file: dict[str, dict[int, str]] = {}
    for document in texts(reading):
        questions = {part.at: part.question for part in parts if part.file == document.file}
        if questions:
            starts = {unit.start: questions[unit.number] for unit in units(document) if unit.number in questions}
            by_file[document.file] = _questions(starts, len(document.blocks))
    return reading.model_copy(
        update={
            "documents": tuple(_marked(candidate, by_file.get(candidate.file)) for candidate in reading.documents),
            "notebooks": tuple(_marked_cells(notebook, by_file.get(notebook.file)) for notebook in reading.notebooks),
        }
    )


def _questions(starts: Mapping[int, str], number: int) -> dict[int, str]:
    """The question of each of so many blocks, by those at which answers begin."""
    found: dict[int, str] = {}
    for at in range(number):
        found[at] = starts.get(at, found.get(at - 1, ""))
    return found


def _marked(document: Document, marks: Mapping[int, str] | None) -> Document:
    if marks is None:
        return document
    blocks = (block.model_copy(update={"assigned": marks[at]}) for at, block in enumerate(document.blocks))
    return document.model_copy(update={"blocks": tuple(blocks)})


def _marked_cells(notebook: Notebook, marks: Mapping[int, str] | None) -> Notebook:
    """The notebook whose cells know the questions of their lines. What a cell put out belongs to its last line."""
    if marks is None:
        return notebook
    lines: dict[int | None, list[tuple[int, str]]] = {}
    for at, block in enumerate(notebook_document(notebook).blocks):
        if block.kind is not BlockKind.OUTPUT and block.line is not None:
            lines.setdefault(block.cell, []).append((block.line, marks[at]))
    last = ""
    cells: list[Cell] = []
    for cell in notebook.cells:
        changes = tuple(_changes(lines.get(cell.index, [])))
        changes = changes or ((0, last),)
        cells.append(cell.model_copy(update={"assigned": changes}))
        last = changes[-1][1]
    return notebook.model_copy(update={"cells": tuple(cells)})


def _changes(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines at which the question is another one than before; the first one counts from the beginning."""
    before: str | None = None
    for line, question in lines:
        if question != before:
            yield (0 if before is None else line), question
        before = question
