"""Reading PDFs, against plain extraction of the text and against pdfminer.six."""

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from grader.intake.submission import Role, SubmittedFile
from grader.reading.pdf import read_pdf
from scripts.bench.figure import Figure, median_seconds
from scripts.samples.hand_in_files import pdf

ROOT = Path(__file__).parents[2]

_SECTION = """
<h2>{number} Task {number}</h2>
<p>For each seed we kept the checkpoint with the best validation accuracy, and we report its accuracy on the test set.
The matrices of one layer hold 4 × 512<sup>2</sup> = 1,048,576 weights, and d<sub>model</sub> is 512.</p>
<table><tr><th>Seed</th><th>Validation</th><th>Test</th></tr>
<tr><td>1</td><td>81.5</td><td>79.90</td></tr><tr><td>2</td><td>80.0</td><td>78.50</td></tr></table>
<ul><li>r: the rank of the update</li><li>lora_alpha: its scaling factor</li></ul>
<p>{words}</p>
"""
_WORDS = "The pretrained model is better than the random one, as the words and the figures of this paragraph tell. " * 6
_LOOK = "<style>@page { @bottom-center { content: counter(page) } } td { padding: 0 8pt }</style>"


def document_at(path: Path) -> SubmittedFile:
    """A file on disk as intake would hand it on."""
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    return SubmittedFile(path=path.name, role=Role.REPORT, size=len(data), sha256=digest, location=path)


def pdfs(folder: Path) -> list[Path]:
    """The PDFs of the sample class that are whole, and one of ten pages or so that is written to a folder."""
    made = folder / "report.pdf"
    made.write_bytes(pdf(_LOOK + "".join(_SECTION.format(number=n, words=_WORDS) for n in range(1, 25))))
    samples = sorted((ROOT / "submissions").glob("*/*.pdf"))
    return [*(path for path in samples if b"%%EOF" in path.read_bytes()[-64:]), made]


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
