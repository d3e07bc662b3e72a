"""An answer that many students share and that did not count is a doubt about the key."""

import pytest

from grader.cohort import likeness
from grader.cohort.likeness import SharedAnswer
from grader.cohort.statistics import of_class
from grader.result import Result, Status
from tests.factories import item, result


def gave(student: str, found: str | None, status: Status = Status.INCORRECT, **more: object) -> Result:
    return result(student, [item("q1.total", status, found=found, expected="42", **more)])


def shared_answers(results: list[Result]) -> tuple[SharedAnswer, ...]:
    return of_class(results).summary.shared_answers


def test_many_like_wrong_answers_are_a_doubt_about_the_key() -> None:
    (shared,) = shared_answers(
        [gave(name, "41") for name in "abc"] + [gave(name, "42", Status.CORRECT) for name in "de"]
    )
    assert (shared.item, shared.found, shared.expected, shared.students) == ("q1.total", "41", "42", ("a", "b", "c"))
    assert "3 of 5" in shared.meaning
    assert "Before you return grades" in shared.meaning


def test_answers_under_review_count_as_what_is_suggested() -> None:
    wrong = [gave(name, "41", Status.REVIEW, suggestion=Status.PARTIAL) for name in "abc"]
    assert len(shared_answers(wrong)) == 1
    right = [gave(name, "41", Status.REVIEW, suggestion=Status.CORRECT) for name in "abc"]
    assert shared_answers(right) == ()


def test_few_or_unlike_or_right_answers_are_none() -> None:
    assert shared_answers([gave("a", "41"), gave("b", "41"), gave("c", "40")]) == ()
    assert shared_answers([gave(name, "42", Status.CORRECT) for name in "abcd"]) == ()
    assert shared_answers([gave(name, None, Status.MISSING) for name in "abcd"]) == ()
    large = [gave(f"s{n}", "41" if n < 3 else f"{n}") for n in range(40)]
    assert shared_answers(large) == ()


def test_an_answer_that_becomes_frequent_late_is_found_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likeness, "_MOST_ANSWERS", 20)
    early = [gave(f"a{n:03}", "7" if n % 3 == 0 else f"own {n}") for n in range(150)]
    late = [gave(f"b{n:03}", "8" if n % 2 else f"other {n}") for n in range(150)]
    found = shared_answers(early + late)
    assert [(one.found, len(one.students)) for one in found] == [("8", 75)]
    assert [(one.found, len(one.students)) for one in shared_answers(early)] == [("7", 50)]
