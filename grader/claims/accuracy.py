"""The types of accuracy claims."""

from decimal import Decimal
from typing import Self

from grader.frozen import Frozen
from grader.reading.evidence import Evidence


class SeedAccuracy(Frozen):
    """The accuracy of one seed, in percent; `resolution` is the unit of its last digit. Experiment and split are None
    where the text does not tell."""

    experiment: str | None
    split: str | None
    seed: int
    value: Decimal
    resolution: Decimal
    evidence: Evidence


class Summary(Frozen):
    """A mean over seeds with its standard deviation, in percent; either may be missing."""

    experiment: str | None
    split: str | None
    mean: Decimal | None = None
    mean_resolution: Decimal = Decimal(1)
    std: Decimal | None = None
    std_resolution: Decimal = Decimal(1)
    evidence: tuple[Evidence, ...]


class AccuracyClaims(Frozen):
    """All accuracy claims of a text."""

    seeds: tuple[SeedAccuracy, ...] = ()
    summaries: tuple[Summary, ...] = ()

    def joined(self, other: Self) -> Self:
        """These claims and the other ones."""
        return type(self)(seeds=self.seeds + other.seeds, summaries=self.summaries + other.summaries)
