"""Any log that is a text file, by what stands in it: printed lines, JSON that training leaves beside a model, or
settings in YAML such as hydra's.
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any, Final

from grader.intake.submission import SubmittedFile
from grader.lab.experiments import LogFormat
from grader.message import Message, say
from grader.reading.bytes_in import decoded, lines_of, read_bytes, storable
from grader.reading.document import Evidence
from grader.reading.log import Log, Setting, run_name
from grader.reading.logs.csv_logs import columns_in, read_column_csv, read_tensorboard_csv
from grader.reading.logs.draft import MOST_SETTINGS, Draft, Place
from grader.reading.logs.frameworks import scalars_said
from grader.reading.logs.text import logs_in_text
from grader.reading.logs.written import LONGEST_VALUE, LoggedSetting, plain, whole

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
            draft.add(LoggedSetting(path, value, f'"{path}": {value}'[:120]), 0)


def _read_state(draft: Draft, content: dict[str, Any], history: list[Any]) -> None:
    for key, name in _STATE.items():
        value = content.get(key)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            text = storable(str(value))[:LONGEST_VALUE]
            draft.add(LoggedSetting(name, text, f'"{key}": {text}'[:120]), 0)
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


MOST_BYTES: Final = 1_000_000
_LINE: Final = re.compile(r"\s*(?:- )?([\w./-]{1,100})\s?(?:: |=)\s{0,20}([^\s#].*)")
_KEY: Final = re.compile(r"\s*([\w./-]{1,100}):\s*")
_ITEM: Final = re.compile(r"\s*- +([^\s:=#][^:=#]*)")
_NOTHING: Final = frozenset({"null", "~", "None", "???", "''", '""', "[]", "{}"})


def read_settings_file(file: SubmittedFile) -> Log:
    """The settings in a file, line by line, at any depth by the last part of their name. A list of one value is that
    value. Anchors, block texts and whatever else YAML knows are not read. Never raises for any content."""
    name = run_name(file.path)
    data, trouble = read_bytes(file.location, MOST_BYTES)
    text, problems = decoded(data)
    settings = tuple(
        setting for setting, _ in zip(_settings(file.path, lines_of(text)), range(MOST_SETTINGS), strict=False)
    )
    return Log(file=file.path, name=name.folder, seed=name.seed, settings=settings, problems=(*trouble, *problems))


def _settings(file: str, lines: list[str]) -> Iterator[Setting]:
    key = ""
    for number, line in enumerate(lines, start=1):
        line = line[:1000]
        item = _ITEM.fullmatch(line)
        found = _LINE.fullmatch(line)
        name, value = (key, item[1]) if item and key else (found[1], found[2]) if found else ("", "")
        opened = _KEY.fullmatch(line)
        key = opened[1] if opened else ""
        value = value.strip()
        if name and value not in _NOTHING:
            yield Setting(
                name=re.split(r"[./]", name)[-1].replace("-", "_"),
                value=plain(value)[:LONGEST_VALUE],
                evidence=Evidence(file=file, line=number, quote=line.strip()[:120]),
            )


_ANSI: Final = re.compile(r"\x1b\[[0-?]{0,30}[ -/]{0,8}[@-~]")
_SETTINGS: Final = (".yaml", ".yml")
_DIGIT: Final = re.compile(r"\d")
_LOOKED_AT: Final = 1_000_000
_FEWEST_LINES: Final = 3
"""So many lines with an epoch and a measure make a text a training log."""


def read_log_file(file: SubmittedFile, formats: Sequence[LogFormat] = ()) -> tuple[Log, ...]:
    """The logs in a text file: the Trainer's JSON, a table from TensorBoard or a logger, settings in YAML, or what a
    script printed, where several runs may follow each other. `formats` are further ones that the lab describes, for
    this file. Problems are in the first log; a file without any run gives one log without series. Never raises for any
    content."""
    suffix = PurePosixPath(file.path).suffix.lower()
    if suffix == ".csv" or any(one.columns for one in formats):
        columns = columns_in(_first_line(file), formats)
        if columns or suffix == ".csv":
            return read_column_csv(file, columns) if columns else (read_tensorboard_csv(file),)
    if suffix in _SETTINGS:
        return (read_settings_file(file),)
    if suffix == ".json" and not _has_entries(file):
        return (read_json_log(file),)
    data, trouble = read_bytes(file.location)
    text, problems = decoded(data)
    name = PurePosixPath(file.path).with_suffix("").as_posix()
    found = logs_in_text(lines_of(_ANSI.sub("", text)), file.path, name, formats=formats)
    first = found[0] if found else Log(file=file.path, name=name, problems=_nothing_found(text))
    return (first.model_copy(update={"problems": (*trouble, *problems, *first.problems)}), *found[1:])


def _has_entries(file: SubmittedFile) -> bool:
    """Whether each line is an object of its own."""
    data, _ = read_bytes(file.location, 20_000)
    lines = [line.strip() for line in data.split(b"\n")[:2]]
    return len(lines) == 2 and all(line.startswith(b"{") and line.endswith(b"}") for line in lines)


def _nothing_found(text: str) -> tuple[Message, ...]:
    """That a text speaks of epochs and losses, and yet no run was found in it."""
    lines = [line.lower() for line in text[:_LOOKED_AT].split("\n")]
    suspicious = [
        line for line in lines if "epoch" in line and ("loss" in line or "acc" in line) and _DIGIT.search(line)
    ]
    if len(suspicious) < _FEWEST_LINES:
        return ()
    return (say("it looks like a training log, but no figures by step or epoch were recognised in it"),)


def _first_line(file: SubmittedFile) -> str:
    data, _ = read_bytes(file.location, 4_000)
    return next(iter(lines_of(decoded(data)[0])), "")
