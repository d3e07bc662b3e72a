from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.checks.finding import UNDECIDED, Finding, Status
from grader.lab.definition import Lab
from grader.result import BoundHashes, Lateness, Override, Subject
from grader.scoring import Score, decided_status, given_points, grade, still_judges

points = st.decimals(min_value=0, max_value=100, places=2)
shares = st.decimals(min_value=0, max_value=1, places=3)


def lab_of(worth: list[tuple[Decimal, Decimal]]) -> Lab:
    """A lab whose items, two to a question, are worth so many points and such a share of them when partial."""
    items = [
        {"id": f"i{number}", "title": "T", "points": full, "partial": share, "check": "none"}
        for number, (full, share) in enumerate(worth)
    ]
    questions = [
        {"id": f"q{number}", "title": "Q", "labels": [f"question {number}"], "items": items[start : start + 2]}
        for number, start in enumerate(range(0, len(items), 2))
    ]
    return Lab.model_validate({"id": "l", "title": "L", "seeds": 1, "questions": questions})


labs = st.lists(st.tuples(points, shares), min_size=1, max_size=9).map(lab_of)


def findings_for(lab: Lab) -> st.SearchStrategy[list[Finding]]:
    """Any statuses for any part of a lab's items, in any order."""
    one = st.tuples(st.sampled_from([item.id for item in lab.items]), st.sampled_from(Status))
    made = st.lists(one, unique_by=lambda pair: pair[0])
    return made.map(lambda pairs: [Finding(item=item, status=status) for item, status in pairs])


graded = labs.flatmap(lambda lab: st.tuples(st.just(lab), findings_for(lab)))


@given(graded)
def test_the_maximum_never_changes(case: tuple[Lab, list[Finding]]) -> None:
    lab, findings = case
    result = grade(findings, lab)
    assert result.total.max_score == lab.max_score
    assert list(result.items) == [item.id for item in lab.items]
    assert list(result.questions) == [question.id for question in lab.questions]


@given(graded)
def test_points_are_within_bounds_and_add_up(case: tuple[Lab, list[Finding]]) -> None:
    result = grade(case[1], case[0])
    for score in (result.total, *result.questions.values(), *result.items.values()):
        assert score.score >= 0
        assert score.pending >= 0
        assert score.score + score.pending <= score.max_score
    for part in ("score", "pending", "max_score"):
        of_items = sum(getattr(score, part) for score in result.items.values())
        of_questions = sum(getattr(score, part) for score in result.questions.values())
        assert of_items == of_questions == getattr(result.total, part)


@given(graded)
def test_only_what_is_undecided_is_pending(case: tuple[Lab, list[Finding]]) -> None:
    lab, findings = case
    status = {finding.item: finding.status for finding in findings}
    result = grade(findings, lab)
    for item in lab.items:
        decided = item.id in status and status[item.id] not in UNDECIDED
        assert result.items[item.id].pending == (0 if decided else item.points)
    assert result.needs_review == any(score.pending for score in result.items.values())


@given(labs)
def test_all_right_is_full_marks_and_all_missing_none(lab: Lab) -> None:
    for status, score in ((Status.CORRECT, lab.max_score), (Status.MISSING, 0), (Status.INCORRECT, 0)):
        result = grade([Finding(item=item.id, status=status) for item in lab.items], lab)
        assert (result.total.score, result.total.pending) == (score, 0)


@given(labs)
def test_partial_earns_its_share_to_the_cent(lab: Lab) -> None:
    result = grade([Finding(item=item.id, status=Status.PARTIAL) for item in lab.items], lab)
    for item in lab.items:
        earned = result.items[item.id].score
        assert abs(earned - item.points * item.partial) <= Decimal("0.005")
        assert earned == earned.quantize(Decimal("0.01"))


def test_half_a_cent_is_rounded_up() -> None:
    result = grade([Finding(item="i0", status=Status.PARTIAL)], lab_of([(Decimal("0.75"), Decimal("0.5"))]))
    assert str(result.total.score) == "0.38"


def test_many_small_points_add_up_exactly() -> None:
    lab = lab_of([(Decimal("0.1"), Decimal("0.5"))] * 10)
    result = grade([Finding(item=item.id, status=Status.CORRECT) for item in lab.items], lab)
    assert result.total.score == Decimal(1)
    assert isinstance(result.total.score, Decimal)


def test_an_item_without_a_finding_awaits_a_person() -> None:
    result = grade([], lab_of([(Decimal(2), Decimal("0.5"))]))
    assert (result.total.score, result.total.pending, result.needs_review) == (0, 2, True)


def test_a_finding_for_no_item_of_the_lab_earns_nothing() -> None:
    lab = lab_of([(Decimal(2), Decimal("0.5"))])
    result = grade([Finding(item="other", status=Status.CORRECT)], lab)
    assert (result.total.score, result.total.max_score) == (0, 2)


@given(labs, shares)
def test_a_check_may_say_how_much_a_partial_answer_holds(lab: Lab, share: Decimal) -> None:
    first = next(iter(lab.items))
    finding = Finding(item=first.id, status=Status.PARTIAL, share=share)
    assert abs(grade([finding], lab).items[first.id].score - first.points * share) <= Decimal("0.005")


def late(penalty: Decimal | None) -> Lateness:
    deadline = datetime.fromisoformat("2023-11-21T23:59+01:00")
    return Lateness(deadline=deadline, late_by=60, penalty=penalty, text="Late.")


@given(graded, st.none() | points)
def test_lateness_comes_last_and_the_total_adds_up(case: tuple[Lab, list[Finding]], penalty: Decimal | None) -> None:
    lab, findings = case
    plain, result = grade(findings, lab), grade(findings, lab, lateness=late(penalty))
    assert result.items == plain.items
    assert result.total.score == plain.total.score - result.late_penalty >= 0
    assert result.total.max_score == lab.max_score
    assert 0 <= result.total.pending <= plain.total.pending
    if penalty is None:
        assert (result.total.score, result.total.pending) == (0, 0)


def test_pending_points_are_what_the_score_can_still_rise_by() -> None:
    lab = lab_of([(Decimal(3), Decimal(1)), (Decimal(10), Decimal(1))])
    found = [Finding(item="i0", status=Status.CORRECT), Finding(item="i1", status=Status.REVIEW)]
    result = grade(found, lab, lateness=late(Decimal(5)))
    assert (result.total.score, result.late_penalty, result.total.pending) == (0, 3, 8)
    decided = grade([found[0], Finding(item="i1", status=Status.CORRECT)], lab, lateness=late(Decimal(5)))
    assert decided.total.score == 8


def override(**what: Any) -> Override:
    return Override(reason="r", author="a", date=date(2024, 1, 12), **what)


@given(graded, st.sampled_from(Status))
def test_an_override_decides_one_item_and_no_other(case: tuple[Lab, list[Finding]], status: Status) -> None:
    lab, findings = case
    first = next(iter(lab.items))
    given_ = {first.id: override(points=first.points), "unknown": override(points=Decimal(99))}
    plain, result = grade(findings, lab), grade(findings, lab, given_)
    assert result.items[first.id] == grade([Finding(item=first.id, status=Status.CORRECT)], lab).items[first.id]
    assert {**result.items, first.id: None} == {**plain.items, first.id: None}
    assert result.total.score == sum(score.score for score in result.items.values())


@pytest.mark.parametrize(
    ("what", "score"),
    [
        ({"status": Status.CORRECT}, "2"),
        ({"status": Status.PARTIAL}, "0.5"),
        ({"status": Status.INCORRECT}, "0"),
        ({"status": Status.MISSING}, "0"),
        ({"points": Decimal("1.25")}, "1.25"),
        ({"points": Decimal(0)}, "0"),
    ],
)
def test_an_override_is_worth_what_it_says(what: dict[str, Any], score: str) -> None:
    lab = lab_of([(Decimal(2), Decimal("0.25"))])
    result = grade([Finding(item="i0", status=Status.REVIEW)], lab, {"i0": override(**what)})
    assert (result.total.score, result.total.pending) == (Decimal(score), 0)
    (item,) = lab.items
    expected = what.get("status", Status.PARTIAL if what.get("points") else Status.INCORRECT)
    assert decided_status(item, override(**what)) is expected


def lab_with_rubric(*rows: str) -> Lab:
    """A lab of one item worth 2 points with a rubric of so many rows."""
    rubric = [{"points": worth, "text": f"row {number}"} for number, worth in enumerate(rows, start=1)]
    item = {"id": "i0", "title": "T", "points": 2, "check": "none", "options": {"rubric": rubric}}
    question = {"id": "q0", "title": "Q", "labels": ["question 0"], "items": [item]}
    return Lab.model_validate({"id": "l", "title": "L", "seeds": 1, "questions": [question]})


@pytest.mark.parametrize(
    ("rows", "score", "status"),
    [
        ((), "0", Status.INCORRECT),
        ((1,), "0.75", Status.PARTIAL),
        ((2,), "1.25", Status.PARTIAL),
        ((1, 2), "2", Status.CORRECT),
        ((2, 1), "2", Status.CORRECT),
        ((1, 1), "0.75", Status.PARTIAL),
        ((1, 2, 3), "2", Status.CORRECT),
        ((4,), "0", Status.INCORRECT),
        ((1, 4), "0.25", Status.PARTIAL),
        ((3, 4), "0", Status.INCORRECT),
        ((0,), "0", Status.INCORRECT),
        ((5,), "0", Status.INCORRECT),
        ((0, 1, 5), "0.75", Status.PARTIAL),
    ],
)
def test_rows_of_a_rubric_are_worth_their_sum_within_the_items_points(
    rows: tuple[int, ...], score: str, status: Status
) -> None:
    lab = lab_with_rubric("0.75", "1.25", "0.25", "-0.5")
    decision = override(rows=rows)
    result = grade([Finding(item="i0", status=Status.REVIEW)], lab, {"i0": decision})
    assert (result.total.score, result.total.pending) == (Decimal(score), 0)
    assert decided_status(next(iter(lab.items)), decision) is status


def test_rows_go_before_a_status_and_points() -> None:
    lab = lab_with_rubric("0.75", "1.25")
    decision = override(rows=(1,), status=Status.CORRECT, points=Decimal(2))
    assert given_points(next(iter(lab.items)), decision) == Decimal("0.75")
    assert decided_status(next(iter(lab.items)), decision) is Status.PARTIAL


@pytest.mark.parametrize(
    ("points", "status"),
    [("0", Status.INCORRECT), ("0.01", Status.PARTIAL), ("1.99", Status.PARTIAL), ("2.00", Status.CORRECT)],
)
def test_the_status_follows_from_the_points_given(points: str, status: Status) -> None:
    assert decided_status(next(iter(lab_with_rubric().items)), override(points=Decimal(points))) is status


@pytest.mark.parametrize(
    ("status", "score", "pending"),
    [
        (Status.CORRECT, "2", "0"),
        (Status.PARTIAL, "0.5", "0"),
        (Status.INCORRECT, "0", "0"),
        (Status.MISSING, "0", "0"),
        (Status.NOT_RUN, "0", "0"),
        (Status.REVIEW, "0", "2"),
        (Status.ERROR, "0", "2"),
    ],
)
def test_what_each_status_is_worth(status: Status, score: str, pending: str) -> None:
    lab = lab_of([(Decimal(2), Decimal("0.25"))])
    result = grade([Finding(item="i0", status=status)], lab)
    assert result.items["i0"] == Score(score=Decimal(score), pending=Decimal(pending), max_score=Decimal(2))
    assert result.needs_review is (pending != "0")


@pytest.mark.parametrize(
    ("percent", "base", "score", "pending", "penalty"),
    [
        ("10", "earned", "2.7", "9", "0.3"),
        ("10", "maximum", "1.7", "10", "1.3"),
        ("50", "maximum", "0", "6.5", "3"),
        ("100", "earned", "0", "0", "3"),
    ],
)
def test_a_percentage_of_lateness_holds_for_what_is_pending_too(
    percent: str, base: Any, score: str, pending: str, penalty: str
) -> None:
    lab = lab_of([(Decimal(3), Decimal(1)), (Decimal(10), Decimal(1))])
    found = [Finding(item="i0", status=Status.CORRECT), Finding(item="i1", status=Status.REVIEW)]
    rule = late(Decimal(0)).model_copy(update={"percent": Decimal(percent), "percent_of": base})
    result = grade(found, lab, lateness=rule)
    assert result.total == Score(score=Decimal(score), pending=Decimal(pending), max_score=Decimal(13))
    assert result.late_penalty == Decimal(penalty)


JUDGED = Subject(owner="o", hand_in="h", asked="a", answer="w")
NOTHING_READ = JUDGED._replace(answer="")


@pytest.mark.parametrize(
    ("given", "now", "counts"),
    [
        (JUDGED, JUDGED, True),
        (JUDGED, JUDGED._replace(hand_in="other"), True),  # the same words, in a hand-in that changed elsewhere
        (JUDGED, JUDGED._replace(answer="other"), True),  # the same hand-in, read otherwise by another grader
        (JUDGED, JUDGED._replace(answer="other", asked="other"), False),  # and the lab asks something else
        (JUDGED, JUDGED._replace(asked="other"), True),  # it asks it otherwise, of an answer that is the same
        (JUDGED, JUDGED._replace(hand_in="other", answer="other"), False),
        (JUDGED, JUDGED._replace(owner="other"), False),
        (JUDGED, NOTHING_READ._replace(hand_in="other"), False),
        (NOTHING_READ, NOTHING_READ, True),
        (NOTHING_READ, NOTHING_READ._replace(hand_in="other"), False),
        (NOTHING_READ, JUDGED._replace(hand_in="other"), False),
        (Subject(hand_in="h*"), JUDGED._replace(hand_in="h-refused"), True),  # as an earlier version kept it
        (Subject(hand_in="h*"), JUDGED._replace(hand_in="other"), False),
        (Subject(), JUDGED, True),
    ],
)
def test_a_decision_counts_for_what_was_judged(given: Subject, now: Subject, counts: bool) -> None:
    decision = Override(status=Status.CORRECT, reason="r", author="a", date=date(2026, 1, 12), subject=str(given))
    assert still_judges(decision, "finding", str(now)) is counts
    bound = decision.model_copy(update={"subject": "", "bound": BoundHashes(str(given), "")})
    assert still_judges(bound, "finding", str(now)) is counts


def test_an_entry_that_states_a_finding_is_held_to_it() -> None:
    decision = Override(status=Status.CORRECT, reason="r", author="a", date=date(2026, 1, 12), finding="f")
    assert still_judges(decision, "f", str(JUDGED))
    assert not still_judges(decision, "other", str(JUDGED))
    assert not still_judges(decision.model_copy(update={"subject": "nonsense"}), "other", str(JUDGED))
