"""Notebooks: cells, outputs, and what is broken in them."""

import json
from pathlib import Path
from typing import Any

import pytest

from grader.reading.document import BlockKind
from grader.reading.notebook import CellKind, Notebook
from grader.reading.notebook_document import notebook_document
from grader.reading.notebook_file import read_notebook
from tests.reading.making import notebook, submitted


def read(folder: Path, content: str | bytes) -> Notebook:
    return read_notebook(submitted(folder, "lab.ipynb", content))


def code(*outputs: Any, source: Any = "train()") -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "execution_count": 3, "outputs": list(outputs)}


def test_sources_may_be_strings_or_lists(tmp_path: Path) -> None:
    found = read(tmp_path, notebook({"cell_type": "markdown", "source": ["# Title\n", "text"]}, code()))
    assert [(cell.kind, cell.source, cell.execution_count) for cell in found.cells] == [
        (CellKind.MARKDOWN, "# Title\ntext", None),
        (CellKind.CODE, "train()", 3),
    ]
    assert found.problems == ()


def test_text_outputs_are_joined(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        notebook(
            code(
                {"output_type": "stream", "name": "stdout", "text": ["a\n", "b"]},
                {"output_type": "execute_result", "data": {"text/plain": ["22829056"]}},
                {"output_type": "display_data", "data": {"image/png": "xxxx", "text/plain": "<Figure>"}},
            )
        ),
    )
    assert found.cells[0].output == "a\nb\n22829056\n<Figure>\n"


def test_colours_are_stripped_and_progress_bars_become_lines(tmp_path: Path) -> None:
    stream = {"output_type": "stream", "text": "\x1b[1;31mepoch 1\x1b[0m\r 50%\r100%\r\ndone \x1b]8;;u\x07link"}
    assert read(tmp_path, notebook(code(stream))).cells[0].output == "epoch 1\n 50%\n100%\ndone link\n"


def test_an_exception_is_kept(tmp_path: Path) -> None:
    error = {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": ["\x1b[0;31mKeyError\x1b[0m"]}
    (cell,) = read(tmp_path, notebook(code(error))).cells
    assert (cell.error, cell.output) == ("KeyError: 'x'", "KeyError\n")


def test_format_3_is_read(tmp_path: Path) -> None:
    content = {
        "nbformat": 3,
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "heading", "level": 1, "source": "Lab"},
                    {
                        "cell_type": "code",
                        "input": "1+1",
                        "prompt_number": 2,
                        "outputs": [{"output_type": "pyout", "text": ["2"]}],
                    },
                ]
            }
        ],
    }
    heading, sum_ = read(tmp_path, json.dumps(content)).cells
    assert heading.kind is CellKind.MARKDOWN
    assert (sum_.source, sum_.execution_count, sum_.output) == ("1+1", 2, "2\n")


def test_a_long_output_is_cut_with_a_remark(tmp_path: Path) -> None:
    found = read(tmp_path, notebook(code({"output_type": "stream", "text": "x" * 1_200_000})))
    assert len(found.cells[0].output) == 1_000_000
    assert "cell 0" in found.problems[0]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[" * 200_000, "nested too deeply"),
        ("[]", "no notebook"),
        ("{}", "no list of cells"),
        ('{"cells": 3}', "no list of cells"),
        ('{"worksheets": [{"cells": 1}, 2]}', None),
        ("9" * 5000, "not valid JSON"),
    ],
)
def test_what_is_no_notebook_says_so(tmp_path: Path, content: str, reason: str | None) -> None:
    found = read(tmp_path, content)
    assert found.cells == ()
    assert reason is None or reason in found.problems[0]


def test_wrong_types_inside_cost_only_themselves(tmp_path: Path) -> None:
    content = notebook(
        7,
        {"cell_type": ["x"], "source": None},
        {"cell_type": "code", "source": [1, "ok", None], "execution_count": float("nan"), "outputs": {"a": 1}},
        code("text", {"output_type": "stream", "text": {"no": 1}}, {"data": []}, {"output_type": "error"}),
        {"cell_type": "markdown", "source": "half a pair \ud800"},
    )
    found = read(tmp_path, content)
    assert [cell.source for cell in found.cells] == ["", "ok", "train()", "half a pair ?"]
    assert [cell.index for cell in found.cells] == [1, 2, 3, 4]
    assert found.cells[1].execution_count is None
    assert len(found.problems) == 2
    assert found.model_dump_json()


def test_a_notebook_can_be_read_as_a_report(tmp_path: Path) -> None:
    answer = {"cell_type": "markdown", "source": "## Question 1\n\n$$4 \\times 512$$"}
    printed = code({"output_type": "stream", "text": "22829056\n"}, source="# count\nprint(n)")
    document = notebook_document(read(tmp_path, notebook(answer, printed)))
    assert document.exact
    assert [(block.kind, block.cell, block.line, block.text) for block in document.blocks] == [
        (BlockKind.HEADING, 0, 1, "Question 1"),
        (BlockKind.MATH, 0, 3, "$$4 \\times 512$$"),
        (BlockKind.CODE, 1, 1, "# count"),
        (BlockKind.CODE, 1, 2, "print(n)"),
        (BlockKind.OUTPUT, 1, 1, "22829056"),
    ]
