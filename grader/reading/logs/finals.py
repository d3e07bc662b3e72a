"""Which checkpoint an evaluation after training was of."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from grader.reading.log import Series
from grader.reading.logs.written import whole

_CHECKPOINT: Final = re.compile(r"checkpoint-(\d{1,9})(?!\d)")


def step_in_path(path: str) -> int | None:
    """The updates that the Trainer writes into a checkpoint's folder: `out/checkpoint-675`."""
    found = _CHECKPOINT.findall(path)
    return int(found[-1]) if found else None


def chosen_step(told: Mapping[str, str], during: Sequence[Series]) -> int:
    """The updates of the weights that training leaves: the best ones where they are loaded at the end, else the last.
    0 where nothing was logged in training."""
    loaded = step_in_path(told.get("loaded_best", "")) or step_in_path(told.get("best_model_checkpoint", ""))
    if loaded is not None:
        return loaded
    last = max((one.steps[-1] for one in during if one.steps), default=whole(told.get("global_step")) or 0)
    if told.get("load_best_model_at_end") != "True":
        return last
    metric = told.get("metric_for_best_model", "loss").removeprefix("eval_")
    curve = next((one for one in during if one.tag == f"eval/{metric}"), None)
    if curve is None:
        return last
    sign = -1 if metric.endswith("loss") else 1
    return max(zip(curve.steps, curve.values, strict=True), key=lambda point: (sign * point[1], -point[0]))[0]
