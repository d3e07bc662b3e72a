"""One short text in every format in which students hand in reports. Formulas stand between dollar signs."""

import json
import re
from collections.abc import Callable, Sequence

Text = Sequence[tuple[str, str]]
"""Lines with their kind: `heading`, `line`, `item`, or `formula`."""


def markdown(text: Text) -> bytes:
    """ATX headings, dashes, and TeX between dollar signs."""
    marks = {"heading": "# {}", "line": "{}", "item": "- {}", "formula": "$${}$$"}
    return "\n\n".join(marks[kind].format(words) for kind, words in text).encode()


def latex(text: Text) -> bytes:
    """An article."""
    marks = {
        "heading": "\\section*{{{}}}",
        "line": "{}\n",
        "item": "\\begin{{itemize}}\n\\item {}\n\\end{{itemize}}",
        "formula": "\\[\n{}\n\\]",
    }
    body = "\n".join(marks[kind].format(words) for kind, words in text)
    return f"\\documentclass{{article}}\n\\begin{{document}}\n{body}\n\\end{{document}}\n".encode()


def notebook(text: Text) -> bytes:
    """One Markdown cell for each line."""
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": markdown([line]).decode().splitlines(keepends=True)}
        for line in text
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


def html(text: Text) -> bytes:
    """A page whose formulas are set with sub and sup."""
    tags = {"heading": "h1", "line": "p", "item": "li", "formula": "p"}
    body = "\n".join(f"<{tags[kind]}>{_set(kind, words)}</{tags[kind]}>" for kind, words in text)
    style = "<style>body{font:10pt 'DejaVu Sans'} sup,sub{font-size:70%}</style>"
    return f"<html><head><meta charset='utf-8'>{style}</head><body>{body}</body></html>".encode()


def pdf(text: Text) -> bytes:
    """The page printed."""
    import weasyprint

    printed: bytes = weasyprint.HTML(string=html(text).decode()).write_pdf()
    return printed


FORMATS: dict[str, Callable[[Text], bytes]] = {
    "report.md": markdown,
    "report.tex": latex,
    "report.ipynb": notebook,
    "report.html": html,
    "report.pdf": pdf,
}


def _set(kind: str, words: str) -> str:
    if kind == "formula":
        return _formula(words)
    return re.sub(r"\$(.+?)\$", lambda match: _formula(match[1]), words)


def _formula(tex: str) -> str:
    plain = tex.replace("\\times", "×").replace("\\cdot", "·").replace("{,}", ",").replace("\\ ", " ")
    plain = re.sub(r"\^\{?(\d+)\}?", r"<sup>\1</sup>", plain)
    return re.sub(r"_\{(?:\\text\{)?(\w+)\}?\}", r"<sub>\1</sub>", plain)
