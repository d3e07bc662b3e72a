"""The check `notebook-state`: the cells of a notebook ran in order."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from grader.checks.changed_arguments import changed_arguments
from grader.checks.check import Conclusion, check
from grader.checks.finding import Flag, Severity
from grader.claims.answer import Answer
from grader.claims.handout import NotebookState, versions_of
from grader.lab.definition import Lab
from grader.message import Message, join_messages, say, say_number


def cells_named(cells: Sequence[int], most: int = 8) -> str:
    """Return the numbers of some cells as notebooks count them: `cells 3, 5, …`."""
    shown = ", ".join(map(str, cells[:most])) + (", …" if len(cells) > most else "")
    return say_number("cell {shown}", "cells {shown}", len(cells), shown=shown)


_MOST_REFUSED: Final = 3


@check("notebook-state")
def notebook_state(answer: Answer, lab: Lab, *, libraries: tuple[str, ...] = ()) -> Iterator[Conclusion]:
    """The notebooks were run from top to bottom, without errors.

    - `libraries`: packages whose versions are reported.

    Decides: nothing; it [flags](flags.md) cells that were not run, open gaps, refused arguments, and versions.

    Leaves to people: nothing.

    Example:
        libraries = ["transformers", "peft", "torch"]
    """
    for notebook in answer.notebooks:
        calls = (call for cell in answer.code if cell.file == notebook.file for call in cell.calls if not call.dead)
        changes = (argument for call in calls for argument in changed_arguments(call, answer, lab))
        refused = dict.fromkeys(change.refusal for change in changes if change.is_taken is False)
        odd = [*_odd(notebook), *islice(refused, _MOST_REFUSED)]
        if odd:
            yield Flag(
                id="notebook-state",
                severity=Severity.INFO,
                message=join_messages(" ", [_ran(notebook), *odd, *_versions(notebook, libraries)]),
                evidence=(*notebook.errors[:3], *notebook.gaps[:3]),
            )


def _ran(notebook: NotebookState) -> Message:
    if not notebook.holds_outputs:
        return say("{file} is a script, which cannot show a run.", file=notebook.file)
    return say(
        "{file}: {ran} of {cells} code cells show that they were run.",
        file=notebook.file,
        ran=notebook.ran,
        cells=notebook.code_cells,
    )


def _odd(notebook: NotebookState) -> Iterator[str]:
    """Yield the signs that a notebook was not run from top to bottom."""
    if notebook.not_run and notebook.holds_outputs:
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
    shown_versions = [(name, found[0]) for name in libraries if (found := versions_of(notebook.versions, name))]
    if shown_versions:
        yield say("Versions: {versions}.", versions=", ".join(f"{name} {version}" for name, version in shown_versions))
