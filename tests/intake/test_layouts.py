"""One path, many shapes: who handed in what."""

import os
from pathlib import Path

import pytest

from grader.intake import IntakeError
from grader.intake.layouts import Layout, find_sources
from grader.intake.opening import open_submission
from tests.intake.making import ENCRYPTED, UTF8_NAMES, paths, plant, with_flags, zipped

TWO = ["ada/report.md", "bob/report.md"]

CLASSES = {
    "folders": (["s10/a.md", "s2/a.md", "s1/a.md"], ["s1", "s2", "s10"]),
    "folders without reports": (["ada/code/a.ipynb", "bob/a.ipynb"], ["ada", "bob"]),
    "an empty folder counts": (["ada/report.md", "bob/.gitkeep"], ["ada", "bob"]),
    "archives": (["Lab4_ada.zip", "Lab4_bob.7z"], ["Lab4_ada", "Lab4_bob"]),
    "folders and archives": (["ada/report.md", "bob.zip", "eve.zip"], ["ada", "bob", "eve"]),
    "folder and archive of one name": (["ada/report.md", "ada.zip"], ["ada", "ada.zip"]),
    "wrapped": (["2023/lab4/ada/report.md", "2023/lab4/bob/report.md"], ["ada", "bob"]),
    "one student in a class": (["ada/report.md", "ada/code/a.ipynb"], ["ada"]),
    "loose documents": (["x-0.md", "x-0.pdf", "x-1.md"], ["x-0.md", "x-0.pdf", "x-1"]),
    "numbered reports": (["report-1.pdf", "report-2.pdf"], ["report-1", "report-2"]),
    "numbers alone": (["001/report.md", "002/report.md"], ["001", "002"]),
    "numbered hand-ins": (["lab4_1/report.md", "lab4_2/report.md"], ["lab4_1", "lab4_2"]),
    "with the task beside": ([*TWO, "task.pdf"], ["ada", "bob"]),
    "with the teacher's folder beside": ([*TWO, "data/train.csv"], ["ada", "bob"]),
    "with results of last time": ([*TWO, "graded/ada/result.json", "graded/grades.csv"], ["ada", "bob"]),
}

HAND_INS = {
    "report and code": ["report.pdf", "code/a.ipynb"],
    "named report and code": ["Lab4_ada.pdf", "code/a.ipynb", "runs/events.out.tfevents.1.h"],
    "several parts": ["ada.pdf", "part_a/train.ipynb", "part_b/train.ipynb"],
    "report in two forms": ["ada.md", "ada.pdf"],
    "report and appendix": ["ada.pdf", "appendix.pdf"],
    "report and notebook": ["ada.pdf", "train.ipynb"],
    "notebooks alone": ["train.ipynb", "bloom.ipynb"],
    "code alone": ["code/a.ipynb"],
    "answers and parts with papers": ["answers.pdf", "x/paper.pdf", "y/paper.pdf"],
    "report with pictures": ["ada.md", "notes.md", "loss.png"],
    "report and archives": ["report.pdf", "x.zip", "y.zip"],
    "numbered parts": ["Report.pdf", "run1/a.log", "run2/a.log"],
}


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_in_a_folder_and_in_an_archive(tmp_path: Path, name: str) -> None:
    files, students = CLASSES[name]
    folder = plant(tmp_path / "submissions", files)
    assert [source.student_id for source in find_sources(folder)[0]] == students
    archive = tmp_path / "class.zip"
    archive.write_bytes(zipped(dict.fromkeys(files, b"")))
    assert [source.student_id for source in find_sources(archive)[0]] == students
    archive.write_bytes(zipped({f"submissions/{path}": b"" for path in files}))
    assert [source.student_id for source in find_sources(archive)[0]] == students


@pytest.mark.parametrize("file", ["gradebook.sqlite", "class.json"])
def test_results_of_any_name_are_no_hand_in(tmp_path: Path, file: str) -> None:
    folder = plant(tmp_path / "submissions", [*TWO, f"o/{file}", "o/ada/report.html"])
    assert [source.student_id for source in find_sources(folder)[0]] == ["ada", "bob"]
    own = plant(tmp_path / "Ada L", ["report.md", "code/a.ipynb", f"o/{file}"])
    (source,), _ = find_sources(own)
    assert sorted(paths(open_submission(source, tmp_path / "work"))) == ["code/a.ipynb", "report.md"]


@pytest.mark.parametrize("name", HAND_INS)
def test_one_hand_in_in_a_folder_and_in_an_archive(tmp_path: Path, name: str) -> None:
    folder = plant(tmp_path / "Ada L", HAND_INS[name])
    archive = tmp_path / "Ada L.zip"
    for wrapping in ("", "Lab4/"):
        archive.write_bytes(zipped({wrapping + path: b"" for path in HAND_INS[name]}))
        for path in (folder, archive):
            sources, refused = find_sources(path)
            assert [(source.student_id, source.path, source.inside) for source in sources] == [("Ada L", path, "")]
            assert not refused


@pytest.mark.parametrize("name", [*CLASSES, *HAND_INS])
def test_every_file_is_handed_in_or_refused(tmp_path: Path, name: str) -> None:
    files = CLASSES[name][0] if name in CLASSES else HAND_INS[name]
    contents = {path: zipped({"in.md": b""}) if path.endswith(".zip") else b"x" for path in files}
    (tmp_path / "all.zip").write_bytes(zipped(contents))
    for path in (plant(tmp_path / "folder", contents), tmp_path / "all.zip"):
        sources, refused = find_sources(path)
        counted = len(refused)
        for source in sources:
            submission = open_submission(source, tmp_path / "work" / path.name / source.student_id)
            counted += len(submission.files) + len(submission.refused)
        assert counted == len([file for file in files if ".gitkeep" not in file and "graded" not in file])


def test_what_lies_beside_the_students_is_refused_with_a_reason(tmp_path: Path) -> None:
    folder = plant(tmp_path / "c", [*TWO, "README.md", "grades.csv", "mail.py", "carol.pdf", ".DS_Store"])
    (folder / "linked").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.zip")
    sources, refused = find_sources(folder)
    assert [source.student_id for source in sources] == ["ada", "bob"]
    assert [one.path for one in refused] == ["carol.pdf", "grades.csv", "linked", "mail.py", "pipe.zip", "README.md"]
    assert all(one.reason for one in refused)


def test_hostile_names_in_the_archive_of_a_class(tmp_path: Path) -> None:
    entries = [(path, b"x") for path in [*TWO, "../evil.md", "ada/../../evil.md"]]
    (tmp_path / "class.zip").write_bytes(zipped(entries))
    sources, refused = find_sources(tmp_path / "class.zip")
    assert [source.inside for source in sources] == ["ada", "bob"]
    assert [one.path for one in refused] == ["../evil.md"]
    submission = open_submission(sources[0], tmp_path / "work")
    assert (paths(submission), [one.path for one in submission.refused]) == (["report.md"], ["../../evil.md"])


def test_litter_and_odd_names_in_the_archive_of_a_class(tmp_path: Path) -> None:
    litter = ["__MACOSX/._a", "__MACOSX/ada/._report.md", ".DS_Store", "ada/Thumbs.db"]
    entries = dict.fromkeys(["Zoé\\report.md", "ada/report.md", *litter], b"x")
    (tmp_path / "class.zip").write_bytes(with_flags(zipped(entries), clear=UTF8_NAMES))
    sources, refused = find_sources(tmp_path / "class.zip")
    assert ([source.student_id for source in sources], refused) == (["ada", "Zoé"], ())
    for source in sources:
        assert paths(open_submission(source, tmp_path / source.student_id)) == ["report.md"]


def test_a_folder_that_holds_only_the_download_of_a_class(tmp_path: Path) -> None:
    folder = plant(tmp_path / "inbox", {"moodle.zip": zipped(dict.fromkeys(TWO, b"x"))})
    assert [source.student_id for source in find_sources(folder)[0]] == ["ada", "bob"]


def test_a_folder_that_holds_one_damaged_archive_is_that_students(tmp_path: Path) -> None:
    folder = plant(tmp_path / "inbox", {"Lab4_ada.zip": b"no archive"})
    (source,), _ = find_sources(folder)
    assert (source.student_id, source.path) == ("Lab4_ada", folder / "Lab4_ada.zip")


@pytest.mark.parametrize("name", ["ada.pdf", "ada.md", "ada.ipynb", "ada.docx", "README.md"])
def test_a_single_file(tmp_path: Path, name: str) -> None:
    path = plant(tmp_path, [name]) / name
    (source,), _ = find_sources(path)
    assert (source.student_id, source.path) == (Path(name).stem, path)


def test_a_layout_can_be_forced(tmp_path: Path) -> None:
    folder = plant(tmp_path / "c", TWO)
    assert [one.student_id for one in find_sources(folder, Layout.STUDENT)[0]] == ["c"]
    hand_in = plant(tmp_path / "h", ["ada.ipynb", "bob.ipynb", "loss.csv"])
    assert len(find_sources(hand_in)[0]) == 1
    sources, refused = find_sources(hand_in, Layout.CLASS)
    assert [one.student_id for one in sources] == ["ada", "bob"]
    assert [one.path for one in refused] == ["loss.csv"]
    mixed = plant(tmp_path / "m", ["report.pdf", "code/x.md", "src/y.md"])
    assert [one.student_id for one in find_sources(mixed, Layout.CLASS)[0]] == ["code", "src"]


def test_names_are_kept_for_display_and_made_safe_as_ids(tmp_path: Path) -> None:
    folder = plant(tmp_path / "c", ["Zoé D'Été_123/report.md", "CON/report.md", "a:b/report.md", "A_b/report.md"])
    sources, _ = find_sources(folder)
    assert [(one.student_name, one.student_id) for one in sources] == [
        ("a:b", "a_b-2"),
        ("A_b", "A_b"),
        ("CON", "_CON"),
        ("Zoé D'Été_123", "Zoé D'Été_123"),
    ]


@pytest.mark.parametrize("content", [b"", b"no archive", zipped({"a.md": b"x"})[:-40], zipped({})])
def test_an_archive_that_cannot_be_used(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "class.zip").write_bytes(content)
    with pytest.raises(IntakeError, match=r"class\.zip: it .*; .*\."):
        find_sources(tmp_path / "class.zip")


def test_a_protected_class(tmp_path: Path) -> None:
    (tmp_path / "class.zip").write_bytes(with_flags(zipped(dict.fromkeys(TWO, b"x")), put=ENCRYPTED))
    with pytest.raises(IntakeError, match="password"):
        find_sources(tmp_path / "class.zip")


def test_nothing_to_grade(tmp_path: Path) -> None:
    plant(tmp_path, ["empty/.DS_Store", "class.rar", "tool.exe"])
    for name, why in (("gone", "no such"), ("empty", "no files"), ("class.rar", "zip"), ("tool.exe", "no submission")):
        with pytest.raises(IntakeError, match=why):
            find_sources(tmp_path / name)
