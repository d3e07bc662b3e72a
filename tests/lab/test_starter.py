import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.lab.files import StarterError, lab_id, load_lab, load_truth, truth_inputs, write_starter


def test_a_lab_has_the_name_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "Vision Labo n°2"
    assert write_starter(folder) == sum(path.is_file() for path in folder.rglob("*"))
    lab, truth = load_lab(folder), load_truth(folder)
    assert lab.id == truth.lab == "vision-labo-n2"
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    (point,) = project["project"]["entry-points"]["lab_grader.checks"].items()
    assert point == ("vision-labo-n2-conclusion", "vision_labo_n2_checks:conclusion")
    assert (folder / "vision_labo_n2_checks.py").is_file()
    left = [path for path in folder.rglob("*") if path.is_file() and "my-lab" in path.read_text(encoding="utf-8")]
    assert left == []


def test_its_truth_is_not_stale(tmp_path: Path) -> None:
    write_starter(tmp_path / "new")
    assert load_truth(tmp_path / "new").inputs_sha256 == truth_inputs(load_lab(tmp_path / "new"), tmp_path / "new")


def test_every_key_of_a_lab_is_shown(tmp_path: Path) -> None:
    """What the models of a lab know, the example names, commented out or not."""
    from grader.lab.definition import Item, Lab, LatePolicy, Parameter, Question, Symbol, Watch
    from grader.lab.experiments import Experiment, LogFormat, Measure, Repetition, Split
    from grader.lab.short_answers import ShortAnswers

    write_starter(tmp_path / "new")
    text = (tmp_path / "new" / "lab.toml").read_text(encoding="utf-8")
    hidden = {"model", "decisions", "templates", "sha256"}
    for model in (
        Experiment,
        Measure,
        Repetition,
        Item,
        Lab,
        LatePolicy,
        LogFormat,
        Parameter,
        Question,
        ShortAnswers,
        Split,
        Symbol,
        Watch,
    ):
        assert [name for name in model.model_fields if name not in text and name not in hidden] == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(StarterError, match="not empty"):
        write_starter(tmp_path)
    with pytest.raises(StarterError, match="not empty"):
        write_starter(tmp_path / "notes.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert write_starter(tmp_path / "empty") > 5


@pytest.mark.parametrize("name", ["123", "…", "実験"])
def test_a_name_without_letters_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(StarterError, match="my-lab"):
        write_starter(tmp_path / name)


@given(st.text(max_size=60))
def test_any_name_gives_an_id_that_a_lab_may_have_or_none(name: str) -> None:
    import re

    assert re.fullmatch(r"|[a-z][a-z0-9-]*", lab_id(name))
    assert len(lab_id(name)) <= 40
