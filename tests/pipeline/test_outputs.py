"""Files appear whole or not at all."""

from pathlib import Path

import pytest

from grader.pipeline.outputs import Reports, write_atomically, write_student
from grader.pipeline.stages import FORMER_STAGE_FILE, READING
from tests.factories import result


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "result.json"
    write_atomically(target, b"old")

    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_atomically(target, b"new")
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_a_report_of_an_earlier_result_does_not_survive_a_new_one(tmp_path: Path) -> None:
    graded = result()
    write_student(tmp_path, graded, Reports(b"%PDF", b"<!DOCTYPE html>"))
    write_student(tmp_path, graded, Reports())
    assert [path.name for path in (tmp_path / graded.student.id).iterdir()] == ["result.json"]


def test_what_an_earlier_version_kept_of_a_hand_in_goes_when_it_is_graded_anew(tmp_path: Path) -> None:
    graded = result()
    (folder := tmp_path / graded.student.id).mkdir()
    (folder / FORMER_STAGE_FILE).write_bytes(b"old")
    write_student(tmp_path, graded, Reports())
    assert (folder / FORMER_STAGE_FILE).exists(), "the stages were not graded anew"
    write_student(tmp_path, graded, Reports(stages={READING: b"new"}))
    assert sorted(path.name for path in folder.iterdir()) == [READING, "result.json"]
