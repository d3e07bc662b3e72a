"""`grade truth`: the verbs that need the real libraries, which each of them loads when it works."""

import json
import os
import shlex
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from grader.lab.files import EVIDENCE, LabError, lab_file, lab_folder, load_lab, load_truth
from grader.lab.truth import GroundTruth, Provenance

if TYPE_CHECKING:
    from reference.build import ComputedTruth
    from reference.reruns.spec import Job
    from reference.reruns.together import Record


def told_next(*steps: str) -> None:
    """Tell people what to do next, by the function that the caller of the verb has put into its context."""
    tell = click.get_current_context().obj
    if tell is not None:
        tell(*steps)


def quote_path(path: object) -> str:
    """A path as a shell takes it for one word."""
    return shlex.quote(str(path))


class UnusableInputError(click.ClickException):
    """The request cannot be carried out; the exit status is that of a usage error."""

    exit_code = 2


_LAB = click.option(
    "--lab", default="nlp-frameworks", show_default=True, help="The lab: the name of a shipped one, or its folder."
)


_LIBRARIES: Final = frozenset({"torch", "transformers", "peft", "huggingface_hub"})


class _NeedsLibraries(click.Group):
    """A group whose verbs say how to install the libraries that are not there."""

    def invoke(self, ctx: click.Context) -> Any:
        os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")  # its advice is about running models
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            missing = (error.name or "").partition(".")[0]
            if missing not in _LIBRARIES:
                raise
            raise UnusableInputError(
                f"{missing} is not installed; truths are computed with: pip install 'lab-grader[reference]'"
            ) from error


@click.group(cls=_NeedsLibraries, context_settings={"help_option_names": ["-h", "--help"]})
def truth() -> None:
    """Compute, verify and show the ground truth."""


@truth.command("build")
@_LAB
def build_command(lab: str) -> None:
    """Compute the ground truth of a lab and write truth.json."""
    from reference.build import TRUTH, to_text, with_old_dates

    folder = _lab_folder(lab)
    computed = _computed(folder)
    if computed.refuted:
        reasons = "\n".join(str(error) for error in computed.refuted)
        raise click.ClickException(f"Nothing was written: a false sentence must not be frozen as a truth.\n{reasons}")
    truth, target = computed.truth, folder / TRUTH
    if target.exists():
        truth = with_old_dates(truth, _frozen(folder))
    target.write_text(to_text(truth), encoding="utf-8")
    click.echo(f"{target}: {_size(truth)}.")
    told_next(f"grade lab check {quote_path(lab)}   (whether the reference answers still earn what they should)")


@truth.command("verify")
@_LAB
def verify_command(lab: str) -> None:
    """Compute the ground truth again and compare it.

    The exit status is 1 if anything differs from the lab's truth.json.
    """
    from reference.build import differences, version_changes

    folder = _lab_folder(lab)
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
        told_next(f"grade truth build --lab {quote_path(lab)}   (if what is computed now is right: freezes it)")
        sys.exit(1)
    click.echo(f"The truth holds: {_size(frozen)}.")
    told_next(f"grade lab check {quote_path(lab)}", f"grade PATH --lab {quote_path(lab)}")


@truth.command("show")
@_LAB
def show_command(lab: str) -> None:
    """Print the ground truth of a lab."""
    truth = _frozen(_lab_folder(lab))
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
    told_next(f"grade truth verify --lab {quote_path(lab)}   (compute it anew and compare)")


def _lab_folder(lab: str) -> Path:
    try:
        return lab_folder(lab)
    except LabError as error:
        raise click.UsageError(str(error)) from error


def _frozen(folder: Path) -> GroundTruth:
    try:
        return load_truth(folder)
    except LabError as error:
        raise click.UsageError(str(error)) from error


def _computed(folder: Path) -> "ComputedTruth":
    """The truth as of today, with a spinner where there is a terminal: the libraries take seconds to load."""
    with Progress(transient=True, disable=not sys.stderr.isatty(), console=Console(stderr=True)) as progress:
        progress.add_task("computing with torch, transformers and peft", total=None)
        from reference.build import compute
        from reference.counting.configs import CountError

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
    entries = [
        *((count.id, count.provenance) for count in truth.counts),
        *((value.id, value.provenance) for value in truth.values),
        *((signature.id, signature.provenance) for signature in truth.signatures),
        *((band.id, band.provenance) for band in truth.bands),
    ]
    groups: dict[str, list[str]] = {}
    for name, provenance in entries:
        groups.setdefault(_how(provenance), []).append(name)
    return ((", ".join(ids), how) for how, ids in groups.items())


def _how(provenance: Provenance) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in sorted(provenance.versions.items()))
    return f"{provenance.how}{f' ({versions})' if versions else ''}"


@truth.command("bands")
@_LAB
@click.option(
    "--svg", type=click.Path(path_type=Path, dir_okay=False), help="Also write the table and a plot to an SVG file."
)
def bands_command(lab: str, svg: Path | None) -> None:
    """Show the expected bands and their evidence.

    The bands are computed from the lab's evidence as it is now; `grade truth build` freezes them.
    """
    from reference.band_view import show_bands
    from reference.bands import bands
    from reference.evidence import load_evidence

    try:
        folder = lab_folder(lab)
        own_lab = load_lab(folder)
        found = bands(load_evidence(lab_file(folder, EVIDENCE)), own_lab, datetime.now(UTC).date().isoformat())
    except LabError as error:
        raise click.UsageError(str(error)) from error
    if not found:
        raise click.ClickException(
            f"{folder / 'evidence'} holds no evidence from two repetitions that differ. Perform reruns with "
            f"`grade truth rerun` and collect them, or write published figures into a TOML file there."
        )
    show_bands(found, own_lab, svg)
    told_next(f"grade truth build --lab {quote_path(lab)}   (freeze them)")


@truth.command("count")
@click.argument("config", metavar="CONFIG.json", type=click.Path(path_type=Path))
@click.option(
    "--task", help="base, masked-lm, causal-lm, seq-classification …  [default: what `architectures` names, or base]"
)
@click.option(
    "--without", multiple=True, metavar="PARTS", help="Parts to leave out, for example biases,norms,head,positions."
)
@click.option("--lora", metavar="SETTINGS", help="Add an adapter, for example r=16,target=q_proj,target=v_proj.")
@click.option("--json", "as_json_text", is_flag=True, help="Print JSON.")
def count_command(
    config: Path, task: str | None, without: tuple[str, ...], lora: str | None, as_json_text: bool
) -> None:
    """Count the parameters of a model.

    CONFIG.json is a Hugging Face configuration; keys that are missing take the architecture's defaults. The model is
    built without weights: nothing is downloaded, and any size is counted in seconds. Tied parameters are counted once;
    buffers are no parameters.
    """
    from reference.counting.configs import CountError, read_values
    from reference.counting.lora import parse_lora
    from reference.counting.report import as_json, report_on, show

    chosen = tuple(name.strip() for names in without for name in names.split(",") if name.strip())
    try:
        report = report_on(read_values(config), task, chosen, parse_lora(lora) if lora is not None else None)
    except CountError as error:
        raise UnusableInputError(str(error)) from error
    if as_json_text:
        click.echo(json.dumps(as_json(report), indent=2, ensure_ascii=False))
    else:
        show(report)
        told_next("name it as `config` in a [[models]] table of your lab.toml, then: grade truth build --lab FOLDER")


_FOLDER = click.Path(path_type=Path, file_okay=False)


@truth.command("rerun")
@click.argument("experiment")
@_LAB
@click.option("--data", type=_FOLDER, required=True, help="Folder with the splits: *.review + *.label, or *.jsonl.")
@click.option(
    "--out", type=_FOLDER, required=True, help="Folder for logs and records; runs that it holds are continued."
)
@click.option("--checkpoint", type=_FOLDER, help="Folder with pretrained weights, of transformers or fairseq.")
@click.option("--schedule", type=click.IntRange(1), help="Number of updates after which the learning rate is zero.")
@click.option("--seeds", default=None, metavar="0,1,2", help="Seeds to run.  [default: as many as the lab asks for]")
@click.option("--device", type=click.Choice(["cpu", "cuda"]), help="Device.  [default: a GPU if there is one]")
@click.option(
    "--precision", type=click.Choice(["float32", "tf32", "bfloat16"]), help="Precision.  [default: bfloat16 on a GPU]"
)
@click.option("--compile/--no-compile", "compiled", default=None, help="Compile the model.  [default: on a GPU]")
@click.option(
    "--threads", type=click.IntRange(1), help="CPU threads per run; the number changes the last digits of results."
)
@click.option("--micro-batch", type=click.IntRange(1), help="Examples computed at once; it does not change results.")
@click.option(
    "--side-by-side",
    type=click.IntRange(1),
    help="Seeds trained at the same time.  [default: all on a GPU, otherwise 1]",
)
@click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler whose workers train the seeds.")
def rerun_command(experiment: str, lab: str, data: Path, out: Path, seeds: str | None, **options: object) -> None:
    """Run an experiment of the lab and log it as its framework does.

    EXPERIMENT is the id of a [[reruns]] table in lab.toml. Nothing is downloaded. If a run was stopped, the same
    command continues it, with the same result. `grade truth collect` turns finished runs into evidence.
    """
    from reference.reruns.run_record import RerunError
    from reference.reruns.together import Wishes, jobs_of

    console = Console(stderr=True, highlight=False)
    try:
        places = {"data": data.resolve(), "out": out.resolve()}
        wishes = Wishes.model_validate({**options, **places, "seeds": _numbers(seeds)})
        jobs, at_once = jobs_of(lab_folder(lab), experiment, wishes)
        records = _performed(jobs, at_once, wishes.scheduler, console)
    except (RerunError, LabError) as error:
        raise UnusableInputError(str(error)) from error
    from reference.reruns.together import show_records

    show_records(records)
    told_next(
        f"grade truth collect {quote_path(out)} --lab {quote_path(lab)} --name NAME   (make evidence of whole runs)"
    )


def _numbers(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no list of numbers such as 0,1,2", param_hint="--seeds") from error


def _performed(jobs: "list[Job]", at_once: int, scheduler: str | None, console: "Console") -> "list[Record]":
    from reference.reruns.together import progress_bars, run_on_cluster, run_one_by_one, run_side_by_side

    if scheduler:
        with console.status(f"{len(jobs)} runs on {scheduler}"):
            return run_on_cluster(jobs, scheduler)
    with progress_bars(console) as bars:
        return run_one_by_one(jobs, bars) if at_once == 1 else run_side_by_side(jobs, at_once, bars)


@truth.command("collect")
@click.argument("runs", type=click.Path(path_type=Path, file_okay=False, exists=True))
@_LAB
@click.option("--name", required=True, help="Name of the set-up, for example cpu or h100.")
def collect_command(runs: Path, lab: str, name: str) -> None:
    """Collect finished runs as evidence for bands.

    RUNS is the --out folder of `grade truth rerun`.

    Runs that are not whole are named and left out. `grade truth build` then makes bands of the evidence.
    """
    from reference.reruns.collecting import evidence_of, whole_runs, write_evidence
    from reference.reruns.run_record import RerunError
    from reference.reruns.spec import load_specs

    try:
        folder = lab_folder(lab)
        _, specs = load_specs(folder)
        records, unfinished = whole_runs(runs)
        for evidence in evidence_of(records, specs, name):
            target = write_evidence(folder / "evidence", evidence)
            click.echo(f"{target}: {len(evidence.seeds)} whole run{'s' * (len(evidence.seeds) > 1)}")
    except (RerunError, LabError) as error:
        raise UnusableInputError(str(error)) from error
    for name_of_run in unfinished:
        click.echo(f"left out, not whole: {name_of_run}", err=True)
    told_next(f"grade truth bands --lab {quote_path(lab)}   (show the bands that follow)")
