"""A counted model as one reads it: its groups, its totals under conventions, its closed form; as data and as tables."""

import sys
from collections.abc import Iterator
from importlib.metadata import version
from itertools import groupby
from typing import Final

from pydantic import Field, JsonValue
from rich.console import Console
from rich.table import Table
from rich.text import Text

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


_WIDTH: Final = 150
"""Columns, where the output is no terminal."""


def show(report: CountReport) -> None:
    """Print the components, then the totals, then what is worth knowing about them."""
    console = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else _WIDTH)
    console.print(Text(f"{report.class_name} ({report.task}), {report.layers} layers\n"))
    console.print(_components(report.groups))
    console.print()
    console.print(_totals_table(report.totals))
    for line in _remarks(report):
        console.print(Text(line))
    console.print(Text(f"\n{report.asked.total:,}  {report.asked.title}", style="bold"))


def _components(groups: tuple[Group, ...]) -> Table:
    """One section for each run of groups in the same layers, or in none."""
    table = _table(("component", "left"), ("kind", "left"), ("shape", "left"))
    for heading in ("values", "times", "sum"):
        table.add_column(heading, justify="right", no_wrap=True)
    for (stack, times), members in groupby(groups, key=lambda group: (group.stack, group.times)):
        if table.rows:
            table.add_row()
        if stack:
            table.add_row(Text(f"each of {times} in {stack}", style="italic"))
        for group in members:
            numbers = (f"{group.values:,}", str(group.times), f"{group.sum:,}")
            table.add_row(Text(group.title), group.kind, group.shape, *numbers)
    return table


def _totals_table(totals: tuple[Total, ...]) -> Table:
    table = _table(("convention", "left"), ("total", "right"))
    for entry in totals:
        table.add_row(entry.title, f"{entry.total:,}")
    return table


def _remarks(report: CountReport) -> list[str]:
    """Ties, the closed form, and keys that look misspelt."""
    lines = [""]
    for group in report.tied:
        names = ", ".join(tie.name for tie in group.tied[:4])
        more = f" and {len(group.tied) - 4} more" if len(group.tied) > 4 else ""
        lines.append(f"Tied: {names}{more} is no parameter of its own; it is counted in “{group.title}”.")
    if report.closed_form:
        lines.append(_formula(report.closed_form, report))
    return [*lines, *(f"Note: {note}" for note in report.notes)]


def _formula(form: ClosedForm, report: CountReport) -> str:
    symbols = ", ".join(f"{name} = {value:,}" for name, value in form.symbols.items())
    whole = " + ".join(term.expression for term in form.terms)
    model_sum = sum(group.sum for group in report.groups if group.part != "adapter")
    verdict = (
        "as counted"
        if form.total == model_sum
        else f"but {model_sum:,} are counted: an option of this configuration adds some"
    )
    return f"Closed form: {whole} = {form.total:,}, {verdict} ({symbols})."


def _table(*columns: tuple[str, str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, justify in columns:
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    return table
