"""Whoever goes back to graded submissions gets the lab that graded them, from any folder, or is told to name it."""

import shutil
from pathlib import Path

import pytest

from tests.conftest import ROOT, results_in, run_grade


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Graded by a lab in a folder of the course, named from within the course."""
    folder = tmp_path_factory.mktemp("course")
    shutil.copytree(ROOT / "reference" / "labs" / "small_gpt2", folder / "my-lab")
    text = (folder / "my-lab" / "lab.toml").read_text(encoding="utf-8")
    (folder / "my-lab" / "lab.toml").write_text(
        text.replace('id = "small-gpt2"', 'id = "my-gpt2"', 1), encoding="utf-8"
    )
    truth = (folder / "my-lab" / "truth.json").read_text(encoding="utf-8")
    (folder / "my-lab" / "truth.json").write_text(truth.replace('"lab": "small-gpt2"', '"lab": "my-gpt2"'), "utf-8")
    shutil.copytree(ROOT / "submissions" / "student-02", folder / "hand-ins" / "student-02")
    done = run_grade("hand-ins", "--as", "class", "--lab", "my-lab", "--no-reports", cwd=folder)
    assert done.returncode == 0, done.stderr
    shutil.copytree(folder / "graded", folder / "undecided")
    return folder


def test_review_from_another_folder(course: Path, tmp_path: Path) -> None:
    listed = run_grade("serve", "review", course / "graded", cwd=tmp_path)
    assert listed.returncode == 0, listed.stderr
    group = next(line.split()[0] for line in listed.stdout.splitlines() if "1 answer, " in line)
    done = run_grade("serve", "review", course / "graded", "--set", f"{group}=correct", "--why", "Seen.", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "correct" in done.stdout


def test_regrade_and_verify_from_another_folder(course: Path, tmp_path: Path) -> None:
    before = results_in(course / "graded")["student-02"]
    done = run_grade("regrade", course / "graded", "--no-reports", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    after = results_in(course / "graded")["student-02"]
    assert (after.lab.id, after.max_score) == (before.lab.id, before.max_score)
    verified = run_grade("regrade", "verify", course / "graded", "--from-readings", cwd=tmp_path)
    assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.parametrize("verb", ["regrade", "serve review", "regrade verify", "regrade finish"])
def test_without_a_gradebook_no_other_lab_is_taken(course: Path, tmp_path: Path, verb: str) -> None:
    """Not the lab that happens to be the usual one: its items are others, and every grade would be wrong."""
    shutil.copytree(course / "undecided", tmp_path / "results")
    for file in (tmp_path / "results").glob("gradebook.*"):
        file.unlink()
    graded = (tmp_path / "results" / "student-02" / "result.json").read_bytes()
    options = {"regrade": ["--no-reports"], "regrade verify": ["--from-readings"]}.get(verb, [])
    done = run_grade(*verb.split(), "results", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert "graded by my-gpt2" in done.stderr
    assert "--lab" in done.stderr
    assert (tmp_path / "results" / "student-02" / "result.json").read_bytes() == graded
    named = run_grade(*verb.split(), "results", *options, "--lab", course / "my-lab", cwd=tmp_path)
    lost = verb == "regrade verify"  # what a person may have decided lay in the gradebook
    assert named.returncode <= int(lost), named.stderr


def test_a_lab_of_another_id_is_refused(course: Path) -> None:
    done = run_grade("regrade", course / "graded", "--lab", "nlp-frameworks")
    assert done.returncode == 2
    assert "graded by my-gpt2, not by nlp-frameworks" in done.stderr


def test_a_shipped_lab_is_known_by_its_id(tmp_path: Path) -> None:
    done = run_grade(
        ROOT / "submissions" / "student-02", "--lab", "small-gpt2", "--no-reports", "--out", tmp_path / "out"
    )
    assert done.returncode == 0, done.stderr
    for file in (tmp_path / "out").glob("gradebook.sqlite*"):
        file.unlink()
    assert run_grade("regrade", tmp_path / "out", "--no-reports").returncode == 0
    assert results_in(tmp_path / "out")["student-02"].lab.id == "small-gpt2"
