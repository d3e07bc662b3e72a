"""Which part of the data a series was measured on, where only the lab's data can tell.

The Trainer evaluates what it was given as the validation file under `eval/`, and a script is often given the test
file there.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath

from grader.claims.results.roles import split_in
from grader.lab.definition import Lab
from grader.reading.log import Log, Series, Setting, Subset
from grader.reading.run import Run


def subset_of(series: Series, log: Log, run: Run, lab: Lab) -> Subset | None:
    """The part of the data: by the number of examples that were evaluated, else by the name of the evaluated file,
    else as the log says. None where number and name contradict each other."""
    if series.subset is not Subset.VALID or not series.tag.startswith("eval"):
        return series.subset
    by_count = _by_count(log, lab)
    by_file = _by_file([log] if _file(log.settings) else run.logs, lab)
    if by_count and by_file and by_count is not by_file:
        return None
    return by_count or by_file or series.subset


def _by_count(log: Log, lab: Lab) -> Subset | None:
    """The one split of as many examples as were evaluated."""
    counts = {setting.value for setting in log.settings if setting.name == "eval_samples"}
    splits = [split.id for split in lab.splits if str(split.examples) in counts]
    return _subset(splits[0]) if len(splits) == 1 else None


def _by_file(logs: Iterable[Log], lab: Lab) -> Subset | None:
    """The split that the name of the validation file speaks of."""
    files = {file for log in logs if (file := _file(log.settings))}
    if len(files) != 1:
        return None
    stem = PurePosixPath(files.pop()).name.replace("_", " ").replace(".", " ").replace("-", " ")
    split = split_in(stem, lab)
    return _subset(split) if split else None


def _file(settings: Iterable[Setting]) -> str | None:
    return next((setting.value for setting in settings if setting.name == "validation_file"), None)


def _subset(split: str) -> Subset | None:
    return Subset(split) if split in (Subset.VALID, Subset.TEST) else None
