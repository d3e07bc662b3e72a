"""Agreement of PDFs with their sources: pairs `NAME.md` and `NAME.pdf` in the folder that TWINS names.

For each pair, the share of the source's words, numbers and formulas that the PDF's text holds as well.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from grader.claims.passage import normalise
from grader.reading.pdf import read_pdf
from scripts.bench.figure import Figure
from scripts.bench.pdf import document_at

_NOT_SHOWN = re.compile(r"\\(?:tag|label|begin|end)\s*\{[^{}]*\}|</?(?:sup|sub)>|\\[,;:!]|\\\\")
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]{2,}")
_COMMAND = re.compile(r"\\[a-zA-Z]+|\b(?:rm|bf|it)\b")
_SPELLINGS = (
    (r"\\(?:mathbb|mathcal|rm|underbrace)(?![a-zA-Z])", ""),
    (r"\\(max|min|log)(?![a-zA-Z])", r"\1"),
    (r"\\in(?![a-zA-Z])", "∈"),
    (r"\\Delta(?![a-zA-Z])|∆", "Δ"),
    (r"\\l?dots(?![a-zA-Z])|…|\. \. \.", "..."),
    (r"\\long(?:right)?arrow(?![a-zA-Z])|−→|-→", "→"),
    (r"_([^\W_]+)\^([^\W_]+)", r"^\2_\1"),
    (r"[{}\\&\s]", ""),
)


class Agreement(NamedTuple):
    """The content of a source, and the parts of it that are missing from its PDF."""

    words: Counter[str]
    numbers: Counter[str]
    formulas: tuple[str, ...]
    missing_words: Counter[str]
    missing_numbers: Counter[str]
    missing_formulas: tuple[str, ...]


def agreement(source: str, shown: str) -> Agreement:
    """Compare the text of a Markdown source with that read from its PDF."""
    plain = normalise(_NOT_SHOWN.sub(" ", source)).text
    read = normalise(shown).text
    words, numbers = _words(_COMMAND.sub(" ", plain)), Counter(_NUMBER.findall(plain))
    formulas = tuple(_squeezed(first or second) for first, second in _FORMULA.findall(source))
    squeezed = _squeezed(shown)
    return Agreement(
        words,
        numbers,
        formulas,
        words - _words(read),
        numbers - Counter(_NUMBER.findall(read)),
        tuple(formula for formula in formulas if formula not in squeezed),
    )


def _words(text: str) -> Counter[str]:
    return Counter(word.casefold() for word in _WORD.findall(text))


def _squeezed(text: str) -> str:
    """A formula's characters alone, in one spelling."""
    plain = normalise(_NOT_SHOWN.sub("", text)).text
    for pattern, spelling in _SPELLINGS:
        plain = re.sub(pattern, spelling, plain)
    return plain


def figures() -> Iterator[Figure]:
    """Three for each pair; none where TWINS is not set."""
    folder = os.environ.get("TWINS")
    for path in sorted(Path(folder).glob("*.pdf")) if folder else ():
        source = path.with_suffix(".md")
        if source.exists():
            shown = "\n".join(block.text for block in read_pdf(document_at(path)).blocks)
            found = agreement(source.read_text(), shown)
            yield _figure(path.stem, "words", found.words.total(), found.missing_words.total(), bar=0.97)
            yield _figure(path.stem, "numbers", found.numbers.total(), found.missing_numbers.total(), bar=1.0)
            yield _figure(path.stem, "formulas", len(found.formulas), len(found.missing_formulas))


def _figure(name: str, what: str, count: int, missing: int, bar: float | None = None) -> Figure:
    return Figure(f"{name}: {what} of {count}", 1 - missing / count if count else 1.0, "share", bar, at_least=True)
