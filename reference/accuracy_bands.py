"""Bands for the mean accuracy of new seeds, from the runs that are known."""

import tomllib
from math import sqrt
from pathlib import Path
from statistics import fmean, variance
from typing import Literal

from grader.frozen import Frozen
from grader.lab.truth import Band, Provenance

_T = {
    1: (12.706, 63.657),
    2: (4.303, 9.925),
    3: (3.182, 5.841),
    4: (2.776, 4.604),
    5: (2.571, 4.032),
    6: (2.447, 3.707),
    7: (2.365, 3.499),
    8: (2.306, 3.355),
    9: (2.262, 3.250),
    10: (2.228, 3.169),
}
"""Two-sided 95 % and 99 % quantiles of Student's t by degrees of freedom (any table of the distribution)."""


class KnownRun(Frozen):
    """One set-up: for each seed, the best validation accuracy and the test accuracy there, in percent. `schedule` is
    the number of updates at which the learning rate reaches zero."""

    id: str
    experiment: str
    schedule: int
    source: str
    valid: tuple[float, ...]
    test: tuple[float, ...]

    def of(self, split: str) -> tuple[float, ...]:
        """The accuracies on a split."""
        return self.valid if split == "valid" else self.test


class BandRecipe(Frozen):
    """How a band is made: from runs, seed by seed or run by run, or by hand as a plausible range with its reason."""

    id: str
    experiment: str
    split: str
    schedule: int | None = None
    by: Literal["seed", "run"] = "seed"
    runs: tuple[str, ...] = ()
    plausible: tuple[float, float] | None = None
    why: str = ""


class Evidence(Frozen):
    """All known runs and the recipes of the bands."""

    runs: tuple[KnownRun, ...]
    bands: tuple[BandRecipe, ...]


def load_evidence(path: Path) -> Evidence:
    """Read `evidence/accuracies.toml`. Raises OSError, tomllib.TOMLDecodeError or pydantic.ValidationError."""
    return Evidence.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))


def bands(evidence: Evidence, seeds: int, date: str) -> tuple[Band, ...]:
    """The bands for the mean over `seeds` new seeds, in the order of their ids."""
    known = {run.id: run for run in evidence.runs}
    recipes = sorted(evidence.bands, key=lambda recipe: recipe.id)
    return tuple(_band(recipe, [known[name] for name in recipe.runs], seeds, date) for recipe in recipes)


def _band(recipe: BandRecipe, runs: list[KnownRun], seeds: int, date: str) -> Band:
    sources = "; ".join(run.source for run in runs)
    if recipe.plausible is not None:
        mean, inner, outer, how = None, None, recipe.plausible, recipe.why
    elif recipe.by == "run":
        mean, (inner, outer) = interval([[fmean(run.of(recipe.split)) for run in runs]], 1)
        how = f"prediction interval (Student's t) for the mean of a new set-up, from the means of: {sources}"
    else:
        mean, (inner, outer) = interval([run.of(recipe.split) for run in runs], seeds)
        how = f"prediction interval (Student's t) for the mean of {seeds} new seeds, from: {sources}"
    return Band(
        id=f"band/{recipe.id}",
        experiment=recipe.experiment,
        split=recipe.split,
        schedule=recipe.schedule,
        mean=mean,
        inner=inner,
        outer=outer,
        provenance=Provenance(how=how, date=date),
    )


def interval(
    groups: list[tuple[float, ...]] | list[list[float]], new: int
) -> tuple[float, tuple[tuple[float, float], tuple[float, float]]]:
    """The mean of some groups of observations, and the 95 % and 99 % prediction intervals for the mean of `new` more.

    mean ± t s sqrt(1 / new + 1 / n), where s is the standard deviation pooled within the groups and t has as many
    degrees of freedom as s. Rounded to a tenth.
    """
    everything = [value for group in groups for value in group]
    degrees = len(everything) - len(groups)
    spread = sqrt(sum((len(group) - 1) * variance(group) for group in groups) / degrees)
    mean = fmean(everything)
    widths = [t * spread * sqrt(1 / new + 1 / len(everything)) for t in _T[degrees]]
    inner, outer = ((round(mean - width, 1), round(mean + width, 1)) for width in widths)
    return round(mean, 2), (inner, outer)
