"""Models that come from a lab's own code, or from a table that is written by hand."""

import shutil
from pathlib import Path

import pytest

from grader.lab.files import reference_file
from grader.pipeline.inspection import grade_texts
from reference.build import compute, to_text
from reference.counting.configs import CountError
from reference.counting.conventions import load_specs
from reference.counting.truth import model_truth
from tests.conftest import ROOT

CODE = """
from torch import nn

def cnn(classes=10):
    first = nn.Conv2d(1, 16, 3), nn.BatchNorm2d(16)
    return nn.Sequential(*first, nn.MaxPool2d(2), nn.Linear(144, classes))

def tagger():
    return nn.ModuleDict({"words": nn.Embedding(100, 8), "lstm": nn.LSTM(8, 8), "out": nn.Linear(8, 5, bias=False)})

def nothing():
    return 3

def broken():
    raise RuntimeError("no data here")
"""


def counted(folder: Path, source: str, conventions: str = "[{id='all',title='all'}]") -> dict[str, dict[str, int]]:
    """The totals of a model by convention, and the values of its parts under the first."""
    (folder / "models.py").write_text(CODE)
    (folder / "lab.toml").write_text(f"[[models]]\nid='m'\ntitle='M'\n{source}\nconventions={conventions}\n")
    model, counts = model_truth(load_specs(folder / "lab.toml")[0], folder, "2026-01-01")
    parts: dict[str, int] = {}
    for one in model.components:
        parts[f"{one.part} {one.kind}"] = parts.get(f"{one.part} {one.kind}", 0) + one.values * one.times
    return {"totals": {count.convention: count.total for count in counts}, "parts": parts}


@pytest.mark.parametrize("name", ["models.py:cnn", "models:cnn"])
def test_a_torch_module_of_the_labs_own_code(tmp_path: Path, name: str) -> None:
    found = counted(
        tmp_path, f"reference='{name}'", "[{id='all',title='a'},{id='plain',title='b',without=['biases','norms']}]"
    )
    assert found["totals"] == {"all": 144 + 16 + 32 + 1440 + 10, "plain": 144 + 1440}
    assert found["parts"] == {
        "convolution weight": 144,
        "convolution bias": 16,
        "norms norm": 32,
        "linear layer weight": 1440,
        "linear layer bias": 10,
    }


def test_parts_are_called_as_the_lab_says_and_can_be_left_out(tmp_path: Path) -> None:
    source = "reference='models.py:cnn'\noverrides={classes=5}\nparts={'0'='first layer','3'='output layer'}"
    found = counted(tmp_path, source, "[{id='all',title='a'},{id='body',title='b',without=['output layer']}]")
    assert found["parts"]["output layer weight"] == 720
    assert found["totals"]["all"] - found["totals"]["body"] == 725


def test_embeddings_and_recurrent_layers_are_told_apart(tmp_path: Path) -> None:
    parts = counted(tmp_path, "reference='models.py:tagger'")["parts"]
    assert parts["token embedding embedding"] == 800
    assert parts["recurrent layer weight"] == 4 * 8 * (8 + 8)
    assert parts["linear layer weight"] == 40


def test_a_table_by_hand(tmp_path: Path) -> None:
    table = (
        "components=[{name='in',part='input layer',weight=[4,3],bias=[4]},"
        "{name='block',part='block',times=2,weight=[4,4],norm=[4]}]"
    )
    found = counted(tmp_path, table, "[{id='all',title='a'},{id='plain',title='b',without=['biases','norms']}]")
    assert found["totals"] == {"all": 12 + 4 + 2 * 20, "plain": 12 + 32}


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("reference='models.py:nothing'", "not a torch module"),
        ("reference='models.py:broken'", "no data here"),
        ("reference='models.py:missing'", "no function missing"),
        ("reference='models.py'", "names no function"),
        ("reference='nowhere_at_all:cnn'", "cannot be imported"),
        ("config='c.json'\nreference='models.py:cnn'", "give one of them"),
        ("components=[{name='a',part='b'}]", "holds no array"),
        ("title2='x'", "give one of them"),
    ],
)
def test_sources_that_cannot_be_used(tmp_path: Path, source: str, said: str) -> None:
    with pytest.raises(CountError, match=said):
        counted(tmp_path, source.replace("title2='x'", ""))


def test_a_part_that_the_model_does_not_have_cannot_be_left_out(tmp_path: Path) -> None:
    with pytest.raises(CountError, match=r"'pooling' cannot be left out; what can is .*convolution"):
        counted(tmp_path, "reference='models.py:cnn'", "[{id='a',title='a',without=['pooling']}]")


def test_code_outside_of_the_lab_is_no_file_of_the_lab(tmp_path: Path) -> None:
    (tmp_path / "models.py").write_text(CODE)
    (tmp_path / "lab").mkdir()
    assert reference_file("../models.py:cnn", tmp_path / "lab") is None
    assert reference_file("models.py:cnn", tmp_path) == tmp_path / "models.py"


@pytest.mark.parametrize(
    ("text", "statuses"),
    [
        (
            "hidden: 64 x 30 + 64 = 1984\n\noutput: 2 x 64 + 2 = 130\n\nIn total 2114 parameters.",
            ["correct", "correct"],
        ),
        ("hidden: 64 x 30 = 1920\n\noutput: 2 x 64 = 128\n\nIn total 2048 parameters.", ["incorrect", "review"]),
        ("The network has 2500 parameters.", ["incorrect", "missing"]),
    ],
)
def test_a_small_model_is_judged_as_a_large_one(tmp_path: Path, text: str, statuses: list[str]) -> None:
    shutil.copy(ROOT / "tests" / "labs" / "perceptron" / "lab.toml", tmp_path)
    (tmp_path / "truth.json").write_text(to_text(compute(tmp_path, "2026-01-01").truth), encoding="utf-8")
    result = grade_texts(tmp_path, report=f"# Question 1\n\n{text}\n")
    assert [item.status.value for item in result.items] == statuses
    if statuses[0] == "incorrect" and "2048" in text:
        assert "the count leaves out the biases" in str(result.items[0].feedback)
