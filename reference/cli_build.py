"""`grade truth build`, `verify` and `show`."""

import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from grader.lab.files import LabError, lab_folder, load_truth
from grader.lab.truth import GroundTruth, Provenance
from reference.cli_next import quoted, told_next

if TYPE_CHECKING:
    from reference.build import Computed

_lab = click.option("--lab", default="nlp-frameworks", show_default=True, help="A shipped lab's name, or its folder.")


@click.command("build")
@_lab
def build_command(lab: str) -> None:
    """Compute the ground truth of a lab anew and write its truth.json."""
    from reference.build import TRUTH, to_text, with_old_dates

    folder = _folder(lab)
    computed = _computed(folder)
    if computed.refuted:
        reasons = "\n".join(str(error) for error in computed.refuted)
        raise click.ClickException(f"Nothing was written: a false sentence must not be frozen as a truth.\n{reasons}")
    truth, target = computed.truth, folder / TRUTH
    if target.exists():
        truth = with_old_dates(truth, _frozen(folder))
    target.write_text(to_text(truth), encoding="utf-8")
    click.echo(f"{target}: {_size(truth)}.")
    told_next(f"grade lab check {quoted(lab)}   (whether the reference answers still earn what they should)")


@click.command("verify")
@_lab
def verify_command(lab: str) -> None:
    """Compute the ground truth of a lab anew and compare it with its truth.json. Exit status 1 on any difference."""
    from reference.verify import differences, version_changes

    folder = _folder(lab)
    frozen, computed = _frozen(folder), _computed(folder)
    changes = version_changes(frozen, computed.truth)
    found = differences(frozen, computed)
    for change in changes:
        click.echo(f"{change.library}: frozen with {change.frozen}, here {change.here}")
    for difference in found:
        click.echo(f"{difference.id} {difference.key}: frozen {difference.frozen}, now {difference.computed}")
        if difference.explanation:
            click.echo(f"    {difference.explanation}")
    if found:
        cause = "The library versions differ, see above." if changes else "The library versions are the same."
        click.echo(f"{len(found)} differences. {cause}")
        told_next(f"grade truth build --lab {quoted(lab)}   (if what is computed now is right: freezes it)")
        sys.exit(1)
    click.echo(f"The truth holds: {_size(frozen)}.")
    told_next(f"grade lab check {quoted(lab)}", f"grade PATH --lab {quoted(lab)}")


@click.command("show")
@_lab
def show_command(lab: str) -> None:
    """Print the ground truth of a lab readably."""
    truth = _frozen(_folder(lab))
    console = Console(highlight=False)
    _print(
        console, "Counts", ("id", "total", "what is counted"), ((c.id, f"{c.total:,}", c.title) for c in truth.counts)
    )
    _print(console, "Values", ("id", "value"), ((v.id, v.value) for v in truth.values))
    _print(console, "Facts", ("id", "sentence"), ((fact.id, fact.sentence) for fact in truth.facts))
    _print(console, "Fields", ("id", "type", "default"), ((f.id, f.type, f.default) for f in truth.fields))
    _print(
        console,
        "Bands, in percent",
        ("id", "mean", "95 %", "99 % or plausible"),
        ((b.id, "" if b.mean is None else f"{b.mean:g}", _interval(b.inner), _interval(b.outer)) for b in truth.bands),
    )
    _print(console, "How it is known", ("entry", "how"), _provenance(truth))
    told_next(f"grade truth verify --lab {quoted(lab)}   (compute it anew and compare)")


def _folder(lab: str) -> Path:
    try:
        return lab_folder(lab)
    except LabError as error:
        raise click.UsageError(str(error)) from error


def _frozen(folder: Path) -> GroundTruth:
    try:
        return load_truth(folder)
    except LabError as error:
        raise click.UsageError(str(error)) from error


def _computed(folder: Path) -> "Computed":
    """The truth as of today, with a spinner where there is a terminal: the libraries take seconds to load."""
    with Progress(transient=True, disable=not sys.stderr.isatty(), console=Console(stderr=True)) as progress:
        progress.add_task("computing with torch, transformers and peft", total=None)
        from reference.build import compute
        from reference.counting.errors import CountError

        try:
            return compute(folder, datetime.now(tz=UTC).date().isoformat())
        except (LabError, CountError) as error:
            raise click.UsageError(str(error)) from error


def _size(truth: GroundTruth) -> str:
    kinds = ("counts", "values", "fields", "facts", "signatures", "bands")
    return ", ".join(f"{len(getattr(truth, kind))} {kind}" for kind in kinds)


def _print(console: Console, title: str, headings: Iterable[str], rows: Iterable[tuple[str, ...]]) -> None:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    if table.row_count:
        console.print(table)
        console.print()


def _interval(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f"{interval[0]:g} to {interval[1]:g}"


def _provenance(truth: GroundTruth) -> Iterable[tuple[str, str]]:
    known = [
        *((count.id, count.provenance) for count in truth.counts),
        *((value.id, value.provenance) for value in truth.values),
        *((signature.id, signature.provenance) for signature in truth.signatures),
        *((band.id, band.provenance) for band in truth.bands),
    ]
    groups: dict[str, list[str]] = {}
    for name, provenance in known:
        groups.setdefault(_how(provenance), []).append(name)
    return ((", ".join(ids), how) for how, ids in groups.items())


def _how(provenance: Provenance) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in sorted(provenance.versions.items()))
    return f"{provenance.how}{f' ({versions})' if versions else ''}"
