"""The types of accuracy claims."""

from decimal import Decimal
from enum import StrEnum
from typing import Self

from grader.claims.moment import UNTOLD, Moment
from grader.claims.numerals import Numeral
from grader.frozen import Frozen
from grader.reading.evidence import Evidence

_CHANCE = 30
"""A bare whole number below this, in percent, is no accuracy of a binary task."""


def may_be_accuracy(number: Numeral) -> bool:
    """Whether a number by itself may be an accuracy: small whole numbers without a percent sign are counts."""
    return number.percent or number.resolution < 1 or number.value >= _CHANCE


def _scale(accuracy: Numeral) -> Decimal:
    """What makes a percentage of an accuracy: a hundred for a fraction, one for a percentage."""
    return Decimal(1) if accuracy.percent or accuracy.value > 1 else Decimal(100)


def percentage(accuracy: Numeral) -> tuple[Decimal, Decimal]:
    """An accuracy as written and the unit of its last digit, both in percent."""
    scale = _scale(accuracy)
    return accuracy.value * scale, accuracy.resolution * scale


class Claim(Frozen):
    """What all claims tell: experiment and split, None where the text does not tell."""

    experiment: str | None
    split: str | None


class SeedAccuracy(Claim):
    """The accuracy of one seed, in percent; `resolution` is the unit of its last digit, `moment` the
    epoch or step that the text gives with it."""

    seed: int
    value: Decimal
    resolution: Decimal
    evidence: Evidence
    moment: Moment = Moment()

    @classmethod
    def of(
        cls,
        experiment: str | None,
        split: str | None,
        seed: int,
        value: Numeral,
        evidence: Evidence,
        moment: Moment = UNTOLD,
    ) -> "SeedAccuracy":
        """A claim from a number as read; a fraction, `0.799`, becomes a percentage."""
        scale = _scale(value)
        return cls(
            experiment=experiment,
            split=split,
            seed=seed,
            value=value.value * scale,
            resolution=value.resolution * scale,
            evidence=evidence,
            moment=moment,
        )


class Summary(Claim):
    """A mean over seeds with its standard deviation, in percent; either may be missing. `as_fraction`: the mean was
    written as a fraction."""

    mean: Decimal | None = None
    mean_resolution: Decimal = Decimal(1)
    std: Decimal | None = None
    std_resolution: Decimal = Decimal(1)
    evidence: tuple[Evidence, ...]
    moment: Moment = Moment()
    as_fraction: bool = False

    @classmethod
    def of(
        cls,
        experiment: str | None,
        split: str | None,
        mean: Numeral | None,
        std: Numeral | None,
        *evidence: Evidence,
        moment: Moment = UNTOLD,
    ) -> "Summary":
        """A claim from numbers as read. A mean written as a fraction becomes a percentage, and its deviation with it;
        a deviation beside a mean in percent stays as written, also when it looks like a fraction: that is a finding,
        not a format."""
        scale = _scale(mean) if mean else Decimal(1)
        std_scale = Decimal(1) if std and std.percent else scale
        return cls(
            experiment=experiment,
            split=split,
            mean=mean.value * scale if mean else None,
            mean_resolution=mean.resolution * scale if mean else Decimal(1),
            std=std.value * std_scale if std else None,
            std_resolution=std.resolution * std_scale if std else Decimal(1),
            evidence=tuple(dict.fromkeys(evidence)),
            moment=moment,
            as_fraction=scale > 1,
        )

    def completed(self, other: "Summary") -> "Summary":
        """This mean with the deviation of another summary, which is a fraction where this mean was one."""
        std = other.std if other.std is not None else Decimal(0)
        scale = Decimal(100) if self.as_fraction and std < 1 else Decimal(1)
        update = {
            "std": std * scale,
            "std_resolution": other.std_resolution * scale,
            "evidence": tuple(dict.fromkeys(self.evidence + other.evidence)),
        }
        return self.model_copy(update=update)


class Statistic(StrEnum):
    """What a figure of a course is: the accuracy of one run, or a mean or a deviation over seeds."""

    VALUE = "value"
    MEAN = "mean"
    STD = "std"


class CourseAccuracy(Claim):
    """A figure of an accuracy's course over training, in percent: one of many epochs or steps, so no headline."""

    seed: int | None
    moment: Moment
    statistic: Statistic
    value: Decimal
    resolution: Decimal
    evidence: Evidence


class AccuracyClaims(Frozen):
    """All accuracy claims of a text: headline figures, and those of courses over training."""

    seeds: tuple[SeedAccuracy, ...] = ()
    summaries: tuple[Summary, ...] = ()
    course: tuple[CourseAccuracy, ...] = ()

    def joined(self, other: Self) -> Self:
        """These claims and the other ones."""
        return type(self)(
            seeds=self.seeds + other.seeds,
            summaries=self.summaries + other.summaries,
            course=self.course + other.course,
        )
