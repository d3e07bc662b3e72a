"""The late and the missing."""

from datetime import datetime
from decimal import Decimal

from grader.cohort.attention import Absent
from grader.cohort.statistics import of_class
from grader.result import Lateness, Result, Status
from tests.factories import item, result

DUE = datetime(2023, 11, 21)


def late(student: str, seconds: int | None, penalty: int | None, status: Status = Status.CORRECT) -> Result:
    told = Lateness(deadline=DUE, late_by=seconds, penalty=None if penalty is None else Decimal(penalty), text="Late.")
    return result(student, [item(status=status)], lateness=told)


def test_the_latest_comes_first_and_what_is_in_time_or_unknown_is_not_late() -> None:
    found = of_class(
        [late("ann", 60, 5), late("bob", 0, 0), late("cyd", None, 0), late("dan", 999_999, None)]
    ).summary.late
    assert [(one.student, one.graded) for one in found] == [("dan", False), ("ann", True)]


def test_nobody_reviews_what_is_too_late_to_be_graded() -> None:
    class_ = [late("ann", 999_999, None, Status.REVIEW), late("bob", 60, 5, Status.REVIEW)]
    (group,) = of_class(class_).summary.review_queue
    assert [entry.student for entry in group.entries] == ["bob"]


def test_missing_and_empty_are_listed() -> None:
    summary = of_class(
        [result("ann", files=()), result("bob")], missing=[Absent(name="Zoé"), Absent(name="Ali", id="7")]
    ).summary
    assert [one.name for one in summary.missing] == ["Ali", "Zoé"]
    assert summary.empty == ("ann",)
