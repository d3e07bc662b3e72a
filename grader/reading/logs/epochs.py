"""How many updates an epoch takes, where a log counts epochs only."""

from collections.abc import Iterable, Mapping
from math import ceil
from typing import NamedTuple

from grader.reading.logs.curves import Position, StepOf
from grader.reading.logs.written import number, whole

EPOCHS = "epoch"
"""The value of the setting `steps_count` where epochs had to stand for updates."""


class Counting(NamedTuple):
    """The updates at a position. `exact` is false where the log does not tell them and epochs stand for them."""

    step_of: StepOf
    exact: bool


def counting(settings: Mapping[str, str], positions: Iterable[Position]) -> Counting:
    """How to count updates in a log with these settings and positions."""
    known = set(positions)
    each = _updates_per_epoch(settings) or _seen(known)
    grid = next((step for name in ("eval_steps", "logging_steps") if (step := whole(settings.get(name)))), 1)
    if each is None:
        scale = 1 if all(at.step is not None or (at.epoch or 0) % 1 == 0 for at in known) else 100
        return Counting(lambda at: at.step if at.step is not None else round((at.epoch or 0) * scale), exact=False)
    return Counting(lambda at: at.step if at.step is not None else _snapped((at.epoch or 0) * each, grid), exact=True)


def _snapped(step: float, grid: int) -> int:
    """The Trainer rounds epochs to two digits: a step close to one at which it logs is that one."""
    near = round(step / grid) * grid
    return near if grid > 1 and abs(near - step) <= 0.006 * max(step, 300) and near else round(step)


def _updates_per_epoch(settings: Mapping[str, str]) -> float | None:
    told = whole(settings.get("num_update_steps_per_epoch"))
    if told:
        return told
    examples, batch = whole(settings.get("num_examples")), whole(settings.get("total_train_batch_size"))
    batch = batch or whole(settings.get("per_device_train_batch_size"))
    if examples and batch and batch > 0:
        return ceil(examples / batch)
    total, epochs = whole(settings.get("total_optimization_steps")), number(settings.get("num_train_epochs", ""))
    return total / epochs if total and epochs else None


def _seen(positions: set[Position]) -> float | None:
    """As many as one position with both counts shows."""
    both = [at.step / at.epoch for at in positions if at.step and at.epoch]
    return max(both) if both and max(both) - min(both) < 0.01 * max(both) else None
