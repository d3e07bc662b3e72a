"""What lateness costs: tiers, grace, extensions, zones, and what is not known."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from grader.checks.finding import Severity
from grader.lab.definition import LatePolicy
from grader.lab.files import lab_folder, load_lab
from grader.scoring import Extension, deduction, duration, late_flags, lateness

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
    assert 0 <= deduction(late, earned, Decimal(20)) <= earned
    assert late == lateness(policy(), DUE + after)


@given(st.timedeltas(timedelta(0), 100 * HOUR), st.timedeltas(timedelta(0), 10 * HOUR))
def test_later_is_never_cheaper(after: timedelta, more: timedelta) -> None:
    costs = [deduction(lateness(policy(), DUE + late), Decimal(20), Decimal(20)) for late in (after, after + more)]
    assert costs[0] <= costs[1]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (1, "1 s"),
        (59, "59 s"),
        (60, "1 min"),
        (119, "1 min"),
        (3599, "59 min"),
        (3600, "1 h"),
        (3659, "1 h"),
        (3660, "1 h 1 min"),
        (7199, "1 h 59 min"),
        (86_400, "24 h"),
        (90_061, "25 h 1 min"),
    ],
)
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
    assert Decimal(earned) - deduction(late, Decimal(earned), Decimal(20)) == Decimal(left)
    if hours == 25:
        assert late is not None
        assert "20 % of the points earned off" in late.text
        assert (late.penalty, late.percent) == (0, 20)


def test_percent_of_the_maximum_never_takes_more_than_there_is() -> None:
    rule = percent_policy(tiers=[{"hours": 24, "percent": "12.5"}], percent_of="maximum")
    late = lateness(rule, DUE + HOUR)
    assert deduction(late, Decimal(15), Decimal(20)) == Decimal("2.5")
    assert deduction(late, Decimal(1), Decimal(20)) == Decimal(1)
    assert late is not None
    assert "12.5 % of all points off" in late.text


def test_half_a_cent_is_left_to_the_student() -> None:
    late = lateness(percent_policy(tiers=[{"hours": 24, "percent": 10}]), DUE + HOUR)
    assert deduction(late, Decimal("10.25"), Decimal(20)) == Decimal("1.02")


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


SAID = "the deadline, 2023-11-21 23:59 UTC+01:00"


@pytest.mark.parametrize(
    ("after", "rule", "text"),
    [
        (-HOUR, {}, f"Handed in before {SAID}, or within its grace."),
        (timedelta(minutes=5), {"grace_minutes": 5}, f"Handed in before {SAID}, or within its grace."),
        (timedelta(seconds=1), {}, f"Handed in 1 s after {SAID}: 5 points off."),
        (24 * HOUR, {}, f"Handed in 24 h after {SAID}: 5 points off."),
        (25 * HOUR, {}, f"Handed in 25 h after {SAID}: 10 points off."),
        (
            48 * HOUR + timedelta(minutes=1),
            {},
            f"Handed in 48 h 1 min after {SAID}: later than 48 hours is not graded.",
        ),
        (HOUR, {"tiers": [{"hours": 24, "points": 1}]}, f"Handed in 1 h after {SAID}: 1 point off."),
        (HOUR, {"tiers": [{"hours": 24, "points": "0.50"}]}, f"Handed in 1 h after {SAID}: 0.5 points off."),
        (HOUR, {"tiers": []}, f"Handed in 1 h after {SAID}: 0 points off."),
        (
            HOUR,
            {"tiers": [{"hours": 24, "percent": 20}]},
            f"Handed in 1 h after {SAID}: 20 % of the points earned off.",
        ),
        (
            25 * HOUR,
            {"tiers": [{"hours": 24, "percent": 20}, {"hours": 72, "percent": 100}], "percent_of": "maximum"},
            f"Handed in 25 h after {SAID}: 100 % of all points off.",
        ),
        (
            101 * HOUR,
            {"tiers": [{"hours": 24, "percent": 20}, {"hours": 100, "percent": 40}]},
            f"Handed in 101 h after {SAID}: later than 100 hours is not graded.",
        ),
    ],
)
def test_the_student_reads_what_it_costs_and_why(after: timedelta, rule: dict[str, Any], text: str) -> None:
    late = lateness(policy(**rule), DUE + after)
    assert late is not None
    assert late.text == text


def test_a_deadline_is_said_in_its_zone() -> None:
    rule = LatePolicy.model_validate(
        {"deadline": datetime(2024, 3, 30, 23, 59), "timezone": "Europe/Paris", "tiers": TIERS}
    )
    late = lateness(rule, None)
    assert late is not None
    said = "It is not known when this was handed in, so nothing is taken off for lateness"
    assert late.text == f"{said} (the deadline, 2024-03-30 23:59 CET)."


@pytest.mark.parametrize(
    ("extension", "deadline", "why"),
    [
        (None, DUE, ""),
        (Extension(reason="ill"), DUE, "ill"),
        (Extension(), DUE, "extension"),
        (Extension(hours=Decimal(2), reason="ill"), DUE + 2 * HOUR, "ill"),
        (Extension(hours=Decimal("0.5")), DUE + HOUR / 2, "extension"),
        (Extension(until=DUE + 3 * HOUR), DUE + 3 * HOUR, "extension"),
        (Extension(until=DUE - 3 * HOUR, reason="none"), DUE, "none"),
        (Extension(until=datetime(2023, 11, 22, 12, 0)), DUE + timedelta(hours=12, minutes=1), "extension"),
    ],
)
def test_a_result_tells_the_students_own_deadline_and_why(
    extension: Extension | None, deadline: datetime, why: str
) -> None:
    late = lateness(policy(), DUE + 4 * HOUR, extension=extension, time_from="the LMS")
    assert late is not None
    assert (late.deadline, late.extension, late.time_from) == (deadline, why, "the LMS")
    assert late.deadline.utcoffset() == DUE.utcoffset()
    assert late.late_by == max(0, (DUE + 4 * HOUR - deadline).total_seconds())


def test_hours_of_an_extension_pass_when_clocks_are_put_forward() -> None:
    rule = LatePolicy.model_validate(
        {"deadline": datetime(2024, 3, 30, 23, 59), "timezone": "Europe/Paris", "tiers": TIERS}
    )
    late = lateness(rule, datetime(2024, 3, 31, 4, 59), extension=Extension(hours=Decimal(4)))
    assert late is not None
    assert (late.deadline.isoformat(), late.late_by) == ("2024-03-31T04:59:00+02:00", 0)


def test_where_there_is_no_deadline_only_a_date_of_ones_own_sets_one() -> None:
    rule = LatePolicy.model_validate({"tiers": TIERS})
    assert lateness(rule, DUE, extension=Extension(hours=Decimal(5))) is None
    late = lateness(rule, DUE + HOUR, extension=Extension(until=DUE))
    assert late is not None
    assert (late.deadline, late.late_by, late.penalty) == (DUE, 3600, 5)


def test_seconds_of_lateness_are_rounded_up() -> None:
    for after, seconds in ((0.2, 1), (1, 1), (1.000001, 2), (3600, 3600)):
        late = lateness(policy(), DUE + timedelta(seconds=after))
        assert late is not None
        assert late.late_by == seconds


@pytest.mark.parametrize(
    ("percent", "earned", "off"),
    [
        ("10", "0.05", "0.00"),
        ("10", "0.15", "0.01"),
        ("10", "0.16", "0.02"),
        ("33.3", "10", "3.33"),
        ("100", "7.25", "7.25"),
        ("0", "7.25", "0"),
        ("5", "0", "0"),
    ],
)
def test_a_percentage_is_taken_to_the_cent(percent: str, earned: str, off: str) -> None:
    late = lateness(percent_policy(tiers=[{"hours": 24, "percent": percent}]), DUE + HOUR)
    assert deduction(late, Decimal(earned), Decimal(20)) == Decimal(off)


def test_nothing_is_taken_off_in_time_and_all_of_what_is_too_late() -> None:
    for rule in (policy(), percent_policy(tiers=[{"hours": 24, "percent": 50}])):
        assert deduction(lateness(rule, DUE), Decimal(9), Decimal(20)) == 0
        assert deduction(lateness(rule, None), Decimal(9), Decimal(20)) == 0
        assert deduction(lateness(rule, DUE + 49 * HOUR), Decimal(9), Decimal(20)) == 9
    assert deduction(None, Decimal(9), Decimal(20)) == 0


def test_flags_say_how_much_they_matter_and_what_is_so() -> None:
    for time, id_, severity in ((None, "time-unknown", Severity.INFO), (DUE + HOUR, "late", Severity.WARNING)):
        late = lateness(policy(), time)
        assert late is not None
        (flag,) = late_flags(late)
        assert (flag.id, flag.severity, flag.message) == (id_, severity, late.text)
