"""In which state a notebook was handed in: what ran, in which order, what failed, what is still open."""

from collections.abc import Iterable, Sequence
from typing import Final

from grader.claims.code import CodeCell
from grader.claims.handout import HandoutShare, handout_share
from grader.frozen import Frozen
from grader.lab.templates import Templates
from grader.reading.evidence import Evidence
from grader.reading.notebook import CellKind, LibraryVersion, Notebook, VersionSource
from grader.reading.notebook_versions import normal_name

_MOST: Final = 200
_LONGEST: Final = 300


class NotebookState(Frozen):
    """A notebook as it was handed in. Cells are named by their places from 0: of `code_cells` those in `not_run` show
    no sign of a run, and those in `out_of_order` were run before the one above them."""

    file: str
    code_cells: int = 0
    not_run: tuple[int, ...] = ()
    out_of_order: tuple[int, ...] = ()
    errors: tuple[Evidence, ...] = ()
    gaps: tuple[Evidence, ...] = ()
    open_cells: int = 0
    versions: tuple[LibraryVersion, ...] = ()
    handout: HandoutShare | None = None

    @property
    def ran(self) -> int:
        """How many code cells show a sign of a run."""
        return self.code_cells - len(self.not_run)


def notebook_state(notebook: Notebook, code: Sequence[CodeCell], templates: Templates) -> NotebookState:
    """The state of a notebook, with what its code cells do."""
    gaps = [gap.evidence for cell in code for gap in cell.gaps]
    return NotebookState(
        file=notebook.file,
        code_cells=sum(cell.kind is CellKind.CODE and bool(cell.source.strip()) for cell in notebook.cells),
        not_run=notebook.never_run,
        out_of_order=notebook.out_of_order,
        errors=tuple(_errors(notebook)),
        gaps=tuple(gaps[:_MOST]),
        open_cells=sum(bool(cell.gaps) for cell in code),
        versions=notebook.versions,
        handout=handout_share(notebook, [gap.quote for gap in gaps], templates),
    )


def _errors(notebook: Notebook) -> Iterable[Evidence]:
    failed = (cell for cell in notebook.cells if cell.error)
    for cell, _ in zip(failed, range(_MOST), strict=False):
        yield Evidence(file=notebook.file, cell=cell.index, quote=(cell.error or "")[:_LONGEST])


def versions_of(states: Iterable[NotebookState], library: str) -> tuple[str, ...]:
    """The versions of a library that the notebooks had, the latest first, as far as they tell: what was printed counts
    before what was installed, that before what was there, and that before what a command asked for. Several where
    notebooks differ, or one of them changed it; none where nothing tells."""
    name = normal_name(library)
    known = [one for state in states for one in state.versions if one.name == name]
    for source in VersionSource:
        found = [one.version for one in reversed(known) if one.source is source]
        if found:
            return tuple(dict.fromkeys(found))
    return ()
