"""What is known about the accuracies of a lab's experiments: published logs, and reruns of its own."""

import tomllib
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from grader.frozen import Frozen
from grader.lab.files import LabError
from reference.reruns.run_record import EpochResult, Plan

PUBLISHED = "accuracies.toml"


class KnownRun(Frozen):
    """One set-up: for each seed, the best validation accuracy and the test accuracy there, in percent; empty where a
    split is not known. `schedule` is the number of updates at which the learning rate reaches zero. `other_reviews`
    gives the number of examples of a split that is not the lab's own."""

    id: str
    experiment: str
    schedule: int
    source: str
    kind: Literal["published", "rerun"] = "published"
    valid: tuple[float, ...] = ()
    test: tuple[float, ...] = ()
    other_reviews: dict[str, int] = Field(default_factory=dict)

    def of(self, split: str) -> tuple[float, ...]:
        """The accuracies on a split."""
        return self.valid if split == "valid" else self.test


class BandRecipe(Frozen):
    """A band that no set of runs gives by itself: for an experiment whose set-up is not known, each run's mean is one
    observation; or a plausible range by hand, with its reason."""

    id: str
    experiment: str
    split: Literal["valid", "test"]
    runs: tuple[str, ...] = ()
    plausible: tuple[float, float] | None = None
    why: str = ""


class SeedResult(Frozen):
    """A whole run of one seed."""

    seed: int
    epochs: tuple[EpochResult, ...]
    selected: int
    valid: float
    test: float
    seconds: float
    date: str
    device: str
    versions: dict[str, str]
    sittings: int = 1


class RerunEvidence(Frozen):
    """The whole runs of one set-up, as `evidence/<id>.json` holds them: the plan of the first, what each came to."""

    id: str
    source: str
    plan: Plan
    other_reviews: dict[str, int] = Field(default_factory=dict)
    seeds: tuple[SeedResult, ...] = Field(min_length=1)

    def known(self) -> KnownRun:
        """What the bands need of it."""
        return KnownRun(
            id=self.id,
            experiment=self.plan.experiment,
            schedule=self.plan.recipe.schedule,
            source=self.source,
            kind="rerun",
            valid=tuple(seed.valid for seed in self.seeds),
            test=tuple(seed.test for seed in self.seeds),
            other_reviews=self.other_reviews,
        )


class Evidence(Frozen):
    """All known runs, and the recipes of bands made by hand."""

    runs: tuple[KnownRun, ...] = ()
    bands: tuple[BandRecipe, ...] = ()


def load_evidence(folder: Path) -> Evidence:
    """Read a lab's `evidence` folder: `accuracies.toml` and the `*.json` of reruns, both of which may be missing.

    Raises LabError that names the file and the key.
    """
    published = folder / PUBLISHED
    known = _published(published) if published.is_file() else Evidence()
    reruns = tuple(load_rerun(path).known() for path in sorted(folder.glob("*.json")))
    runs = known.runs + reruns
    ids = [run.id for run in runs]
    for name in ids:
        if ids.count(name) > 1:
            raise LabError(f"{folder}: two runs are called {name!r}; give one of them another id.")
    for recipe in known.bands:
        for name in set(recipe.runs) - set(ids):
            raise LabError(f"{published}: the band {recipe.id} names the run {name!r}, which is not there.")
    return Evidence(runs=runs, bands=known.bands)


def _published(path: Path) -> Evidence:
    try:
        return Evidence.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        raise LabError(_explained(path, error)) from error
    except ValueError as error:
        raise LabError(f"{path} is not TOML: {error}.") from error


def load_rerun(path: Path) -> RerunEvidence:
    """The evidence of one set-up. Raises LabError when the file is not one."""
    try:
        return RerunEvidence.model_validate_json(path.read_text(encoding="utf-8"))
    except ValidationError as error:
        raise LabError(_explained(path, error)) from error


def _explained(path: Path, error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{path}: `{'.'.join(str(key) for key in first['loc'])}`: {first['msg']}."
