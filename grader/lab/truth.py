"""The frozen ground truth of a lab: every entry with its id and provenance."""

from decimal import Decimal
from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from grader.frozen import Frozen


class Provenance(Frozen):
    """The provenance of an entry: the function or publication it comes from, the library versions, the day, the hash of
    the inputs, and the device that computed it."""

    how: str
    versions: dict[str, str] = Field(default_factory=dict)
    date: str
    inputs_sha256: str = ""
    device: str = ""


class Tensor(Frozen):
    """One parameter tensor, named like its module."""

    name: str
    shape: tuple[int, ...]


class Component(Frozen):
    """A group of a model's parameters: `values` numbers, repeated `times` times; `part` is the students' name of it,
    `kind` its role in a layer."""

    id: str
    title: str
    part: str
    kind: Literal["embedding", "weight", "bias", "norm", "mixed"]
    shape: str
    values: int
    times: int
    tensors: tuple[Tensor, ...] = Field(
        default=(), description="What it holds in one layer; empty where stored values are fewer than parameters."
    )
    counted_in: tuple[str, ...] = Field(description="Ids of the conventions that count this component.")


class Count(Frozen):
    """The number of parameters of a model under one convention of counting."""

    id: str
    title: str
    model: str
    convention: str
    total: int
    spread: int = Field(default=0, description="By how much it may be larger or smaller, depending on the weights.")
    provenance: Provenance

    def holds(self, number: int) -> bool:
        """Whether a number is this count, within its `spread`."""
        return abs(number - self.total) <= self.spread


class Model(Frozen):
    """A model as a list of components."""

    id: str
    title: str
    layers: int
    heads: int | None = Field(default=None, description="Of one attention.")
    components: tuple[Component, ...]
    modules: tuple[str, ...] = Field(default=(), description="The names of all modules, where the lab keeps them.")
    provenance: Provenance


class ParameterValue(Frozen):
    """The value that the lab gives to a configuration parameter."""

    id: str
    parameter: str
    value: str
    provenance: Provenance


class Fact(Frozen):
    """The result of an experiment on the real library about one configuration field: a sentence for students, and the
    measured values. `drift` says how the fact depends on the library's version, if it does."""

    id: str
    field: str
    sentence: str
    figures: dict[str, JsonValue]
    drift: str | None = None
    provenance: Provenance


class ConfigField(Frozen):
    """A field of a library's configuration class: its type and default as source text, and its allowed values where
    the library restricts them."""

    id: str
    name: str
    type: str
    default: str
    allowed: tuple[str, ...] = ()
    provenance: Provenance


class Signature(Frozen):
    """The arguments that a library's class or function accepts by name, and the source of their constant defaults.
    Arguments in `by_name` are keyword-only. `takes_others`: it also accepts further arguments."""

    id: str
    callable: str
    arguments: tuple[str, ...]
    defaults: dict[str, str] = Field(default_factory=dict)
    by_name: tuple[str, ...] = ()
    takes_others: bool = False
    provenance: Provenance

    @property
    def by_place(self) -> tuple[str, ...]:
        """The positional arguments in order."""
        return tuple(name for name in self.arguments if name not in self.by_name)


class BandEvidence(Frozen):
    """A training set-up on which a band is based, from a publication or a rerun, with its value for each
    repetition."""

    id: str
    kind: Literal["published", "rerun"]
    source: str
    values: tuple[float, ...]


class Band(Frozen):
    """The expected range of the mean over an experiment's repetitions, of the lab's usual measure or of `measure`.
    `schedule` is the number of updates at which the learning rate reaches zero, or None for a band for any schedule. A
    band without an inner interval can only show that a result is implausible."""

    id: str
    experiment: str
    split: str
    measure: str | None = None
    schedule: int | None = None
    mean: float | None = None
    inner: tuple[float, float] | None = Field(default=None, description="95 % prediction interval.")
    outer: tuple[float, float] = Field(description="99 % interval, or the range of what is not implausible.")
    seed_deviation: float | None = Field(default=None, description="Standard deviation between repetitions.")
    drift_deviation: float | None = Field(default=None, description="Standard deviation between set-ups.")
    degrees: float | None = Field(default=None, description="Degrees of freedom of the interval.")
    evidence: tuple[BandEvidence, ...] = ()
    provenance: Provenance


class GroundTruth(Frozen):
    """All truths of a lab. `sha256` is the hash of their file."""

    lab: str
    models: tuple[Model, ...] = ()
    counts: tuple[Count, ...] = ()
    values: tuple[ParameterValue, ...] = ()
    fields: tuple[ConfigField, ...] = ()
    facts: tuple[Fact, ...] = ()
    signatures: tuple[Signature, ...] = ()
    bands: tuple[Band, ...] = ()
    inputs_sha256: str = Field(default="", description="Of what it was computed from; empty where that is not known.")
    sha256: str = ""

    @model_validator(mode="after")
    def _components_add_up(self) -> Self:
        """Raise ValueError unless every count with known components is their sum."""
        for count in self.counts:
            parts = self.components(count.model, count.convention)
            if parts and sum(part.values * part.times for part in parts) != count.total:
                raise ValueError(f"the components counted in {count.id} do not add up to {count.total}")
        return self

    def components(self, model: str, convention: str) -> tuple[Component, ...]:
        """Return the components of a model that a convention counts."""
        return tuple(
            part
            for candidate in self.models
            if candidate.id == model
            for part in candidate.components
            if convention in part.counted_in
        )

    def model(self, model: str) -> Model | None:
        """Return the components of a model, or None if the truth does not contain it."""
        return next((candidate for candidate in self.models if candidate.id == model), None)

    def counts_of(self, model: str) -> tuple[Count, ...]:
        """Return the known totals of a model."""
        return tuple(count for count in self.counts if count.model == model)

    def value_of(self, parameter: str) -> ParameterValue:
        """Return the lab's value of a parameter. Raises KeyError if the truth does not contain it."""
        for value in self.values:
            if value.parameter == parameter:
                return value
        raise KeyError(parameter)

    def number(self, name: str) -> Decimal:
        """Return the count, or the value of a parameter, with an id. Raises StopIteration if there is none."""
        counts = {count.id: Decimal(count.total) for count in self.counts}
        return (
            counts[name] if name in counts else next(Decimal(value.value) for value in self.values if value.id == name)
        )

    def fact(self, name: str) -> Fact | None:
        """Return the fact with an id, or None."""
        return next((fact for fact in self.facts if fact.id == name), None)

    def allowed_values(self, field: str) -> tuple[str, ...]:
        """Return the values that the library accepts for a configuration field; empty if it does not restrict them."""
        return next(
            (known_config_field.allowed for known_config_field in self.fields if known_config_field.name == field), ()
        )

    def signature_of(self, callable_name: str) -> Signature | None:
        """Return the known signature of a class or function, or None."""
        return next(
            (known_signature for known_signature in self.signatures if known_signature.callable == callable_name), None
        )

    def bands_of(self, experiment: str, split: str, measure: str | None = None) -> tuple[Band, ...]:
        """Return the bands of an experiment on a split, for every known schedule, by its usual measure or another
        one."""
        asked = experiment, split, measure
        return tuple(band for band in self.bands if (band.experiment, band.split, band.measure) == asked)
