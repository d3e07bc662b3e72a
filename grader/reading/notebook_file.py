"""Notebook files (.ipynb, formats 3 and 4), read as JSON by hand so that half-broken ones still say something."""

import json
from typing import Any, Final

from grader.intake.submission import SubmittedFile
from grader.message import Message, Words, say, say_number
from grader.reading.bytes_in import decoded, read_bytes, storable
from grader.reading.notebook import Cell, CellKind, Kernel, Notebook
from grader.reading.notebook_outputs import OutputReader
from grader.reading.notebook_salvage import whole_cells
from grader.reading.notebook_text import joined
from grader.reading.notebook_versions import versions_in

MOST_BYTES: Final = 150_000_000
"""Of a notebook file: pictures are kept inside, as text."""

MOST_CELLS: Final = 20_000

_KINDS: Final = {kind.value: kind for kind in CellKind} | {"heading": CellKind.MARKDOWN}
"""Format 3 has headings as cells of their own."""

_EDITORS: Final = {
    "colab": "colab", "kaggle": "kaggle", "vscode": "vscode",
    "deepnote": "deepnote", "deepnote_notebook_id": "deepnote",
    "application/vnd.databricks.v1+notebook": "databricks",
}  # fmt: skip
"""Programs by the metadata that they leave."""


def read_notebook(file: SubmittedFile) -> Notebook:
    """The cells of a notebook with their outputs as saved; of a broken one those that are whole. Nothing is run; never
    raises for any content."""
    data, trouble = read_bytes(file.location, MOST_BYTES)
    text, problems = decoded(data)
    problems = (*trouble, *problems)
    try:
        content = json.loads(text)
    except RecursionError:
        return Notebook(file=file.path, problems=(*problems, say("the notebook's JSON is nested too deeply")))
    except ValueError as error:
        content, problem = _salvaged(text, error)
        problems = (*problems, problem)
        if content is None:
            return Notebook(file=file.path, problems=problems)
    raw, remarks = _raw_cells(content)
    if len(raw) > MOST_CELLS:
        remarks.append(
            say("the notebook has {count} cells; only the first {most} are read", count=len(raw), most=MOST_CELLS)
        )
    outputs = OutputReader()
    cells: list[Cell] = []
    skipped: list[int] = []
    for index, cell in enumerate(raw[:MOST_CELLS]):
        if isinstance(cell, dict):
            cells.append(_cell(index, cell, outputs, remarks))
        else:
            skipped.append(index)
    if skipped:
        remarks.append(
            say_number(
                "cell {first} is no cell and is skipped",
                "{number} cells are no cells and are skipped, the first at place {first}",
                len(skipped),
                first=skipped[0],
            )
        )
    return Notebook(
        file=file.path,
        cells=tuple(cells),
        kernel=_kernel(content),
        versions=versions_in(cells),
        problems=(*problems, *remarks),
    )


def _salvaged(text: str, error: ValueError) -> tuple[dict[str, Any] | None, Message]:
    """A notebook of the cells that are whole, or None, and what to say of it."""
    broken = say("the notebook is not valid JSON: {error}", error=storable(str(error))[:120])
    cells = whole_cells(text)
    if not cells:
        return None, broken
    told = say(
        "{broken}; {count} whole cells are read, and the others are lost: hand it in again",
        broken=broken,
        count=len(cells),
    )
    return {"cells": cells}, told


def _raw_cells(content: Any) -> tuple[list[Any], list[Words]]:
    """The list of cells: at the top in format 4, in the worksheets in format 3."""
    if not isinstance(content, dict):
        return [], [say("the file is JSON but no notebook (no object at the top)")]
    cells = content.get("cells")
    if isinstance(cells, list):
        return cells, []
    sheets = content.get("worksheets")
    if isinstance(sheets, list):
        lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        return [cell for part in lists if isinstance(part, list) for cell in part], []
    return [], [say("the file is JSON but no notebook (it has no list of cells)")]


def _cell(index: int, raw: dict[str, Any], outputs: OutputReader, remarks: list[Words]) -> Cell:
    kind = _KINDS.get(str(raw.get("cell_type")))
    if kind is None:
        remarks.append(say("cell {cell} has no known type and is read as raw text", cell=index))
    put_out = outputs.read(index, raw.get("outputs"))
    remarks += put_out.remarks
    count = raw.get("execution_count", raw.get("prompt_number"))
    attachments = raw.get("attachments")
    return Cell(
        index=index,
        kind=kind or CellKind.RAW,
        source=joined(raw.get("source", raw.get("input"))),
        execution_count=count if type(count) is int and 0 <= count < 10**9 else None,
        output=put_out.text,
        outputs=put_out.outputs,
        error=put_out.error,
        attachments=min(len(attachments), 1_000) if isinstance(attachments, dict) else 0,
    )


def _kernel(content: Any) -> Kernel:
    """What the notebook's metadata say; anything that is no short text is left out."""
    metadata = _table(content, "metadata")
    specification, language = _table(metadata, "kernelspec"), _table(metadata, "language_info")
    return Kernel(
        name=_word(specification.get("display_name")) or _word(specification.get("name")),
        language=_word(language.get("name")) or _word(specification.get("language")),
        version=_word(language.get("version")),
        editor=next((editor for key, editor in _EDITORS.items() if key in metadata), None),
    )


def _table(content: Any, key: str) -> dict[str, Any]:
    value = content.get(key) if isinstance(content, dict) else None
    return value if isinstance(value, dict) else {}


def _word(value: Any) -> str | None:
    return storable(value).strip()[:80] or None if isinstance(value, str) else None
