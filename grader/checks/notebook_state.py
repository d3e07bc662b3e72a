"""In which state were the notebooks handed in: gaps that are still open, cells never run, the hand-out's own lines?
It decides nothing, and tells a person where to look.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from grader.checks.check import Conclusion, check
from grader.checks.finding import Flag, Severity
from grader.claims.answer import Answer
from grader.claims.handout import NotebookState, versions_of
from grader.message import joined, say, say_number
from grader.reading.document import Evidence

_FEWEST_GAPS: Final = 3
_FEW_RUN: Final = 0.25
_FEWEST_LINES: Final = 10
_MOST_UNTOUCHED: Final = 0.9
_MOST_OPEN: Final = 0.75
_FEW_OWN: Final = 2
_INSTRUCTION: Final = re.compile(
    r"\b(?:deadline|due date|hand[- ]in (?:your|a|the)|submit (?:your|a|the)|your (?:answers?|report|code|name)"
    r"|you (?:should|must|will|have to|need to|are asked)|(?:fill|complete) (?:in )?the|\d+ points?\b|grading"
    r"|plagiarism|late submissions?|vous (?:devez|devrez)|à rendre|rendez|complétez|barème)",
    re.IGNORECASE,
)
_MOST: Final = 500_000


class BlankNotebook(NamedTuple):
    """A notebook that was hardly worked on. `is_known`: it is told from the hand-out's own lines."""

    sentence: str
    evidence: tuple[Evidence, ...]
    is_known: bool = False


def blank_notebooks(notebooks: Sequence[NotebookState]) -> list[BlankNotebook]:
    """The notebooks that are the hand-out's nearly whole, or have several open gaps and hardly a cell that ran."""
    return [found for one in notebooks if (found := _handout(one) or _open(one))]


def _handout(notebook: NotebookState) -> BlankNotebook | None:
    """A hand-out that was filled in keeps most of its lines too: its gaps and the student's own lines decide."""
    known = notebook.handout
    if known is None or known.lines < _FEWEST_LINES or known.share < _MOST_UNTOUCHED:
        return None
    if known.open < _MOST_OPEN * known.gaps if known.gaps else known.own > _FEW_OWN:
        return None
    sentence = say(
        "{share:.0%} of the lines of {file} are the hand-out's own ({same} of {lines}), and {open} of its {gaps} gaps "
        "are still open.",
        share=known.share,
        file=notebook.file,
        same=known.same,
        lines=known.lines,
        open=known.open,
        gaps=known.gaps,
    )
    return BlankNotebook(sentence, notebook.gaps[:3], is_known=True)


def _open(notebook: NotebookState) -> BlankNotebook | None:
    gaps, cells = len(notebook.gaps), notebook.code_cells
    if gaps < _FEWEST_GAPS or (notebook.ran > _FEW_RUN * cells and notebook.open_cells * 2 < cells):
        return None
    sentence = say(
        "In {file} {gaps} gaps are still open, and {ran} of {cells} cells were run.",
        file=notebook.file,
        gaps=gaps,
        ran=notebook.ran,
        cells=cells,
    )
    return BlankNotebook(sentence, notebook.gaps[:3])


def instructions(text: str) -> list[str]:
    """What a text says that only a hand-out says: different ones, in order."""
    return list(dict.fromkeys(match.group().lower() for match in _INSTRUCTION.finditer(text[:_MOST])))


def cells_named(cells: Sequence[int], most: int = 8) -> str:
    """The places of some cells, as notebooks count them: `cells 3, 5, …`."""
    shown = ", ".join(map(str, cells[:most])) + (", …" if len(cells) > most else "")
    return say_number("cell {shown}", "cells {shown}", len(cells), shown=shown)


@check("notebook-state")
def notebook_state(answer: Answer, *, libraries: tuple[str, ...] = ()) -> Iterator[Conclusion]:
    """The notebooks were run from top to bottom, without errors.

    `libraries` are those whose versions are told beside it, by their names in the package index.
    """
    for notebook in answer.notebooks:
        odd = list(_odd(notebook))
        if odd:
            yield Flag(
                id="notebook-state",
                severity=Severity.INFO,
                message=joined(" ", [_ran(notebook), *odd, *_versions(notebook, libraries)]),
                evidence=(*notebook.errors[:3], *notebook.gaps[:3]),
            )


def _ran(notebook: NotebookState) -> str:
    return say(
        "{file}: {ran} of {cells} code cells show that they were run.",
        file=notebook.file,
        ran=notebook.ran,
        cells=notebook.code_cells,
    )


def _odd(notebook: NotebookState) -> Iterator[str]:
    """What is not as it would be after a run from top to bottom."""
    if notebook.not_run:
        yield say("Without a sign of a run: {cells}.", cells=cells_named(notebook.not_run))
    if notebook.out_of_order:
        yield say("Run before the one above it: {cells}.", cells=cells_named(notebook.out_of_order))
    if notebook.errors:
        failed = [place.cell for place in notebook.errors if place.cell is not None]
        first = notebook.errors[0].quote
        yield say("Ended in an error: {cells} ({first}).", cells=cells_named(failed), first=first[:120])
    if notebook.gaps:
        yield say_number("A gap is still open.", "{number} gaps are still open.", len(notebook.gaps))


def _versions(notebook: NotebookState, libraries: tuple[str, ...]) -> Iterator[str]:
    known = [(name, found[0]) for name in libraries if (found := versions_of([notebook], name))]
    if known:
        yield say("Versions: {versions}.", versions=", ".join(f"{name} {version}" for name, version in known))
