"""Curves that students share are told to staff, and nobody is accused."""

from collections.abc import Iterable

from grader.cohort.likeness import SharedSeries
from grader.cohort.statistics import of_class
from grader.result import Result, SeriesPrint
from tests.factories import result


def curve(values: str = "v", seed: int = 0) -> SeriesPrint:
    return SeriesPrint(experiment="pretrained", seed=seed, split="valid", points=5, values=values)


def student(name: str, *series: SeriesPrint) -> Result:
    return result(name, series=series)


def shared_series(students: Iterable[Result]) -> tuple[SharedSeries, ...]:
    return of_class(students).summary.shared_series


def found(*students: Result) -> list[tuple[str, ...]]:
    return [one.students for one in shared_series(students)]


def test_the_same_seeds_reproduce() -> None:
    (shared,) = shared_series([student("ada", curve()), student("bo", curve())])
    assert (shared.students, shared.series) == (("ada", "bo"), ("pretrained, seed 0, valid",))
    assert "no sign of copying" in shared.meaning


def test_the_largest_group_comes_first() -> None:
    pair = [student(name, curve(), curve("w", seed=1)) for name in ("ada", "bo")]
    assert found(*pair, student("cy", curve())) == [("ada", "bo", "cy"), ("ada", "bo")]


def test_curves_of_earlier_releases_are_read() -> None:
    """Their results hold hashes of times and processes, too."""
    stored = curve().model_dump() | {"times": "t", "process": None}
    assert SeriesPrint.model_validate(stored) == curve()


def test_the_series_of_one_group_are_listed_together() -> None:
    runs = [curve(values=f"v{seed}", seed=seed) for seed in range(3)]
    (shared,) = shared_series([student("ada", *runs), student("bo", *runs)])
    assert len(shared.series) == 3


def test_nothing_shared_is_nothing_said() -> None:
    assert found(student("ada", curve("v1")), student("bo", curve("v2")), student("cy")) == []
    assert found(student("ada", curve(), curve(seed=1))) == []


def test_the_class_summary_holds_them() -> None:
    summary = of_class([student("ada", curve()), student("bo", curve())]).summary
    assert [one.students for one in summary.shared_series] == [("ada", "bo")]
