"""Overrides and lateness in reports."""

from datetime import date, datetime
from decimal import Decimal

from grader.cohort.statistics import of_class
from grader.report.views.classroom import class_view
from grader.report.views.student import student_view
from grader.result import AppliedOverride, Flag, Lateness, Severity, Status
from tests.factories import item, result

PUT = AppliedOverride(
    points=Decimal(1), reason="Figure 2.", author="M. D.", date=date(2024, 1, 12), before=Status.REVIEW, score_before=0
)


def test_an_override_says_who_when_and_why() -> None:
    overridden = result(items=[item(status=Status.PARTIAL, override=PUT), item("q1.b")])
    first, second = student_view(overridden).sections[0].items
    assert first.override == "Decided by M. D. on 12 January 2024: Figure 2. (By the grader: for review, 0 / 2.)"
    assert second.override is None
    (line,) = class_view(of_class([overridden])).overrides
    assert (line.student, line.what, line.reason) == ("ada", "q1.total: 1 / 2", "Figure 2. (M. D., 12 January 2024)")


def test_stale_overrides_come_first() -> None:
    fresh = result("ada", items=[item(override=PUT)])
    stale = result("bob", items=[item(override=PUT.model_copy(update={"stale": True}))])
    lines = class_view(of_class([fresh, stale])).overrides
    assert [line.student for line in lines] == ["bob", "ada"]
    assert "another answer" in lines[0].reason


def test_lateness_is_told_with_the_points_and_not_as_free_of_cost() -> None:
    late = Lateness(deadline=datetime(2023, 11, 21), late_by=60, penalty=Decimal(5), text="Handed in 1 min late.")
    flags = (Flag(id="late", severity=Severity.WARNING, message=late.text),)
    view = student_view(result(lateness=late, late_penalty=Decimal(1), flags=flags))
    assert (view.late_penalty, view.lateness, view.notices) == ("−1", "Handed in 1 min late.", ())
    nothing_left = student_view(result(lateness=late, flags=flags))
    assert nothing_left.late_penalty == "0"
