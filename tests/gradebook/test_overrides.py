"""`overrides.toml`: what is written is what counts, and a mistake is told with its line."""

import tomllib
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.gradebook import GradebookError
from grader.gradebook.overrides import override_text, overrides_by_student, read_overrides
from grader.lab.definition import rubrics_of
from grader.result import Override, Status

MAXIMA = {"q1.total": Decimal("2.5"), "q1.steps": Decimal(1)}
GOOD = """\
# decided together on the 12th
[[override]]
student = "ada"
item = "q1.total"
points = 1.25
reason = "The total is in the figure."
author = "M. Dupont"
date = 2024-01-12
finding = "3f0c"

[[override]]
student = "bob"
item = "q1.total"
status = "correct"
reason = '''
[[override]] is
not a heading here'''
author = "M. Dupont"
date = 2024-01-13
"""


def read(tmp_path: Path, text: str):  # type: ignore[no-untyped-def]
    path = tmp_path / "overrides.toml"
    path.write_text(text, encoding="utf-8")
    return read_overrides(path, MAXIMA)


def test_overrides_are_read(tmp_path: Path) -> None:
    ada, bob = read(tmp_path, GOOD)
    assert (ada.student, ada.item, ada.override.points, ada.override.status) == (
        "ada",
        "q1.total",
        Decimal("1.25"),
        None,
    )
    assert (ada.override.date, ada.override.author, ada.override.finding) == (date(2024, 1, 12), "M. Dupont", "3f0c")
    assert (bob.override.status, bob.override.points, bob.override.finding) == (Status.CORRECT, None, "")
    assert bob.override.reason == "[[override]] is not a heading here"


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("points = 1.25", "points = 2.51", 5, "2.5"),
        ("points = 1.25", "points = -1", 5, "between 0"),
        ("points = 1.25", "points = nan", 5, "number"),
        ("points = 1.25", "points = true", 5, "number"),
        ("points = 1.25", 'points = "1"', 5, "number"),
        ("points = 1.25", "points = 1.234", 5, "decimals"),
        ("points = 1.25", "", 2, "either"),
        ("points = 1.25", 'status = "right"', 5, "correct, partial"),
        ("points = 1.25", 'status = "error"', 5, "correct, partial"),
        ("points = 1.25", "point = 1.25", 5, "did you mean 'points'"),
        ('item = "q1.total"\npoints', 'item = "q1.totl"\npoints', 4, "did you mean 'q1.total'"),
        ('student = "ada"', "student = 3", 3, "text"),
        ('author = "M. Dupont"\ndate = 2024-01-12', "date = 2024-01-12", 2, "author"),
        ("date = 2024-01-12", 'date = "soon"', 8, "2024-01-12"),
        ('reason = "The total is in the figure."', 'reason = " "', 6, "reason"),
        ("points = 1.25", "points = = 1", 5, "TOML"),
        ("# decided together on the 12th", "lab = 3", 1, "`lab`"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    text = GOOD.split("\n\n")[0]
    assert old in text
    with pytest.raises(GradebookError, match=rf"line {line}\b") as told:
        read(tmp_path, text.replace(old, new, 1))
    assert words in str(told.value)


def test_a_star_is_the_whole_class_and_is_written_as_it_is_read(tmp_path: Path) -> None:
    given = {"slip": '"no-norms"', "answer": '"22,8"', "maximum": "3"}
    for key, value in {"": "", **given}.items():
        line = f"{key} = {value}\n" if key else ""
        text = GOOD.split("\n\n")[0].replace('"ada"', '"*"').replace("points = 1.25\n", "") + "\n"
        text += line + ("" if key == "maximum" else "points = 1.25\n")
        (entry,) = read(tmp_path, text)
        again = override_text(entry.student, entry.item, entry.override)
        assert read(tmp_path, again)[0].override == entry.override
        assert 'student = "*"' in again
        assert overrides_by_student([entry], ["ada"]) == {entry.student: {"q1.total": entry.override}}
        with pytest.raises(GradebookError, match=r'student = "\*"' if key else "no submission"):
            overrides_by_student(read(tmp_path, text.replace('"*"', '"zoe"')), ["ada"])


def test_a_second_override_of_an_item_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GradebookError, match=r"line 10.*line 2"):
        read(tmp_path, GOOD.split("\n\n")[0] + "\n" + GOOD.split("\n\n")[0].split("\n", 1)[1])


def test_a_student_who_is_nobody_is_told_with_the_line(tmp_path: Path) -> None:
    entries = read(tmp_path, GOOD)
    assert list(overrides_by_student(entries, ["ada", "eve"], ["bob"])) == ["ada"]
    with pytest.raises(GradebookError, match=r"line 2: .*'ada'.*did you mean 'adam'"):
        overrides_by_student(entries, ["adam", "bob"])


def test_what_is_no_file_of_overrides(tmp_path: Path) -> None:
    for text in ("override = 3", "override = [3]", "[override]\nstudent = 'a'", "[[overrides]]\n"):
        with pytest.raises(GradebookError, match=r"overrides\.toml"):
            read(tmp_path, text)
    (tmp_path / "overrides.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(GradebookError, match="UTF-8"):
        read_overrides(tmp_path / "overrides.toml", MAXIMA)
    with pytest.raises(GradebookError, match="cannot be read"):
        read_overrides(tmp_path / "gone.toml", MAXIMA)
    assert read(tmp_path, "# nothing yet\n") == ()


@given(st.text(max_size=20), st.text(max_size=20), st.decimals(0, 2, places=2))
def test_an_entry_written_by_a_program_says_what_was_decided(reason: str, author: str, points: Decimal) -> None:
    day = date(2024, 1, 12)
    override = Override(points=points, reason=reason, author=author, date=day, finding="3f0c")
    text = override_text("ada", "q1.total", override)
    (entry,) = tomllib.loads(text, parse_float=Decimal)["override"]
    assert entry == {
        "student": "ada",
        "item": "q1.total",
        "points": points,
        "reason": reason,
        "author": author,
        "date": date(2024, 1, 12),
        "finding": "3f0c",
    }


def test_rows_of_a_rubric_are_worth_what_the_lab_says(tmp_path: Path) -> None:
    from grader.lab.definition import Item
    from grader.scoring import decided_status, given_points

    rows = [{"text": "named", "points": 1}, {"text": "shown", "points": 0.5}, {"text": "copied", "points": -2}]
    item = Item(id="q1.total", title="t", points=Decimal(2), check="by-hand", options={"rubric": rows})
    text = GOOD.replace('status = "correct"', "rows = [1, 2]")
    path = tmp_path / "overrides.toml"
    path.write_text(text, encoding="utf-8")
    given = read_overrides(path, MAXIMA, rubrics_of([item]))[1].override
    assert given.rows == (1, 2)
    assert (given_points(item, given), decided_status(item, given)) == (Decimal("1.5"), Status.PARTIAL)
    dearer = item.model_copy(update={"options": {"rubric": [{**row, "points": 1} for row in rows]}})
    assert (given_points(dearer, given), decided_status(dearer, given)) == (Decimal(2), Status.CORRECT)
    taken_off = given.model_copy(update={"rows": (1, 3)})
    assert (given_points(item, taken_off), decided_status(item, taken_off)) == (Decimal(0), Status.INCORRECT)
    assert "rows = [1, 2]" in override_text("bob", "q1.total", given)


@pytest.mark.parametrize(
    ("given", "rubrics", "words"),
    [
        ("rows = [1, 4]", {"q1.total": 3}, "from 1 to 3"),
        ("rows = [1]", {}, "has no rubric"),
        ("rows = [1]\npoints = 1", {"q1.total": 3}, "only one of them"),
    ],
)
def test_rows_that_cannot_be(tmp_path: Path, given: str, rubrics: dict[str, int], words: str) -> None:
    path = tmp_path / "overrides.toml"
    path.write_text(GOOD.replace('status = "correct"', given), encoding="utf-8")
    with pytest.raises(GradebookError, match=words):
        read_overrides(path, MAXIMA, rubrics)
