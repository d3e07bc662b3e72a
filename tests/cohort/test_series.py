"""Curves that students share: reproduction is told from copies, and nobody is accused."""

from collections.abc import Iterable

from grader.cohort.likeness import SharedSeries, Sharing
from grader.cohort.statistics import of_class
from grader.result import Result, SeriesPrint
from tests.factories import result


def curve(values: str = "v", times: str | None = "t", process: str | None = "p", seed: int = 0) -> SeriesPrint:
    return SeriesPrint(
        experiment="pretrained", seed=seed, split="valid", points=5, values=values, times=times, process=process
    )


def student(name: str, *series: SeriesPrint) -> Result:
    return result(name, series=series)


def shared_series(students: Iterable[Result]) -> tuple[SharedSeries, ...]:
    return of_class(students).summary.shared_series


def found(*students: Result) -> list[tuple[Sharing, tuple[str, ...]]]:
    return [(one.sharing, one.students) for one in shared_series(students)]


def test_the_same_seeds_reproduce() -> None:
    one, other = student("ada", curve(times="t1", process="p1")), student("bo", curve(times="t2", process="p2"))
    (shared,) = shared_series([one, other])
    assert (shared.sharing, shared.students) == (Sharing.SAME_VALUES, ("ada", "bo"))
    assert shared.series == ("pretrained seed 0, valid",)
    assert "Nothing follows about copying" in shared.meaning


def test_the_same_files_were_handed_in() -> None:
    by_times = student("ada", curve(process=None)), student("bo", curve(process=None))
    by_process = student("ada", curve(times="t1")), student("bo", curve(times="t2"))
    for pair in (by_times, by_process):
        assert found(*pair) == [(Sharing.SAME_FILES, ("ada", "bo"))]


def test_logs_without_times_leave_it_open() -> None:
    text = [student(name, curve(times=None, process=None)) for name in ("ada", "bo")]
    assert found(*text) == [(Sharing.UNKNOWN, ("ada", "bo"))]


def test_two_copies_among_many_that_reproduce() -> None:
    copies = [student("ada", curve(times="t1", process="p1")), student("bo", curve(times="t1", process="p1"))]
    others = [student(name, curve(times=name, process=name)) for name in ("cy", "di")]
    assert found(*copies, *others) == [
        (Sharing.SAME_FILES, ("ada", "bo")),
        (Sharing.SAME_VALUES, ("ada", "bo", "cy", "di")),
    ]


def test_the_series_of_one_group_are_listed_together() -> None:
    runs = [curve(values=f"v{seed}", times=f"t{seed}", process=None, seed=seed) for seed in range(3)]
    (shared,) = shared_series([student("ada", *runs), student("bo", *runs)])
    assert len(shared.series) == 3


def test_nothing_shared_is_nothing_said() -> None:
    assert found(student("ada", curve("v1")), student("bo", curve("v2")), student("cy")) == []
    assert found(student("ada", curve(), curve(times="t2"))) == []


def test_the_class_summary_holds_them() -> None:
    summary = of_class([student("ada", curve()), student("bo", curve())]).summary
    assert [one.students for one in summary.shared_series] == [("ada", "bo")]
