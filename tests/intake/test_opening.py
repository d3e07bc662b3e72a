"""Hand-ins that are folders or single files, and what holds for every hand-in."""

import os
from pathlib import Path

import pytest

from grader.intake.archive import Limits
from grader.intake.submission import Role
from tests.intake.making import contents, opened, paths, plant, reasons, zipped

FILES = {"report.md": b"text", "code/lab.ipynb": b"{}", "code/run.py": b"x", "runs/a/events.out.tfevents.1.h": b"\0"}


def test_a_folder_is_read_where_it_lies(tmp_path: Path) -> None:
    folder = plant(tmp_path / "ada", FILES | {".DS_Store": b"x", "__MACOSX/._report.md": b"x", "code/.git/HEAD": b"x"})
    submission = opened(tmp_path, folder)
    assert contents(submission) == FILES
    assert paths(submission) == sorted(FILES)
    assert {file.role for file in submission.files} == {Role.REPORT, Role.NOTEBOOK, Role.CODE, Role.LOG}
    assert all(file.location.is_relative_to(folder) for file in submission.files)
    assert not (tmp_path / "work").exists()


def test_equal_hand_ins_have_equal_hashes_however_they_come(tmp_path: Path) -> None:
    folder = opened(tmp_path, plant(tmp_path / "ada", FILES))
    archive = opened(tmp_path, zipped(dict(reversed(FILES.items()))))
    other = opened(tmp_path, plant(tmp_path / "bob", FILES | {"report.md": b"Text"}))
    assert folder.sha256 == archive.sha256 != other.sha256
    assert [file.sha256 for file in folder.files] == [file.sha256 for file in archive.files]


def test_links_and_pipes_are_not_followed(tmp_path: Path) -> None:
    secret = plant(tmp_path / "secret", {"key.md": b"secret"})
    folder = plant(tmp_path / "ada", {"report.md": b"x"})
    (folder / "link.md").symlink_to(secret / "key.md")
    (folder / "linked").symlink_to(secret)
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.md")
    submission = opened(tmp_path, folder)
    assert paths(submission) == ["report.md"]
    assert {path: "link" in reason for path, reason in reasons(submission).items()} == {
        "link.md": True,
        "linked": True,
        "loop": True,
        "pipe.md": False,
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_what_may_not_be_read_is_said(tmp_path: Path) -> None:
    folder = plant(tmp_path / "ada", {"report.md": b"x", "locked.md": b"x", "closed/a.md": b"x"})
    (folder / "locked.md").chmod(0)
    (folder / "closed").chmod(0)
    submission = opened(tmp_path, folder)
    (folder / "closed").chmod(0o700)
    assert paths(submission) == ["report.md"]
    assert reasons(submission).keys() == {"locked.md", "closed/"}


def test_archives_in_a_folder_are_unpacked(tmp_path: Path) -> None:
    folder = plant(tmp_path / "ada", {"Lab4.zip": zipped({"Lab4/report.md": b"x"}), "code.tar.gz": b"\x1f\x8b"})
    submission = opened(tmp_path, folder)
    assert contents(submission) == {"Lab4.zip/Lab4/report.md": b"x"}
    assert reasons(submission).keys() == {"code.tar.gz"}


def test_limits_hold_for_folders(tmp_path: Path) -> None:
    folder = plant(tmp_path / "ada", {"model.pt": bytes(2000), "a/b/c/deep.md": b"x", "b.csv": b"b", "report.md": b"r"})
    submission = opened(tmp_path, folder, limits=Limits(file_bytes=1000, depth=2, files=1))
    assert paths(submission) == ["report.md"]
    assert "larger than" in reasons(submission)["model.pt"]
    assert "folders deep" in reasons(submission)["a/b/c/"]
    assert "more than 1 files" in reasons(submission)["b.csv"]


def test_our_own_results_are_no_part_of_a_hand_in(tmp_path: Path) -> None:
    folder = plant(tmp_path / "ada", ["report.md", "graded/ada/result.json", "graded/ada/report.pdf"])
    assert paths(opened(tmp_path, folder)) == ["report.md"]
    other = plant(tmp_path / "bob", ["report.md", "graded/report.pdf"])
    assert paths(opened(tmp_path, other)) == ["graded/report.pdf", "report.md"]


def test_an_empty_hand_in_has_no_files(tmp_path: Path) -> None:
    for empty in (plant(tmp_path / "ada", [".gitkeep"]), zipped({}), zipped({"folder/": b""})):
        submission = opened(tmp_path, empty)
        assert (submission.files, submission.refused) == ((), ())


def test_a_single_file_is_a_hand_in(tmp_path: Path) -> None:
    path = plant(tmp_path, {"ada.md": b"x"}) / "ada.md"
    assert contents(opened(tmp_path, path)) == {"ada.md": b"x"}


def test_what_is_gone_or_no_file_is_said(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.zip")
    for name in ("gone.md", "gone.zip", "pipe.zip"):
        submission = opened(tmp_path, tmp_path / name)
        assert reasons(submission).keys() == {name}


def test_a_name_that_is_no_text_reaches_the_result_as_text(tmp_path: Path) -> None:
    folder = plant(tmp_path / "ada", [])
    try:
        Path(os.fsdecode(os.fsencode(folder) + b"/r\xe9ponse.md")).write_bytes(b"x")
    except OSError:
        pytest.skip("this file system takes no such name")
    submission = opened(tmp_path, folder)
    assert contents(submission) == {"r\ufffdponse.md": b"x"}
    submission.model_dump_json()


def test_many_refusals_for_one_reason_are_counted_not_listed(tmp_path: Path) -> None:
    folder = plant(tmp_path / "ada", [f"{number}.rar" for number in range(100)])
    refused = opened(tmp_path, folder).refused
    assert len(refused) == 21
    assert "80 more" in refused[-1].path


def test_of_many_refusals_it_is_known_whether_answers_are_among_those_not_listed(tmp_path: Path) -> None:
    folder = plant(tmp_path / "ada", {"report.md": b"x"})
    for number in range(40):
        (folder / f"{number}.png").symlink_to(tmp_path)
    (folder / "z.ipynb").symlink_to(tmp_path)
    refused = opened(tmp_path, folder).refused
    assert "z.ipynb" in {one.path for one in refused}
    assert not any(one.is_many for one in refused)
    for number in range(40):
        (folder / f"{number}.ipynb").symlink_to(tmp_path)
    assert [one.is_many for one in opened(tmp_path, folder).refused if "more" in one.path] == [True]
