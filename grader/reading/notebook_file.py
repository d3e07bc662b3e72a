"""Notebook files (.ipynb, formats 3 and 4), read as JSON by hand so that half-broken ones still say something."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from grader.intake.submission import SubmittedFile
from grader.reading.bytes_in import decoded, lines_of, read_bytes, storable
from grader.reading.notebook import Cell, CellKind, Notebook

MOST_BYTES: Final = 50_000_000
"""Of a notebook file: pictures are kept inside."""

MOST_OUTPUT: Final = 1_000_000
"""In characters per cell."""

_KINDS: Final = {kind.value: kind for kind in CellKind} | {"heading": CellKind.MARKDOWN}
"""Format 3 has headings as cells of their own."""

_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")


def read_notebook(file: SubmittedFile) -> Notebook:
    """The cells of a notebook with their text outputs as saved. Nothing is run; never raises for any content."""
    data, trouble = read_bytes(file.location, MOST_BYTES)
    text, problems = decoded(data)
    problems = (*trouble, *problems)
    try:
        content = json.loads(text)
    except RecursionError:
        return Notebook(file=file.path, problems=(*problems, "the notebook's JSON is nested too deeply"))
    except ValueError as error:
        return Notebook(file=file.path, problems=(*problems, f"the notebook is not valid JSON: {_short(error)}"))
    raw, remarks = _raw_cells(content)
    cells: list[Cell] = []
    for index, cell in enumerate(raw):
        if isinstance(cell, dict):
            cells.append(_cell(index, cell, remarks))
        else:
            remarks.append(f"cell {index} is no cell and is skipped")
    return Notebook(file=file.path, cells=tuple(cells), problems=(*problems, *remarks))


def _short(error: Exception) -> str:
    return storable(str(error))[:120]


def _raw_cells(content: Any) -> tuple[list[Any], list[str]]:
    """The list of cells: at the top in format 4, in the worksheets in format 3."""
    if not isinstance(content, dict):
        return [], ["the file is JSON but no notebook (no object at the top)"]
    cells = content.get("cells")
    if isinstance(cells, list):
        return cells, []
    sheets = content.get("worksheets")
    if isinstance(sheets, list):
        lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        return [cell for part in lists if isinstance(part, list) for cell in part], []
    return [], ["the file is JSON but no notebook (it has no list of cells)"]


def _cell(index: int, raw: dict[str, Any], remarks: list[str]) -> Cell:
    kind = _KINDS.get(str(raw.get("cell_type")))
    if kind is None:
        remarks.append(f"cell {index} has no known type and is read as raw text")
    output, error = _output(index, raw.get("outputs"), remarks)
    count = raw.get("execution_count", raw.get("prompt_number"))
    return Cell(
        index=index,
        kind=kind or CellKind.RAW,
        source=_text(raw.get("source", raw.get("input"))),
        execution_count=count if type(count) is int and 0 <= count < 10**9 else None,
        output=output,
        error=error,
    )


def _output(index: int, outputs: Any, remarks: list[str]) -> tuple[str, str | None]:
    """A cell's text outputs, joined, and the exception that ended it, if one did."""
    listed = [output for output in outputs if isinstance(output, dict)] if isinstance(outputs, list) else []
    text = "".join(_with_newline(part) for output in listed for part in _texts(output))
    if len(text) > MOST_OUTPUT:
        remarks.append(f"the output of cell {index} is long; only its first {MOST_OUTPUT} characters are read")
        text = text[:MOST_OUTPUT]
    errors = [output for output in listed if output.get("output_type") in ("error", "pyerr")]
    return text, _error(errors[-1]) if errors else None


def _texts(output: dict[str, Any]) -> Iterator[str]:
    kind = output.get("output_type")
    if kind == "stream":
        yield _printed(output.get("text"))
    elif kind in ("error", "pyerr"):
        traceback = output.get("traceback")
        parts = traceback if isinstance(traceback, list) else []
        yield _printed("\n".join(part for part in parts if isinstance(part, str)))
    else:
        data = output.get("data")
        yield _printed(data.get("text/plain") if isinstance(data, dict) else output.get("text"))


def _error(output: dict[str, Any]) -> str:
    name, message = _printed(output.get("ename")).strip(), _printed(output.get("evalue")).strip()
    return ": ".join(part for part in (name, message[:500]) if part) or "error"


def _printed(value: Any) -> str:
    """Text as a terminal would show it, less colours; a progress bar's carriage returns become line ends."""
    return "\n".join(lines_of(_ANSI.sub("", _text(value))))


def _with_newline(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _text(value: Any) -> str:
    """A multi-line string of the notebook format: a string or a list of strings."""
    if isinstance(value, list):
        value = "".join(part for part in value if isinstance(part, str))
    return storable(value).replace("\0", "") if isinstance(value, str) else ""
