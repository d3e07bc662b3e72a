"""A worker that is taken over can do nothing, and the class ends well."""

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.intake.layouts import find_all_sources
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.pipeline import isolation, kernel
from grader.pipeline import isolation as converter
from grader.pipeline.classroom import GradeSummary, grade_class
from grader.pipeline.doctor import ATTEMPTS, Try, possible
from grader.pipeline.order import Order
from tests.conftest import ROOT
from tests.environments import environment, site_packages
from tests.hostile.taken_over import QUICK, SLOW, taken_over

# Where the kernel lacks Landlock or seccomp there is no cage to try; `grade doctor` says so, SECURITY.md what it means.
CAGED = pytest.mark.skipif(
    not (kernel.landlock_version() > 0 and kernel.has_seccomp()),
    reason="this kernel has no Landlock or no seccomp, so no cage to try",
)
# Only where pandoc is installed is there a helper that starts it; without it such files are left to a person.
WITH_PANDOC = pytest.mark.skipif(not shutil.which("pandoc"), reason="no pandoc here, so no helper to try")


def attempts(tmp_path: Path) -> set[str]:
    given = Try(tmp_path / "others" / "report.md", tmp_path / "others", tmp_path / "work")
    given.secret.parent.mkdir()
    given.work.mkdir()
    given.secret.write_text("Another student's report.")
    succeeded, failure = possible(given)
    assert failure is None
    assert (given.work / "kept").exists()
    return set(succeeded)


@CAGED
def test_nothing_that_is_tried_succeeds(tmp_path: Path) -> None:
    assert attempts(tmp_path) == set()
    assert not (tmp_path / "others" / "written").exists()


@pytest.mark.slow  # half a minute alone: its helper's own time limit ends it where other tests run beside it
@CAGED
@WITH_PANDOC
def test_a_helper_that_is_taken_over_can_run_nothing_but_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = Try(tmp_path / "others" / "report.md", tmp_path / "others", tmp_path / "work")
    given.secret.parent.mkdir()
    given.secret.write_text("Another student's report.")

    def made(*_: object, **__: object) -> bytes:
        return ",".join(name for name, (_, attempt) in ATTEMPTS.items() if _succeeds(attempt, given)).encode()

    monkeypatch.setattr(converter, "converted_by", made)
    convert, files = converter.helper(Path(shutil.which("pandoc") or ""))
    succeeded = convert(b"", "rst")
    for file in files:
        os.close(file)
    assert succeeded == b"fork"
    assert not (tmp_path / "others" / "written").exists()


def _succeeds(attempt: Callable[[Try], None], given: Try) -> bool:
    try:
        attempt(given)
    except (OSError, RuntimeError):
        return False
    return True


def graded(folder: Path, out: Path, workers: int = 2) -> dict[str, GradeSummary]:
    sources, _ = find_all_sources([folder])
    lab = lab_folder("nlp-frameworks")
    order = Order(sources, load_lab(lab), load_truth(lab), with_reports=False, with_readings=False)
    done = grade_class(order, out, workers=workers, done=lambda one: None)
    return {one.student: one for one in done}


@pytest.mark.parametrize("behaviours", [QUICK, pytest.param(SLOW, marks=pytest.mark.slow)], ids=["quick", "slow"])
def test_a_class_with_taken_over_workers_ends_well(
    behaviours: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.pipeline.classroom.grade_job", taken_over)
    monkeypatch.setattr(isolation, "MOST_DISK", 2**29)
    monkeypatch.setitem(isolation.run_isolated.__kwdefaults__, "seconds", 10.0)
    honest = ("student-02", "student-11")
    for student in (*behaviours, *honest):
        template = student if student in honest else "student-08"
        shutil.copytree(ROOT / "submissions" / template, tmp_path / "class" / student)
    started = time.monotonic()
    found = graded(tmp_path / "class", tmp_path / "out")
    assert time.monotonic() - started < 120
    for student in behaviours:
        assert found[student].error, student
    for student in honest:
        alone = graded(ROOT / "submissions" / student, tmp_path / "alone")
        assert set(alone) == {student}
        written = [(folder / student / "result.json").read_bytes() for folder in (tmp_path / "out", tmp_path / "alone")]
        assert written[0] == written[1]
    assert not (tmp_path / "climbed").exists()
    assert {path.name for path in (tmp_path / "out").iterdir()} == {*found, "class.json", "grades.csv"}


def test_what_lies_in_the_place_of_a_folder_stops_one_hand_in_only(tmp_path: Path) -> None:
    for student in ("student-08", "student-11"):
        shutil.copytree(ROOT / "submissions" / student, tmp_path / "class" / student)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "student-08").write_text("mine")
    found = graded(tmp_path / "class", tmp_path / "out")
    assert "in the way" in str(found["student-08"].error)
    assert found["student-11"].error is None
    assert (tmp_path / "out" / "student-08").read_text() == "mine"


def test_a_machine_without_landlock_and_seccomp_grades_too(tmp_path: Path) -> None:
    """Every process begins with what Python itself loads at its start, which is changed here."""
    import subprocess

    code = (
        "import grader.pipeline.kernel as kernel\n"
        "kernel.landlock_version = lambda: 0\n"
        "kernel.has_seccomp = lambda: False\n"
    )
    programs = environment(tmp_path / "venv")
    (site_packages(tmp_path / "venv") / "sitecustomize.py").write_text(code)
    done = subprocess.run(
        [programs / "grade", ROOT / "submissions" / "student-11", "--out", tmp_path / "out", "--no-reports"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "student-11" / "result.json").exists()
    told = [line for line in done.stdout.splitlines() if "lacks a protection" in line]
    assert len(told) == 1
    assert "Landlock" in told[0]
    of_class = json.loads((tmp_path / "out" / "class.json").read_text())
    assert {"files", "system calls"} <= set(of_class["unprotected"])


@CAGED
def test_nothing_is_told_where_all_layers_hold(tmp_path: Path) -> None:
    told: list[str] = []
    sources, _ = find_all_sources([ROOT / "submissions" / "student-11"])
    lab = lab_folder("nlp-frameworks")
    order = Order(sources, load_lab(lab), load_truth(lab), with_reports=False, with_readings=False)
    grade_class(order, tmp_path, workers=1, done=lambda one: None, notify=told.append)
    assert told == []
    assert json.loads((tmp_path / "class.json").read_text())["unprotected"] == []
