"""From a PDF file to a document."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from grader.intake.submission import SubmittedFile
from grader.message import Message, Words, say
from grader.reading.document import Document
from grader.reading.evidence import Box
from grader.reading.pdf.blocks import blocks_of, body_of, plain_blocks
from grader.reading.pdf.figures import with_figures
from grader.reading.pdf.furniture import PageText, parted
from grader.reading.pdf.hyphens import with_hyphens_undone
from grader.reading.pdf.page import page_lines
from grader.reading.pdf.page_line import PageLine
from grader.reading.pdf.signs import LOST
from grader.reading.pdf.split_numbers import with_numbers_joined

MOST_PAGES: Final = 300
MOST_TEXT: Final = 1_500_000
"""Characters in one file."""

_MUCH_LOST: Final = 0.05
_ROOM_BEFORE_HEADER: Final = 1024
"""In bytes: within so many from the start a PDF calls itself one."""


def read_pdf(file: SubmittedFile) -> Document:
    """The text of a PDF, one block per visual line, with page and box. What cannot be read becomes a problem; never
    raises for any content of the file."""
    import pypdfium2

    try:
        with closing(pypdfium2.PdfDocument(file.location)) as pdf:
            return _document(file.path, pdf)
    except pypdfium2.PdfiumError as error:
        return Document(file=file.path, exact=False, problems=(_refusal(error, file.location),))
    except OSError as error:
        return Document(
            file=file.path, exact=False, problems=(say("the file cannot be opened: {error}", error=error.strerror),)
        )


def _refusal(error: Any, location: Path) -> str:
    import pypdfium2.raw as pdfium

    code = getattr(error, "err_code", None)
    if code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
        return say("the PDF is encrypted and needs a password: hand in a copy without one")
    with location.open("rb") as file:
        if b"%PDF" not in file.read(_ROOM_BEFORE_HEADER):
            return say("the file is no PDF, although it is called one: export it as a PDF and check that it opens")
    return say("the PDF is damaged and cannot be opened: export it again and check that it opens")


def _document(path: str, pdf: Any) -> Document:
    count = len(pdf)
    problems: list[Words] = []
    if count > MOST_PAGES:
        problems.append(say("the PDF has {count} pages; only the first {most} are read", count=count, most=MOST_PAGES))
    pages: list[PageText] = []
    figures: list[tuple[int, Box]] = []
    broken: list[int] = []
    length = 0
    for number in range(1, min(count, MOST_PAGES) + 1):
        try:
            lines, height, boxes, remarks = page_lines(pdf, number)
        except Exception:  # a broken page must not hide the others
            broken.append(number)
            continue
        pages.append(PageText(number, height, lines))
        figures.extend((number, box) for box in boxes)
        problems.extend(remarks)
        length += sum(len(line.text) for line in lines)
        if length > MOST_TEXT:
            problems.append(say("the PDF holds very much text; it is read up to page {page}", page=number))
            break
    if broken:
        problems.append(say("{pages} cannot be read: the PDF is damaged there", pages=_pages(broken)))
    body, furniture = parted(pages, count)
    filled = {line.page for line in body}
    problems.extend(_about_text(body, [page.number for page in pages if page.number not in filled]))
    blocks = with_numbers_joined(with_hyphens_undone(blocks_of(body, body_of(body))))
    return Document(
        file=path,
        exact=False,
        blocks=tuple(with_figures(blocks, figures) if blocks else ()),
        furniture=tuple(plain_blocks(furniture)),
        pages=count,
        problems=tuple(problems),
    )


def _about_text(found: list[PageLine], empty: list[int]) -> Iterator[str]:
    if not found and empty:
        yield say("the PDF holds no text, only pictures (a scan?): hand in a PDF whose text can be selected")
    elif empty:
        yield say("no text on {pages}: what pictures show there is not read", pages=_pages(empty))
    text = "".join(line.text for line in found)
    lost = text.count(LOST)
    if lost > _MUCH_LOST * len(text) > 0:
        yield say(
            "{lost} of {count} characters have no meaning in the PDF's fonts: export it again",
            lost=lost,
            count=len(text),
        )


def _pages(numbers: list[int]) -> Message:
    which = ", ".join(map(str, numbers[:20])) + (", …" if len(numbers) > 20 else "")
    return say("pages {numbers}", numbers=which) if len(numbers) > 1 else say("page {page}", page=which)
