"""Any log that is a text file, by what stands in it."""

import re
from pathlib import PurePosixPath
from typing import Final

from grader.intake.submission import SubmittedFile
from grader.reading.bytes_in import decoded, lines_of, read_bytes
from grader.reading.log import Log
from grader.reading.logs.json_file import read_json_log
from grader.reading.logs.settings_file import read_settings_file
from grader.reading.logs.tensorboard_csv import read_tensorboard_csv
from grader.reading.logs.text import logs_in_text

_ANSI: Final = re.compile(r"\x1b\[[0-?]{0,30}[ -/]{0,8}[@-~]")
_SETTINGS: Final = (".yaml", ".yml")


def read_log_file(file: SubmittedFile) -> tuple[Log, ...]:
    """The logs in a text file: the Trainer's JSON, a table from TensorBoard, settings in YAML, or what a script
    printed, where several runs may follow each other. Problems are in the first log; a file without any run gives one
    log without series. Never raises for any content."""
    suffix = PurePosixPath(file.path).suffix.lower()
    if suffix == ".csv":
        return (read_tensorboard_csv(file),)
    if suffix in _SETTINGS:
        return (read_settings_file(file),)
    if suffix == ".json" and not _has_entries(file):
        return (read_json_log(file),)
    return _printed(file)


def _has_entries(file: SubmittedFile) -> bool:
    """Whether each line is an object of its own."""
    data, _ = read_bytes(file.location, 20_000)
    lines = [line.strip() for line in data.split(b"\n")[:2]]
    return len(lines) == 2 and all(line.startswith(b"{") and line.endswith(b"}") for line in lines)


def _printed(file: SubmittedFile) -> tuple[Log, ...]:
    data, trouble = read_bytes(file.location)
    text, problems = decoded(data)
    name = PurePosixPath(file.path).with_suffix("").as_posix()
    found = logs_in_text(lines_of(_ANSI.sub("", text)), file.path, name)
    first = found[0] if found else Log(file=file.path, name=name)
    return (first.model_copy(update={"problems": (*trouble, *problems, *first.problems)}), *found[1:])
