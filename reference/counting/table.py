"""A count on a terminal."""

import sys
from itertools import groupby
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from reference.counting.components import Group
from reference.counting.formulas import ClosedForm
from reference.counting.report import CountReport, Total

_WIDTH: Final = 150
"""Columns, where the output is no terminal."""


def show(report: CountReport) -> None:
    """Print the components, then the totals, then what is worth knowing about them."""
    console = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else _WIDTH)
    console.print(Text(f"{report.class_name} ({report.task}), {report.layers} layers\n"))
    console.print(_components(report.groups))
    console.print()
    console.print(_totals(report.totals))
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


def _totals(totals: tuple[Total, ...]) -> Table:
    table = _table(("convention", "left"), ("total", "right"))
    for one in totals:
        table.add_row(one.title, f"{one.total:,}")
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
    own = sum(group.sum for group in report.groups if group.part != "adapter")
    verdict = (
        "as counted" if form.total == own else f"but {own:,} are counted: an option of this configuration adds some"
    )
    return f"Closed form: {whole} = {form.total:,}, {verdict} ({symbols})."


def _table(*columns: tuple[str, str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading, justify in columns:
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    return table
