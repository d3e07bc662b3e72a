"""A counted model as one reads it: its groups, its totals under conventions, its closed form."""

from collections.abc import Iterator
from importlib.metadata import version

from pydantic import Field, JsonValue

from grader.frozen import Frozen
from reference.counting.components import Group, TakenApart, take_apart
from reference.counting.configs import Values, make_config, unknown_keys
from reference.counting.conventions import EXCLUSIONS, Convention, check_exclusions, total
from reference.counting.formulas import ClosedForm, closed_form
from reference.counting.lora import Lora
from reference.counting.model import build

_USUAL = (
    ("head",),
    ("pooler",),
    ("token-types",),
    ("positions",),
    ("embeddings",),
    ("biases",),
    ("norms",),
    ("biases", "norms"),
    ("biases", "norms", "head"),
    ("adapters",),
)
"""What is often left out; a total is shown for each that changes it."""


class Total(Frozen):
    """The number of parameters under a convention."""

    id: str
    title: str
    without: tuple[str, ...] = ()
    total: int


class CountReport(Frozen):
    """Everything that `truth count` says of a configuration."""

    model_type: str
    class_name: str
    task: str
    layers: int
    groups: tuple[Group, ...]
    totals: tuple[Total, ...]
    asked: Total = Field(description="The total that was asked for.")
    closed_form: ClosedForm | None = Field(description="Of the model without adapters, where its form is known.")
    notes: tuple[str, ...]
    versions: dict[str, str]

    @property
    def tied(self) -> tuple[Group, ...]:
        """The groups with parameters that stand in several places of the tree."""
        return tuple(group for group in self.groups if group.tied)


def report_on(values: Values, task: str | None, without: tuple[str, ...], lora: Lora | None) -> CountReport:
    """Count a model. Raises CountError for what cannot be built, left out or adapted."""
    chosen = check_exclusions(without)
    built = build(values, task)
    config = make_config(values)
    taken = take_apart(built, lora)
    return CountReport(
        model_type=str(values["model_type"]),
        class_name=taken.class_name,
        task=taken.task,
        layers=taken.layers,
        groups=taken.groups,
        totals=tuple(_totals(taken, adapted=lora is not None)),
        asked=_total(taken, _without(chosen)),
        closed_form=closed_form(config, built.task),
        notes=tuple(
            f"`{key}` is no key of {type(config).__name__} and changes nothing; was `{close}` meant?"
            for key, close in unknown_keys(values, config)
        ),
        versions={name: version(name) for name in ("torch", "transformers", *(("peft",) if lora else ()))},
    )


def as_json(report: CountReport) -> dict[str, JsonValue]:
    """The report with the sums that follow from it; `total` is the one that was asked for."""
    shown = report.model_dump(mode="json", exclude={"groups", "closed_form"})
    groups = [
        {**group.model_dump(mode="json", exclude={"sizes"}), "values": group.values, "sum": group.sum}
        for group in report.groups
    ]
    form = report.closed_form
    return {
        **shown,
        "components": groups,
        "closed_form": {**form.model_dump(mode="json"), "total": form.total} if form else None,
        "total": report.asked.total,
    }


def _totals(taken: TakenApart, *, adapted: bool) -> Iterator[Total]:
    yield _total(taken, _without(()))
    for without in _USUAL:
        if all(any(EXCLUSIONS[name](group) for group in taken.groups) for name in without):
            yield _total(taken, _without(without))
    if adapted:
        yield _total(taken, Convention(id="trainable", title="trainable with the adapter", trainable=True))
    if any(group.packable for group in taken.groups):
        title = "stored elements with linear weights in 4 bits, two to a byte"
        yield _total(taken, Convention(id="4-bit", title=title, packed_bits=4))
    if again := sum(tie.values for group in taken.groups for tie in group.tied):
        yield Total(id="tied-again", title="tied parameters counted wherever they stand", total=taken.total + again)


def _without(names: tuple[str, ...]) -> Convention:
    if not names:
        return Convention(id="all", title="all parameters, tied ones once")
    return Convention(id="without-" + "-".join(names), title=f"without {', '.join(names)}", without=names)


def _total(taken: TakenApart, convention: Convention) -> Total:
    number = total(taken.groups, convention)
    return Total(id=convention.id, title=convention.title, without=convention.without, total=number)
