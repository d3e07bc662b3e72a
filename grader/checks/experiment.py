"""What a student reports of one experiment, and what the logs show of it."""

from collections.abc import Iterable
from decimal import Decimal
from statistics import fmean, pstdev, stdev

from grader.claims.accuracy import SeedAccuracy, Summary
from grader.claims.answer import Answer
from grader.claims.logged import LoggedRun
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.reading.evidence import Evidence

TEST = "test"
VALID = "valid"


class Report(Frozen):
    """The claims about one experiment, and its logged runs. `answered`: a heading of the report announces it."""

    experiment: str
    seeds: tuple[SeedAccuracy, ...]
    summaries: tuple[Summary, ...]
    runs: tuple[LoggedRun, ...]
    answered: bool

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all was found about the experiment."""
        return not (self.seeds or self.summaries or self.runs or self.answered)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The places of all claims."""
        places = [*(claim.evidence for claim in self.seeds), *(e for s in self.summaries for e in s.evidence)]
        return tuple(dict.fromkeys(places))

    def of_split(self, split: str | None) -> tuple[SeedAccuracy, ...]:
        """The per-seed claims for a split, or those whose split is not said."""
        return tuple(claim for claim in self.seeds if claim.split == split)

    def series(self) -> Iterable[tuple[SeedAccuracy, ...]]:
        """The per-seed claims grouped by split, the test set first."""
        return [group for split in (TEST, None, VALID) if (group := self.of_split(split))]

    @property
    def preferred_summaries(self) -> tuple[Summary, ...]:
        """Means that are said to be of the test set, where there are any; else those that do not say; else all."""
        with_mean = tuple(summary for summary in self.summaries if summary.mean is not None)
        for split in (TEST, None):
            chosen = tuple(summary for summary in with_mean if summary.split == split)
            if chosen:
                return chosen
        return with_mean


def report_of(experiment: str, answer: Answer, lab: Lab) -> Report:
    """Collect what a submission says about an experiment."""
    question = next(one.question for one in lab.experiments if one.id == experiment)
    return Report(
        experiment=experiment,
        seeds=tuple(claim for claim in answer.accuracies.seeds if claim.experiment == experiment),
        summaries=tuple(claim for claim in answer.accuracies.summaries if claim.experiment == experiment),
        runs=tuple(run for run in answer.runs if run.experiment == experiment),
        answered=any(question in section.questions for section in answer.sections),
    )


def percent(value: Decimal, resolution: Decimal) -> str:
    """An accuracy for people, with the digits that were written."""
    return f"{value.quantize(resolution.normalize())} %"


def values(claims: Iterable[SeedAccuracy]) -> list[float]:
    """The accuracies of some claims in percent."""
    return [float(claim.value) for claim in claims]


def mean_fits(mean: Decimal, resolution: Decimal, accuracies: list[float]) -> bool:
    """Whether a stated mean follows from accuracies, rounded or cut at its last digit."""
    return abs(float(mean) - fmean(accuracies)) <= float(resolution) + 1e-9


def std_fits(std: Decimal, resolution: Decimal, accuracies: list[float]) -> bool:
    """Whether a stated standard deviation follows from accuracies: population or sample form, rounded or cut."""
    forms = (pstdev(accuracies), stdev(accuracies)) if len(accuracies) > 1 else (0.0,)
    return any(abs(float(std) - form) <= float(resolution) + 1e-9 for form in forms)
