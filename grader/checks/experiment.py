"""What a student reports of one experiment, and what the logs show of it."""

import re
from collections.abc import Iterable
from decimal import Decimal
from statistics import fmean, pstdev, stdev

from grader.checks.grim import Stated
from grader.claims.accuracy import SeedAccuracy, Summary
from grader.claims.answer import Answer
from grader.claims.logged import LoggedRun
from grader.claims.passage import Passage
from grader.claims.wording import STD, words_pattern
from grader.frozen import Frozen
from grader.lab.definition import Experiment, Lab, Split
from grader.message import Message, say
from grader.reading.evidence import Evidence

TEST = "test"
VALID = "valid"


class Report(Frozen):
    """The claims about one experiment, its logged runs, and the texts that may speak of it. `spoken_of`: a heading
    announces it, or its words stand in a report without such a heading."""

    experiment: str
    seeds: tuple[SeedAccuracy, ...]
    summaries: tuple[Summary, ...]
    runs: tuple[LoggedRun, ...]
    passages: tuple[Passage, ...]
    spoken_of: bool

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all was found about the experiment."""
        return not (self.seeds or self.summaries or self.runs or self.spoken_of)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The places of all claims."""
        places = [*(claim.evidence for claim in self.seeds), *(e for s in self.summaries for e in s.evidence)]
        return tuple(dict.fromkeys(places))

    @property
    def mentions_deviation(self) -> bool:
        """Whether the texts speak of a deviation at all."""
        return any(STD.search(passage.text) for passage in self.passages)

    def has_figure_of(self, split: Split) -> bool:
        """Whether the texts name a split and give a figure right after, understood or not."""
        words = words_pattern(split.words).pattern
        return any(re.search(rf"{words}[^.\n]{{0,60}}?\d", passage.text, re.IGNORECASE) for passage in self.passages)

    def of_split(self, split: str | None) -> tuple[SeedAccuracy, ...]:
        """The per-seed claims for a split, or those whose split is not said."""
        return tuple(claim for claim in self.seeds if claim.split == split)

    def series(self) -> Iterable[tuple[SeedAccuracy, ...]]:
        """The per-seed claims grouped by split, the test set first; of a seed with several the one that is not said to
        be of another moment than the selected one."""
        return [_one_each(group) for split in (TEST, None, VALID) if (group := self.of_split(split))]

    @property
    def preferred_summaries(self) -> tuple[Summary, ...]:
        """Means that are said to be of the test set, where there are any; else those that do not say; else all."""
        with_mean = tuple(summary for summary in self.summaries if summary.mean is not None)
        for split in (TEST, None):
            chosen = tuple(summary for summary in with_mean if summary.split == split)
            if chosen:
                return chosen
        return with_mean

    @property
    def headline(self) -> Summary | None:
        """The last of the preferred averages, one with a deviation where there is any."""
        preferred = self.preferred_summaries
        return next((one for one in reversed(preferred) if one.std is not None), preferred[-1] if preferred else None)


def _one_each(claims: tuple[SeedAccuracy, ...]) -> tuple[SeedAccuracy, ...]:
    by_seed: dict[int, list[SeedAccuracy]] = {}
    for claim in claims:
        by_seed.setdefault(claim.seed, []).append(claim)
    return tuple(next((one for one in same if not one.moment.is_end), same[0]) for same in by_seed.values())


def _names(text: str, experiment: Experiment) -> bool:
    """Whether a text names an experiment, addresses of web pages apart."""
    return bool(words_pattern(experiment.words).search(re.sub(r"https?:\S+", " ", text)))


def report_of(experiment: str, answer: Answer, lab: Lab) -> Report:
    """Collect what a submission says about an experiment."""
    asked = next(one for one in lab.experiments if one.id == experiment)
    announced = any(asked.question in section.questions for section in answer.sections)
    passages = answer.passages(asked.question)
    return Report(
        experiment=experiment,
        seeds=tuple(claim for claim in answer.accuracies.seeds if claim.experiment == experiment),
        summaries=tuple(claim for claim in answer.accuracies.summaries if claim.experiment == experiment),
        runs=tuple(run for run in answer.runs if run.experiment == experiment),
        passages=passages,
        spoken_of=announced or any(_names(passage.text, asked) for passage in passages),
    )


def percent(value: Decimal, resolution: Decimal) -> Message:
    """An accuracy for people, with the digits that were written."""
    return say("{value} %", value=value.quantize(resolution.normalize()))


def values(claims: Iterable[SeedAccuracy]) -> list[float]:
    """The accuracies of some claims in percent."""
    return [float(claim.value) for claim in claims]


def stated(summary: Summary) -> Stated | None:
    """A summary's mean and deviation as figures; None where it has no mean."""
    if summary.mean is None:
        return None
    std = None if summary.std is None else float(summary.std)
    unit, std_unit = float(summary.mean_resolution), float(summary.std_resolution)
    return Stated(mean=float(summary.mean), mean_unit=unit, std=std, std_unit=std_unit)


def resolution_of(claims: Iterable[SeedAccuracy]) -> float:
    """The unit of the last digit of a series: `80` among values with one decimal is 80.0."""
    return min((float(claim.resolution) for claim in claims), default=1.0)


def mean_fits(mean: Decimal, resolution: Decimal, accuracies: list[float]) -> bool:
    """Whether a stated mean follows from accuracies, rounded or cut at its last digit."""
    return abs(float(mean) - fmean(accuracies)) <= float(resolution) + 1e-9


def std_fits(std: Decimal, resolution: Decimal, accuracies: list[float]) -> bool:
    """Whether a stated standard deviation follows from accuracies: population or sample form, rounded or cut."""
    forms = (pstdev(accuracies), stdev(accuracies)) if len(accuracies) > 1 else (0.0,)
    return any(abs(float(std) - form) <= float(resolution) + 1e-9 for form in forms)
