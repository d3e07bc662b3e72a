"""Jupyter notebooks: sources and outputs as they were saved. Nothing is run."""

from enum import StrEnum

from grader.frozen import Frozen


class CellKind(StrEnum):
    """A cell's type in the notebook format."""

    MARKDOWN = "markdown"
    CODE = "code"
    RAW = "raw"


class Cell(Frozen):
    """One cell. `output` joins its text outputs; `error` is the name and message of an exception that it ended in."""

    index: int
    kind: CellKind
    source: str
    execution_count: int | None = None
    output: str = ""
    error: str | None = None


class Notebook(Frozen):
    """A notebook's cells in order; `problems` say what could not be read."""

    file: str
    cells: tuple[Cell, ...] = ()
    problems: tuple[str, ...] = ()
