"""Fingerprints tell like from unlike, and show no values."""

import pytest

from grader.claims.likeness import SeriesPrint, series_prints
from grader.reading.log import Log, Origin, Series, Subset
from grader.reading.runs import runs_of
from tests.claims.making import lab

ORIGIN = Origin(started_at=1.7e9, host="abc", pid=7)
VALUES = (64.0, 81.5, 81.0)


def prints(
    values: tuple[float, ...] = VALUES,
    times: tuple[float, ...] = (10.0, 20.0, 30.0),
    origin: Origin | None = ORIGIN,
    seed: int = 0,
) -> tuple[SeriesPrint, ...]:
    steps = tuple(225 * (n + 1) for n in range(len(values)))
    series = Series(tag="accuracy", subset=Subset.VALID, steps=steps, values=values, wall_times=times[: len(values)])
    name = f"pretrained/seed_{seed}"
    log = Log(file=f"{name}/valid/events", name=name, seed=seed, series=(series,), origin=origin)
    return series_prints(runs_of([log]), lab())


def test_equal_curves_have_equal_prints() -> None:
    assert prints() == prints()
    assert (prints()[0].experiment, prints()[0].seed, prints()[0].split) == ("pretrained", 0, "valid")


def test_fractions_and_percentages_are_one_curve() -> None:
    assert prints(tuple(value / 100 for value in VALUES))[0].values == prints()[0].values
    assert prints((0.5, 0.75, 1.0))[0].values == prints((50.0, 75.0, 100.0))[0].values


@pytest.mark.parametrize("values", [(64.0, 81.5, 80.5), (64.0, 81.0, 81.5), (*VALUES, 81.0)])
def test_unlike_curves_have_unlike_prints(values: tuple[float, ...]) -> None:
    assert prints(values, times=(10.0, 20.0, 30.0, 40.0))[0].values != prints()[0].values


def test_times_and_processes_do_not_count() -> None:
    """The same seeds reproduce at any time and by any process."""
    assert prints(times=(11.0, 21.0, 31.0)) == prints() == prints(origin=Origin(started_at=1.7e9, host="abc", pid=8))


def test_nothing_can_be_read_from_a_print() -> None:
    text = prints()[0].model_dump_json()
    for secret in ("abc", "1700000000", "81.5"):
        assert secret not in text


def test_short_curves_are_left_out() -> None:
    assert prints((64.0, 81.5)) == ()
