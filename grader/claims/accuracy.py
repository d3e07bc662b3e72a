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
        """A claim from a number as read."""
        return cls(
            experiment=experiment,
            split=split,
            seed=seed,
            value=value.value,
            resolution=value.resolution,
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
        """A claim from numbers as read."""
        return cls(
            experiment=experiment,
            split=split,
            mean=mean.value if mean else None,
            mean_resolution=mean.resolution if mean else Decimal(1),
            std=std.value if std else None,
            std_resolution=std.resolution if std else Decimal(1),
            evidence=tuple(dict.fromkeys(evidence)),
        )


class AccuracyClaims(Frozen):
    """All accuracy claims of a text."""

    seeds: tuple[SeedAccuracy, ...] = ()
    summaries: tuple[Summary, ...] = ()

    def joined(self, other: Self) -> Self:
        """These claims and the other ones."""
        return type(self)(seeds=self.seeds + other.seeds, summaries=self.summaries + other.summaries)
