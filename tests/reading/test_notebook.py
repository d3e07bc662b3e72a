"""Notebooks: cells, outputs, and what is broken in them."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.reading.document import BlockKind
from grader.reading.notebook import CellKind, Notebook, OutputKind, notebook_document
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


def test_colours_are_stripped_and_of_a_progress_bar_the_last_state_is_kept(tmp_path: Path) -> None:
    stream = {"output_type": "stream", "text": "\x1b[1;31mepoch 1\x1b[0m\r 50%\r100%\r\ndone \x1b]8;;u\x07link"}
    assert read(tmp_path, notebook(code(stream))).cells[0].output == "100%\ndone link\n"


def test_the_parts_of_a_stream_are_put_together_as_the_program_wrote_them(tmp_path: Path) -> None:
    def part(name: str, text: str) -> dict[str, str]:
        return {"output_type": "stream", "name": name, "text": text}

    bars = [part("stderr", f"\rEpoch 1: {share}%") for share in (0, 50, 100)]
    interrupted = [part("stdout", "val acc"), part("stderr", "a warning\n"), part("stdout", ": 79.5\nend\n")]
    beside = [part("stderr", "\r 10%"), part("stdout", "step 10\n"), part("stderr", "\r 20%")]
    outputs = [read(tmp_path, notebook(code(*parts))).cells[0].output for parts in (bars, interrupted, beside)]
    assert outputs == ["Epoch 1: 100%\n", "val acc: 79.5\na warning\nend\n", "step 10\n 20%\n"]


def test_two_results_are_never_joined_though_the_first_has_no_line_end(tmp_path: Path) -> None:
    shown = {"output_type": "execute_result", "data": {"text/plain": ["1"]}}
    parts = [{"output_type": "stream", "text": "a"}, shown, {"output_type": "stream", "text": "b"}]
    assert read(tmp_path, notebook(code(*parts))).cells[0].output == "a\n1\nb\n"


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
        ("[]", "not a notebook"),
        ("{}", "not a notebook"),
        ('{"cells": 3}', "not a notebook"),
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


FRAME = (
    '<style scoped>.dataframe tbody tr th {vertical-align: top;}</style><table border="1" class="dataframe">\n'
    "<thead><tr><th></th><th>seed</th><th>test</th></tr></thead>\n"
    "<tbody><tr><th>0</th><td>1</td><td>79.3</td></tr></tbody></table><script>draw()</script>"
)
PROGRESS = (
    "<div><progress value='450' max='450'></progress>\n[450/450 02:10, Epoch 2/2]</div>"
    "<table><tr><th>Epoch</th><th>Accuracy</th></tr><tr><td>1</td><td>0.79</td></tr><tr><td>2</td><td>0.8</td></tr>"
    "</table>"
)


def shown(data: dict[str, Any]) -> dict[str, Any]:
    return {"output_type": "display_data", "data": data}


def output_blocks(found: Notebook) -> list[tuple[BlockKind, str, tuple[str, ...], int | None]]:
    blocks = notebook_document(found).blocks
    return [(b.kind, b.text, b.cells, b.line) for b in blocks if b.kind in (BlockKind.OUTPUT, BlockKind.FIGURE)]


def test_a_table_that_is_shown_is_read_with_its_cells(tmp_path: Path) -> None:
    plain = "   seed  test\n0     1  79.3"
    stream = {"output_type": "stream", "name": "stdout", "text": "result\n"}
    found = read(tmp_path, notebook(code(stream, shown({"text/html": [FRAME], "text/plain": plain}))))
    assert found.cells[0].output == f"result\n{plain}\n"
    assert output_blocks(found) == [
        (BlockKind.OUTPUT, "result", (), 1),
        (BlockKind.OUTPUT, " | seed | test", ("", "seed", "test"), 2),
        (BlockKind.OUTPUT, "0 | 1 | 79.3", ("0", "1", "79.3"), 3),
    ]


def test_a_table_without_a_plain_form_becomes_text(tmp_path: Path) -> None:
    after = {"output_type": "stream", "name": "stderr", "text": "done"}
    data = {"text/html": PROGRESS, "text/plain": "<IPython.core.display.HTML object>"}
    found = read(tmp_path, notebook(code(shown(data), after)))
    assert found.cells[0].output == "[450/450 02:10, Epoch 2/2]\nEpoch | Accuracy\n1 | 0.79\n2 | 0.8\ndone\n"
    assert [(output.kind, output.line, output.lines) for output in found.cells[0].outputs] == [
        (OutputKind.RESULT, 1, 1),
        (OutputKind.TABLE, 2, 3),
        (OutputKind.STDERR, 5, 1),
    ]
    assert output_blocks(found)[2] == (BlockKind.OUTPUT, "1 | 0.79", ("1", "0.79"), 3)
    assert output_blocks(found)[-1] == (BlockKind.OUTPUT, "done", (), 5)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"text/latex": "$x^2$", "text/plain": "<IPython.core.display.Latex object>"}, "$x^2$\n"),
        ({"text/markdown": ["# a\n", "b"]}, "# a\nb\n"),
        ({"application/json": {"a": [1]}, "text/plain": "<IPython.core.display.JSON object>"}, '{"a": [1]}\n'),
        ({"text/html": "<p>a<p>b", "text/plain": ""}, "a\nb\n"),
        ({"text/html": "<script>x</script>", "text/plain": "<Plot>"}, "<Plot>\n"),
        ({"text/html": {"no": 1}, "text/plain": "5"}, "5\n"),
    ],
)
def test_the_form_that_says_most_is_read(tmp_path: Path, data: dict[str, Any], text: str) -> None:
    assert read(tmp_path, notebook(code(shown(data)))).cells[0].output == text


def test_pictures_are_noted(tmp_path: Path) -> None:
    picture = shown({"image/png": "xxxx"})
    answer = {"cell_type": "markdown", "source": "![](attachment:a.png)", "attachments": {"a.png": {"image/png": "x"}}}
    found = read(tmp_path, notebook(answer, code(picture, source="")))
    assert [(block.kind, block.cell) for block in notebook_document(found).blocks] == [
        (BlockKind.LINE, 0),
        (BlockKind.FIGURE, 0),
        (BlockKind.FIGURE, 1),
    ]


def test_old_outputs_have_their_forms_beside_them(tmp_path: Path) -> None:
    old = {"output_type": "pyout", "html": FRAME, "text": ["<DataFrame>"], "png": "xxxx"}
    (cell,) = read(tmp_path, notebook(code(old))).cells
    assert [output.kind for output in cell.outputs] == [OutputKind.TABLE, OutputKind.PICTURE]
    assert cell.output == " | seed | test\n0 | 1 | 79.3\n"


def test_what_was_run_and_in_which_order(tmp_path: Path) -> None:
    def cell(source: str, count: int | None, *outputs: Any) -> dict[str, Any]:
        return {"cell_type": "code", "source": source, "execution_count": count, "outputs": list(outputs)}

    stream = {"output_type": "stream", "text": "x"}
    run = (cell("a", 5), cell("b", 2), cell("c", 3))
    found = read(tmp_path, notebook(*run, cell("d", None), cell("", None), cell("e", None, stream)))
    assert found.never_run == (3,)
    assert found.out_of_order == (1,)


WHOLE = notebook(*({"cell_type": "markdown", "metadata": {}, "source": f"cell {number}"} for number in range(20)))


def test_a_truncated_notebook_gives_its_whole_cells(tmp_path: Path) -> None:
    found = read(tmp_path, WHOLE[: len(WHOLE) // 2])
    assert [cell.source for cell in found.cells] == [f"cell {number}" for number in range(len(found.cells))]
    assert 8 <= len(found.cells) < 20
    assert f"{len(found.cells)} whole cells" in found.problems[0]


def test_damage_in_the_middle_costs_the_cell_that_it_hits(tmp_path: Path) -> None:
    found = read(tmp_path, WHOLE.replace('"cell 7"', '"cell 7'))
    assert [cell.source for cell in found.cells] == [f"cell {number}" for number in range(20) if number != 7]


@given(
    cut=st.integers(0, len(WHOLE)),
    changes=st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.sampled_from('{}[]",:\\x')), max_size=5),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_damage_makes_the_reader_raise(tmp_path: Path, cut: int, changes: list[tuple[int, str]]) -> None:
    text = list(WHOLE)
    for at, character in changes:
        text[at] = character
    found = read(tmp_path, "".join(text)[:cut])
    assert found.cells or found.problems
    assert notebook_document(found).model_dump_json()


JSON = st.recursive(
    st.none() | st.integers(-9, 9) | st.text(max_size=9) | st.sampled_from(["<table><tr><td>a<td>b", "<X object>"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(("text/html", "text/plain")), inner),
    max_leaves=6,
)


OUTPUT = st.fixed_dictionaries({"output_type": st.sampled_from(["stream", "error", "x"]), "data": JSON, "text": JSON})


@given(outputs=st.lists(OUTPUT))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_blocks_of_outputs_stand_on_the_lines_they_name(tmp_path: Path, outputs: list[Any]) -> None:
    found = read(tmp_path, notebook(code(*outputs)))
    lines = found.cells[0].output.split("\n")
    for block in notebook_document(found).blocks:
        if block.kind is BlockKind.OUTPUT and not block.cells:
            assert block.line is not None
            assert lines[block.line - 1].rstrip() == block.text
