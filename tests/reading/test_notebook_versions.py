"""Versions of libraries, by what installers and code print and what commands ask for."""

import pytest

from grader.reading.notebook import Cell, CellKind, Output, OutputKind, VersionSource, versions_in
from tests.patience import within


def found(source: str, output: str = "", outputs: tuple[Output, ...] = ()) -> list[tuple[str, str, str]]:
    cell = Cell(index=1, kind=CellKind.CODE, source=source, output=output, outputs=outputs)
    return [(one.name, one.version, one.source.value) for one in versions_in([cell])]


@pytest.mark.parametrize(
    ("source", "output", "expected"),
    [
        ("!pip install -q transformers==4.31.0", "", [("transformers", "4.31.0", "asked")]),
        ("%pip install 'peft == 0.4.0' \"x>=1\"", "", [("peft", "0.4.0", "asked")]),
        ("!pip install transformers[torch]==4.31.0 \\\n  peft==0.4.0", "",
         [("transformers", "4.31.0", "asked"), ("peft", "0.4.0", "asked")]),
        ("!pip install git+https://github.com/huggingface/peft.git@v0.4.0", "", [("peft", "0.4.0", "asked")]),
        ("# !pip install peft==0.4.0\n!pip install peft", "", []),
        ("!conda install -y transformers=4.30.2", "  transformers  conda-forge/noarch::transformers-4.30.2-py_0",
         [("transformers", "4.30.2", "asked"), ("transformers", "4.30.2", "installed")]),
        ("run()", "Successfully installed huggingface_hub-0.16.4 torch-2.0.1+cu118 pip-tools-7\n",
         [("huggingface-hub", "0.16.4", "installed"), ("torch", "2.0.1+cu118", "installed"),
          ("pip-tools", "7", "installed")]),
        ("run()", "Requirement already satisfied: numpy<2,>=1.17 in /usr/lib (from transformers==4.31) (1.23.5)\n",
         [("numpy", "1.23.5", "present")]),
        ("!uv pip install peft", " + peft==0.11.1\n - peft==0.10.0\n", [("peft", "0.11.1", "installed")]),
        ("!pip list | grep peft", "peft              0.4.0\n", [("peft", "0.4.0", "installed")]),
        ("!pip freeze", "peft==0.4.0\n", [("peft", "0.4.0", "installed")]),
        ("!pip show peft", "Name: peft\nVersion: 0.5.0\nSummary: x", [("peft", "0.5.0", "installed")]),
        ("print(transformers.__version__)", "4.31.0\n", [("transformers", "4.31.0", "printed")]),
        ("print(torch.__version__, peft.__version__)", "2.0.1+cu118 0.4.0\n",
         [("torch", "2.0.1+cu118", "printed"), ("peft", "0.4.0", "printed")]),
        ("import numpy as np\nnp.__version__", "'1.23.5'", [("numpy", "1.23.5", "printed")]),
        ("from importlib.metadata import version\nversion('peft')", "'0.4.0'", [("peft", "0.4.0", "printed")]),
        ("print(torch.__version__, peft.__version__)", "2.0.1\n", []),
        ("train()", "loss 0.25 accuracy-0.5 step==3\n", []),
    ],
)  # fmt: skip
def test_what_is_said(source: str, output: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(source, output) == expected


def test_what_goes_to_the_error_stream_is_no_printed_version() -> None:
    outputs = (Output(kind=OutputKind.STDERR, line=1, lines=1), Output(kind=OutputKind.STDOUT, line=2, lines=1))
    assert found("print(peft.__version__)", "warning 1.2.3\n0.4.0\n", outputs) == [("peft", "0.4.0", "printed")]


def test_only_code_cells_tell() -> None:
    cell = Cell(index=0, kind=CellKind.MARKDOWN, source="!pip install peft==0.4.0")
    assert versions_in([cell]) == ()


def test_sources_stand_in_the_order_of_their_surety() -> None:
    assert list(VersionSource) == [
        VersionSource.PRINTED, VersionSource.INSTALLED, VersionSource.PRESENT, VersionSource.ASKED
    ]  # fmt: skip


@pytest.mark.parametrize(
    "output",
    [
        "Requirement already satisfied: " + "a" * 900_000,
        "Requirement already satisfied: a (" * 30_000,
        "::" * 400_000,
        "a-1" * 300_000 + " install",
        "Successfully installed " + "a-1 " * 200_000,
        "+ a==" + "1." * 400_000,
    ],
)
def test_hostile_outputs_take_no_time(output: str) -> None:
    with within(1.5):
        found("!pip list install version('a') " + "pip install " * 1_000, output)
