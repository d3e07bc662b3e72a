import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.lab.files import LABS, LabError, lab_folder, load_lab, load_truth

LAB = """
id = "small"
title = "A small lab"
seeds = 3

[[questions]]
id = "q1"
title = "Question"
labels = ["question 1"]

[[questions.items]]
id = "q1.total"
title = "Total"
points = "2"
check = "parameter-count"

[[questions.items]]
id = "q1.parts"
title = "Parts"
points = "1.5"
check = "count-derivation"
needs = ["q1.total"]
"""


def folder(path: Path, text: str = LAB, **files: str) -> Path:
    (path / "lab.toml").write_text(text, encoding="utf-8")
    for name, content in files.items():
        (path / f"{name}.toml").write_text(content, encoding="utf-8")
    return path


def test_a_lab_is_read_with_its_points_exact(tmp_path: Path) -> None:
    lab = load_lab(folder(tmp_path))
    assert [item.id for item in lab.items] == ["q1.total", "q1.parts"]
    assert str(lab.max_score) == "3.5"


MISTAKES = {
    "repeated item": ('id = "q1.parts"', 'id = "q1.total"', ["is used 2 times", "q1.total"]),
    "unknown need": ('needs = ["q1.total"]', 'needs = ["q9.x"]', ["q1.parts", "q9.x"]),
    "need below": (
        'check = "parameter-count"',
        'check = "parameter-count"\nneeds = ["q1.parts"]',
        ["q1.total", "above"],
    ),
    "need of itself": ('needs = ["q1.total"]', 'needs = ["q1.parts"]', ["q1.parts", "above"]),
    "unknown key": ("seeds = 3", "seeds = 3\nseads = 4", ["seads"]),
    "missing key": ('title = "Total"\n', "", ["questions.0.items.0.title"]),
    "wrong type": ("seeds = 3", 'seeds = "many"', ["seeds", "whole number"]),
    "no seeds": ("seeds = 3", "seeds = 0", ["seeds", "more than 0"]),
    "negative points": ('points = "2"', 'points = "-2"', ["points", "at least 0"]),
    "points in words": ('points = "2"', 'points = "two"', ["points", "a number"]),
    "partial above one": ('points = "2"', 'points = "2"\npartial = "1.5"', ["partial", "at most 1"]),
    "bad id": ('id = "small"', 'id = "../Small lab"', ["id", "pattern"]),
    "no labels": ('labels = ["question 1"]', "", ["questions.0.labels"]),
    "label without number": ('labels = ["question 1"]', 'labels = ["question"]', ["questions.0.labels", "question"]),
    "broken TOML": ("seeds = 3", "seeds = = 3", ["not valid TOML", "line 4"]),
    "unknown question": (
        "[[questions]]",
        '[[experiments]]\nid = "e"\ntitle = "E"\nquestion = "q7"\nwords = ["e"]\n\n[[questions]]',
        ["experiment e", "q7"],
    ),
}


@pytest.mark.parametrize(("old", "new", "words"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named_with_file_key_and_remedy(tmp_path: Path, old: str, new: str, words: list[str]) -> None:
    assert old in LAB
    with pytest.raises(LabError) as error:
        load_lab(folder(tmp_path, LAB.replace(old, new, 1)))
    for word in (str(tmp_path / "lab.toml"), "Mend", *words):
        assert word in str(error.value)


def test_a_questions_id_is_unique(tmp_path: Path) -> None:
    again = LAB[LAB.index("[[questions]]") :].replace("q1.", "q2.")
    with pytest.raises(LabError, match="q1"):
        load_lab(folder(tmp_path, LAB + again))


def test_several_mistakes_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(LabError) as error:
        load_lab(folder(tmp_path, LAB.replace("seeds = 3", "seeds = 0").replace('points = "2"', 'points = "x"')))
    assert "seeds" in str(error.value)
    assert "points" in str(error.value)


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    (tmp_path / "lab.toml").write_bytes(b"id = \xff\xfe")
    with pytest.raises(LabError, match=r"lab\.toml: not valid TOML"):
        load_lab(tmp_path)


def test_a_folder_without_a_lab_is_named(tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"lab\.toml: cannot be read"):
        load_lab(tmp_path)
    with pytest.raises(LabError, match=r"truth\.json: cannot be read"):
        load_truth(tmp_path)
    with pytest.raises(LabError, match=r"shipped labs: .*nlp-frameworks"):
        lab_folder(str(tmp_path / "nowhere"))


@pytest.mark.parametrize("name", ["nlp-frameworks", "nlp_frameworks", str(LABS / "nlp_frameworks")])
def test_a_shipped_lab_is_found_by_name_or_path(name: str) -> None:
    assert lab_folder(name).resolve() == (LABS / "nlp_frameworks").resolve()


@pytest.fixture
def broken(tmp_path: Path) -> Callable[[str, str], Path]:
    """The shipped truth with one piece of its text replaced."""

    def breaking(old: str, new: str) -> Path:
        shutil.copy(LABS / "nlp_frameworks" / "truth.json", tmp_path)
        path = tmp_path / "truth.json"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return tmp_path

    return breaking


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"total": 22807552', '"total": 22807553', ["weights-only", "do not add up to 22807553"]),
        ('"values": 132096', '"values": 132097', ["do not add up"]),
        ('"models":', '"modells":', ["modells"]),
        ('"total": 22807552', '"total": "many"', ["counts.", ".total", "whole number"]),
        ("{", "", ["JSON"]),
    ],
)
def test_a_truth_that_contradicts_itself_or_its_form_is_refused(
    broken: Callable[[str, str], Path], old: str, new: str, words: list[str]
) -> None:
    with pytest.raises(LabError) as error:
        load_truth(broken(old, new))
    for word in ("truth.json", *words):
        assert word in str(error.value)


def test_the_shipped_truth_is_hashed_as_it_lies() -> None:
    truth = load_truth(LABS / "nlp_frameworks")
    assert len(truth.sha256) == 64
    assert json.loads((LABS / "nlp_frameworks" / "truth.json").read_text(encoding="utf-8"))["lab"] == truth.lab
