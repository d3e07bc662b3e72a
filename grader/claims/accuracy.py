"""The types of accuracy claims."""

from decimal import Decimal
from typing import Self

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


class SeedAccuracy(Frozen):
    """The accuracy of one seed, in percent; `resolution` is the unit of its last digit. Experiment and split are None
    where the text does not tell."""

    experiment: str | None
    split: str | None
    seed: int
    value: Decimal
    resolution: Decimal
    evidence: Evidence

    @classmethod
    def of(
        cls, experiment: str | None, split: str | None, seed: int, value: Numeral, evidence: Evidence
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
        )


class Summary(Frozen):
    """A mean over seeds with its standard deviation, in percent; either may be missing."""

    experiment: str | None
    split: str | None
    mean: Decimal | None = None
    mean_resolution: Decimal = Decimal(1)
    std: Decimal | None = None
    std_resolution: Decimal = Decimal(1)
    evidence: tuple[Evidence, ...]

    @classmethod
    def of(
        cls,
        experiment: str | None,
        split: str | None,
        mean: Numeral | None,
        std: Numeral | None,
        *evidence: Evidence,
    ) -> "Summary":
        """A claim from numbers as read. A mean written as a fraction becomes a percentage, and its deviation with it;
        a deviation beside a mean in percent stays as written, also when it looks like a fraction: that is a finding,
        not a format."""
        scale = _scale(mean) if mean else Decimal(1)
        return cls(
            experiment=experiment,
            split=split,
            mean=mean.value * scale if mean else None,
            mean_resolution=mean.resolution * scale if mean else Decimal(1),
            std=std.value * scale if std else None,
            std_resolution=std.resolution * scale if std else Decimal(1),
            evidence=tuple(dict.fromkeys(evidence)),
        )


class AccuracyClaims(Frozen):
    """All accuracy claims of a text."""

    seeds: tuple[SeedAccuracy, ...] = ()
    summaries: tuple[Summary, ...] = ()

    def joined(self, other: Self) -> Self:
        """These claims and the other ones."""
        return type(self)(seeds=self.seeds + other.seeds, summaries=self.summaries + other.summaries)
