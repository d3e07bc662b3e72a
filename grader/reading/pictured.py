"""The words that OCR reads in pictures amid text, such as a screenshot of a table.

Reading a picture takes seconds, so only those are read in which an answer may stand that was found nowhere else. A
hand-in is judged without these words first, and they can only speak for a student (`pipeline/one.py`).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import chain
from typing import Final

from grader.intake.submission import SubmittedFile
from grader.reading.document import Block, BlockKind, Document
from grader.reading.evidence import Evidence
from grader.reading.notebook import Notebook, notebook_document
from grader.reading.pdf.blocks import blocks_of, body_of
from grader.reading.pdf.glyphs import rounded_box
from grader.reading.pdf.page import picture_lines
from grader.reading.pdf.scans import scanned_page, scanned_picture
from grader.reading.pictures import Picture, pictures_in
from grader.reading.reading import PictureText, Reading
from grader.reading.tesseract import Failure
from grader.time_limit import limit_time

MOST_READ: Final = 6
"""Pictures of one hand-in."""
_SECONDS: Final = 5.0
"""Of processor time for the pictures of one document, without what Tesseract takes."""
_TITLES: Final = (BlockKind.HEADING, BlockKind.CAPTION)
"""A title within a picture begins no part of the hand-in."""


def pictures_read(reading: Reading, files: Sequence[SubmittedFile], wanted: Collection[Evidence]) -> Reading:
    """The reading with the words of those pictures that are `wanted`, by the places of their blocks, as far as there is
    a program that reads them. `files` are those of the hand-in."""
    places = {place.model_copy(update={"quote": ""}) for place in wanted}
    by_path = {file.path: file for file in files}
    found: list[PictureText] = []
    for document in chain(reading.documents, map(notebook_document, reading.notebooks)):
        figures = _figures(document)
        asked = [number for number, block in enumerate(figures) if document.evidence(block, "") in places]
        asked = asked[: MOST_READ - len(found)]
        file = by_path.get(document.file)
        if not asked or file is None:
            continue
        is_pdf = document.pages is not None
        words = _in_pdf(file, figures, asked) if is_pdf else _in_others(document, figures, asked, by_path)
        # The pictures of a damaged file stay unread, as they do without a program that reads them.
        with suppress(Exception), limit_time(_SECONDS):
            found += [
                PictureText(file=document.file, number=number, blocks=blocks) for number, blocks in words if blocks
            ]
    return reading.model_copy(update={"pictured": tuple(found)}) if found else reading


def with_pictures(reading: Reading) -> Reading:
    """The reading with the words of its pictures in their places."""
    by_file: dict[str, dict[int, tuple[Block, ...]]] = {}
    for picture in reading.pictured:
        by_file.setdefault(picture.file, {})[picture.number] = picture.blocks
    return reading.model_copy(
        update={
            "documents": tuple(_with_words(document, by_file.get(document.file, {})) for document in reading.documents),
            "notebooks": tuple(
                _with_words_in_cells(notebook, by_file.get(notebook.file, {})) for notebook in reading.notebooks
            ),
        }
    )


def _figures(document: Document) -> list[Block]:
    """The pictures of a document, but for formulas and words that are drawn within a line."""
    return [block for block in document.blocks if block.kind is BlockKind.FIGURE and not block.in_line]


def _in_pdf(
    file: SubmittedFile, figures: Sequence[Block], asked: Sequence[int]
) -> Iterator[tuple[int, tuple[Block, ...]]]:
    """The words in some figures of a PDF, by the figures' numbers. Raises PdfiumError."""
    import pypdfium2

    with closing(pypdfium2.PdfDocument(file.location)) as pdf:
        for number in asked:
            page = figures[number].page or 1
            scan = scanned_page(pdf, page, figures[number].box)
            if isinstance(scan, Failure):
                continue
            with closing(pdf[page - 1]) as opened:
                width, height = opened.get_size()
            lines = picture_lines(scan, page, width, height)
            yield (
                number,
                tuple(
                    _read(block, page=page, box=rounded_box(scan.on_page(block.box)) if block.box else None)
                    for block in blocks_of(lines, body_of(lines))
                ),
            )


def _in_others(
    document: Document, figures: Sequence[Block], asked: Sequence[int], files: Mapping[str, SubmittedFile]
) -> Iterator[tuple[int, tuple[Block, ...]]]:
    """The words in some pictures of another document, by their numbers."""
    contents: dict[int, bytes | None] = {}
    for path in {figures[number].file or document.file for number in asked} & files.keys():
        numbers = [at for at, block in enumerate(figures) if (block.file or document.file) == path]
        shown = list(pictures_in(files[path], list(files.values())))
        contents |= dict(zip(numbers, _contents([figures[at] for at in numbers], shown), strict=True))
    for number in asked:
        figure, content = figures[number], contents.get(number)
        scan = scanned_picture(content) if content else Failure.DAMAGED
        if not isinstance(scan, Failure):
            lines = picture_lines(scan[0], 1, *scan[1:])
            place = {"page": None, "box": None, "line": figure.line, "cell": figure.cell, "file": figure.file}
            yield number, tuple(_read(block, **place) for block in blocks_of(lines, body_of(lines)))


def _contents(figures: Sequence[Block], shown: Sequence[Picture]) -> list[bytes | None]:
    """The bytes of figures. A picture is known by the cell or the line that it stands in, or in an office document by
    its number, where as many pictures as figures stand there."""
    is_placed = any(candidate.cell is not None or candidate.line is not None for candidate in shown)
    figures_by: dict[int | None, list[int]] = {}
    pictures_by: dict[int | None, list[bytes | None]] = {}
    for at, block in enumerate(figures):
        place = block.line if block.cell is None else block.cell
        figures_by.setdefault(place if is_placed else None, []).append(at)
    for picture in shown:
        place = picture.line if picture.cell is None else picture.cell
        pictures_by.setdefault(place if is_placed else None, []).append(picture.content)
    found: list[bytes | None] = [None] * len(figures)
    for place, indices in figures_by.items():
        if len(indices) == len(pictures_by.get(place, ())):
            for at, content in zip(indices, pictures_by[place], strict=True):
                found[at] = content
    return found


def _read(block: Block, **place: object) -> Block:
    """A block that OCR read in a picture, at the picture's place."""
    kind = BlockKind.LINE if block.kind in _TITLES else block.kind
    return block.model_copy(update={"recognised": True, "kind": kind, "level": None, **place})


def _with_words(document: Document, words: Mapping[int, tuple[Block, ...]]) -> Document:
    if not words:
        return document
    figures = {id(block): number for number, block in enumerate(_figures(document))}
    blocks = ((block, *words.get(figures.get(id(block), -1), ())) for block in document.blocks)
    return document.model_copy(update={"blocks": tuple(chain.from_iterable(blocks))})


def _with_words_in_cells(notebook: Notebook, words: Mapping[int, tuple[Block, ...]]) -> Notebook:
    if not words:
        return notebook
    by_cell: dict[int | None, tuple[Block, ...]] = {}
    for number, figure in enumerate(_figures(notebook_document(notebook))):
        by_cell[figure.cell] = (*by_cell.get(figure.cell, ()), *words.get(number, ()))
    cells = (cell.model_copy(update={"shown": by_cell.get(cell.index, ())}) for cell in notebook.cells)
    return notebook.model_copy(update={"cells": tuple(cells)})
