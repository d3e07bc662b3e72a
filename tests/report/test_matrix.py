"""The matrix of students × items."""

import re
from itertools import pairwise

import pytest
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

from grader.cohort.statistics import of_class
from grader.report.resources import templates_folder
from grader.report.views.class_charts import MOST_PLACES, NOTHING, SIGNS, Matrix, matrices
from grader.report.views.wording import MARKS
from grader.result import ItemResult, Result, Status
from tests.factories import item, result


def drawn(results: list[Result]) -> tuple[Matrix, ...]:
    of = of_class(results)
    return matrices(of.shown.rows, of.summary.items)


def points(length: str) -> float:
    return float(length.removesuffix("pt"))


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
    pages = [matrix.sheets[at : at + matrix.abreast] for at in range(0, len(matrix.sheets), matrix.abreast)]
    assert len(pages) <= 11
    assert [row.name for page in pages for sheet in page for row in sheet.rows] == [f"S{n:04}" for n in range(2000)]
    assert all(abs(len(left.rows) - len(right.rows)) <= 1 for left, right in pages)
    after_first = [sum(len(sheet.rows) for sheet in page) for page in pages[1:]]
    assert max(after_first) - min(after_first) <= 1


def test_a_small_class_keeps_one_block_of_high_rows_on_a_page() -> None:
    (few,), (many,) = (drawn([result(f"s{n:04}") for n in range(count)]) for count in (200, 201))
    assert (few.abreast, many.abreast) == (1, 2)
    assert points(few.line) > points(many.line)
    assert min(points(few.size), points(many.size)) >= 6


@pytest.mark.parametrize("questions", [[3] * 9, [1] * 18, [10, 15], [20, 20]])
def test_labels_and_cells_of_a_large_class_stand_at_their_signs_and_apart(questions: list[int]) -> None:
    items = [item(f"q{of}.{n}") for of, length in enumerate(questions) for n in range(length)]
    for matrix in drawn([result(f"s{n:03}", items) for n in range(201)]):
        (tint,) = matrix.sheets[0].tints
        advance = points(matrix.spacing) + 0.602 * points(matrix.size)
        first, *_ = tint.path.partition("M0 1")
        cells = [float(at) + n for at, length in re.findall(r"M([\d.]+) 0h(\d+)", first) for n in range(int(length))]
        at = [points(label.at) for label in matrix.items]
        assert at == pytest.approx([cell * advance for cell in cells], abs=0.5)
        assert min(after - before for before, after in pairwise(at)) >= 5
        assert points(matrix.width) * matrix.abreast < 400


def test_a_lab_of_too_many_items_for_two_blocks_on_a_page_has_one() -> None:
    items = [item(f"q1.{n}") for n in range(MOST_PLACES)]
    (matrix,) = drawn([result(f"s{n:03}", items) for n in range(201)])
    assert matrix.abreast == 1
