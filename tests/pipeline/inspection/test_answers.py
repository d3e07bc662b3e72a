"""A lab's reference answers are graded, and what they earn is held against what they are to earn."""

import shutil
from pathlib import Path

import pytest

from grader.lab.files import LABS
from grader.pipeline.inspection import Inspection, inspect


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """The second shipped lab with one of its answers."""
    folder = Path(shutil.copytree(LABS / "small_gpt2", tmp_path / "lab", ignore=shutil.ignore_patterns("french")))
    expect(folder, 'path = "answers/english"')
    return folder


def expect(folder: Path, text: str) -> None:
    (folder / "answers.toml").write_text(f"[[answers]]\n{text}\n", encoding="utf-8")


def spoil(folder: Path, old: str, new: str) -> None:
    path = folder / "answers" / "english" / "report.md"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def said(found: Inspection) -> str:
    return " ".join(one.text for one in found.errors)


def test_an_answer_that_earns_everything(lab: Path) -> None:
    found = inspect(lab)
    assert found.errors == found.warnings == ()
    (answer,) = found.answers
    assert answer.result is not None
    assert (answer.path, answer.result.score, answer.result.max_score) == ("answers/english", 10, 10)


def test_an_item_that_differs_is_told_with_its_reason(lab: Path) -> None:
    spoil(lab, "= 10,040,320", "= 10,039,680")
    (problem,) = (one for one in inspect(lab).errors if "q1.total" in one.text)
    assert [
        word
        for word in ("answers/english", "incorrect", "correct was expected", "0 of 2", "10,039,680")
        if word not in problem.text
    ] == []
    assert problem.file == "answers.toml"


def test_a_wrong_answer_may_be_expected(lab: Path) -> None:
    spoil(lab, "standard deviation 0.35 %", "standard deviation 3.5 %")
    statuses = {item.id: item.status for item in inspect(lab).answers[0].result.items}  # type: ignore[union-attr]
    assert statuses["t2.statistics"] != "correct"
    expect(lab, f'path = "answers/english"\nitems = {{ "t2.statistics" = "{statuses["t2.statistics"]}" }}')
    assert inspect(lab).errors == ()


def test_without_a_file_the_folder_is_one_answer(lab: Path) -> None:
    (lab / "answers.toml").unlink()
    found = inspect(lab)
    assert [answer.path for answer in found.answers] == ["answers"]
    assert found.errors == ()


def test_an_item_by_hand_may_be_pending_without_a_file(tmp_path: Path) -> None:
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "report.md").write_text("# Question 1\n\nThe residuals fan out.\n", encoding="utf-8")
    (tmp_path / "lab.toml").write_text(
        'id = "one"\ntitle = "One"\n\n[[questions]]\nid = "q1"\ntitle = "Residuals"\n'
        'labels = ["question 1"]\n\n[[questions.items]]\nid = "q1.answer"\ntitle = "Residuals"\npoints = "1"\n'
        'check = "by-hand"\n',
        encoding="utf-8",
    )
    assert inspect(tmp_path).errors == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('path = "answers/nowhere"', ["answers/nowhere"]),
        ('path = "../.."', ["outside"]),
        ('path = "answers/english"\nitems = { "q9.x" = "correct" }', ["'q9.x'"]),
        ('path = "answers/english"\nitems = { "q1.total" = "right" }', ["q1.total", "correct"]),
        ('pth = "answers/english"', ["path"]),
        ("path = = 3", ["not valid TOML"]),
    ],
)
def test_mistakes_in_what_is_expected(lab: Path, text: str, words: list[str]) -> None:
    expect(lab, text)
    found = said(inspect(lab))
    assert [word for word in words if word not in found] == [], found
