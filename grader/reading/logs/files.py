"""Any log that is a text file, by what stands in it."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from grader.intake.submission import SubmittedFile
from grader.lab.log_format import LogFormat
from grader.message import Message, say
from grader.reading.bytes_in import decoded, lines_of, read_bytes
from grader.reading.log import Log
from grader.reading.logs.columns_csv import columns_in, read_column_csv
from grader.reading.logs.json_file import read_json_log
from grader.reading.logs.settings_file import read_settings_file
from grader.reading.logs.tensorboard_csv import read_tensorboard_csv
from grader.reading.logs.text import logs_in_text

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
    return _printed(file, formats)


def _has_entries(file: SubmittedFile) -> bool:
    """Whether each line is an object of its own."""
    data, _ = read_bytes(file.location, 20_000)
    lines = [line.strip() for line in data.split(b"\n")[:2]]
    return len(lines) == 2 and all(line.startswith(b"{") and line.endswith(b"}") for line in lines)


def _nothing_found(text: str) -> tuple[Message, ...]:
    """That a text speaks of epochs and losses, and yet no run was found in it."""
    lines = [line.lower() for line in text[:_LOOKED_AT].split("\n")]
    told = [line for line in lines if "epoch" in line and ("loss" in line or "acc" in line) and _DIGIT.search(line)]
    if len(told) < _FEWEST_LINES:
        return ()
    return (say("it looks like a training log, but no figures by step or epoch were recognised in it"),)


def _first_line(file: SubmittedFile) -> str:
    data, _ = read_bytes(file.location, 4_000)
    return next(iter(lines_of(decoded(data)[0])), "")


def _printed(file: SubmittedFile, formats: Sequence[LogFormat]) -> tuple[Log, ...]:
    data, trouble = read_bytes(file.location)
    text, problems = decoded(data)
    name = PurePosixPath(file.path).with_suffix("").as_posix()
    found = logs_in_text(lines_of(_ANSI.sub("", text)), file.path, name, formats=formats)
    first = found[0] if found else Log(file=file.path, name=name, problems=_nothing_found(text))
    return (first.model_copy(update={"problems": (*trouble, *problems, *first.problems)}), *found[1:])
