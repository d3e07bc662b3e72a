"""Jupyter notebooks: sources and outputs as they were saved. Nothing is run."""

from enum import StrEnum
from itertools import pairwise

from grader.frozen import Frozen
from grader.message import Words


class CellKind(StrEnum):
    """A cell's type in the notebook format."""

    MARKDOWN = "markdown"
    CODE = "code"
    RAW = "raw"


class OutputKind(StrEnum):
    """What a piece of output is. Progress bars and warnings go to `stderr`."""

    STDOUT = "stdout"
    STDERR = "stderr"
    RESULT = "result"
    TABLE = "table"
    PICTURE = "picture"
    ERROR = "error"


class Output(Frozen):
    """A piece of what a cell put out. Its text is `lines` lines of the cell's `output`, beginning with line `line` from
    1; a table has the texts of its cells in `rows` as well, and a picture nothing but its place."""

    kind: OutputKind
    line: int
    lines: int
    rows: tuple[tuple[str, ...], ...] = ()


class Cell(Frozen):
    """One cell. `output` joins its text outputs, and `outputs` says what each part of it is; `error` is the name and
    message of an exception that it ended in; `attachments` counts the pictures kept with its source."""

    index: int
    kind: CellKind
    source: str
    execution_count: int | None = None
    output: str = ""
    outputs: tuple[Output, ...] = ()
    error: str | None = None
    attachments: int = 0


class Kernel(Frozen):
    """What a notebook says of where it was run: the kernel's name, its language and that language's version, and the
    program it was edited in where it left a trace (`colab`, `vscode`, `kaggle`,
    `databricks`, `deepnote`)."""

    name: str | None = None
    language: str | None = None
    version: str | None = None
    editor: str | None = None


class VersionSource(StrEnum):
    """How a version is known, the surest first: the code printed it, an installer installed it or found it there, or a
    command asks for it."""

    PRINTED = "printed"
    INSTALLED = "installed"
    PRESENT = "present"
    ASKED = "asked"


class LibraryVersion(Frozen):
    """A version of a library (its name as in the package index, lower case), and the cell that tells it."""

    name: str
    version: str
    source: VersionSource
    cell: int


class Notebook(Frozen):
    """A notebook's cells in order, and the versions of libraries that they tell; `problems` say what could not be
    read."""

    file: str
    cells: tuple[Cell, ...] = ()
    kernel: Kernel = Kernel()
    versions: tuple[LibraryVersion, ...] = ()
    problems: tuple[Words, ...] = ()

    @property
    def never_run(self) -> tuple[int, ...]:
        """The indexes of code cells without a sign of having been run. Clearing the outputs takes the signs away."""
        return tuple(
            cell.index
            for cell in self.cells
            if cell.kind is CellKind.CODE and cell.source.strip() and not _was_run(cell)
        )

    @property
    def out_of_order(self) -> tuple[int, ...]:
        """The indexes of cells that were run before the one that stands above them."""
        run = [cell for cell in self.cells if cell.execution_count]
        return tuple(
            below.index
            for above, below in pairwise(run)
            if (below.execution_count or 0) <= (above.execution_count or 0)
        )


def _was_run(cell: Cell) -> bool:
    return cell.execution_count is not None or bool(cell.output) or bool(cell.outputs)
