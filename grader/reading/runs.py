"""Logs put together into runs, and what is known of each."""

from collections.abc import Iterable, Iterator, Sequence

from grader.message import say
from grader.reading.log import Log
from grader.reading.run import Run
from grader.reading.run_evaluations import with_evaluations
from grader.reading.run_facts import adapter_of, framework_of, seed_of, settings_of
from grader.reading.run_names import subset_of_tag
from grader.reading.run_parts import by_name, is_text, put_together
from grader.reading.run_schedule import schedule_of
from grader.reading.run_start import start_of


def runs_of(logs: Iterable[Log]) -> tuple[Run, ...]:
    """The training runs that some logs are of, by name. A run that was logged in several ways is one run; of a step
    that was logged again after a restart, the later log comes last and counts."""
    parts = by_name(_with_subsets(log) for log in logs)
    runs = (_run(part) for part in with_evaluations(put_together(parts)))
    return tuple(sorted(runs, key=lambda run: (run.name, run.logs[0].file)))


def _with_subsets(log: Log) -> Log:
    """The log, with what its tags say of the part of the data where its path says nothing."""
    if any(series.subset for series in log.series):
        return log
    series = tuple(one.model_copy(update={"subset": subset_of_tag(one.tag)}) for one in log.series)
    return log.model_copy(update={"series": series})


def _run(logs: Sequence[Log]) -> Run:
    name, settings = next((log.name for log in logs if not is_text(log)), logs[0].name), settings_of(logs)
    framework, seed = framework_of(logs, settings), seed_of(logs, settings)
    start, scheduled = start_of(name, logs, settings), schedule_of(logs, settings)
    told = {"framework": framework, "start": start, "seed": seed}
    found = (framework.problem, start.problem, seed.problem, scheduled.problem, *_restarts(logs))
    return Run(
        name=name,
        logs=tuple(logs),
        framework=framework.known,
        start=start.known,
        adapter=adapter_of(settings),
        seed=seed.known,
        schedule=scheduled.schedule,
        unclear=tuple(what for what, one in told.items() if one.problem and not one.known),
        problems=tuple(problem for problem in found if problem),
    )


def _restarts(logs: Sequence[Log]) -> Iterator[str]:
    """Steps that several event files of one folder hold with different values."""
    seen: dict[tuple[str, str, int], float] = {}
    again: set[int] = set()
    for log in logs:
        if log.origin:
            folder = log.file.rpartition("/")[0]
            for series in log.series:
                for step, value in zip(series.steps, series.values, strict=True):
                    if seen.setdefault((folder, series.tag, step), value) != value:
                        again.add(step)
    if again:
        yield say(
            "{count} steps were logged again with other values (a restart?): the later ones count", count=len(again)
        )
