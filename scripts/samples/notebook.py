"""Notebooks from a plain text: cells in the percent format, with their saved outputs."""

import json
from typing import Any

MARKDOWN, CODE, OUTPUT, RESULT = "# %% [markdown]", "# %%", "# %% [output]", "# %% [result]"
HTML, NOT_RUN = "# %% [html]", "# %% [not run]"
"""The lines that open a part. An output belongs to the code cell above it; a result is an expression's value, and HTML
is what a library displays, such as a table of a training's epochs."""


def notebook(text: str) -> bytes:
    """The bytes of a notebook (format 4.0, as Colab saves it). Raises ValueError when an output has no code cell."""
    cells: list[dict[str, Any]] = []
    for opening, body in _parts(text):
        if opening == MARKDOWN:
            cells.append({"cell_type": "markdown", "metadata": {}, "source": body})
        elif opening == CODE:
            count = 1 + sum(cell["cell_type"] == "code" for cell in cells)
            cells.append(_code_cell(body, count))
        elif opening == NOT_RUN:
            cells.append(_code_cell(body, None))
        elif not cells or cells[-1]["cell_type"] != "code":
            raise ValueError(f"an output without a code cell: {body[:1]}")
        else:
            cells[-1]["outputs"].append(_output(opening, body, cells[-1]["execution_count"]))
    content = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 0}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


_METADATA = {
    "accelerator": "GPU",
    "colab": {"gpuType": "T4", "provenance": []},
    "kernelspec": {"display_name": "Python 3", "name": "python3"},
    "language_info": {"name": "python"},
}


def _parts(text: str) -> list[tuple[str, list[str]]]:
    parts: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line in (MARKDOWN, CODE, OUTPUT, RESULT, HTML, NOT_RUN):
            parts.append((line, []))
        elif parts:
            parts[-1][1].append(line)
    return [(opening, "\n".join(lines).strip("\n").splitlines(keepends=True)) for opening, lines in parts]


def _code_cell(source: list[str], count: int | None) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": count, "metadata": {}, "outputs": [], "source": source}


def _output(opening: str, body: list[str], count: int) -> dict[str, Any]:
    if opening == OUTPUT:
        return {"name": "stdout", "output_type": "stream", "text": [*body[:-1], *(f"{line}\n" for line in body[-1:])]}
    if opening == HTML:
        shown = {"text/html": body, "text/plain": ["<IPython.core.display.HTML object>"]}
        return {"data": shown, "metadata": {}, "output_type": "display_data"}
    return {"data": {"text/plain": body}, "execution_count": count, "metadata": {}, "output_type": "execute_result"}
