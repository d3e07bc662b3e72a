"""How a model is trained: its sizes and the hyper-parameters, apart from any library."""

from math import ceil
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from grader.frozen import Frozen

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
    """The hyper-parameters that a lab sets: batch size in examples, epochs, the highest learning rate, the share of the
    schedule until there, and those of the optimiser (AdamW)."""

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
