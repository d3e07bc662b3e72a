"""The known results of a lab's experiments: published logs, and reruns of its own."""

import tomllib
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from grader.frozen import Frozen
from grader.lab.files import LabError
from reference.reruns.run_record import EpochResult, Plan


class KnownRun(Frozen):
    """The results of one set-up, one value for each repetition. Shares are in percent. Without a `measure` it is the
    usual one of the experiment. `schedule` is the number of updates at which the learning rate reaches zero, if there
    is one. `other_reviews` gives the number of examples of a split that is not the lab's own."""

    id: str = Field(description="Its id.")
    experiment: str = Field(description="The id of the experiment.")
    measure: str | None = Field(default=None, description="The measure, if not the usual one.")
    schedule: int | None = Field(
        default=None, gt=0, description="The number of updates after which the learning rate is zero."
    )
    source: str = Field(description="Where the results come from.")
    kind: Literal["published", "rerun"] = Field(default="published", description="Published results, or your own runs.")
    valid: tuple[float, ...] = Field(default=(), description="Results on the split `valid`, one for each repetition.")
    test: tuple[float, ...] = Field(default=(), description="Results on the split `test`.")
    values: dict[str, tuple[float, ...]] = Field(default_factory=dict, description="Results on other splits, by id.")
    other_reviews: dict[str, int] = Field(
        default_factory=dict, description="For each split whose examples are not the lab's own, the number of examples."
    )

    @property
    def splits(self) -> tuple[str, ...]:
        """The ids of the splits of which there are values."""
        return tuple(split for split in dict.fromkeys(("test", "valid", *self.values)) if self.values_on(split))

    def values_on(self, split: str) -> tuple[float, ...]:
        """The values on a split."""
        return self.values.get(split) or {"valid": self.valid, "test": self.test}.get(split, ())


class BandRecipe(Frozen):
    """A band for an experiment whose set-up is unknown. It is computed from the means of runs or given as a plausible
    range."""

    id: str = Field(description="Its id.")
    experiment: str = Field(description="The id of the experiment.")
    measure: str | None = Field(default=None, description="The measure, if not the usual one.")
    split: str = Field(description="The id of the split.")
    runs: tuple[str, ...] = Field(default=(), description="Ids of runs; the mean of each is one observation.")
    plausible: tuple[float, float] | None = Field(default=None, description="Instead, a plausible range.")
    why: str = Field(default="", description="The reason for that range.")


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

    def known_run(self) -> KnownRun:
        """The parts of the evidence that the bands need."""
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
    """Read a lab's `evidence` folder: what was published in `*.toml`, reruns in `*.json`; either may be missing.

    Raises LabError that names the file and the key.
    """
    published = {path: _published(path) for path in sorted(folder.glob("*.toml"))}
    reruns = tuple(load_rerun(path).known_run() for path in sorted(folder.glob("*.json")))
    runs = (*(run for file_evidence in published.values() for run in file_evidence.runs), *reruns)
    ids = [run.id for run in runs]
    for name in ids:
        if ids.count(name) > 1:
            raise LabError(f"{folder}: two runs are called {name!r}; give one of them another id.")
    for path, known_place in published.items():
        for recipe in known_place.bands:
            for name in set(recipe.runs) - set(ids):
                raise LabError(f"{path}: the band {recipe.id} names the run {name!r}, which is not there.")
    return Evidence(
        runs=runs, bands=tuple(band for file_evidence in published.values() for band in file_evidence.bands)
    )


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
