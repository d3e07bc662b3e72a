"""Notebooks as the programs in use save them, and damage that real files show."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from grader.message import Message
from grader.reading.notebook import CellKind, Notebook, OutputKind, notebook_document
from grader.reading.notebook_file import MOST_BYTES, read_notebook
from tests.patience import within
from tests.reading.making import submitted

STREAM = {"output_type": "stream", "name": "stdout", "text": ["22829056\n"]}


def read(folder: Path, content: str | bytes) -> Notebook:
    return read_notebook(submitted(folder, "lab.ipynb", content))


def cell(source: Any = "print(n)", outputs: Any = (STREAM,), **more: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "execution_count": 1, "outputs": outputs, "metadata": {}, **more}


def saved(metadata: Any, *cells: Any, **more: Any) -> str:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells, **more})


PYTHON = {"name": "python", "version": "3.10.12"}
PROGRAMS: dict[str, Any] = {
    "Colab": {
        "colab": {"provenance": [], "gpuType": "T4"}, "kernelspec": {"display_name": "Python 3", "name": "python3"},
        "accelerator": "GPU", "widgets": {"application/vnd.jupyter.widget-state+json": {"a1": {"state": {}}}},
    },
    "VS Code": {
        "kernelspec": {"display_name": ".venv", "language": "python", "name": "python3"}, "language_info": PYTHON,
        "vscode": {"interpreter": {"hash": "0"}}, "orig_nbformat": 4,
    },
    "JupyterLab": {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python"}, "language_info": PYTHON,
        "toc-autonumbering": True,
    },
    "Kaggle": {"kaggle": {"accelerator": "gpu"}, "language_info": PYTHON},
    "Databricks": {"application/vnd.databricks.v1+notebook": {"notebookName": "lab"}, "language_info": PYTHON},
    "Deepnote": {"deepnote_notebook_id": "x", "deepnote_execution_queue": []},
    "none": {},
    "broken": {"kernelspec": None, "language_info": [1], "colab": None, "widgets": 3},
    "not a notebook": None,
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_programs_save_is_read(program: str, tmp_path: Path) -> None:
    own = {"metadata": {"id": "x", "colab": {}, "deepnote_cell_type": "code"}, "id": "a1"}
    found = read(
        tmp_path, saved(PROGRAMS[program], cell(**own), {"cell_type": "markdown", "source": ["# A\n", "b"], **own})
    )
    assert [(one.kind, one.source, one.output) for one in found.cells] == [
        (CellKind.CODE, "print(n)", "22829056\n"),
        (CellKind.MARKDOWN, "# A\nb", ""),
    ]
    assert found.problems == ()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xef\xbb\xbf" + saved({}, cell("é")).encode(), None),
        (saved({}, cell("é")).encode("utf-16"), None),
        (saved({}, cell("é")).replace(", ", ",\r\n").encode(), None),
        (json.dumps({"cells": [cell("é")]}, ensure_ascii=False).encode("cp1252"), "not UTF-8"),
        (saved({}, cell("é")).encode() + b"\n\n", None),
    ],
    ids=["BOM", "UTF-16", "CRLF", "Windows-1252", "blank lines"],
)
def test_encodings_and_line_ends(content: bytes, problem: str | None, tmp_path: Path) -> None:
    found = read(tmp_path, content)
    assert [(one.source, one.output) for one in found.cells] == [("é", "22829056\n")]
    assert bool(found.problems) == bool(problem)
    assert problem is None or problem in found.problems[0]


def test_carriage_returns_end_lines_of_sources_and_write_over_lines_of_outputs(tmp_path: Path) -> None:
    found = read(
        tmp_path, saved({}, cell("a = 1\r\nprint(a)", [{"output_type": "stream", "text": "10%\r 20%\r\ndone"}]))
    )
    lines = [(block.line, block.text) for block in notebook_document(found).blocks]
    assert lines == [(1, "a = 1"), (2, "print(a)"), (1, " 20%"), (2, "done")]


def test_of_a_key_that_is_there_twice_the_last_counts(tmp_path: Path) -> None:
    text = '{"cells": [], "cells": [{"cell_type": "code", "source": "a", "source": "b", "outputs": []}]}'
    assert [one.source for one in read(tmp_path, text).cells] == ["b"]


@pytest.mark.parametrize("field", ["source", "outputs", "execution_count", "metadata", "cell_type", "attachments"])
@pytest.mark.parametrize("value", [None, 3, {}, [], [None], "text", [["x"]], True, 1e400])
def test_a_field_of_another_type_costs_itself_only(field: str, value: Any, tmp_path: Path) -> None:
    found = read(tmp_path, saved({}, cell(**{field: value}), cell("behind")))
    assert [one.index for one in found.cells] == [0, 1]
    assert found.cells[1].source == "behind"
    assert field == "source" or found.cells[0].source == "print(n)"


@pytest.mark.parametrize("field", ["output_type", "name", "text", "data", "ename", "traceback"])
@pytest.mark.parametrize("value", [None, 3, {}, [None], {"text/plain": 3}, {"text/html": None}, [[1]]])
def test_an_output_of_another_type_costs_itself_only(field: str, value: Any, tmp_path: Path) -> None:
    odd = {"output_type": "display_data", "data": {"text/plain": "x"}, field: value}
    found = read(tmp_path, saved({}, cell("a", [odd, STREAM, None, 3])))
    assert "22829056" in found.cells[0].output
    assert found.model_dump_json()


def test_widgets_keep_nothing_and_the_text_beside_them_is_read(tmp_path: Path) -> None:
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "a"}, "text/plain": "  0%|    | 0/5 [00:00<?]"}
    found = read(tmp_path, saved({}, cell("a", [{"output_type": "display_data", "data": view}, STREAM])))
    assert found.cells[0].output == "22829056\n"


def test_a_picture_of_50_megabytes_costs_nothing_of_the_rest(tmp_path: Path) -> None:
    picture = {"output_type": "display_data", "data": {"image/png": base64.b64encode(bytes(40_000_000)).decode()}}
    content = saved({}, cell(), cell("plot()", [picture]), cell("behind"))
    assert 50_000_000 < len(content) < MOST_BYTES
    with within(3):
        found = read(tmp_path, content)
    assert [one.source for one in found.cells] == ["print(n)", "plot()", "behind"]
    assert [output.kind for output in found.cells[1].outputs] == [OutputKind.PICTURE]
    assert found.problems == ()


def test_the_outputs_of_a_notebook_have_a_common_limit(tmp_path: Path) -> None:
    flood = {"output_type": "stream", "text": "loss 0.5\n" * 111_000}
    found = read(tmp_path, saved({}, *[cell("train()", [flood]) for _ in range(35)], cell()))
    assert sum(len(one.output) for one in found.cells) <= 30_000_000
    assert found.cells[0].output.count("\n") == 111_000
    assert "cell 30" in found.problems[0]
    assert isinstance(found.problems[0], Message)


def test_format_3_has_its_metadata_and_languages(tmp_path: Path) -> None:
    error = {"output_type": "pyerr", "ename": "E", "evalue": "v", "traceback": ["t"]}
    outputs = [{"output_type": "stream", "stream": "stderr", "text": "w"}, error]
    old = {"cell_type": "code", "input": ["a\n", "b"], "language": "python", "prompt_number": 1, "outputs": outputs}
    metadata = {"name": "", "kernelspec": {"name": "k"}}
    content = json.dumps({"nbformat": 3, "metadata": metadata, "worksheets": [{"cells": [old]}, {}]})
    found = read(tmp_path, content)
    assert [(one.source, one.output, one.error) for one in found.cells] == [("a\nb", "w\nt\n", "E: v")]


def test_versions_are_read_with_it(tmp_path: Path) -> None:
    found = read(tmp_path, saved({}, cell("!pip install peft==0.4.0", [])))
    assert [(one.name, one.version, one.cell) for one in found.versions] == [("peft", "0.4.0", 0)]


@pytest.mark.parametrize("output_lines", [1, 2, 40, None])
def test_the_middle_of_a_long_output_may_be_left_out(output_lines: int | None, tmp_path: Path) -> None:
    stream = {"output_type": "stream", "text": "\n".join(f"line {number}" for number in range(100))}
    found = read(tmp_path, saved({}, cell("a", [stream]), cell("b")))
    texts = [block.text for block in notebook_document(found, output_lines).blocks]
    kept = list(range(100)) if output_lines is None else [*range(output_lines), *range(100 - output_lines, 100)]
    assert texts == ["a", *(f"line {number}" for number in kept), "b", "22829056"]


def test_progress_bars_are_no_words_and_stay_in_the_log(tmp_path: Path) -> None:
    bars = [
        "Map:  43%|####3     | 863/2000 [00:01<00:01, 812.3 examples/s]",
        " 86%|████████▌ | 1.2G/1.4G [00:10<00:02]",
        "79.3",
    ]
    stream = {"output_type": "stream", "text": "\n".join(bars)}
    found = read(tmp_path, saved({}, cell("a", [stream])))
    assert [block.text for block in notebook_document(found).blocks] == ["a", "Map:", "79.3"]
    assert found.cells[0].output.split("\n")[:3] == bars
