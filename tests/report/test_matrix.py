"""The matrix of students × items."""

from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

from grader.cohort.statistics import summarise
from grader.report.resources import templates_folder
from grader.report.views.marks import MARKS
from grader.report.views.matrix import MOST_PLACES, NOTHING, SIGNS, Matrix, matrices
from grader.result import ItemResult, Result, Status
from tests.factories import item, result


def drawn(results: list[Result]) -> tuple[Matrix, ...]:
    return matrices(results, summarise(results).items)


def test_each_status_has_a_sign_of_its_own_in_the_fonts_of_both_reports() -> None:
    assert set(SIGNS) == set(MARKS)
    assert len(set(SIGNS.values())) == len(SIGNS)
    fonts = templates_folder() / "fonts"
    for name in ("DejaVuSansMono.ttf", "web/DejaVuSansMono.woff2"):
        known = TTFont(fonts / name).getBestCmap()
        assert all(ord(sign) in known for sign in (*SIGNS.values(), NOTHING))


def test_signs_stand_below_their_items_and_questions_are_apart() -> None:
    items = [item("q1.a"), item("q1.b", Status.MISSING), item("q2.a", Status.REVIEW)]
    (matrix,) = drawn([result("ann", items), result("bob", items[:1]), result("eve", items, error="boom")])
    assert [row.signs for row in matrix.rows] == ["✓○ ◆", "✓· ·", None]
    assert [label.text for label in matrix.items] == ["a", "b", "a"]
    assert [label.at for label in matrix.items] == ["0.00pt", "16.00pt", "48.00pt"]
    assert [(label.text, label.at) for label in matrix.questions] == [("q1", "0.00pt"), ("q2", "48.00pt")]
    assert [row.total for row in matrix.rows] == ["2?", "2", ""]


def test_rows_lead_to_the_students_files_whatever_they_are_called() -> None:
    (matrix,) = drawn([result("a/../b?#é", name="Zoé")])
    assert [row.link for row in matrix.rows] == ["a%2F..%2Fb%3F%23%C3%A9/report.html"]


def test_many_items_are_cut_into_several_matrices_that_keep_questions_whole() -> None:
    items: list[ItemResult] = [item(f"q{question}.{n}") for question in range(6) for n in range(20)]
    found = drawn([result("ann", items)])
    signs = [row.signs or "" for matrix in found for row in matrix.rows]
    assert sum(one.count("✓") for one in signs) == 120
    assert all(len(part) == 20 for one in signs for part in one.split(" "))
    assert max(map(len, signs)) <= MOST_PLACES
    (first, second) = drawn([result("ann", [item(f"q1.{n}") for n in range(MOST_PLACES + 1)])])
    assert (len(first.items), len(second.items)) == (MOST_PLACES, 1)


def test_an_empty_class_has_no_matrix() -> None:
    assert drawn([]) == ()
