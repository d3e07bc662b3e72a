"""Results that are what they follow from, and every way in which one is not."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from grader.gradebook.store import FILE as GRADEBOOK
from grader.pipeline.hashes import library_versions
from grader.pipeline.outputs import RESULT
from grader.pipeline.regrading import Cause, first_difference
from grader.pipeline.stages import READING, Maker, kept_in, pack_stage
from grader.reading.reading import Reading
from tests.pipeline.making import change_lab, grade, small_class

STUDENT = "student-02"


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class")
    small_class(folder, (STUDENT, "student-08"))
    return folder


@pytest.fixture
def here(once: Path, tmp_path: Path) -> Path:
    """The class, its lab and its grades, free to be changed."""
    shutil.copytree(once, tmp_path, dirs_exist_ok=True)
    return tmp_path


def verify(here: Path, *options: object, readings: bool = True) -> dict[str, Any]:
    """What `grade regrade verify` says of each student."""
    source = ["--from-readings"] if readings else ["--submissions", here / "class"]
    done = grade("regrade", "verify", here / "graded", "--lab", here / "lab", *source, "--json", *options)
    data = json.loads(done.stdout)
    assert done.exit_code == (1 if data["different"] else 0)
    return {one["student"]: one for one in data["students"]}


def causes(verdict: dict[str, Any]) -> list[str]:
    return [why["cause"] for why in verdict["why"]]


@pytest.mark.parametrize("readings", [True, False])
def test_what_was_graded_is_confirmed(once: Path, *, readings: bool) -> None:
    found = verify(once, readings=readings)
    assert found.keys() == {STUDENT, "student-08"}
    assert all(one["same"] for one in found.values())


def test_a_hand_edited_result_is_found(here: Path) -> None:
    path = here / "graded" / STUDENT / RESULT
    path.write_text(path.read_text().replace('"status": "partial"', '"status": "correct"', 1))
    found = verify(here)
    assert causes(found[STUDENT]) == [Cause.CHANGED]
    assert found[STUDENT]["first"]["key"].endswith(".status")
    assert found[STUDENT]["first"]["stored"] == '"correct"'
    assert found["student-08"]["same"]
    (here / "graded" / GRADEBOOK).unlink()
    assert causes(verify(here)[STUDENT]) == [Cause.DEFECT], "nobody knows better"


@pytest.mark.parametrize(
    ("file", "cause"), [(f"graded/{STUDENT}/{RESULT}", Cause.CHANGED), ("lab/truth.json", Cause.TRUTH)]
)
def test_white_space_counts(here: Path, file: str, cause: Cause) -> None:
    (here / file).write_text((here / file).read_text() + "\n")
    assert causes(verify(here)[STUDENT]) == [cause]


def test_a_truncated_result_is_found(here: Path) -> None:
    path = here / "graded" / STUDENT / RESULT
    path.write_bytes(path.read_bytes()[:2000])
    found = verify(here)
    assert causes(found[STUDENT]) == [Cause.UNREADABLE]
    assert "result.json" in found[STUDENT]["why"][0]["now"]


def test_another_lab_is_named(here: Path) -> None:
    change_lab(here / "lab", "t3.band", 'points = "0.5"', 'points = "0.75"')
    found = verify(here)
    assert causes(found[STUDENT]) == [Cause.LAB]
    assert found[STUDENT]["first"]["key"] == "lab.sha256"


def test_a_changed_submission_is_named(here: Path) -> None:
    (report,) = (path for path in (here / "class" / STUDENT).rglob("*") if path.name.startswith("report."))
    report.write_bytes(report.read_bytes() + b"\n\n")
    found = verify(here, readings=False)
    assert causes(found[STUDENT]) == [Cause.SUBMISSION]
    assert verify(here, readings=True)[STUDENT]["same"], "the reading is still the one that was graded"
    shutil.rmtree(here / "class" / STUDENT)
    assert causes(verify(here, readings=False)[STUDENT]) == [Cause.NO_SUBMISSION]


def test_new_overrides_are_named(here: Path) -> None:
    (here / "graded" / "overrides.toml").write_text(
        f'[[override]]\nstudent = "{STUDENT}"\nitem = "q1.total"\npoints = 1\nreason = "Copied."\n'
        'author = "A. Prof"\ndate = 2024-01-12\n'
    )
    found = verify(here)
    assert causes(found[STUDENT]) == [Cause.OVERRIDES]
    assert "A. Prof" in found[STUDENT]["why"][0]["now"]
    assert found["student-08"]["same"]


def test_another_deadline_is_named(here: Path) -> None:
    found = verify(here, "--deadline", "2023-11-21T23:59+01:00")
    assert causes(found[STUDENT]) == [Cause.LATENESS]


def made_by(here: Path, maker: Maker) -> None:
    """A reading by another grader, which read another thing."""
    path = here / "graded" / STUDENT / READING
    kept = kept_in(path, Reading)
    reading = kept.value.model_copy(update={"documents": ()})
    path.write_bytes(pack_stage(reading, kept.key, maker) or b"")


def test_other_libraries_and_another_grader_are_named(here: Path) -> None:
    made_by(here, Maker(grader="0.1.0+ffffffffffff", libraries={**library_versions(), "pypdfium2": "4.0"}))
    (why,) = verify(here)[STUDENT]["why"]
    assert (why["cause"], why["then"]) == (Cause.LIBRARIES, "pypdfium2 4.0")
    made_by(here, Maker(grader="0.1.0+ffffffffffff", libraries=library_versions()))
    assert causes(verify(here)[STUDENT]) == [Cause.GRADER]


def test_a_defect_is_called_one(here: Path) -> None:
    kept = kept_in(here / "graded" / STUDENT / READING, Reading)
    made_by(here, kept.maker)
    found = verify(here)
    assert causes(found[STUDENT]) == [Cause.DEFECT]
    assert found[STUDENT]["first"]


def test_a_missing_reading_is_said(here: Path) -> None:
    (here / "graded" / STUDENT / READING).unlink()
    assert causes(verify(here)[STUDENT]) == [Cause.NO_READING]


def test_a_sample_is_the_same_for_the_same_seed(once: Path) -> None:
    samples = {seed: set(verify(once, "--sample", 1, "--seed", seed)) for seed in range(3)}
    assert all(len(one) == 1 for one in samples.values())
    assert len(set.union(*samples.values())) == 2
    assert set(verify(once, "--sample", 1, "--seed", 2)) == samples[2]


def test_what_a_regrade_kept_is_not_called_wrong(here: Path) -> None:
    change_lab(here / "lab", "t3.band", 'points = "0.5"', 'points = "0.75"')
    change_lab(here / "lab", "q1.total", 'points = "2.5"', 'points = "3"')
    assert grade("regrade", here / "graded", "--lab", here / "lab", "--only", "q1.*").exit_code == 0
    found = verify(here)
    assert found[STUDENT]["same"]
    assert found[STUDENT]["kept"] == ["t3.band"]


@pytest.mark.slow
def test_reports_are_confirmed_and_a_changed_one_is_found(here: Path) -> None:
    pytest.importorskip("weasyprint", reason="needs Pango", exc_type=OSError)
    grade(here / "class", "--lab", here / "lab", "--out", here / "graded", "--again")
    assert all(one["same"] for one in verify(here, "--reports", readings=False).values())
    path = here / "graded" / STUDENT / "report.pdf"
    path.write_bytes(path.read_bytes() + b"%")
    (why,) = verify(here, "--reports", readings=False)[STUDENT]["why"]
    assert (why["cause"], why["then"]) == (Cause.REPORT, "report.pdf")


def test_the_first_difference_is_found_in_the_order_of_the_file() -> None:
    stored = {"a": 1, "items": [{"id": "x", "score": 1.0}, {"id": "y", "score": 2.0}], "z": 0}
    computed = {"a": 1, "items": [{"id": "x", "score": 1.0}, {"id": "y", "score": 2.5}], "z": 1}
    found = first_difference(stored, computed)
    assert found
    assert (found.key, found.stored, found.computed) == ("items[1].score", "2.0", "2.5")
    assert first_difference(stored, stored) is None
    more = first_difference({"a": 1}, {"a": 1, "b": None})
    assert more
    assert more.key == "b"
    kind = first_difference({"a": 1}, {"a": True})
    assert kind, "1 and true are not the same bytes"
