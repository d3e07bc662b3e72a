"""What one line of a training log says."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from grader.reading.log import Subset


class Opening(StrEnum):
    """What a run prints before its first statistics, once each."""

    COMMAND = "command"
    CONFIGURATION = "configuration"
    MODEL = "model"
    CHECKPOINT = "checkpoint"
    WEIGHTS = "weights"
    TRAINING = "training"
    EVALUATION = "evaluation"


class Told(NamedTuple):
    """A setting or a fact. An opening without a name only says that a run begins."""

    name: str
    value: str
    quote: str
    opening: Opening | None = None


class Statistics(NamedTuple):
    """Scalars that were logged together, by tag. `source` tells apart what is logged beside each other; `step` counts
    optimiser updates, `epoch` may be a fraction. What is `final` was logged after training, of the chosen weights; a
    step or an epoch that is `of_weights` says which these are."""

    source: str
    subset: Subset | None
    values: Mapping[str, float]
    step: int | None = None
    epoch: float | None = None
    final: bool = False
    of_weights: bool = False


class Ended(NamedTuple):
    """Training ended."""


Said = Told | Statistics | Ended
