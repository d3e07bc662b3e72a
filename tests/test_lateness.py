"""What lateness costs: tiers, grace, extensions, zones, and what is not known."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from grader.lab.definition import LatePolicy
from grader.lab.files import lab_folder, load_lab
from grader.scoring import Extension, deducted, duration, late_flags, lateness

TIERS = [{"hours": 24, "points": 5}, {"hours": 48, "points": 10}]
DUE = datetime.fromisoformat("2023-11-21T23:59:00+01:00")
HOUR = timedelta(hours=1)


def policy(**more: object) -> LatePolicy:
    return LatePolicy.model_validate({"deadline": DUE, "tiers": TIERS, **more})


def penalty(after: timedelta, extension: Extension | None = None, **more: object) -> Decimal | None:
    late = lateness(policy(**more), DUE + after, extension=extension)
    assert late is not None
    return late.penalty


@pytest.mark.parametrize(
    ("after", "points"),
    [
        (-HOUR, 0),
        (timedelta(0), 0),
        (timedelta(microseconds=1), 5),
        (24 * HOUR, 5),
        (24 * HOUR + timedelta(seconds=1), 10),
        (48 * HOUR, 10),
        (48 * HOUR + timedelta(seconds=1), None),
    ],
)
def test_the_tiers_of_the_lab(after: timedelta, points: int | None) -> None:
    assert penalty(after) == points


def test_the_shipped_lab_has_these_tiers_and_no_deadline() -> None:
    late = load_lab(lab_folder("nlp-frameworks")).late
    assert (late.deadline, late.tiers) == (None, policy().tiers)
    assert lateness(late, DUE) is None


def test_grace_forgives_but_does_not_move_the_deadline() -> None:
    assert penalty(timedelta(minutes=10), grace_minutes=10) == 0
    assert penalty(timedelta(minutes=11), grace_minutes=10) == 5
    assert penalty(24 * HOUR + timedelta(minutes=5), grace_minutes=10) == 10


def test_extensions_give_time_and_never_take_it() -> None:
    assert penalty(30 * HOUR, Extension(hours=Decimal(24))) == 5
    assert penalty(30 * HOUR, Extension(until=DUE + 30 * HOUR)) == 0
    assert penalty(HOUR, Extension(until=DUE - 9 * HOUR)) == 5
    assert penalty(-HOUR, Extension(until=DUE - 9 * HOUR)) == 0


def test_times_are_compared_across_zones() -> None:
    assert lateness(policy(), datetime(2023, 11, 21, 22, 59, tzinfo=UTC)).late_by == 0  # type: ignore[union-attr]
    local = LatePolicy.model_validate(
        {"deadline": datetime(2024, 3, 30, 23, 59), "timezone": "Europe/Paris", "tiers": TIERS}
    )
    spring = lateness(local, datetime(2024, 3, 31, 23, 59))
    assert spring is not None
    assert spring.late_by == 23 * 3600
    naive = lateness(policy(), datetime(2023, 11, 21, 23, 58))
    assert naive is not None
    assert naive.late_by == 0


def test_an_unknown_time_costs_nothing_and_is_said() -> None:
    late = lateness(policy(), None)
    assert late is not None
    assert (late.late_by, late.penalty) == (None, 0)
    assert [flag.id for flag in late_flags(late)] == ["time-unknown"]
    assert "not known" in late.text


def test_what_is_late_is_flagged_and_what_is_not_is_not() -> None:
    late = lateness(policy(), DUE + 5 * HOUR + timedelta(minutes=12, seconds=3))
    assert late is not None
    assert [flag.id for flag in late_flags(late)] == ["late"]
    assert "5 h 12 min after" in late.text
    assert "5 points off" in late.text
    assert late_flags(lateness(policy(), DUE)) == late_flags(None) == ()
    assert "not graded" in lateness(policy(), DUE + 50 * HOUR).text  # type: ignore[union-attr]


def test_without_tiers_lateness_is_only_told() -> None:
    assert penalty(1000 * HOUR, tiers=[]) == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"deadline": datetime(2023, 11, 21)},
        {"timezone": "Mars/Olympus"},
        {"timezone": "../../etc/passwd"},
        {"tiers": TIERS[::-1]},
        {"tiers": [TIERS[0], TIERS[0]]},
        {"tiers": [{"hours": 0, "points": 5}]},
        {"tiers": [{"hours": 1, "points": -5}]},
        {"grace_minutes": -1},
    ],
)
def test_a_rule_that_is_none_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        policy(**wrong)


@given(st.timedeltas(timedelta(0), 100 * HOUR), st.decimals(0, 40, places=2))
def test_what_is_taken_off_is_within_what_was_earned(after: timedelta, earned: Decimal) -> None:
    late = lateness(policy(), DUE + after)
    assert 0 <= deducted(late, earned, Decimal(20)) <= earned
    assert late == lateness(policy(), DUE + after)


@given(st.timedeltas(timedelta(0), 100 * HOUR), st.timedeltas(timedelta(0), 10 * HOUR))
def test_later_is_never_cheaper(after: timedelta, more: timedelta) -> None:
    costs = [deducted(lateness(policy(), DUE + late), Decimal(20), Decimal(20)) for late in (after, after + more)]
    assert costs[0] <= costs[1]


@pytest.mark.parametrize(("seconds", "text"), [(40, "40 s"), (60, "1 min"), (3600, "1 h"), (90061, "25 h 1 min")])
def test_durations(seconds: int, text: str) -> None:
    assert duration(seconds) == text


def percent_policy(**more: Any) -> LatePolicy:
    return LatePolicy.model_validate({"deadline": DUE, **more})


@pytest.mark.parametrize(
    ("hours", "earned", "left"),
    [
        (0, "15", "15"),
        (1, "15", "13.50"),
        (24, "15", "13.50"),
        (25, "15", "12.00"),
        (72, "15", "10.50"),
        (73, "15", "0"),
    ],
)
def test_so_many_percent_a_day(hours: int, earned: str, left: str) -> None:
    rule = percent_policy(rate={"percent": 10, "every": 24, "until": 72})
    late = lateness(rule, DUE + hours * HOUR)
    assert Decimal(earned) - deducted(late, Decimal(earned), Decimal(20)) == Decimal(left)
    if hours == 25:
        assert late is not None
        assert "20 % of the points earned off" in late.text
        assert (late.penalty, late.percent) == (0, 20)


def test_percent_of_the_maximum_never_takes_more_than_there_is() -> None:
    rule = percent_policy(tiers=[{"hours": 24, "percent": "12.5"}], percent_of="maximum")
    late = lateness(rule, DUE + HOUR)
    assert deducted(late, Decimal(15), Decimal(20)) == Decimal("2.5")
    assert deducted(late, Decimal(1), Decimal(20)) == Decimal(1)
    assert late is not None
    assert "12.5 % of all points off" in late.text


def test_half_a_cent_is_left_to_the_student() -> None:
    late = lateness(percent_policy(tiers=[{"hours": 24, "percent": 10}]), DUE + HOUR)
    assert deducted(late, Decimal("10.25"), Decimal(20)) == Decimal("1.02")


@pytest.mark.parametrize(
    "more",
    [
        {"tiers": [{"hours": 1}]},
        {"tiers": [{"hours": 1, "points": 1, "percent": 1}]},
        {"tiers": [{"hours": 1, "percent": 101}]},
        {"tiers": [{"hours": 1, "percent": 1}], "rate": {"percent": 1, "until": 24}},
        {"rate": {"percent": 1, "every": "0.01", "until": 1000}},
        {"rate": {"percent": 10, "until": 0}},
        {"percent_of": "luck"},
    ],
)
def test_percentages_that_are_no_rule(more: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        percent_policy(**more)
