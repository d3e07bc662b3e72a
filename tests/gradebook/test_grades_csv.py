import csv
import io
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.gradebook.exports.outcome import ExportOptions, Pending, grades_csv
from grader.gradebook.exports.registry import EXPORTS
from grader.gradebook.outline import stored_results
from grader.pipeline.outputs import Reports, write_student
from grader.result import Flag, Result, Severity, Status
from tests.factories import evidence, item, result
from tests.gradebook.making import bytes_of


def rows(*results: Result) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(grades_csv(results))))


def test_a_row_holds_the_score_each_item_and_the_flags() -> None:
    flags = tuple(Flag(id=id_, severity=Severity.INFO, message="m") for id_ in ("late", "sum", "late"))
    items = [item("q1.a", Status.PARTIAL, "2.5"), item("q1.b", Status.REVIEW, "10")]
    (row,) = rows(result("ann", items, name="Ann Lee", flags=flags))
    assert row == {
        "student_id": "ann",
        "name": "Ann Lee",
        "score": "1.25",
        "pending": "10",
        "max_score": "12.5",
        "late_penalty": "0",
        "needs_review": "true",
        "q1.a": "1.25",
        "q1.b": "",
        "flags": "late sum",
        "error": "",
    }


def test_students_are_sorted_and_an_item_that_nobody_decided_is_no_zero() -> None:
    table = rows(result("bob", [item("q1.b")]), result("ann", [item("q1.a")]))
    assert [(row["student_id"], row["q1.a"], row["q1.b"]) for row in table] == [("ann", "2", ""), ("bob", "", "2")]


def test_points_are_written_without_exponent() -> None:
    late = result("ann").model_copy(update={"score": Decimal("1E+1"), "late_penalty": Decimal("0E-2")})
    (row,) = rows(late)
    assert (row["score"], row["late_penalty"]) == ("10", "0")


def test_an_empty_class_has_a_header_only() -> None:
    assert grades_csv([]).splitlines() == [
        "student_id,name,score,pending,max_score,late_penalty,needs_review,flags,error"
    ]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1", "\x00=1"])
def test_no_name_is_a_formula(name: str) -> None:
    (row,) = rows(result("ann", name=name))
    assert row["name"].startswith("'")


def test_a_formula_in_an_error_is_neutralised_too() -> None:
    (row,) = rows(result("=cmd|'/c calc'!A0", error="=HYPERLINK()"))
    assert row["student_id"].startswith("'=")
    assert row["error"].startswith("'=")


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=30))
def test_any_name_gives_two_lines_of_valid_utf8(name: str) -> None:
    text = grades_csv([result("ann", name=name)])
    assert len(text.encode("utf-8").decode().splitlines()) == 2
    assert len(list(csv.reader(io.StringIO(text)))[1]) == 10


def test_results_are_read_as_they_are_asked_for(tmp_path: Path) -> None:
    """One is in memory at a time, and every format writes the same as from all of them."""
    graded = tmp_path / "graded"
    for student in ("ann", "zoé"):
        items = [item("q1.a", Status.PARTIAL, "2", found="41", evidence=(evidence("41"),)), item("q2.b", Status.REVIEW)]
        write_student(
            graded,
            result(student, items, name=student.title(), flags=(Flag(id="sum", severity=Severity.INFO, message="m"),)),
            Reports(b"%PDF"),
        )
    stored = stored_results(graded)
    assert [one.student.id for one in stored] == ["ann", "zoé"]
    assert stored[0] is not stored[0]
    for form in ("csv", "json", "xlsx", "prairielearn", "gradescope", "prairielearn-results"):
        wanted = ExportOptions(folder=graded, question="lab", pending=Pending.SCORE)
        one_by_one, whole = (EXPORTS[form](results, wanted) for results in (stored, tuple(stored)))
        assert one_by_one.notes == whole.notes
        for (name, lazy), (same_name, ready) in zip(one_by_one.files, whole.files, strict=True):
            assert (name, bytes_of(lazy)) == (same_name, bytes_of(ready)), form
