"""Evaluations of saved weights by a process of their own, as run_glue makes them with `--do_eval` alone."""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from grader.reading.log import Log, Subset
from grader.reading.logs.finals import chosen_step, step_in_path
from grader.reading.run_facts import first, settings_of
from grader.reading.run_parts import Logs


def with_evaluations(runs: Sequence[Logs]) -> list[Logs]:
    """Evaluations that a process of its own made of a run's saved weights, put to that run at those weights' step."""
    alone = [run for run in runs if _evaluates_only(run)]
    trained = [run for run in runs if not _evaluates_only(run)]
    for run in alone:
        place = _trainer_of(run, trained)
        if place is None:
            trained.append(run)
        else:
            trained[place] = (*trained[place], *_at_step(run, _step_of(run, trained[place])))
    return trained


def _evaluates_only(logs: Logs) -> bool:
    series = [one for log in logs for one in log.series]
    return bool(series) and all(one.subset is not Subset.TRAIN and one.steps == (0,) for one in series)


def _weights(logs: Logs) -> str | None:
    setting = first(settings_of(logs), "model_name_or_path", "loaded_weights", "resumed_from")
    return setting.value.strip().rstrip("/") if setting else None


def _trainer_of(logs: Logs, trained: Sequence[Logs]) -> int | None:
    """The run that saved the weights; of several that wrote to one folder, the last one above in the notebook."""
    weights = _weights(logs)
    if not weights:
        return None
    found = []
    for index, run in enumerate(trained):
        told = settings_of(run).get("output_dir", ())
        if any(PurePosixPath(weights).is_relative_to(PurePosixPath(one.value.rstrip("/") or "/")) for one in told):
            found.append(index)
    if len(found) < 2:
        return found[0] if found else None
    above = [
        (cell, index)
        for index in found
        if (cell := _cell(trained[index])) is not None and _is_above(trained[index], logs)
    ]
    return max(above)[1] if above else None


def _is_above(run: Logs, logs: Logs) -> bool:
    one, other = _cell(run), _cell(logs)
    return run[0].file == logs[0].file and one is not None and other is not None and one < other


def _cell(logs: Logs) -> int | None:
    return next((series.cell for log in logs for series in log.series), None)


def _step_of(logs: Logs, trained: Logs) -> int:
    told = {name: values[0].value for name, values in settings_of(trained).items()}
    return step_in_path(_weights(logs) or "") or chosen_step(told, [one for log in trained for one in log.series])


def _at_step(logs: Logs, step: int) -> Iterator[Log]:
    for log in logs:
        series = tuple(one.model_copy(update={"steps": (step,)}) for one in log.series)
        yield log.model_copy(update={"series": series})
