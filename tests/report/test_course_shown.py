"""Overrides and lateness in reports."""

from datetime import date, datetime
from decimal import Decimal

from grader.cohort.statistics import of_class
from grader.message import language_of
from grader.report.views.classroom import class_view
from grader.report.views.student import student_view
from grader.result import AppliedOverride, Diagnosis, Flag, GradedFile, Lateness, Severity, Status
from tests.factories import item, result

PUT = AppliedOverride(
    points=Decimal(1), reason="Figure 2.", author="M. D.", date=date(2024, 1, 12), before=Status.REVIEW, score_before=0
)


def test_an_override_says_who_when_and_why() -> None:
    overridden = result(items=[item(status=Status.PARTIAL, override=PUT), item("q1.b")])
    first, second = student_view(overridden).sections[0].items
    assert first.override == "Decided by M. D. on 12 January 2024: Figure 2. (The grader had: for review, 0 / 2.)"
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


def test_a_granted_request_leaves_nothing_of_the_old_finding() -> None:
    put = PUT.model_copy(
        update={"points": None, "status": Status.CORRECT, "before": Status.INCORRECT, "reason": "Yes."}
    )
    wrong = Diagnosis(id="no-norms", text="The norms are left out.")
    granted = item(override=put, feedback="41 is not right.", diagnoses=(wrong,))
    (shown,) = student_view(result(items=[granted])).sections[0].items
    assert (shown.override, shown.feedback, shown.diagnoses) == ("Decided by M. D. on 12 January 2024: Yes.", None, ())
    partly = item(status=Status.PARTIAL, override=PUT, feedback="Two totals.", diagnoses=(wrong,))
    (shown,) = student_view(result(items=[partly])).sections[0].items
    assert (shown.feedback, shown.diagnoses) == (None, ("The norms are left out.",))


def test_a_decision_without_a_reason_leaves_no_announcement_of_one() -> None:
    put = PUT.model_copy(update={"reason": ""})
    feedback = "41 is not right. A person decides."
    waiting = item("q1.b", Status.REVIEW, feedback=feedback)
    decided = item(status=Status.PARTIAL, override=put, feedback=feedback)
    first, second = student_view(result(items=[decided, waiting])).sections[0].items
    assert (first.feedback, second.feedback) == ("41 is not right.", feedback)
    french = decided.model_copy(update={"feedback": "41 n’est pas juste. Une personne décide."})
    shown = student_view(result(items=[french]), language=language_of("fr"))
    assert shown.sections[0].items[0].feedback == "41 n’est pas juste."


def test_a_check_that_only_confirms_prints_nothing() -> None:
    put = PUT.model_copy(update={"points": None, "status": Status.PARTIAL, "before": Status.PARTIAL, "reason": ""})
    confirmed = item(
        status=Status.PARTIAL, override=put.model_copy(update={"score_before": Decimal(1)}), feedback="Half."
    )
    (shown,) = student_view(result(items=[confirmed])).sections[0].items
    assert (shown.override, shown.feedback) == (None, "Half.")
    assert class_view(of_class([result(items=[confirmed])])).overrides == ()


def test_markers_are_named_only_where_the_lab_wants_it() -> None:
    lab = result().lab.model_copy(update={"names_markers": False})
    (shown,) = student_view(result(items=[item(override=PUT)], lab=lab)).sections[0].items
    assert shown.override is not None
    assert "M. D." not in shown.override
    assert "the teaching staff" in shown.override


def test_a_hand_in_that_cannot_be_opened_is_asked_for_again_without_what_is_right() -> None:
    file = GradedFile(path="lab.pdf", role="report", state="unreadable", reason="the PDF is damaged")
    left = [item(id_, Status.REVIEW, group="unreadable:1", expected="42") for id_ in ("q1.total", "q1.b")]
    view = student_view(result(items=left, files=(file,)))
    assert view.call is not None
    assert view.call.claim == "We could not open your file; send it again."
    assert view.call.explanation == "lab.pdf: the PDF is damaged"
    assert (view.sections, view.fixes) == ((), ())


def test_a_decision_for_the_whole_class_is_one_line_of_the_class_report() -> None:
    put = PUT.model_copy(update={"scope": "*", "before": Status.INCORRECT})
    class_ = [result(name, items=[item(status=Status.PARTIAL, override=put)]) for name in ("ada", "bob")]
    (line,) = class_view(of_class(class_)).overrides
    assert (line.student, line.what) == ("2 students", "q1.total, everyone: 1 / 2")
    (shown,) = student_view(class_[0]).sections[0].items
    assert shown.override is not None
    assert shown.override.startswith("Decided for the whole class by M. D.")
