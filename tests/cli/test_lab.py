"""`grade lab check` as its users meet it."""

import shutil
from pathlib import Path

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
