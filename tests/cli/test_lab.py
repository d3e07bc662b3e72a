"""`grade lab check` as its users meet it."""

import re
import shutil
from pathlib import Path

import pytest

from grader.lab.files import LABS
from tests.conftest import run_grade


def test_a_sound_lab(tmp_path: Path) -> None:
    done = run_grade("lab", "check", "small-gpt2", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    answers = [line for line in done.stdout.splitlines() if "as expected" in line]
    *_, summary = done.stdout.splitlines()
    assert any(line.startswith("Short answers: ") for line in done.stdout.splitlines())
    assert [line.rpartition("/")[2] for line in answers] == [
        "english: 10 of 10 points, as expected",
        "french: 10 of 10 points, as expected",
    ]
    assert summary == "small-gpt2: 12 items, 10 points; 0 errors, 0 warnings: ready."


def test_a_lab_with_mistakes(tmp_path: Path) -> None:
    lab = Path(shutil.copytree(LABS / "small_gpt2", tmp_path / "mine"))
    text = (lab / "lab.toml").read_text(encoding="utf-8")
    broken = text.replace('check = "printed-count"', 'check = "print-count"').replace(
        'points = "1.5"', 'points = "1.25"'
    )
    (lab / "lab.toml").write_text(broken, encoding="utf-8")
    line = broken[: broken.index('check = "print-count"')].count("\n") + 1
    done = run_grade("lab", "check", "mine", cwd=tmp_path)
    assert done.returncode == 1
    first, *_, summary = done.stdout.splitlines()
    assert first.startswith(f"mine/lab.toml:{line}: error: item t1.verified: there is no check named 'print-count'.")
    assert "Did you mean 'printed-count'?" in first
    assert summary == "small-gpt2: 12 items, 9.75 points; 1 error, 1 warning: not ready."
    assert "Traceback" not in done.stderr


def test_what_is_no_lab(tmp_path: Path) -> None:
    done = run_grade("lab", "check", "nowhere", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "nowhere" in done.stderr
    (tmp_path / "empty").mkdir()
    done = run_grade("lab", "check", "empty", cwd=tmp_path)
    assert done.returncode == 1
    assert "empty/lab.toml: error: The file cannot be read" in done.stdout


VERBS = (
    ("run", "{paper}", "--lab", "{lab}", "--out", "{out}"),
    ("check", "{paper}", "--lab", "{lab}"),
    ("regrade", "{graded}", "--lab", "{lab}"),
    ("regrade", "verify", "{graded}", "--lab", "{lab}"),
    ("regrade", "finish", "{graded}", "--lab", "{lab}"),
    ("serve", "review", "{graded}", "--lab", "{lab}"),
    ("serve", "{graded}", "--lab", "{lab}"),
    ("serve", "--check", "--lab", "{lab}"),
    ("serve", "requests", "{graded}", "--lab", "{lab}"),
    ("package", "students", "--lab", "{lab}", "--out", "{out}"),
    ("package", "gradescope", "--lab", "{lab}", "--out", "{out}"),
)


@pytest.fixture(scope="module")
def mistyped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A graded hand-in, and its lab in which somebody mistyped a way of counting afterwards."""
    folder = tmp_path_factory.mktemp("mistyped")
    lab = folder / "lab"
    shutil.copytree(LABS / "small_llama", lab)
    paper = folder / "report.md"
    paper.write_text("# Report\n\nThe model has 1 parameter.\n", encoding="utf-8")
    graded = run_grade(paper, "--lab", lab, "--no-reports", "--out", folder / "graded")
    assert graded.returncode == 0, graded.stderr
    text = (lab / "lab.toml").read_text(encoding="utf-8")
    option = re.search(r'accept = \["([a-z-]+)"', text)
    assert option is not None
    (lab / "lab.toml").write_text(text.replace(option[0], option[0].replace(option[1], "wieghts")), encoding="utf-8")
    return {"lab": lab, "paper": paper, "graded": folder / "graded", "out": folder / "out", "class_": lab / "hand_ins"}


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_lab_with_an_error_is_refused_in_the_words_of_lab_check(
    mistyped: dict[str, Path], verb: tuple[str, ...]
) -> None:
    told = run_grade("lab", "check", mistyped["lab"]).stdout
    errors = [line for line in told.splitlines() if ": error: " in line]
    assert any("wieghts" in line for line in errors)
    refused = run_grade(*(part.format(**mistyped) for part in verb))
    assert refused.returncode == 2, refused.stdout + refused.stderr
    assert all(line in refused.stderr for line in errors)
    assert not mistyped["out"].exists()


def test_warnings_about_a_lab_stop_nothing(tmp_path: Path) -> None:
    lab = tmp_path / "lab"
    shutil.copytree(LABS / "small_llama", lab)
    shutil.rmtree(lab / "hand_ins")
    (lab / "answers.toml").unlink()
    assert ": warning: " in run_grade("lab", "check", lab).stdout
    (tmp_path / "report.md").write_text("# Report\n\nNothing.\n", encoding="utf-8")
    done = run_grade(tmp_path / "report.md", "--lab", lab, "--no-reports", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
