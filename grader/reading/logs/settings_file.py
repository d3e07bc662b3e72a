"""Files of settings in YAML, such as those that hydra keeps of a run (`.hydra/config.yaml`, `overrides.yaml`)."""

import re
from collections.abc import Iterator
from typing import Final

from grader.intake.submission import SubmittedFile
from grader.reading.bytes_in import decoded, lines_of, read_bytes
from grader.reading.evidence import Evidence
from grader.reading.log import Log, Setting
from grader.reading.logs.draft import MOST_SETTINGS
from grader.reading.logs.written import LONGEST_VALUE, plain
from grader.reading.run_names import run_name

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
