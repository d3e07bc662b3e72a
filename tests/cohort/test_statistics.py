import json
import random
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from grader.cohort.statistics import ClassSummary, of_class
from grader.result import Diagnosis, Flag, GradedFile, Result, Severity, Status
from tests.factories import evidence, item, result


def mixed() -> list[Result]:
    """Four graded students with 2, 1, 0 and 0 + 2 pending of 2 points, and one whose grading failed."""
    return [
        result("ann", [item(status=Status.CORRECT)]),
        result("bob", [item(status=Status.PARTIAL)]),
        result("cyd", [item(status=Status.INCORRECT)]),
        result("dan", [item(status=Status.REVIEW)]),
        result("eve", [item(status=Status.ERROR)], error="It took too long."),
    ]


def test_every_student_is_either_graded_or_failed() -> None:
    counts = of_class(mixed()).summary.counts
    assert (counts.students, counts.graded, counts.failed, counts.needing_review) == (5, 4, 1, 1)


def test_scores_describe_the_graded_students_and_say_what_is_pending() -> None:
    scores = of_class(mixed()).summary.scores
    assert (scores.min, scores.median, scores.mean, scores.max) == (0, Decimal("0.50"), Decimal("0.75"), 2)
    assert (scores.pending, scores.students_pending) == (2, 1)


def test_bins_cover_the_whole_scale_and_the_maximum_falls_in_the_last() -> None:
    bins = of_class(mixed()).summary.scores.bins
    assert (bins[0].low, bins[-1].high) == (0, 2)
    assert [one.count for one in bins] == [2, 0, 0, 0, 0, 1, 0, 0, 0, 1]


def test_a_penalty_below_zero_counts_in_the_first_bin() -> None:
    late = result("ann", [item()]).model_copy(update={"score": Decimal(-3)})
    assert of_class([late]).summary.scores.bins[0].count == 1


def test_shares_are_of_the_points_that_are_decided() -> None:
    summary = of_class(mixed()).summary
    assert summary.questions[0].share == summary.items[0].share == 0.5
    assert summary.questions[0].pending == 2


def test_a_share_of_nothing_decided_is_none() -> None:
    assert of_class([result("ann", [item(status=Status.REVIEW)])]).summary.items[0].share is None


def test_each_item_counts_every_status() -> None:
    statuses = of_class(mixed()).summary.items[0].statuses
    assert set(statuses) == set(Status)
    assert (statuses[Status.CORRECT], statuses[Status.REVIEW], statuses[Status.ERROR]) == (1, 1, 0)


def test_items_keep_the_order_of_the_lab() -> None:
    items = [item("q2.z"), item("q1.b"), item("q1.a")]
    summary = of_class([result("ann", items), result("bob", items)]).summary
    assert [tally.id for tally in summary.items] == ["q2.z", "q1.b", "q1.a"]
    assert [tally.id for tally in summary.questions] == ["q2", "q1"]


def test_an_empty_class_has_a_summary() -> None:
    summary = of_class([]).summary
    assert summary.counts.students == 0
    assert summary.scores.mean is None
    assert json.loads(summary.to_json())["lab"] is None


def test_flags_name_each_student_once_and_warnings_come_first() -> None:
    def flag(id_: str, severity: Severity, message: str = "m") -> Flag:
        return Flag(id=id_, severity=severity, message=message)

    flags = of_class(
        [
            result("ann", flags=(flag("late", Severity.INFO),)),
            result("bob", flags=(flag("late", Severity.INFO), flag("sum", Severity.WARNING, "1"))),
            result("cyd", flags=(flag("sum", Severity.WARNING, "2"), flag("sum", Severity.WARNING, "3"))),
        ]
    ).summary.flags
    assert [tally.id for tally in flags] == ["sum", "late"]
    assert [(one.student, one.messages) for one in flags[0].students] == [("bob", ("1",)), ("cyd", ("2", "3"))]


def test_files_that_were_not_read_whole_are_listed_with_the_reason() -> None:
    files = (
        GradedFile(path="a.pdf", role="report", state="unreadable", reason="no PDF"),
        GradedFile(path="b", role="other", state="ignored"),
    )
    (unread,) = of_class([result("ann", files=files)]).summary.unread_files
    assert (unread.student, unread.path, unread.reason) == ("ann", "a.pdf", "no PDF")


def test_failures_are_named_and_their_items_stay_out_of_the_queue() -> None:
    summary = of_class([result("eve", [item(status=Status.ERROR)], error="It took too long.")]).summary
    assert [(failure.student, failure.reason) for failure in summary.failures] == [("eve", "It took too long.")]
    assert summary.review_queue == ()


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_results_makes_no_difference(shuffler: random.Random) -> None:
    results = mixed()
    shuffled = shuffler.sample(results, len(results))
    assert of_class(shuffled).summary.to_json() == of_class(results).summary.to_json()


def test_json_holds_plain_numbers_and_can_be_read_back() -> None:
    summary = of_class([result("ann", [item(status=Status.REVIEW, evidence=(evidence(),))])]).summary
    data = json.loads(summary.to_json())
    assert data["schema"] == 1
    assert data["review_queue"][0]["points"] == 2.0
    assert ClassSummary.model_validate_json(summary.to_json()) == summary


def test_five_hundred_students_are_summarised() -> None:
    diagnosis = Diagnosis(id="d", text="Something is off.")
    items = [item(f"q{n}.a", status, diagnoses=(diagnosis,)) for n, status in enumerate(Status)]
    summary = of_class([result(f"s{n:03}", items) for n in range(500)]).summary
    assert summary.counts.needing_review == 500
    assert {len(group.entries) for group in summary.review_queue} == {500}


def test_students_of_one_name_are_told_apart() -> None:
    class_ = of_class([result("a1", name="Ada Byron"), result("a2", name="Ada Byron"), result("bob", name="Bob")])
    assert [one.name for one in class_.shown.rows] == ["Ada Byron (a1)", "Ada Byron (a2)", "Bob"]
