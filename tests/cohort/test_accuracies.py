"""Reported averages held against the bands."""

from collections.abc import Iterable

from grader.cohort.rows import Store
from grader.cohort.statistics import Averages, ReportedAverages
from grader.result import Average, CurveBand, Result
from tests.factories import result


def band(low: float, high: float, schedule: int | None = None, split: str = "test") -> CurveBand:
    id_ = f"{split}/{schedule}"
    return CurveBand(id=id_, experiment="pretrained", split=split, schedule=schedule, low=low, high=high, share=95)


BANDS = (band(78, 81, 1125), band(79, 82, 3125), band(78, 82))


def told(student: str, *averages: tuple[str | None, float], bands: tuple[CurveBand, ...] = BANDS) -> Result:
    reported = tuple(Average(experiment="pretrained", split=split, value=value) for split, value in averages)
    return result(student, averages=reported, average_bands=bands)


def reported_averages(results: Iterable[Result]) -> tuple[ReportedAverages, ...]:
    found = Averages(Store())
    for one in results:
        found.add(one)
    return found.reported_averages()


def test_an_average_is_inside_one_of_the_bands_or_outside_all() -> None:
    (found,) = reported_averages(
        [told("ann", ("test", 81.5)), told("bob", ("test", 82.01)), told("cyd", ("test", 78.0))]
    )
    assert [one.inside for one in found.averages] == [True, False, True]
    assert [one.schedule for one in found.bands] == [1125, 3125]


def test_an_average_without_a_split_is_held_against_the_test_set_unless_another_says_it() -> None:
    (found,) = reported_averages([told("ann", (None, 80)), told("bob", (None, 70), ("test", 80))])
    assert [(one.value, one.split_said) for one in found.averages] == [(80, False), (80, True)]


def test_splits_stand_apart_the_test_set_first() -> None:
    found = reported_averages([told("ann", ("valid", 82), ("test", 80), bands=())])
    assert [(one.split, one.bands) for one in found] == [("test", ()), ("valid", ())]


def test_nobody_who_reports_nothing_is_shown() -> None:
    assert reported_averages([told("ann"), result("bob")]) == ()
