"""What one log of a training run holds: scalar series, texts, and the settings that it tells."""

from enum import StrEnum

from grader.frozen import Frozen
from grader.message import Words
from grader.reading.evidence import Evidence


class Subset(StrEnum):
    """Which part of the data a series was measured on."""

    TRAIN = "train"
    VALID = "valid"
    TEST = "test"


class Series(Frozen):
    """One scalar over time: `values[i]` was logged at `steps[i]` (optimiser updates), steps ascending.

    `wall_times` are Unix seconds, where the log has them for every point. `lines` count from 1, in the file or, where
    `cell` is set, in that cell's output; logs that are no text have none.
    """

    tag: str
    subset: Subset | None = None
    steps: tuple[int, ...]
    values: tuple[float, ...]
    wall_times: tuple[float, ...] = ()
    lines: tuple[int, ...] = ()
    cell: int | None = None


class LoggedText(Frozen):
    """A text that was logged beside the scalars, such as a command line."""

    tag: str
    step: int
    text: str


class Setting(Frozen):
    """A setting that a log tells, such as `max_update` = `1125`: its name with underscores, its value as written."""

    name: str
    value: str
    evidence: Evidence


class Origin(Frozen):
    """The process that wrote an event file, by the file's name; `started_at` in Unix seconds. It can identify a
    person's machine: compare hashes of it, and keep it out of what students see."""

    started_at: float
    host: str
    pid: int | None = None
    number: int | None = None


class Log(Frozen):
    """One event file, or one training run's part of a text. `name` is the run's folder, or what stands for it; `seed`
    is set where the path tells it."""

    file: str
    name: str
    seed: int | None = None
    series: tuple[Series, ...] = ()
    texts: tuple[LoggedText, ...] = ()
    settings: tuple[Setting, ...] = ()
    origin: Origin | None = None
    problems: tuple[Words, ...] = ()
