"""One token again and again: where the time or memory of a reader grows faster than a file."""

from collections.abc import Iterator
from typing import Final

from tests.reading.fuzz.case import Case, natural
from tests.reading.fuzz.containers import zipped
from tests.reading.fuzz.tokens import HTML, JSON, LATEX, LOG, MARKDOWN, NUMBERS, ODD, PDF, XML
from tests.reading.making import pdf

SIZE: Final = 200_000
"""In characters."""

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
_WORD: Final = '<w:document xmlns:w="{0}" xmlns:m="{1}"><w:body><w:p><w:r><w:t>text</w:t></w:r></w:p>'.format(
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://schemas.openxmlformats.org/officeDocument/2006/math",
)
_OFFICE: Final = (
    '<office:document-content xmlns:office="{0}office:1.0" xmlns:text="{0}text:1.0" {1}="{0}table:1.0">'.format(
        "urn:oasis:names:tc:opendocument:xmlns:", "xmlns:table"
    )
)


def floods(size: int = SIZE) -> Iterator[Case]:
    """Each text format flooded with each of its own tokens and with odd ones, with and without line ends between."""
    for name, (family, before, after) in _TEXTS.items():
        for token in (*family, *ODD, *NUMBERS):
            for between in ("", "\n", " "):
                flood = (token + between) * (size // len(token + between))
                yield natural(name, _file(name, before + flood + after))


def _file(name: str, text: str) -> bytes:
    if name.endswith(".pdf"):
        return pdf(text.encode("cp1252", "replace").decode("cp1252"))
    data = text.encode("utf-8", "surrogatepass")
    if name.endswith(".docx"):
        return zipped([("word/document.xml", _WORD.encode() + data + b"</w:body></w:document>")])
    if name.endswith(".odt"):
        return zipped([("content.xml", _OFFICE.encode() + data + b"</office:document-content>")])
    return data
