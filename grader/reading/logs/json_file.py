"""JSON that training leaves beside a model: the Trainer's state, results, and arguments."""

import json
from collections.abc import Iterator
from typing import Any, Final

from grader.intake.submission import SubmittedFile
from grader.message import say
from grader.reading.bytes_in import decoded, read_bytes, storable
from grader.reading.log import Log
from grader.reading.logs.draft import Draft, Place
from grader.reading.logs.said import Told
from grader.reading.logs.trainer import scalars_said
from grader.reading.logs.written import LONGEST_VALUE, whole
from grader.reading.run_names import run_name

MOST_ENTRIES: Final = 100_000
_MOST_VALUES: Final = 5000
_STATE: Final = {
    "max_steps": "total_optimization_steps",
    "num_train_epochs": "num_train_epochs",
    "train_batch_size": "train_batch_size",
    "global_step": "global_step",
    "best_metric": "best_metric",
    "best_model_checkpoint": "best_model_checkpoint",
    "logging_steps": "logging_steps",
    "eval_steps": "eval_steps",
}
"""What the Trainer's state tells of a run, and under which name."""


def read_json_log(file: SubmittedFile) -> Log:
    """`trainer_state.json`, `all_results.json` and their like, or a file of arguments. Never raises for any content."""
    name = run_name(file.path)
    data, trouble = read_bytes(file.location)
    text, problems = decoded(data)
    try:
        content = json.loads(text)
    except RecursionError:
        content, problems = None, (*problems, say("the JSON is nested too deeply"))
    except ValueError as error:
        content, problems = (
            None,
            (*problems, say("the file is not valid JSON: {error}", error=storable(str(error))[:120])),
        )
    draft = Draft(Place(file.path))
    if isinstance(content, dict):
        _read(draft, content)
    log = next(iter(draft.logs(name.folder)), Log(file=file.path, name=name.folder))
    return log.model_copy(update={"seed": name.seed, "problems": (*trouble, *problems)})


def _read(draft: Draft, content: dict[str, Any]) -> None:
    history = content.get("log_history")
    if isinstance(history, list):
        _read_state(draft, content, history)
        return
    scalars = _scalars(content)
    said = list(scalars_said(scalars, final=True))
    draft.samples = whole(str(scalars["eval_samples"])) if "eval_samples" in scalars else None
    for one in said:
        draft.add(one, 0)
    if not said:
        for path, value in _leaves(content):
            draft.add(Told(path, value, f'"{path}": {value}'[:120]), 0)


def _read_state(draft: Draft, content: dict[str, Any], history: list[Any]) -> None:
    for key, name in _STATE.items():
        value = content.get(key)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            text = storable(str(value))[:LONGEST_VALUE]
            draft.add(Told(name, text, f'"{key}": {text}'[:120]), 0)
    for entry in history[:MOST_ENTRIES]:
        if isinstance(entry, dict):
            for said in scalars_said(_scalars(entry)):
                draft.add(said, 0)


def _scalars(entry: dict[str, Any]) -> dict[str, float]:
    return {
        storable(name)[:60]: float(value)
        for name, value in entry.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
    }


def _leaves(content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Names and values at any depth, in order."""
    waiting: list[tuple[str, Any]] = [("", content)]
    for _ in range(_MOST_VALUES):
        if not waiting:
            return
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend((storable(str(key))[:60], inner) for key, inner in reversed(value.items()))
        elif isinstance(value, list) and len(value) == 1:
            waiting.append((name, value[0]))
        elif isinstance(value, str | int | float) and name and value != "":
            yield name.replace("-", "_"), storable(str(value))[:LONGEST_VALUE]
