"""What some runs came to, for the terminal."""

from collections.abc import Sequence
from statistics import fmean, stdev

from rich.console import Console
from rich.table import Table

from reference.reruns.generation_run import GenerationRecord
from reference.reruns.run_record import RunRecord
from reference.reruns.together import Record


def show_records(records: Sequence[Record]) -> None:
    """Print a table of classifier runs with their mean and sample standard deviation, and what language models said."""
    console = Console(highlight=False)
    runs = [record for record in records if isinstance(record, RunRecord)]
    if runs:
        console.print(_table(runs))
    for record in records:
        if isinstance(record, GenerationRecord):
            _show_answers(console, record)


def _table(runs: list[RunRecord]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("run", "epoch", "valid %", "test %", "minutes"):
        table.add_column(heading, justify="left" if heading == "run" else "right")
    for run in runs:
        table.add_row(
            run.plan.name, str(run.selected), f"{run.valid:.2f}", f"{run.test:.2f}", f"{run.seconds / 60:.1f}"
        )
    table.add_row("mean", "", *(f"{fmean(values):.2f}" for values in _columns(runs)), "")
    if len(runs) > 1:
        table.add_row("sample deviation", "", *(f"{stdev(values):.2f}" for values in _columns(runs)), "")
    return table


def _columns(runs: list[RunRecord]) -> tuple[list[float], list[float]]:
    return [run.valid for run in runs], [run.test for run in runs]


def _show_answers(console: Console, record: GenerationRecord) -> None:
    share = 100 * record.trainable / record.all
    bits = "4-bit storage" if record.four_bit else "full precision"
    console.print(
        f"seed {record.seed}: {record.trainable:,} of {record.all:,} are trained ({share:.4f} %, {bits}); "
        f"loss {record.losses[0]:.3f} to {record.losses[-1]:.3f}"
    )
    for asked in record.answers:
        console.print(f"  {asked.question}", markup=False)
        console.print(f"    before: {asked.before}", markup=False)
        console.print(f"    after:  {asked.after}", markup=False)
