"""The experiments that can be performed, as an instructor specifies them in the `[[reruns]]` tables of `lab.toml`; and
one run of them as an order that can be sent to another process or machine."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.lab.experiments import Identifier
from grader.lab.files import load_lab
from reference.reruns.run_record import Hardware, Positive, Recipe, RerunError, Settings, Sizes


class ClassifierSpec(Frozen):
    """An experiment that `grade truth rerun` can repeat. With `kind = "classifier"`, the default, it fine-tunes a
    classifier. `schedules` lists the possible numbers of updates after which the learning rate is zero, the usual one
    first. `valid` is the size of the validation split, if the data has none. `same_reviews` names the splits that are
    the same in your data and the students'. With `kind = "generation"`, the experiment teaches a causal language model
    to answer questions, by LoRA with the values in `[[parameters]]`."""

    id: Identifier
    kind: Literal["classifier"] = "classifier"
    framework: Literal["fairseq", "transformers"] = "fairseq"
    start: Literal["random", "pretrained"]
    sizes: Sizes | None = None
    recipe: Settings = Settings()
    schedules: Annotated[tuple[Positive, ...], Field(min_length=1)]
    valid: Positive | None = None
    sentencepiece: str | None = None
    same_reviews: tuple[Literal["valid", "test"], ...] = ("valid", "test")

    def recipe_of(self, schedule: int | None) -> Recipe:
        """The recipe with a schedule, by default the usual one."""
        rounding = "up" if self.framework == "transformers" else "down"
        values = {"rounding": rounding, **self.recipe.model_dump(exclude_unset=True)}
        return Recipe.model_validate({**values, "schedule": schedule or self.schedules[0]})


class GenerationSpec(Frozen):
    """With `kind = "generation"`, the experiment teaches a causal language model to answer questions, by LoRA with the
    values in `[[parameters]]`.

    Layers, width, heads and vocabulary are those of a model without a checkpoint."""

    id: Identifier
    kind: Literal["generation"]
    sizes: Sizes | None = None
    recipe: Settings = Settings(batch=4, epochs=1, peak_rate=2e-4, warm_up=0.05, betas=(0.9, 0.999), decay=0.0)
    longest: Positive = 128
    new_tokens: Positive = 40


Spec = Annotated[ClassifierSpec | GenerationSpec, Field(discriminator="kind")]


def load_specs(folder: Path) -> tuple[Lab, tuple[ClassifierSpec | GenerationSpec, ...]]:
    """The lab in a folder and its `[[reruns]]`. Raises LabError or RerunError with file, key and reason."""
    lab = load_lab(folder)
    tables = [{"kind": "classifier", **table} for table in lab.reruns]
    try:
        return lab, TypeAdapter(tuple[Spec, ...]).validate_python(tables)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(key) for key in first["loc"])
        raise RerunError(f"{folder / 'lab.toml'}: `reruns.{place}`: {first['msg']}.") from error


def spec_of(specs: tuple[ClassifierSpec | GenerationSpec, ...], name: str) -> ClassifierSpec | GenerationSpec:
    """The experiment of a name. Raises RerunError that lists those there are."""
    for spec in specs:
        if spec.id == name:
            return spec
    known_ids = ", ".join(spec.id for spec in specs) or "none: add [[reruns]] to its lab.toml"
    raise RerunError(f"The lab has no rerun {name!r}; it has {known_ids}.")


class Job(Frozen):
    """Perform an experiment with a seed. `parameters` are those of the lab, by name (LoRA's, for generation)."""

    spec: Spec
    seed: int
    data: Path
    out: Path
    checkpoint: Path | None = None
    schedule: int | None = None
    hardware: Hardware = Hardware()
    parameters: dict[str, str] = Field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the job in a progress bar."""
        return f"{self.spec.id}, seed {self.seed}"
