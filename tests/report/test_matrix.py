"""The matrix of students × items."""

from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

from grader.cohort.statistics import of_class
from grader.report.resources import templates_folder
from grader.report.views.matrix import MOST_PLACES, NOTHING, SIGNS, Matrix, matrices
from grader.report.views.wording import MARKS
from grader.result import ItemResult, Result, Status
from tests.factories import item, result


def drawn(results: list[Result]) -> tuple[Matrix, ...]:
    of = of_class(results)
    return matrices(of.shown.rows, of.summary.items)


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
    (sheet,) = matrix.sheets
    assert [row.signs for row in sheet.rows] == ["✓○ ◆", "✓· ·", "·· ·"]
    assert [label.text for label in matrix.items] == ["a", "b", "a"]
    assert [label.at for label in matrix.items] == ["0.00pt", "12.00pt", "36.00pt"]
    assert [(label.text, label.at) for label in matrix.questions] == [("q1", "0.00pt"), ("q2", "36.00pt")]
    assert [(row.total.strip(), row.pending.strip()) for row in sheet.rows] == [
        ("2.00", "2.00"),
        ("2.00", ""),
        ("–", ""),
    ]
    assert {len(number) for row in sheet.rows for number in (row.total, row.pending)} == {5}


def test_rows_lead_to_the_students_files_whatever_they_are_called() -> None:
    (matrix,) = drawn([result("a/../b?#é", name="Zoé")])
    assert [row.link for sheet in matrix.sheets for row in sheet.rows] == ["a%2F..%2Fb%3F%23%C3%A9/report.html"]


def test_many_items_are_cut_into_several_matrices_that_keep_questions_whole() -> None:
    items: list[ItemResult] = [item(f"q{question}.{n}") for question in range(6) for n in range(20)]
    found = drawn([result("ann", items)])
    signs = [row.signs for matrix in found for sheet in matrix.sheets for row in sheet.rows]
    assert sum(one.count("✓") for one in signs) == 120
    assert all(len(part) == 20 for one in signs for part in one.split(" "))
    assert max(map(len, signs)) <= MOST_PLACES
    (first, second) = drawn([result("ann", [item(f"q1.{n}") for n in range(MOST_PLACES + 1)])])
    assert (len(first.items), len(second.items)) == (MOST_PLACES, 1)


def test_an_empty_class_has_no_matrix() -> None:
    assert drawn([]) == ()


def test_cells_of_a_status_are_one_drawing_below_their_signs() -> None:
    items = [item("q1.a"), item("q1.b"), item("q1.c", Status.MISSING)]
    (matrix,) = drawn([result("ann", items), result("bob", items[1:])])
    tints = {tint.status: tint.path for tint in matrix.sheets[0].tints}
    assert tints == {"correct": "M0 0h2v1h-2zM1 1h1v1h-1z", "missing": "M2 0h1v1h-1zM2 1h1v1h-1z"}
    assert matrix.sheets[0].view == "0 0 3 2"


def test_a_large_class_takes_few_pages_evenly_filled() -> None:
    (matrix,) = drawn([result(f"s{n:04}") for n in range(2000)])
    assert len(matrix.sheets) <= 24
    lengths = [len(sheet.rows) for sheet in matrix.sheets]
    assert sum(lengths) == 2000
    assert max(lengths) - min(lengths) <= len(lengths)
