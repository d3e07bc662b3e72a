"""Families of notebooks: for each item of the lab that code answers, right forms, wrong forms and open gaps, each
written in many ways (names, quotes, layout, format of the file)."""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tests.generated.notebook_forms import GAPS, RIGHT, WRONG, Piece

Kind = Literal["right", "wrong", "gap"]
_NAMES = {
    "MODEL": ("model", "net", "m", "bloom", "lm"),
    "PARAM": ("p", "param", "parameter", "w", "v"),
    "TRAIN": ("trainable", "trainable_params", "n_train", "t"),
    "TOTAL": ("total", "all_param", "n_all", "everything"),
    "QUESTION": ("question", "q", "query", "user_question"),
    "ANSWER": ("answer", "a", "response", "resp"),
    "ROW": ("data_point", "row", "example", "x"),
    "CONFIG": ("bnb_config", "quant", "config", "q_config"),
}


@dataclass(frozen=True)
class Case:
    """A notebook made for one item, and what it shows."""

    item: str
    kind: Kind
    name: str
    notebook: dict[str, Any]

    @property
    def content(self) -> bytes:
        return json.dumps(self.notebook).encode()


def cases(item: str, draw: random.Random, times: int = 3) -> Iterator[Case]:
    """Every form of an item, written some times over."""
    kinds: tuple[tuple[Kind, dict[str, dict[str, Sequence[Piece]]]], ...] = (
        ("right", RIGHT),
        ("wrong", WRONG),
        ("gap", GAPS),
    )
    for kind, forms in kinds:
        for name, pieces in forms.get(item, {}).items():
            for _ in range(times):
                yield Case(item, kind, name, notebook(_renamed(pieces, draw), draw))


def _renamed(pieces: Sequence[Piece], draw: random.Random) -> list[Piece]:
    names = {name: draw.choice(choices) for name, choices in _NAMES.items()}
    if names["QUESTION"] == "q" or names["ANSWER"] == "a":
        names |= {"QUESTION": "q", "ANSWER": "a"}

    def written(text: str) -> str:
        return re.sub(r"\b(" + "|".join(names) + r")\b", lambda match: names[match[1]], text)

    renamed = [(written(piece[0]), *piece[1:]) for piece in pieces]
    return [(_laid_out(source, draw), *rest) for source, *rest in renamed]


def _laid_out(source: str, draw: random.Random) -> str:
    source = source.strip("\n")
    if draw.random() < 0.3 and not source.startswith("%%"):
        source = f"# {draw.choice(['step 1', 'as asked', 'see above', 'ok'])}\n{source}"
    if draw.random() < 0.3:
        source += "\n"
    return source


def notebook(pieces: Sequence[Piece], draw: random.Random) -> dict[str, Any]:
    """A notebook in one of the formats and with the metadata of one of the programs in use."""
    cells = []
    for number, piece in enumerate(pieces, start=1):
        source, output, ran = (*piece, "", True)[:3] if len(piece) == 1 else (*piece, True)[:3]
        cells.append(_cell(source, output, number if ran else None, draw))
    cells.insert(0, {"cell_type": "markdown", "metadata": {}, "source": ["# Lab\n", "Our answers."]})
    metadata = draw.choice(
        [
            {"kernelspec": {"name": "python3", "language": "python"}, "language_info": {"name": "python"}},
            {"colab": {"provenance": [], "gpuType": "T4"}, "accelerator": "GPU", "kernelspec": {"name": "python3"}},
            {"vscode": {"interpreter": {"hash": "0"}}, "language_info": {"name": "python", "version": "3.10.12"}},
            {},
        ]
    )
    if draw.random() < 0.2:
        return {"nbformat": 3, "metadata": metadata, "worksheets": [{"cells": [_old(cell) for cell in cells]}]}
    return {"nbformat": 4, "nbformat_minor": draw.choice([0, 2, 5]), "metadata": metadata, "cells": cells}


def _cell(source: str, output: str, count: int | None, draw: random.Random) -> dict[str, Any]:
    outputs: list[dict[str, Any]] = []
    if output:
        text: str | list[str] = output if draw.random() < 0.5 else output.splitlines(keepends=True)
        outputs = [{"output_type": "stream", "name": "stdout", "text": text}]
    lines: str | list[str] = source if draw.random() < 0.5 else source.splitlines(keepends=True)
    metadata = {"id": "x1"} if draw.random() < 0.5 else {}
    return {
        "cell_type": "code",
        "source": lines,
        "outputs": outputs,
        "execution_count": count,
        "metadata": metadata,
    }


def _old(cell: dict[str, Any]) -> dict[str, Any]:
    if cell["cell_type"] != "code":
        return cell
    outputs = [{"output_type": "stream", "stream": "stdout", "text": one["text"]} for one in cell["outputs"]]
    return {
        "cell_type": "code",
        "language": "python",
        "input": cell["source"],
        "outputs": outputs,
        "prompt_number": cell["execution_count"],
        "metadata": {},
    }
