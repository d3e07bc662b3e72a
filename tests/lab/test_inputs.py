import shutil
from pathlib import Path

import pytest

from grader.lab.files import LABS, load_lab, load_truth, truth_inputs


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """The second shipped lab, to be changed."""
    return Path(shutil.copytree(LABS / "small_gpt2", tmp_path / "lab"))


def inputs(folder: Path) -> str:
    return truth_inputs(load_lab(folder), folder)


@pytest.mark.parametrize("name", ["small_gpt2"])
def test_the_shipped_truth_is_of_the_lab_as_it_is(name: str) -> None:
    assert load_truth(LABS / name).inputs_sha256 == inputs(LABS / name)


@pytest.mark.parametrize(
    ("file", "old", "new", "changes"),
    [
        ("lab.toml", 'points = "2"', 'points = "3"', False),
        ("lab.toml", "Calculation of the total", "How it adds up", False),
        ("lab.toml", 'accept = ["all", "weights-only"]', 'accept = ["all"]', False),
        ("lab.toml", "seeds = 2", "seeds = 3", True),
        ("lab.toml", 'value = "8"', 'value = "4"', True),
        ("lab.toml", "r = 8,", "r = 4,", True),
        ("lab.toml", "examples = 1000", "examples = 900", True),
        ("configs/small-gpt2.json", "320", "384", True),
        ("evidence/accuracies.toml", "98.25", "98.75", True),
    ],
)
def test_only_what_truth_is_computed_from_makes_it_stale(
    lab: Path, file: str, old: str, new: str, changes: bool
) -> None:
    before, path = inputs(lab), lab / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert (inputs(lab) != before) is changes


def test_line_ends_and_missing_files_are_no_obstacle(lab: Path) -> None:
    before, path = inputs(lab), lab / "configs" / "small-gpt2.json"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert inputs(lab) == before
    path.unlink()
    assert inputs(lab) != before
