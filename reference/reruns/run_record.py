"""The record of a run: its settings, its recipe, its logs and its outcome, as plain data that is written as JSON."""

import hashlib
from math import ceil
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from grader.frozen import Frozen


class RerunError(Exception):
    """A rerun cannot start or go on. The message says what is wrong and what to change."""


Positive = Annotated[int, Field(gt=0)]
Share = Annotated[float, Field(ge=0, lt=1)]


class Sizes(Frozen):
    """The sizes of a RoBERTa encoder. `positions` are those that text can fill; `vocabulary` counts every row of the
    embedding, special symbols included."""

    layers: Positive
    width: Positive
    feed_forward: Positive
    heads: Positive
    positions: Positive
    vocabulary: Annotated[int, Field(ge=6)]

    @model_validator(mode="after")
    def _heads_divide(self) -> Self:
        if self.width % self.heads:
            raise ValueError(f"width {self.width} cannot be shared by {self.heads} heads; choose a multiple")
        return self


class Settings(Frozen):
    """The hyper-parameters: batch size, epochs, peak learning rate, warm-up share, and those of AdamW."""

    batch: Positive = 8
    epochs: Positive = 5
    peak_rate: Annotated[float, Field(gt=0)] = 1e-5
    warm_up: Share = 0.06
    betas: tuple[Share, Share] = (0.9, 0.98)
    epsilon: Annotated[float, Field(gt=0)] = 1e-8
    decay: Annotated[float, Field(ge=0)] = 0.01
    dropout: Share = 0.1
    rounding: Literal["down", "up"] = "down"


class Recipe(Settings):
    """All that training needs to know. The learning rate rises linearly to `peak_rate` over the share `warm_up` of
    `schedule` updates, and falls linearly to zero at `schedule` updates, whether or not training goes on that long."""

    schedule: Positive

    @property
    def warm_up_updates(self) -> int:
        """Updates until the peak; a framework's script rounds the share down, transformers' Trainer rounds it up."""
        share = round(self.warm_up * self.schedule, 6)
        return ceil(share) if self.rounding == "up" else int(share)

    def rate(self, done: int) -> float:
        """The learning rate once `done` updates are made."""
        warm_up = self.warm_up_updates
        if done < warm_up:
            return self.peak_rate * done / warm_up
        return self.peak_rate * max(0.0, (self.schedule - done) / max(1, self.schedule - warm_up))


class Hardware(Frozen):
    """The device and the number format of a computation. All but `threads` is for a GPU: on a CPU everything is plain
    float32 unless `bfloat16` is asked for."""

    device: Literal["cpu", "cuda"] = "cpu"
    precision: Literal["float32", "tf32", "bfloat16"] = "float32"
    compiled: bool = False
    threads: int | None = None
    micro_batch: int = 2


class Plan(Frozen):
    """Everything that a run's figures depend on. Two runs with the same plan come to the same figures."""

    experiment: str
    framework: Literal["fairseq", "transformers"] = "fairseq"
    start: Literal["random", "pretrained"]
    seed: int
    sizes: Sizes | None = None
    recipe: Recipe
    data: str
    data_sha256: str
    splits: dict[str, int]
    classes: int
    how: str
    checkpoint_sha256: str = ""
    hardware: Hardware = Hardware()

    @property
    def name(self) -> str:
        """A name for its folder."""
        return f"{self.experiment}_{self.recipe.schedule}_seed{self.seed}"

    @property
    def sha256(self) -> str:
        """The hash by which a kept state is known to be of this plan."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


class LogEntry(Frozen):
    """The values that were logged of a subset (`train_inner`, `train`, `valid` or `test`) at one moment: `wall_time` in
    seconds since 1970, `step` in updates; losses in bits, accuracies in percent."""

    subset: str
    epoch: int
    step: int
    wall_time: float
    values: dict[str, float]


class EpochResult(Frozen):
    """One epoch: accuracies in percent, the mean training loss in bits. Where the test set is evaluated once at the
    end, only the selected epoch has it."""

    epoch: int
    step: int
    train_loss: float
    valid: float
    test: float | None = None


class Outcome(NamedTuple):
    """The outcome of training: results by epoch, the seconds that it took, and the number of sittings."""

    epochs: tuple[EpochResult, ...]
    seconds: float
    sittings: int


class RunRecord(Frozen):
    """A whole run. `seconds` is the time that it computed, over all its sittings; `selected` the first epoch with the
    best validation accuracy."""

    plan: Plan
    epochs: tuple[EpochResult, ...]
    selected: int
    valid: float
    test: float
    seconds: float
    date: str
    device: str
    versions: dict[str, str]
    sittings: int = 1


def epoch_results(logged: tuple[LogEntry, ...]) -> tuple[EpochResult, ...]:
    """The results by epoch, from everything that was logged."""
    found = []
    for last in (entry for entry in logged if entry.subset == "train"):
        valid, test = (
            next(entry.values["accuracy"] for entry in logged if (entry.subset, entry.epoch) == (subset, last.epoch))
            for subset in ("valid", "test")
        )
        found.append(
            EpochResult(epoch=last.epoch, step=last.step, train_loss=last.values["loss"], valid=valid, test=test)
        )
    return tuple(found)


def selected_epoch(results: tuple[EpochResult, ...]) -> EpochResult:
    """The epoch with the best validation accuracy; the first of several equal ones."""
    return max(results, key=lambda result: (result.valid, -result.epoch))
