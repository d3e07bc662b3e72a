"""The instructor's first page."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.cohort.statistics import FEWEST, of_class
from grader.report.views.classroom import class_view
from grader.result import Result, Status
from tests.factories import item, result

RIGHT, WRONG, OPEN = Status.CORRECT, Status.INCORRECT, Status.REVIEW


def class_of(*rows: tuple[Status, ...]) -> list[Result]:
    return [
        result(f"s{number:03}", [item(f"q{nth}.a", status) for nth, status in enumerate(row, 1)])
        for number, row in enumerate(rows)
    ]


def discrimination(results: list[Result]) -> float | None:
    """That of the first question."""
    questions = of_class(results).summary.questions
    return questions[0].discrimination if questions else None


@pytest.mark.parametrize(("others", "expected"), [(RIGHT, 1.0), (WRONG, -1.0)])
def test_discrimination_tells_whether_the_others_are_right_where_a_question_is(others: Status, expected: float) -> None:
    opposite = WRONG if others is RIGHT else RIGHT
    results = class_of(*[(RIGHT, others, others), (WRONG, opposite, opposite)] * 6)
    assert discrimination(results) == pytest.approx(expected)


@pytest.mark.parametrize("rows", [FEWEST - 1, 0])
def test_few_students_have_no_discrimination(rows: int) -> None:
    assert discrimination(class_of(*([(RIGHT, RIGHT), (WRONG, WRONG)] * 9)[:rows])) is None


def test_equal_points_have_no_discrimination() -> None:
    assert discrimination(class_of(*[(RIGHT, RIGHT)] * 20)) is None


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from(list(Status))] * 3), max_size=25))
def test_discrimination_is_a_correlation_or_nothing(rows: list[tuple[Status, ...]]) -> None:
    value = discrimination(class_of(*rows))
    assert value is None or -1.0000001 <= value <= 1.0000001


def test_like_answers_are_counted_once() -> None:
    results = [result(f"s{n}", [item(status=OPEN, group="same")]) for n in range(5)]
    work = class_view(of_class(results)).glance.work
    assert work.startswith(
        "5 answers to decide, of 5 students. Similar answers are decided together: about 1 decision, 1 minute."
    )


def test_nothing_to_do_is_said() -> None:
    results = class_of((RIGHT,))
    assert class_view(of_class(results)).glance.work == "Every point is decided."


def test_doubts_about_the_key_are_on_the_first_page() -> None:
    results = [result(f"s{n}", [item(status=WRONG, found="7", expected="8")]) for n in range(12)]
    (doubt,) = class_view(of_class(results)).glance.doubts
    assert doubt.text == "12 of 12 answered 7, where 8 is expected."


def test_small_classes_are_told_how_far_to_trust() -> None:
    classes = [class_of(*[(RIGHT,)] * size) for size in (5, 20, 40)]
    few, some, many = (class_view(of_class(rows)).glance.caution or "" for rows in classes)
    assert "fewer than 10" in few
    assert "unreliable" in some
    assert many
    assert "unreliable" not in many
