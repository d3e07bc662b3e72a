"""Ids that every file system takes, whatever a folder was called."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.intake.names import origin_of, remembered_ids, safe_id, unique_ids

NAMES = st.text(max_size=200) | st.from_regex(r"(con|aux|com1|\.+|[a-z/\\:*]{1,5})(\..*)?", fullmatch=True)


@pytest.mark.parametrize(
    ("name", "id_"),
    [
        ("student-01", "student-01"),
        ("Łukasz Ćwik_42", "Łukasz Ćwik_42"),
        ("李雷", "李雷"),
        ("e\u0301", "é"),
        ("a/b\\c:d", "a_b_c_d"),
        ("..hidden", "hidden"),
        ("dots. . .", "dots"),
        ("nul.txt", "_nul.txt"),
        ("Class.pdf", "_Class.pdf"),
        ("class.html", "_class.html"),
        ("grades.csv", "_grades.csv"),
        ("gradebook.sqlite-wal", "_gradebook.sqlite-wal"),
        ("gradebook.damaged-1.sqlite", "_gradebook.damaged-1.sqlite"),
        ("gradebook", "gradebook"),
        ("a\nb\u202ec", "a_b_c"),
    ],
)
def test_readable_names_stay_readable(name: str, id_: str) -> None:
    assert safe_id(name) == id_


@given(NAMES)
def test_an_id_is_one_plain_folder_name(name: str) -> None:
    id_ = safe_id(name)
    assert Path(id_).name == id_
    assert 0 < len(id_.encode()) <= 100
    assert id_ == id_.strip(" .")
    assert not set(id_) & set('<>:"/\\|?*\0\n')
    assert id_.split(".")[0].rstrip().lower() not in {"con", "prn", "aux", "nul", "com1", "lpt9"}
    assert safe_id(id_) == id_


@given(st.lists(NAMES | st.sampled_from(["a", "A", "a-2", "a_", "a?"]), max_size=12))
def test_ids_are_unique_whatever_the_case(names: list[str]) -> None:
    ids = unique_ids(names)
    assert len({id_.casefold() for id_ in ids}) == len(names) == len(ids)


def test_long_names_stay_apart() -> None:
    first, second = safe_id("é" * 200 + "1"), safe_id("é" * 200 + "2")
    assert first != second
    assert first.startswith("é" * 40)


@pytest.mark.parametrize(
    ("found", "known", "ids"),
    [
        ([("ana", "ana"), ("bob", "bob")], {}, ("ana", "bob")),
        ([("ANA", "ANA"), ("ana", "ana-2")], {"ana": "ana"}, ("ANA-3", "ana")),
        ([("ana ", "ana"), ("ana.", "ana-2")], {"ana.": "ana"}, ("ana-3", "ana")),
        ([("ana ", "ana")], {"ana": "ana"}, ("ana-2",)),  # also where the other one is not there this time
        ([("ana", "ana"), ("ana", "ana-2")], {"ana": "ana"}, ("ana", "ana-2")),
        ([("ana", "ana")], {"ana": "ana-2", "ana.": "ana"}, ("ana-2",)),
    ],
)
def test_an_id_stays_with_the_name_that_it_was_given(
    found: list[tuple[str, str]], known: dict[str, str], ids: tuple[str, ...]
) -> None:
    assert remembered_ids(found, known) == ids
    again = dict(known) | {name: id_ for (name, _), id_ in reversed(list(zip(found, ids, strict=True)))}
    assert remembered_ids(found, again) == ids


def test_names_that_no_file_can_hold_are_told_apart() -> None:
    assert origin_of("e\u0301ve") == origin_of("\u00e9ve")
    assert origin_of("ana\udcff") != origin_of("ana")
    origin_of("ana\udcff").encode()
