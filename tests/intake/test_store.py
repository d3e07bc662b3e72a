"""Hand-ins in a store: found by names alone, fetched under numbers, and the same as those in a folder."""

import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest

from grader.intake.layouts import find_all_sources
from grader.intake.opening import open_submission
from grader.intake.store import Listing, StoreError, fetch_source, listing
from grader.intake.submission import Source, Submission

BUCKET = "memory://course"


@pytest.fixture
def memory() -> Iterator[Any]:
    """An empty store in this process."""
    found = fsspec.filesystem("memory")
    found.store.clear()
    yield found
    found.store.clear()


def put(memory: Any, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        memory.store[f"/course/{name}"] = file = memory_file(memory, name)
        file.write(content)
        file.seek(0)


def memory_file(memory: Any, name: str) -> Any:
    from fsspec.implementations.memory import MemoryFile

    return MemoryFile(memory, f"/course/{name}")


def found_in(url: str, folder: Path) -> tuple[Listing, tuple[Source, ...], list[str]]:
    folder.mkdir()
    here = listing(url, folder)
    sources, refused = find_all_sources([here.place])
    return here, sources, [one.path for one in refused]


def opened(source: Source, here: Listing, folder: Path) -> Submission:
    taken = fetch_source(source, [here.store], folder / "hand-in", folder / "cache")
    return open_submission(taken, folder / "work")


CLASS = {
    "lab/ana/report.md": b"# Lab\n1 + 1 = 2",
    "lab/ana/code/train.py": b"print(1)",
    "lab/ana/.git/config": b"litter",
    "lab/bob/rapport.md": b"# TP",
    "lab/bob/logs/a b#1?.log": b"epoch 1 loss 2",
}


def test_a_class_is_what_it_is_in_a_folder(memory: Any, tmp_path: Path) -> None:
    put(memory, CLASS)
    for name, content in CLASS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    here, sources, refused = found_in(f"{BUCKET}/lab/", tmp_path / "store")
    on_disk, _ = find_all_sources([tmp_path / "lab"])
    assert [one.student_id for one in sources] == [one.student_id for one in on_disk] == ["ana", "bob"]
    assert refused == []
    for number, (one, other) in enumerate(zip(sources, on_disk, strict=True)):
        there, alone = opened(one, here, tmp_path / str(number)), open_submission(other, tmp_path / f"w{number}")
        assert there.sha256 == alone.sha256
        assert [(file.path, file.role) for file in there.files] == [(file.path, file.role) for file in alone.files]


def test_names_lead_nowhere_and_nothing_is_called_by_them(memory: Any, tmp_path: Path) -> None:
    names = ("ana/../../../etc/passwd.md", "ana/report.md", "ana/..\\x.md", "ana/a\0b.md", f"ana/{'n' * 300}.md")
    put(memory, {f"lab/{name}": name.encode() for name in names} | {"lab/bob/report.md": b"b"})
    here, sources, refused = found_in(f"{BUCKET}/lab", tmp_path / "store")
    (ana,) = [one for one in sources if one.student_id == "ana"]
    assert len(refused) >= 3
    submission = opened(ana, here, tmp_path / "ana")
    assert len(submission.files) + len(submission.refused) == len(names)
    for file in submission.files:
        assert file.location.is_relative_to(tmp_path / "ana")
        assert ".." not in Path(file.path).parts
        assert file.location.name[:6].isdecimal()
    assert not list(tmp_path.rglob("passwd*"))


def test_files_and_archives_of_students(memory: Any, tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    with zipfile.ZipFile(tmp_path / "made" / "cy.zip", "w") as archive:
        archive.writestr("report.md", "# Lab of Cy")
    packed = (tmp_path / "made" / "cy.zip").read_bytes()
    put(memory, {"lab/ana.md": b"# A", "lab/cy.zip": packed, "lab/dan.zip": packed})
    here, sources, _ = found_in(f"{BUCKET}/lab", tmp_path / "store")
    found = {one.student_id: opened(one, here, tmp_path / one.student_id) for one in sources}
    assert {name: [file.path for file in one.files] for name, one in found.items()} == {
        "cy": ["report.md"],
        "dan": ["report.md"],
    }


def test_one_archive_of_a_class_is_fetched_once_for_all(memory: Any, tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    with zipfile.ZipFile(tmp_path / "made" / "class.zip", "w") as archive:
        for student in ("ana", "bob"):
            archive.writestr(f"{student}/report.md", f"# {student}")
    put(memory, {"class.zip": (tmp_path / "made" / "class.zip").read_bytes()})
    here, sources, _ = found_in(f"{BUCKET}/class.zip", tmp_path / "store")
    assert [one.student_id for one in sources] == ["ana", "bob"]
    (tmp_path / "store" / "class.zip").unlink()  # as on another machine
    found = [fetch_source(one, [here.store], tmp_path / one.student_id, tmp_path / "cache") for one in sources]
    assert len({one.path for one in found}) == 1
    assert len(list((tmp_path / "cache").iterdir())) == 1
    texts = [open_submission(one, tmp_path / f"w{one.student_id}").files[0].location.read_text() for one in found]
    assert texts == ["# ana", "# bob"]


def test_what_is_too_large_is_not_fetched(memory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from grader.intake import store
    from grader.intake.archive import Limits

    limits = Limits(file_bytes=1000, total_bytes=5000)
    monkeypatch.setattr(store, "DEFAULT_LIMITS", limits)
    put(memory, {"lab/ana/report.md": b"# A", "lab/ana/weights.bin": b"w" * 2000, "lab/bob/report.md": b"# B"})
    here, (ana, _), _ = found_in(f"{BUCKET}/lab", tmp_path / "store")
    taken = fetch_source(ana, [here.store], tmp_path / "hand-in", tmp_path / "cache")
    (large,) = [part.path for part in taken.parts if part.name == "weights.bin"]
    assert large.stat().st_size == 2000
    assert large.read_bytes().strip(b"\0") == b""
    submission = open_submission(taken, tmp_path / "work", limits)
    assert [file.path for file in submission.files] == ["report.md"]
    assert [one.path for one in submission.refused] == ["weights.bin"]
    monkeypatch.setattr(store, "_MOST_BYTES", 2)
    with pytest.raises(StoreError, match="more than a submission may hold"):
        fetch_source(ana, [here.store], tmp_path / "again", tmp_path / "cache")


def test_a_change_in_the_store_is_seen(memory: Any, tmp_path: Path) -> None:
    put(memory, CLASS)
    here, sources, _ = found_in(f"{BUCKET}/lab", tmp_path / "one")
    lines = [here.files_below(one.path) for one in sources]
    assert [len(one or ()) for one in lines] == [3, 2]
    assert here.files_below(tmp_path / "elsewhere") is None
    put(memory, {"lab/bob/rapport.md": b"# TP, and more"})
    again, sources, _ = found_in(f"{BUCKET}/lab", tmp_path / "two")
    assert [again.files_below(one.path) == lines[number] for number, one in enumerate(sources)] == [True, False]


def test_a_hand_in_that_has_gone_meanwhile_is_named(memory: Any, tmp_path: Path) -> None:
    put(memory, CLASS)
    here, (ana, _), _ = found_in(f"{BUCKET}/lab", tmp_path / "store")
    for name in [name for name in memory.store if "/ana/" in name]:
        del memory.store[name]
    with pytest.raises(StoreError, match="memory://course/lab/ana: "):
        fetch_source(ana, [here.store], tmp_path / "hand-in", tmp_path / "cache")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("memory://nothing/here", "there is nothing"),
        ("moon://crater/lab", "Protocol not known: moon"),
        ("abfs://container@account/lab", "a package for this kind of store is missing: "),
    ],
)
def test_stores_that_cannot_be_used_are_explained(memory: Any, tmp_path: Path, url: str, why: str) -> None:
    with pytest.raises(StoreError, match=why) as raised:
        listing(url, tmp_path)
    assert str(raised.value).startswith(url)


def test_the_same_names_give_the_same_folder_twice(memory: Any, tmp_path: Path) -> None:
    """What stands for a place depends on the URL alone, so that the hash of a hand-in does."""
    put(memory, CLASS)
    both = [found_in(f"{BUCKET}/lab", tmp_path / name)[0] for name in ("a", "b")]
    hashes = {hashlib.sha256(repr(one.files_below(Path(one.store.root) / "ana")).encode()).hexdigest() for one in both}
    assert len(hashes) == 1
