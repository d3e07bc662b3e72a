"""The types of accuracy claims."""

from decimal import Decimal
from enum import StrEnum

from grader.claims.moment import UNTOLD, Moment
from grader.claims.numerals import Numeral
from grader.frozen import Frozen
from grader.reading.evidence import Evidence


def _scale(accuracy: Numeral) -> Decimal:
    """What makes a percentage of an accuracy: a hundred for a fraction, one for a percentage."""
    return Decimal(1) if accuracy.value > 1 else Decimal(100)


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


class SummaryStatistic(StrEnum):
    """What a figure of a course is: the accuracy of one run, or a mean or a deviation over seeds."""

    VALUE = "value"
    MEAN = "mean"
    STD = "std"


class CourseAccuracy(Claim):
    """A figure of an accuracy's course over training, in percent: one of many epochs or steps, so no headline."""

    seed: int | None
    moment: Moment
    statistic: SummaryStatistic
    value: Decimal
    resolution: Decimal
    evidence: Evidence


class Loose(Frozen):
    """A figure that may be a result, of which the text does not tell enough: the experiment that it may be of, None
    where it may be of any. `is_faint`: only its form speaks for it, no word beside it."""

    experiment: str | None
    evidence: Evidence
    is_faint: bool = False


class AccuracyClaims(Frozen):
    """All accuracy claims of a text: headline figures, those of courses over training, and those whose role stayed
    open."""

    seeds: tuple[SeedAccuracy, ...] = ()
    summaries: tuple[Summary, ...] = ()
    course: tuple[CourseAccuracy, ...] = ()
    loose: tuple[Loose, ...] = ()
