"""The hash of a hand-in changes with its bytes and names, and with nothing else."""

import os
import shutil
import zipfile
from pathlib import Path

import pytest

from grader.intake.layouts import find_all_sources
from grader.intake.submission import Source
from grader.pipeline.hashes import UNKNOWN, source_hashes
from tests.patience import within


def folder(path: Path, **files: str) -> Path:
    for name, content in {"report.md": "My report.", **files}.items():
        place = path / name.replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    return path


def hash_of(path: Path, name: str = "ada") -> str:
    (hash_,) = source_hashes([Source(student_id=name, student_name=name, path=path)])
    return hash_


def test_a_copy_elsewhere_at_another_time_is_the_same(tmp_path: Path) -> None:
    one = folder(tmp_path / "one", logs__train="loss: 0.1")
    shutil.copytree(one, tmp_path / "two")
    os.utime(tmp_path / "two" / "report.md", (0, 0))
    (tmp_path / "two" / ".DS_Store").write_bytes(b"litter")
    assert hash_of(one) == hash_of(tmp_path / "two")


def test_the_same_size_and_time_do_not_hide_another_content(tmp_path: Path) -> None:
    one = folder(tmp_path / "one")
    before, times = hash_of(one), (one / "report.md").stat()
    with (one / "report.md").open("r+b") as file:
        file.write(b"Mx")
    os.utime(one / "report.md", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert hash_of(one) != before


@pytest.mark.parametrize(
    "files",
    [
        {"report.md": "My reports"},
        {"empty": ""},
        {"logs__report.md": "My report."},
        {"report.mdM": "y report."},
    ],
)
def test_every_change_of_names_and_contents_counts(tmp_path: Path, files: dict[str, str]) -> None:
    assert hash_of(folder(tmp_path / "one")) != hash_of(folder(tmp_path / "two", **files))


def test_names_count_also_where_the_contents_change_places(tmp_path: Path) -> None:
    one, two = folder(tmp_path / "one", a="x", b="y"), folder(tmp_path / "two", a="y", b="x")
    assert hash_of(one) != hash_of(two)


def test_a_link_is_not_followed_but_counts(tmp_path: Path) -> None:
    one = folder(tmp_path / "one")
    before = hash_of(one)
    (tmp_path / "secret").write_text("one")
    (one / "link").symlink_to(tmp_path / "secret")
    linked = hash_of(one)
    (tmp_path / "secret").write_text("another")
    assert hash_of(one) == linked != before


def test_what_cannot_be_read_equals_nothing(tmp_path: Path) -> None:
    assert hash_of(tmp_path / "gone.zip") == UNKNOWN


def test_a_zip_is_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "ada.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("report.md", "My report.")
    before = hash_of(path)
    path.write_bytes(path.read_bytes() + b"\0")
    assert hash_of(path) != before


def _class(path: Path, **reports: str) -> dict[str, str]:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, report in reports.items():
            archive.writestr(f"class/{name}/report.md", report)
            archive.writestr(f"class/{name}/code/lab.py", "print()")
    sources, _ = find_all_sources([path])
    return {source.student_id: hash_ for source, hash_ in zip(sources, source_hashes(sources), strict=True)}


def test_in_the_archive_of_a_class_each_student_has_a_hash(tmp_path: Path) -> None:
    before = _class(tmp_path / "one.zip", ada="A", bob="B")
    after = _class(tmp_path / "two.zip", ada="A", bob="another", cleo="C")
    assert before["ada"] == after["ada"]
    assert before["bob"] != after["bob"]
    assert before["ada"] != before["bob"]


def test_entries_that_overlap_are_not_read_again_and_again(tmp_path: Path) -> None:
    """An archive may name the same bytes a thousand times."""
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("top/report.md", "x" * 2**20)
        original = archive.infolist()[0]
        for number in range(1_000):
            copy = zipfile.ZipInfo(f"top/{number}.md")
            copy.compress_size, copy.file_size, copy.CRC = original.compress_size, original.file_size, original.CRC
            copy.header_offset, copy.compress_type = original.header_offset, original.compress_type
            archive.filelist.append(copy)
        archive._didModify = True  # type: ignore[attr-defined]
    source = Source(student_id="top", student_name="top", path=path, inside="top")
    assert source_hashes([source]) == [UNKNOWN]


@pytest.mark.parametrize("name", ["ada/report.md", "ada.zip"])
def test_a_file_of_100_gb_is_not_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    with path.open("wb") as file:
        file.truncate(100 * 2**30)
    ada = tmp_path / name.split("/")[0]
    with within(1):
        before = hash_of(ada)
    with path.open("ab") as file:
        file.write(b"more")
    assert hash_of(ada) != before


def test_what_holds_more_than_a_hand_in_may_is_never_taken_for_unchanged(tmp_path: Path) -> None:
    for number in range(7):
        with (folder(tmp_path / "ada") / f"{number}.bin").open("wb") as file:
            file.truncate(190 * 2**20)
    assert hash_of(tmp_path / "ada") == UNKNOWN
