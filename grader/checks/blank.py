"""Signs of a hand-out that was not worked on: gaps that are still open, cells never run, the hand-out's own lines."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from grader.claims.code import CodeCell
from grader.reading.evidence import Evidence

_FEWEST_GAPS: Final = 3
_FEW_RUN: Final = 0.25
_FEWEST_LINES: Final = 10
_INSTRUCTION: Final = re.compile(
    r"\b(?:deadline|due date|hand[- ]in (?:your|a|the)|submit (?:your|a|the)|your (?:answers?|report|code|name)"
    r"|you (?:should|must|will|have to|need to|are asked)|(?:fill|complete) (?:in )?the|\d+ points?\b|grading"
    r"|plagiarism|late submissions?|vous (?:devez|devrez)|à rendre|rendez|complétez|barème)",
    re.IGNORECASE,
)
_MOST: Final = 500_000


class BlankNotebook(NamedTuple):
    """A notebook that was hardly worked on."""

    sentence: str
    evidence: tuple[Evidence, ...]


def blank_notebooks(code: Sequence[CodeCell]) -> list[BlankNotebook]:
    """The notebooks with several open gaps of which hardly a cell was run."""
    files = dict.fromkeys(cell.file for cell in code if cell.is_notebook)
    return [found for file in files if (found := _blank([cell for cell in code if cell.file == file]))]


def _blank(cells: Sequence[CodeCell]) -> BlankNotebook | None:
    gaps = [gap.evidence for cell in cells for gap in cell.gaps]
    ran = sum(cell.ran for cell in cells)
    open_cells = sum(bool(cell.gaps) for cell in cells)
    if len(gaps) < _FEWEST_GAPS or (ran > _FEW_RUN * len(cells) and open_cells * 2 < len(cells)):
        return None
    sentence = f"In {cells[0].file} {len(gaps)} gaps are still open, and {ran} of {len(cells)} cells were run."
    return BlankNotebook(sentence, tuple(gaps[:3]))


def line_hash(line: str) -> str:
    """A line of a hand-out as a lab lists it: 12 hexadecimal digits of the SHA-256 of its words."""
    return hashlib.sha256(" ".join(line.split()).encode()).hexdigest()[:12]


def untouched_share(code: Sequence[CodeCell], templates: frozenset[str]) -> float | None:
    """The share of the notebooks' lines that are the hand-out's own; None where it is not known or there are few."""
    lines = [line for cell in code if cell.is_notebook for line in _lines(cell)]
    if not templates or len(lines) < _FEWEST_LINES:
        return None
    return sum(line_hash(line) in templates for line in lines) / len(lines)


def _lines(cell: CodeCell) -> Iterator[str]:
    return (line for line in cell.source.split("\n")[:5_000] if line.strip())


def instructions(text: str) -> list[str]:
    """What a text says that only a hand-out says: different ones, in order."""
    return list(dict.fromkeys(match.group().lower() for match in _INSTRUCTION.finditer(text[:_MOST])))
