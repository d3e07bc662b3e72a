"""In which state were the notebooks handed in? It decides nothing, and tells a person where to look."""

from collections.abc import Iterator

from grader.checks.blank import cells_named
from grader.checks.check import Conclusion, check
from grader.checks.finding import Flag, Severity
from grader.claims.answer import Answer
from grader.claims.notebook_state import NotebookState, versions_of
from grader.message import joined, say, say_number


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
