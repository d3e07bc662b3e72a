"""The things most worth fixing."""

from grader.message import ENGLISH
from grader.report.views.student import fixes, student_view
from grader.result import Diagnosis, Flag, Severity, Status
from tests.factories import item, result


def test_items_that_the_same_is_wrong_with_are_one_thing() -> None:
    same = {"feedback": "Validation accuracies are reported as test accuracies."}
    items = [
        item("q1.a", Status.INCORRECT, "1", feedback="Another thing."),
        item("q1.b", Status.REVIEW, "1", **same),
        item("q1.c", Status.REVIEW, "0.5", expected="79 %", **same),
    ]
    first, second = fixes(result(items=items), ENGLISH)
    assert (first.item, first.cost, first.open) == ("q1.a", "−1", False), "what was lost comes first"
    assert (second.item, second.cost, second.open) == ("q1.b, q1.c", "1.5", True)


def test_things_of_one_name_are_told_apart_by_their_question() -> None:
    items = [item(f"q{number}.a", Status.MISSING, title="Results of three seeds") for number in (1, 2)]
    assert [(fix.title, fix.question) for fix in fixes(result(items=items), ENGLISH)] == [
        ("Results of three seeds", "Question q1"),
        ("Results of three seeds", "Question q2"),
    ]


def test_things_that_are_missing_stay_apart() -> None:
    items = [item("q1.a", Status.MISSING, "1"), item("q1.b", Status.MISSING, "2")]
    assert [fix.item for fix in fixes(result(items=items), ENGLISH)] == ["q1.b", "q1.a"]


def test_nothing_is_said_twice() -> None:
    words = "The position embedding is left out."
    told = item("q1.a", Status.INCORRECT, feedback=f"Look: {words}", diagnoses=(Diagnosis(id="d", text=words),) * 2)
    view = student_view(result(items=[told], flags=(Flag(id="arithmetic", severity=Severity.INFO, message=words),)))
    assert view.sections[0].items[0].diagnoses == ()
    assert view.notices == ()
