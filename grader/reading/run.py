"""Logged scalar series of training runs."""

from enum import StrEnum

from grader.frozen import Frozen


class Subset(StrEnum):
    """Which part of the data a series was measured on."""

    TRAIN = "train"
    VALID = "valid"
    TEST = "test"


class Series(Frozen):
    """One scalar over time: `values[i]` was logged at `steps[i]` (optimiser updates)."""

    tag: str
    steps: tuple[int, ...]
    values: tuple[float, ...]


class Run(Frozen):
    """The series of one log file. `name` is the run's folder; subset and seed are known only where names tell them."""

    file: str
    name: str
    subset: Subset | None = None
    seed: int | None = None
    series: tuple[Series, ...] = ()
    problems: tuple[str, ...] = ()
