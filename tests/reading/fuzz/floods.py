"""One token again and again: where the time or memory of a reader grows faster than a file."""

import re
from typing import Final, NamedTuple

from tests.reading.fuzz.case import Case, natural
from tests.reading.fuzz.containers import zipped
from tests.reading.fuzz.tokens import HTML, JSON, LATEX, LOG, MARKDOWN, NUMBERS, ODD, PDF, XML
from tests.reading.making import pdf

SIZE: Final = 200_000
"""In characters."""


NESTED: Final = "nested"
"""In place of what stands between: all that was begun is ended, the last first."""

_BEGIN: Final = re.compile(r"<([a-z:A-Z]+)(?=[ >])(?![^>]*/>)|\\begin\{(\w+)\}|[{\[(]")
_HTML_TAGS: Final = frozenset(
    "html body p table tr td ul li math mfrac msup mi mn pre h1 svg div span annotation a template b".split()  # noqa: SIM905
)


class Flood(NamedTuple):
    """A file full of one token."""

    name: str
    token: str
    between: str


_TEXTS: Final = {
    "report.md": (MARKDOWN, "# Title\n\ntext ", "\n"),
    "report.txt": (MARKDOWN, "", ""),
    "report.tex": (LATEX, "\\documentclass{article}\\begin{document} text ", " \\end{document}"),
    "report.html": (HTML, "<html><body><p>text ", "</p></body></html>"),
    "train.log": (LOG, "2023-11-20 10:00:00 | INFO | train | ", "\n"),
    "trainer_state.json": (JSON, '{"log_history": [', "]}"),
    "notebook.ipynb": (JSON, '{"nbformat": 4, "cells": [', "]}"),
    "report.pdf": (PDF, "BT /F1 10 Tf 72 700 Td (text) Tj ", " ET"),
    "report.docx": (XML, "", ""),
    "report.odt": (XML, "", ""),
}
_WORD: Final = (
    b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    b'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><w:body><w:p><w:r><w:t>text</w:t></w:r></w:p>'
)
_OPEN: Final = b"urn:oasis:names:tc:opendocument:xmlns:"
_OFFICE: Final = (
    b'<office:document-content xmlns:office="%soffice:1.0" xmlns:text="%stext:1.0" xmlns:table="%stable:1.0">'
    % (_OPEN, _OPEN, _OPEN)
)


def floods() -> tuple[Flood, ...]:
    """Each text format with each of its own tokens and with odd ones, with and without line ends between them."""
    return tuple(
        Flood(name, token, between)
        for name, (family, _, _) in _TEXTS.items()
        for token in (*family, *ODD, *NUMBERS)
        for between in ("", "\n", " ", NESTED)
        if between != NESTED or _closing(token)
    )


def flooded(flood: Flood, size: int = SIZE) -> Case:
    """The file of a flood, of about so many characters."""
    _, before, after = _TEXTS[flood.name]
    if flood.between == NESTED:
        times = size // (2 * len(flood.token))
        text = flood.token * times + _closing(flood.token) * times
    else:
        piece = flood.token + flood.between
        text = piece * (size // len(piece))
    return natural(flood.name, _file(flood.name, before + text + after))


def _closing(token: str) -> str:
    """What ends all that a token begins and does not end, in reverse order."""
    begun = [found[1] or found[2] or found[0] for found in _BEGIN.finditer(token)]
    ends = [_end(name) for name in reversed(begun)]
    return "".join(end for end in ends if end not in token)


def _end(name: str) -> str:
    brackets = {"{": "}", "[": "]", "(": ")"}
    tag = ":" in name or name in _HTML_TAGS
    return brackets.get(name) or (f"</{name}>" if tag else f"\\end{{{name}}}")


def _file(name: str, text: str) -> bytes:
    if name.endswith(".pdf"):
        return pdf(text.encode("cp1252", "replace").decode("cp1252"))
    data = text.encode("utf-8", "surrogatepass")
    if name.endswith(".docx"):
        return zipped([("word/document.xml", _WORD + data + b"</w:body></w:document>")])
    if name.endswith(".odt"):
        return zipped([("content.xml", _OFFICE + data + b"</office:document-content>")])
    return data
