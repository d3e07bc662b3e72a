"""Hostile, damaged and odd archives: the good files come in, the others get a reason, nothing leaves `work`."""

import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.intake.archive import Limits
from tests.intake.making import ENCRYPTED, UTF8_NAMES, contents, opened, paths, reasons, special, with_flags, zipped


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../evil.txt", "path is not valid"),
        ("a/../../evil.txt", "path is not valid"),
        ("..\\..\\evil.txt", "path is not valid"),
        ("a/.. /evil.txt", "path is not valid"),
        ("/etc/passwd", "absolute"),
        ("\\\\server\\share\\evil.txt", "absolute"),
        ("C:\\Users\\me\\report.md", "absolute"),
        ("c:report.md", "absolute"),
        ("x" * 300 + ".md", "too long"),
        ("a/" * 600 + "b.md", "too long"),
        ("a/" * 40 + "b.md", "folders deep"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused_and_the_rest_is_kept(tmp_path: Path, name: str, why: str) -> None:
    submission = opened(tmp_path, zipped([(name, b"evil"), ("report.md", b"mine")]))
    assert contents(submission) == {"report.md": b"mine"}
    assert len(submission.refused) == 1
    assert why in submission.refused[0].reason
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"hand-in.zip", "00001-report.md"}


def test_a_name_with_a_nul_is_refused(tmp_path: Path) -> None:
    submission = opened(tmp_path, zipped({"report.pdf": b"x"}).replace(b"report.pdf", b"repo\0t.pdf"))
    assert not submission.files
    assert "NUL" in submission.refused[0].reason


def test_backslashes_and_idle_parts_are_put_right(tmp_path: Path) -> None:
    submission = opened(tmp_path, zipped({"Lab\\code\\a.ipynb": b"a", "./Lab//report.md": b"b", "Lab\\figures\\": b""}))
    assert contents(submission) == {"Lab/code/a.ipynb": b"a", "Lab/report.md": b"b"}


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_devices_are_refused(tmp_path: Path, kind: int) -> None:
    submission = opened(tmp_path, zipped([(special("report.md", kind | 0o777), b"/etc/passwd"), ("b.md", b"b")]))
    assert paths(submission) == ["b.md"]
    assert ("link" if kind == stat.S_IFLNK else "device") in reasons(submission)["report.md"]


def test_a_password_is_asked_away(tmp_path: Path) -> None:
    submission = opened(tmp_path, with_flags(zipped({"report.md": b"x"}), put=ENCRYPTED))
    assert not submission.files
    assert "password" in reasons(submission)["report.md"]


def test_of_two_files_with_one_name_the_first_counts_and_case_keeps_names_apart(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        archive = zipped([("report.md", b"first"), ("report.md", b"second"), ("Report.md", b"third")])
    submission = opened(tmp_path, archive)
    assert contents(submission) == {"Report.md": b"third", "report.md": b"first"}
    assert "same name" in reasons(submission)["report.md"]


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [("bomb.txt", bytes(30_000_000), "200 times"), ("code.zip", b"PK\x03\x04 no", "damaged")],
    ids=["bomb", "damaged archive"],
)
def test_what_cannot_be_unpacked_costs_itself_only(tmp_path: Path, name: str, content: bytes, why: str) -> None:
    submission = opened(tmp_path, zipped({name: content, "report.md": b"x"}))
    assert paths(submission) == ["report.md"]
    assert why in reasons(submission)[name]


def test_a_bomb_that_lies_about_its_size_stays_within_it(tmp_path: Path) -> None:
    size = 30_000_000
    archive = zipped({"bomb.txt": bytes(size)}).replace(size.to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    submission = opened(tmp_path, archive)
    assert not submission.files
    assert "damaged" in reasons(submission)["bomb.txt"]
    assert not any(path.is_file() for path in (tmp_path / "work").rglob("*"))


def test_the_limit_on_all_bytes_counts_what_was_unpacked(tmp_path: Path) -> None:
    entries = {f"{number}.md": bytes(1000) for number in range(5)}
    submission = opened(tmp_path, zipped(entries), limits=Limits(total_bytes=2500))
    assert paths(submission) == ["0.md", "1.md"]
    assert all("in all" in reason for reason in reasons(submission).values())


def test_ten_thousand_files_leave_the_report_in(tmp_path: Path) -> None:
    entries = {f"data/{number}.csv": b"" for number in range(10_000)} | {"z/report.pdf": b"%PDF-1.7"}
    submission = opened(tmp_path, zipped(entries, zipfile.ZIP_STORED), limits=Limits(files=1000))
    assert len(submission.files) == 1000
    assert "z/report.pdf" in paths(submission)
    assert "8,981 more" in submission.refused[-1].path


def test_more_entries_than_anyone_could_mean_are_not_even_listed(tmp_path: Path) -> None:
    entries = {f"{number}.csv": b"" for number in range(200)}
    submission = opened(tmp_path, zipped(entries), limits=Limits(files=5))
    assert not submission.files
    assert "holds more than 100 files" in reasons(submission)["hand-in.zip"]


def test_a_wrong_checksum_costs_that_file_only(tmp_path: Path) -> None:
    archive = zipped({"a.md": b"first text", "b.md": b"second text"}, zipfile.ZIP_STORED)
    submission = opened(tmp_path, archive.replace(b"first text", b"forged one"))
    assert paths(submission) == ["b.md"]
    assert "damaged" in reasons(submission)["a.md"]


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_rare_compression_is_named(tmp_path: Path, method: int) -> None:
    assert "rare method" in reasons(opened(tmp_path, zipped({"a.md": b"x"}, method)))["a.md"]


def test_utf8_names_without_the_flag_are_read_as_utf8(tmp_path: Path) -> None:
    archive = with_flags(zipped({"réponses/été.md": b"x"}), clear=UTF8_NAMES)
    assert paths(opened(tmp_path, archive)) == ["réponses/été.md"]


def test_old_dos_names_stay_readable(tmp_path: Path) -> None:
    archive = zipped({"Xt.md": b"x"}).replace(b"Xt.md", "ét.md".encode("cp437"))
    assert paths(opened(tmp_path, archive)) == ["ét.md"]


def test_decomposed_and_control_characters_do_not_reach_the_result(tmp_path: Path) -> None:
    submission = opened(tmp_path, zipped({"e\u0301.md": b"x", "a\u202egpj.md": b"y", "b\x1b[1m.md": b"z"}))
    assert paths(submission) == ["a\ufffdgpj.md", "b\ufffd[1m.md", "é.md"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "damaged"),
        (b"not a zip", "damaged"),
        (b"Rar!\x1a\x07\x00" + bytes(100), "RAR"),
        (zipped({"a.md": b"x" * 1000})[:-30], "damaged"),
    ],
)
def test_what_is_no_archive_says_so(tmp_path: Path, content: bytes, why: str) -> None:
    submission = opened(tmp_path, content)
    assert not submission.files
    assert why in reasons(submission)["hand-in.zip"]


def test_archives_within_are_unpacked_in_place_up_to_the_limit(tmp_path: Path) -> None:
    third = zipped({"deep.md": b"d"})
    second = zipped({"notes.md": b"n", "third.zip": third})
    first = zipped({"report.pdf": b"%PDF-", "second.zip": second, "code.rar": b"Rar!"})
    submission = opened(tmp_path, zipped({"first.zip": first}))
    assert paths(submission) == ["first.zip/report.pdf", "first.zip/second.zip/notes.md"]
    assert "unpack it" in reasons(submission)["first.zip/second.zip/third.zip"]
    assert "not unpacked" in reasons(submission)["first.zip/code.rar"]


def test_one_student_of_a_class_archive(tmp_path: Path) -> None:
    archive = zipped(
        [
            ("class/ada/report.md", b"a"),
            ("class/ada/../../x", b"x"),
            ("class/adam/report.md", b"other"),
            ("class/bob.zip", zipped({"report.md": b"b"})),
            ("class/eve.pdf", b"%PDF-"),
        ]
    )
    ada, bob, eve = (opened(tmp_path / f"{n}", archive_in(tmp_path / f"{n}", archive), inside) for n, inside in PARTS)
    assert contents(ada) == {"report.md": b"a"}
    assert "path is not valid" in reasons(ada)["../../x"]
    assert contents(bob) == {"report.md": b"b"}
    assert contents(eve) == {"eve.pdf": b"%PDF-"}


PARTS = ((1, "class/ada"), (2, "class/bob.zip"), (3, "class/eve.pdf"))


def archive_in(folder: Path, archive: bytes) -> Path:
    folder.mkdir()
    (folder / "class.zip").write_bytes(archive)
    return folder / "class.zip"


def test_a_protected_archive_of_one_student_in_a_class(tmp_path: Path) -> None:
    archive = with_flags(zipped({"bob.zip": b"x" * 50, "ada.zip": b"y" * 50}, zipfile.ZIP_STORED), put=ENCRYPTED)
    assert "password" in reasons(opened(tmp_path, archive, "bob.zip"))["bob.zip"]


HOSTILE_NAMES = st.lists(
    st.one_of(st.sampled_from(["..", ".", "/", "\\", "a", "C:", "\0", "~", " ", "...", "con", "\u202e"]), st.text()),
    min_size=1,
    max_size=8,
).flatmap(lambda parts: st.sampled_from(["", "/", "\\"]).map(lambda joint: joint.join(parts)))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=HOSTILE_NAMES)
def test_no_name_whatever_lets_a_file_leave(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    top = tmp_path_factory.mktemp("top")
    archive = zipped([(special(name, stat.S_IFREG | 0o644), b"x")])
    submission = opened(top, archive)
    written = {path for path in top.rglob("*") if path.is_file() or path.is_symlink()} - {top / "hand-in.zip"}
    assert written == {file.location for file in submission.files}
    assert all(path.parent == top / "work" for path in written)
    assert all(not file.path.startswith("/") and ".." not in file.path.split("/") for file in submission.files)
    submission.model_dump_json()


HONEST = zipped({"report.md": b"text " * 20, "code/a.ipynb": b"{}", "é.txt": b"", "in.zip": zipped({"b.md": b"b"})})


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        st.binary(),
        st.lists(st.tuples(st.integers(0, len(HONEST) - 1), st.integers(0, 255)), min_size=1, max_size=6).map(
            lambda edits: bytes(dict(edits).get(at, byte) for at, byte in enumerate(HONEST))
        ),
        st.integers(0, len(HONEST)).map(lambda end: HONEST[:end]),
    )
)
def test_no_bytes_whatever_make_opening_raise(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    submission = opened(tmp_path_factory.mktemp("top"), content)
    submission.model_dump_json()
