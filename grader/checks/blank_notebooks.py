"""Recognise notebooks that were handed in as they were handed out."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from grader.claims.handout import NotebookState
from grader.language import lexicon
from grader.message import say
from grader.reading.document import Evidence

_FEWEST_GAPS: Final = 3


_FEW_RUN: Final = 0.25


_FEWEST_LINES: Final = 10


_MOST_UNTOUCHED: Final = 0.9


_MOST_OPEN: Final = 0.75


_FEW_OWN: Final = 2


_MOST_TEXT: Final = 500_000


class BlankNotebook(NamedTuple):
    """A notebook that was hardly changed. `is_known`: its lines are known to be the handout's."""

    sentence: str
    evidence: tuple[Evidence, ...]
    is_known: bool = False


def blank_notebooks(notebooks: Sequence[NotebookState]) -> list[BlankNotebook]:
    """Return the notebooks that are nearly the handout, or have several open gaps and hardly any cell that ran."""
    return [found for notebook in notebooks if (found := _handout(notebook) or _open(notebook))]


def _handout(notebook: NotebookState) -> BlankNotebook | None:
    """Return a notebook that is nearly the handout, or None.

    A completed notebook also keeps most of the handout's lines, so open gaps and the student's own lines decide.
    """
    known_handout_share = notebook.handout
    if (
        known_handout_share is None
        or known_handout_share.lines < _FEWEST_LINES
        or known_handout_share.share < _MOST_UNTOUCHED
    ):
        return None
    if (
        known_handout_share.open < _MOST_OPEN * known_handout_share.gaps
        if known_handout_share.gaps
        else known_handout_share.own > _FEW_OWN
    ):
        return None
    sentence = say(
        "{share:.0%} of the lines of {file} are the handout's own ({same} of {lines}), and {open} of its {gaps} gaps "
        "are still open.",
        share=known_handout_share.share,
        file=notebook.file,
        same=known_handout_share.same,
        lines=known_handout_share.lines,
        open=known_handout_share.open,
        gaps=known_handout_share.gaps,
    )
    return BlankNotebook(sentence, notebook.gaps[:3], is_known=True)


def _open(notebook: NotebookState) -> BlankNotebook | None:
    """Return a notebook with several open gaps and hardly any cell that ran, or None."""
    gaps, cells = len(notebook.gaps), notebook.code_cells
    was_run = notebook.ran > _FEW_RUN * cells or not notebook.holds_outputs
    if gaps < _FEWEST_GAPS or (was_run and notebook.open_cells * 2 < cells):
        return None
    if notebook.holds_outputs:
        sentence = say(
            "In {file} {gaps} gaps are still open, and {ran} of {cells} cells were run.",
            file=notebook.file,
            gaps=gaps,
            ran=notebook.ran,
            cells=cells,
        )
    else:
        sentence = say("In {file} {gaps} gaps are still open.", file=notebook.file, gaps=gaps)
    return BlankNotebook(sentence, notebook.gaps[:3])


def was_worked_on(notebook: NotebookState) -> bool:
    """Whether cells of a notebook were run, as far as it can show that, and hardly any gap is open."""
    was_run = notebook.ran > _FEW_RUN * notebook.code_cells or not notebook.holds_outputs
    return len(notebook.gaps) < _FEWEST_GAPS and was_run


def instructions(text: str) -> list[str]:
    """Return the different texts that only a handout contains, in order."""
    return list(
        dict.fromkeys(match[0] for match in lexicon.find_all(r"<instruction>|\d+ points?\b", text[:_MOST_TEXT]))
    )
