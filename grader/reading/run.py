"""A training run, put together from its logs, and what is known about it."""

from enum import StrEnum

from grader.frozen import Frozen
from grader.message import Words
from grader.reading.evidence import Evidence
from grader.reading.log import Log


class Framework(StrEnum):
    """What wrote the logs."""

    FAIRSEQ = "fairseq"
    TRAINER = "trainer"


class Start(StrEnum):
    """Which weights training began from."""

    PRETRAINED = "pretrained"
    RANDOM = "random"


class Known(Frozen):
    """Something that is known about a run, and by what."""

    value: str
    evidence: Evidence


class Schedule(Frozen):
    """The learning rate's course: it rises over `warmup_updates` to `peak` and falls to zero at `total_updates`."""

    total_updates: int
    peak: float | None = None
    warmup_updates: int | None = None
    evidence: Evidence


class Run(Frozen):
    """The logs of one training run and what they tell of it. What they do not tell is None, and so is what they tell
    in two ways: its name (`framework`, `start`, `seed`) is then in `unclear`."""

    name: str
    logs: tuple[Log, ...]
    framework: Known | None = None
    start: Known | None = None
    adapter: Known | None = None
    seed: Known | None = None
    schedule: Schedule | None = None
    unclear: tuple[str, ...] = ()
    problems: tuple[Words, ...] = ()
