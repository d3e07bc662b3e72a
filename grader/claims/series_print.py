"""Fingerprints of logged accuracies, by which submissions are compared without showing machines or times."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

from pydantic import Field

from grader.claims.logged import accuracy_curves, logged_runs
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.reading.log import Log, Series
from grader.reading.run import Run

_FEWEST: Final = 3
"""Shorter series may well be alike by chance."""


class SeriesPrint(Frozen):
    """One logged accuracy curve of a submission, as hashes. For staff, and for comparing; a host, a process and a time
    cannot be read from it, but they may be guessed: it does not belong in what students see."""

    experiment: str | None
    seed: int | None
    split: str
    points: int
    values: str = Field(description="Hash of steps and values.")
    times: str | None = Field(default=None, description="Hash of the wall-clock times, where they were logged.")
    process: str | None = Field(default=None, description="Hash of host, process and start, where they are known.")


def series_prints(runs: Iterable[Run], lab: Lab) -> tuple[SeriesPrint, ...]:
    """The prints of all accuracy curves with at least three points."""
    return tuple(dict.fromkeys(one for run in runs for one in _of_run(run, lab)))


def _of_run(run: Run, lab: Lab) -> Iterator[SeriesPrint]:
    known = logged_runs([run], lab)
    for log, series, subset in accuracy_curves(run, lab):
        if known and len(series.steps) >= _FEWEST:
            yield SeriesPrint(
                experiment=known[0].experiment,
                seed=known[0].seed,
                split=subset,
                points=len(series.steps),
                values=_hash(*series.steps, *(f"{value:.5g}" for value in _percentages(series))),
                times=_hash(*(f"{time:.3f}" for time in series.wall_times)) if series.wall_times else None,
                process=_process(log),
            )


def _percentages(series: Series) -> Iterator[float]:
    factor = 100 if all(value <= 1 for value in series.values) else 1
    return (value * factor for value in series.values)


def _process(log: Log) -> str | None:
    """The runs of one process share it, whatever number its files bear."""
    origin = log.origin
    return _hash(origin.host, origin.pid, int(origin.started_at) // 60) if origin and origin.pid is not None else None


def _hash(*parts: object) -> str:
    return sha256("\0".join(map(str, parts)).encode()).hexdigest()[:32]
