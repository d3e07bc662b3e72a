from grader.cohort.statistics import of_class
from grader.result import Status
from tests.factories import evidence, item, result


def test_the_item_with_most_points_at_stake_comes_first() -> None:
    results = [
        result("ann", [item("q1.a", Status.REVIEW, "1"), item("q1.b", Status.REVIEW, "3")]),
        result("bob", [item("q1.a", Status.REVIEW, "1"), item("q1.b", Status.CORRECT, "3")]),
    ]
    assert [(group.item, group.points, len(group.entries)) for group in of_class(results).summary.review_queue] == [
        ("q1.b", 3, 1),
        ("q1.a", 2, 2),
    ]


def test_like_answers_stand_together() -> None:
    answers = {"ann": "22.8M", "bob": "23M", "cyd": "22.8M"}
    results = [result(name, [item(status=Status.REVIEW, found=found)]) for name, found in answers.items()]
    assert [entry.student for entry in of_class(results).summary.review_queue[0].entries] == ["ann", "cyd", "bob"]


def test_an_entry_holds_what_a_person_needs() -> None:
    open_item = item(
        status=Status.REVIEW,
        note="Two totals.",
        feedback="A person will look.",
        suggestion=Status.PARTIAL,
        evidence=(evidence("42", file="a.md"), evidence("43")),
    )
    entry = of_class([result("ann", [open_item])]).summary.review_queue[0].entries[0]
    assert (entry.reason, entry.suggestion, entry.quote, entry.file) == ("Two totals.", Status.PARTIAL, "42", "a.md")


def test_without_a_note_the_feedback_is_the_reason() -> None:
    results = [result("ann", [item(status=Status.REVIEW, feedback="Not legible.")])]
    entry = of_class(results).summary.review_queue[0].entries[0]
    assert (entry.reason, entry.quote) == ("Not legible.", None)


def test_a_failed_check_awaits_a_person_too_and_decided_items_do_not() -> None:
    items = [item("q1.a", Status.ERROR), item("q1.b", Status.NOT_RUN), item("q1.c", Status.MISSING)]
    assert [group.item for group in of_class([result("ann", items)]).summary.review_queue] == ["q1.a"]


def test_a_hand_in_that_was_not_opened_stands_there_once() -> None:
    items = [item(f"q1.{name}", Status.REVIEW, group="unreadable:1") for name in "abc"]
    class_ = of_class([result("ann", items), result("bob", [item("q1.a", Status.REVIEW, group="unreadable:1")])])
    whole, single = sorted(class_.summary.review_queue, key=lambda one: one.item)
    assert (whole.item, len(whole.entries), whole.points) == ("", 1, sum(one.pending for one in items))
    assert (single.item, [one.student for one in single.entries]) == ("q1.a", ["bob"])
