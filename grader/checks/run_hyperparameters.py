"""Are the logged runs of an experiment trained as the lab asks, and on its data?"""

from collections.abc import Iterable, Iterator, Sequence

from grader.checks.finding import Flag, Severity
from grader.checks.hyperparameter_values import FLAG, Found, Wanted, mismatches, wanted_of
from grader.claims.logged import LoggedAccuracy, LoggedRun
from grader.lab.definition import Lab
from grader.message import joined, say, say_data
from grader.reading.log import Setting

_RANDOM = "random"
_NEAR = 1.1
"""Schedules whose lengths differ by no more than this factor give like accuracies."""


def run_mismatches(runs: Iterable[LoggedRun], experiment: str, lab: Lab) -> list[Flag]:
    """A flag for each thing in which logged runs differ from the lab, with the places in all runs."""
    wanted = wanted_of(lab, experiment)
    together: dict[tuple[str, Severity, str], list[Flag]] = {}
    for run in runs:
        for flag in (*_of_settings(run, wanted), *_of_course(run, wanted, lab)):
            together.setdefault((flag.id, flag.severity, flag.message), []).append(flag)
    return [
        flags[0].model_copy(update={"evidence": tuple(dict.fromkeys(e for flag in flags for e in flag.evidence))})
        for flags in together.values()
    ]


def _of_settings(run: LoggedRun, wanted: Wanted) -> Iterator[Flag]:
    found: dict[str, list[Found]] = {}
    for setting in run.settings:
        found.setdefault(setting.name, []).append(Found(setting.value, setting.evidence))
    yield from mismatches(wanted, found)
    if wanted.start != _RANDOM:
        yield from (_absent(one, wanted) for one in run.settings if _is_absent(one, run.settings))
    for task in found.get("task_name", ()):
        said = say(
            "{title}: trained on the public task {task}, not on the lab's data.",
            title=say_data(wanted.title),
            task=task.value,
        )
        yield Flag(id=FLAG, severity=Severity.WARNING, message=said, evidence=(task.evidence,))


def _is_absent(setting: Setting, settings: Sequence[Setting]) -> bool:
    """Whether a setting tells that the weights to begin from were not found."""
    asked = {one.value for one in settings if one.name == "restore_file"} - {"checkpoint_last.pt"}
    return setting.name == "checkpoint_not_found" and setting.value in asked


def _absent(setting: Setting, wanted: Wanted) -> Flag:
    said = say(
        "{title}: the weights {weights} were not found, so training began from random ones.",
        title=say_data(wanted.title),
        weights=setting.value,
    )
    return Flag(id=FLAG, severity=Severity.WARNING, message=said, evidence=(setting.evidence,))


def _of_course(run: LoggedRun, wanted: Wanted, lab: Lab) -> Iterator[Flag]:
    """What the curves tell: the schedule that the rates follow, and the set that accuracies were measured on."""
    schedule = run.schedule
    if schedule and wanted.schedules and not any(is_near(schedule.total_updates, one) for one in wanted.schedules):
        said = say(
            "{title}: the learning rate reaches zero at {updates} updates; usual are {usual}.",
            title=say_data(wanted.title),
            updates=schedule.total_updates,
            usual=joined(say(" or "), map(str, wanted.schedules)),
        )
        yield Flag(id=FLAG, severity=Severity.INFO, message=said, evidence=(schedule.evidence,))
    for split in lab.splits:
        points = {"valid": run.valid, "test": run.test}.get(split.id, ())
        off = [point for point in points if not on_grid(point.value, split.examples)]
        if len(off) > 1 and len(off) * 2 > len(points):
            yield _other_data(off, split.id, split.examples, wanted)


def _other_data(off: Sequence[LoggedAccuracy], split: str, examples: int, wanted: Wanted) -> Flag:
    shown = ", ".join(f"{point.value:g}" for point in off[:3])
    said = say(
        "{title}: the logged {split} accuracies ({shown} %) are not possible on {examples} examples: other data?",
        title=say_data(wanted.title),
        split=split,
        shown=shown,
        examples=examples,
    )
    return Flag(id=FLAG, severity=Severity.WARNING, message=said, evidence=(off[0].evidence,))


def on_grid(value: float, examples: int) -> bool:
    """Whether an accuracy in percent, perhaps rounded to two decimals, is possible on a number of examples."""
    step = 100 / examples
    return abs(value - round(value / step) * step) <= min(0.006, step / 4)


def is_near(total: int, schedule: int) -> bool:
    """Whether a schedule's length is like another one's."""
    return max(total, schedule) <= _NEAR * min(total, schedule)
