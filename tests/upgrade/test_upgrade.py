"""A lab, its results and its gradebook as version 0.1.0 left them open in this version, and decisions stay in force.

`course-0.1.0.zip` holds a lab, two submissions and what `grade submissions --lab lab --out graded --no-reports`, a
decision and `grade regrade finish graded` wrote with version 0.1.0.
"""

import json
import zipfile
from pathlib import Path

import pytest

from tests.conftest import results_in, run_grade

KEPT = Path(__file__).parent / "course-0.1.0.zip"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    with zipfile.ZipFile(KEPT) as archive:
        archive.extractall(tmp_path)
    return tmp_path


def test_results_are_read(course: Path) -> None:
    results = results_in(course / "graded")
    assert {name: (result.score, result.pending) for name, result in results.items()} == {"ana": (3, 0), "ben": (0, 2)}


def test_the_gradebook_opens_with_its_grades_and_decisions(course: Path) -> None:
    told = run_grade("export", "history", "graded", "ana", "--json", cwd=course)
    assert told.returncode == 0, told.stderr
    assert len(json.loads(told.stdout)) == 2
    listed = run_grade("serve", "review", "graded", "--lab", "lab", cwd=course)
    assert (listed.returncode, "ben" in listed.stdout, "ana" in listed.stdout) == (0, True, False), listed.stderr
    taken = run_grade("serve", "review", "graded", "--lab", "lab", "--export", "overrides.toml", cwd=course)
    assert taken.returncode == 0, taken.stderr
    assert "The spread is named." in (course / "overrides.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "verb",
    [
        ("submissions", "--lab", "lab", "--out", "graded", "--no-reports"),
        ("regrade", "graded", "--lab", "lab", "--submissions", "submissions", "--no-reports"),
        ("regrade", "graded", "--lab", "lab", "--no-reports"),
    ],
    ids=["graded again", "regraded", "regraded from readings"],
)
def test_grading_again_gives_the_same_grades_and_keeps_decisions(course: Path, verb: tuple[str, ...]) -> None:
    done = run_grade(*verb, cwd=course)
    assert done.returncode == 0, done.stdout + done.stderr
    results = results_in(course / "graded")
    assert {name: (result.score, result.pending) for name, result in results.items()} == {"ana": (3, 0), "ben": (0, 2)}
    item = next(item for item in results["ana"].items if item.id == "q3.text")
    assert (item.override and item.override.author) == "M. Dupont"


def test_the_lab_is_ready(course: Path) -> None:
    told = run_grade("lab", "check", "lab", cwd=course)
    assert (told.returncode, "ready" in told.stdout) == (0, True), told.stdout
