"""Logs put together into runs."""

from collections import defaultdict
from collections.abc import Iterable

from grader.reading.evidence import Evidence
from grader.reading.log import Log
from grader.reading.run import Known, Run


def runs_of(logs: Iterable[Log]) -> tuple[Run, ...]:
    """Runs by name; the logs of one run's parts of the data are put together by their folder's name."""
    grouped: dict[str, list[Log]] = defaultdict(list)
    for log in logs:
        grouped[log.name].append(log)
    return tuple(_run(name, parts) for name, parts in sorted(grouped.items()))


def _run(name: str, logs: list[Log]) -> Run:
    seeds = {log.seed for log in logs if log.seed is not None}
    told = Known(value=str(seeds.pop()), evidence=Evidence(file=logs[0].file, quote=name)) if len(seeds) == 1 else None
    return Run(name=name, logs=tuple(logs), seed=told)
