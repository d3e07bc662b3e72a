"""Which reader a file goes to, by its role and what it looks like."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from grader.intake.submission import Role, SubmittedFile
from grader.lab.log_format import LogFormat
from grader.reading.converted import FORMATS, read_converted
from grader.reading.document import BlockKind, Document
from grader.reading.docx import read_docx
from grader.reading.events import read_event_file
from grader.reading.html import read_html
from grader.reading.ignored import why_no_report
from grader.reading.latex.document import read_latex
from grader.reading.latex.sources import SUFFIXES
from grader.reading.log import Log
from grader.reading.logs.files import read_log_file
from grader.reading.markup import read_lines, read_markdown, read_text, read_unknown_text
from grader.reading.notebook import Notebook
from grader.reading.notebook_file import read_notebook
from grader.reading.odt import read_odt
from grader.reading.pdf import read_pdf

Content = Document | Notebook | Log
Reader = Callable[[SubmittedFile], Sequence[Content]]
_Single = Callable[[SubmittedFile], Content]

HEAD: Final = 4096
"""As many of a file's first bytes as decide about its reader."""

_REPORTS: Final[dict[str, _Single]] = {
    **dict.fromkeys((".md", ".markdown", ".mdown", ".rmd", ".qmd"), read_markdown),
    **dict.fromkeys((".docx", ".docm", ".dotx", ".doc"), read_docx),
    **dict.fromkeys((".odt", ".ott"), read_odt),
    **dict.fromkeys((".html", ".htm", ".xhtml"), read_html),
    **dict.fromkeys(FORMATS, read_converted),
    ".pdf": read_pdf,
    ".ipynb": read_notebook,
}
_TEXT_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_PRINTED: Final = frozenset({".csv", ".json", ".yaml", ".yml"})
"""Logs that are data, not lines that a program printed."""


def reader_of(file: SubmittedFile, others: Sequence[SubmittedFile], formats: Sequence[LogFormat] = ()) -> Reader | None:
    """The reader for a file of a hand-in whose other files are `others`; None where there is none. `formats` are those
    of the lab's own logs. Raises OSError."""
    with file.location.open("rb") as opened:
        head = opened.read(HEAD)
    suffix = PurePosixPath(file.path).suffix.lower()
    match file.role:
        case Role.REPORT:
            single = _report_reader(head, suffix, others)
        case Role.LOG:
            return _log_reader(file, head, suffix, formats_for(file.path, formats))
        case Role.NOTEBOOK:
            single = read_notebook
        case Role.CODE:
            single = partial(read_lines, kind=BlockKind.CODE)
        case _:
            return None
    return None if single is None else lambda one: (single(one),)


def _report_reader(head: bytes, suffix: str, others: Sequence[SubmittedFile]) -> _Single | None:
    if b"%PDF" in head[:1024]:
        return read_pdf
    if suffix in SUFFIXES:
        return partial(read_latex, others=others)
    if suffix == ".txt":
        return read_text
    return _REPORTS.get(suffix) or (None if why_no_report(suffix) else read_unknown_text)


def formats_for(path: str, formats: Sequence[LogFormat]) -> tuple[LogFormat, ...]:
    """Those of a lab's own formats that a file may be in."""
    return tuple(one for one in formats if not one.files or one.is_of(path))


def _log_reader(file: SubmittedFile, head: bytes, suffix: str, formats: Sequence[LogFormat]) -> Reader:
    if (b"\0" in head and not head.startswith(_TEXT_MARKS)) or "tfevents" in PurePosixPath(file.path).name:
        return lambda one: (read_event_file(one),)
    if suffix in _PRINTED:
        return partial(read_log_file, formats=formats)
    return partial(_printed, formats=formats)


def _printed(file: SubmittedFile, formats: Sequence[LogFormat]) -> Sequence[Content]:
    """What a program printed: its lines, and the training logs among them."""
    logs = (log for log in read_log_file(file, formats) if log.series or log.settings)
    return (read_lines(file, BlockKind.OUTPUT), *logs)
