"""Notebooks saved as scripts: how many verdicts on whole answers move when the notebook is a script.

The samples that have a report in Markdown and notebooks are put into one notebook each, without outputs. jupytext and
marimo, in environments of their own, write it as scripts; Databricks' source and knitr's spin are written here.
`python -m scripts.bench notebook_scripts=FOLDER` takes the hand-ins of a folder instead.
"""

import json
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from grader.intake.submission import Submission
from scripts.bench.figure import Figure
from scripts.bench.peers import interpreter_with
from scripts.bench.trackers import SAMPLES, open_hand_in, verdicts

_FENCED: Final = re.compile(r"^(```.*?^```[ ]*$)", re.MULTILINE | re.DOTALL)
_HEADING: Final = re.compile(r"^(?=#{1,4} )", re.MULTILINE)
_JUPYTEXT: Final = """
import sys, jupytext
for path in sys.argv[2:]:
    jupytext.write(jupytext.read(path), path.replace("lab4.ipynb", "lab4.py"), fmt="py:" + sys.argv[1])
"""
_MARIMO: Final = """
import sys
from pathlib import Path
from marimo._convert.converters import MarimoConvert
for path in sys.argv[2:]:
    Path(path.replace("lab4.ipynb", "lab4.py")).write_text(MarimoConvert.from_ipynb(Path(path).read_text()).to_py())
"""

_Cells = Sequence[tuple[bool, str]]
"""Whether a cell holds words, and its source."""


def figures(folder: Path = SAMPLES) -> Iterator[Figure]:
    """For each form, and the items that are withheld though the notebook earns them."""
    answers = {path.name: cells for path in sorted(folder.iterdir()) if (cells := _cells_of(path))}
    with tempfile.TemporaryDirectory() as work:
        before = {name: verdicts(_written(Path(work) / name, cells, _as_notebook)) for name, cells in answers.items()}
        for form, write in _FORMS.items():
            moved = lost = 0
            for name, cells in answers.items():
                after = verdicts(_written(Path(work) / f"{form}-{name}", cells, write))
                moved += sum(before[name][item] != status for item, status in after.items())
                lost += sum(before[name][item] == "correct" != status for item, status in after.items())
            yield Figure(f"{form}: verdicts that move in {len(answers)} notebooks", moved, "", 0)
            yield Figure(f"{form}: items that are correct in the notebook only", lost, "", 0)


def _cells_of(folder: Path) -> _Cells:
    """The cells of a hand-in's report and notebooks; empty where it has none of either kind."""
    reports = sorted(folder.glob("*.md"))
    notebooks = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.ipynb"))]
    if not reports or not notebooks:
        return ()
    words = [part.strip() for part in _FENCED.split(reports[0].read_text(encoding="utf-8"))]
    parts = [cell.strip() for part in words for cell in ([part] if part[:3] == "```" else _HEADING.split(part))]
    coded = [
        (cell["cell_type"] != "code", "".join(cell["source"])) for notebook in notebooks for cell in notebook["cells"]
    ]
    return [*((True, part) for part in parts if part), *coded]


def _written(folder: Path, cells: _Cells, write: Callable[[Path, _Cells], None]) -> Submission:
    inside = folder / "in"
    inside.mkdir(parents=True)
    write(inside, cells)
    return open_hand_in(inside, folder / "work")


def _as_notebook(folder: Path, cells: _Cells) -> None:
    made: list[dict[str, Any]] = [
        {"cell_type": "markdown", "metadata": {}, "source": source}
        if is_words
        else {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        for is_words, source in cells
    ]
    python = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    content = {"cells": made, "metadata": python, "nbformat": 4, "nbformat_minor": 4}
    (folder / "lab4.ipynb").write_text(json.dumps(content), encoding="utf-8")


def _converted(requirement: str, program: str, form: str = "") -> Callable[[Path, _Cells], None]:
    """Return a function that has another program write a notebook as a script. It raises OSError if the program cannot
    be installed."""

    def write(folder: Path, cells: _Cells) -> None:
        _as_notebook(folder, cells)
        python = interpreter_with(requirement)
        if python is None:
            raise OSError(requirement)
        subprocess.run([python, "-c", program, form, folder / "lab4.ipynb"], check=True, capture_output=True)
        (folder / "lab4.ipynb").unlink()

    return write


def _as_databricks(folder: Path, cells: _Cells) -> None:
    magic = (_behind("# MAGIC", f"%md\n{source}") if is_words else source for is_words, source in cells)
    text = "# Databricks notebook source\n" + "\n\n# COMMAND ----------\n\n".join(magic)
    (folder / "lab4.py").write_text(f"{text}\n", encoding="utf-8")


def _as_spin(folder: Path, cells: _Cells) -> None:
    parts = (_behind("#'", source) if is_words else f"#+ engine='python'\n{source}" for is_words, source in cells)
    (folder / "lab4.R").write_text("\n\n".join(parts), encoding="utf-8")


def _behind(mark: str, text: str) -> str:
    return "\n".join(f"{mark} {line}".rstrip() for line in text.split("\n"))


_FORMS: Final[Mapping[str, Callable[[Path, _Cells], None]]] = {
    **{
        f"jupytext, {form}": _converted("jupytext==1.19.6", _JUPYTEXT, form)
        for form in ("percent", "light", "hydrogen")
    },
    "marimo": _converted("marimo==0.25.2", _MARIMO),
    "Databricks' source": _as_databricks,
    "knitr's spin": _as_spin,
}
