"""Reading PDFs, against plain extraction of the text and against pdfminer.six."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from grader.intake.submission import SubmittedFile
from grader.reading.pdf import read_pdf
from scripts.bench.documents import document_at, pdfs
from scripts.bench.figure import Figure, median_seconds


def figures() -> Iterator[Figure]:
    """The milliseconds for a page, and how they compare."""
    with tempfile.TemporaryDirectory() as folder:
        paths = pdfs(Path(folder))
        pages = sum(map(_extract, paths))
        ours = median_seconds(partial(_read, [document_at(path) for path in paths]))
        plain = median_seconds(partial(_each_extracted, paths))
        miner = median_seconds(partial(_mine, paths), runs=3)
    yield Figure("PDF: a page read, with geometry and repairs", ours / pages * 1e3, "ms")
    yield Figure("PDF: as many times as plain pypdfium2", ours / plain, "times", 6.0)
    yield Figure("PDF: as many times faster than pdfminer.six", miner / ours, "times", 3.0, at_least=True)


def _read(files: Sequence[SubmittedFile]) -> None:
    for file in files:
        read_pdf(file)


def _each_extracted(paths: Sequence[Path]) -> None:
    for path in paths:
        _extract(path)


def _extract(path: Path) -> int:
    """Take the text out of each page; how many there are."""
    import pypdfium2

    with closing(pypdfium2.PdfDocument(path)) as pdf:
        for index in range(len(pdf)):
            with closing(pdf[index]) as page, closing(page.get_textpage()) as text_page:
                text_page.get_text_range()
        return len(pdf)


def _mine(paths: Sequence[Path]) -> None:
    from pdfminer.high_level import extract_text

    for path in paths:
        extract_text(path)
