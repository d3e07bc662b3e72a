"""`grade truth rerun` and `grade truth collect`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reference.cli_next import quoted, told_next

if TYPE_CHECKING:
    from rich.console import Console

    from reference.reruns.job import Job
    from reference.reruns.together import Record

_lab = click.option("--lab", default="nlp-frameworks", show_default=True, help="A shipped lab's name, or its folder.")
_folder = click.Path(path_type=Path, file_okay=False)


class _CannotRunError(click.ClickException):
    """A rerun that cannot be performed; the exit status is that of a usage error."""

    exit_code = 2


@click.command("rerun")
@click.argument("experiment")
@_lab
@click.option("--data", type=_folder, required=True, help="Folder with the splits: *.review + *.label, or *.jsonl.")
@click.option("--out", type=_folder, required=True, help="Folder for logs and records; what is there is gone on with.")
@click.option("--checkpoint", type=_folder, help="Folder with pretrained weights, of transformers or fairseq.")
@click.option("--schedule", type=click.IntRange(1), help="Updates at which the learning rate reaches zero.")
@click.option("--seeds", default=None, metavar="0,1,2", help="[default: 0 to the lab's number of seeds]")
@click.option("--device", type=click.Choice(["cpu", "cuda"]), help="[default: a GPU where there is one]")
@click.option("--precision", type=click.Choice(["float32", "tf32", "bfloat16"]), help="[default: bfloat16 on a GPU]")
@click.option("--compile/--no-compile", "compiled", default=None, help="Compile the model.  [default: on a GPU]")
@click.option("--threads", type=click.IntRange(1), help="Threads of the CPU for each run; more change the last bits.")
@click.option("--micro-batch", type=click.IntRange(1), help="Examples computed at once; it changes no result.")
@click.option("--side-by-side", type=click.IntRange(1), help="Seeds at once.  [default: all on a GPU, 1 otherwise]")
@click.option("--scheduler", metavar="ADDRESS", help="A Dask scheduler that has the seeds run on its workers.")
@click.option("--keep-weights", is_flag=True, help="Keep the weights at the end of each run.")
def rerun_command(experiment: str, lab: str, data: Path, out: Path, seeds: str | None, **options: object) -> None:
    """Perform an experiment of the lab for real, seed by seed, and log it as its framework does.

    EXPERIMENT is the id of a [[reruns]] table in lab.toml. Nothing is downloaded. A run that was stopped goes on where
    it was when the same command is given again, and comes to the same result. `grade truth collect` makes evidence of
    whole runs.
    """
    from rich.console import Console

    from grader.lab.files import LabError, lab_folder
    from reference.reruns.errors import RerunError
    from reference.reruns.ordering import Wishes, jobs_of

    console = Console(stderr=True, highlight=False)
    try:
        places = {"data": data.resolve(), "out": out.resolve()}
        wishes = Wishes.model_validate({**options, **places, "seeds": _numbers(seeds)})
        jobs, at_once = jobs_of(lab_folder(lab), experiment, wishes)
        records = _performed(jobs, at_once, wishes.scheduler, console)
    except (RerunError, LabError) as error:
        raise _CannotRunError(str(error)) from error
    from reference.reruns.report import show_records

    show_records(records)
    told_next(f"grade truth collect {quoted(out)} --lab {quoted(lab)} --name NAME   (make evidence of whole runs)")


def _numbers(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no list of numbers such as 0,1,2", param_hint="--seeds") from error


def _performed(jobs: "list[Job]", at_once: int, scheduler: str | None, console: "Console") -> "list[Record]":
    from reference.reruns.progress import progress_bars
    from reference.reruns.together import run_on_cluster, run_one_by_one, run_side_by_side

    if scheduler:
        with console.status(f"{len(jobs)} runs on {scheduler}"):
            return run_on_cluster(jobs, scheduler)
    with progress_bars(console) as bars:
        return run_one_by_one(jobs, bars) if at_once == 1 else run_side_by_side(jobs, at_once, bars)


@click.command("collect")
@click.argument("runs", type=click.Path(path_type=Path, file_okay=False, exists=True))
@_lab
@click.option("--name", required=True, help="What the set-up is called, such as cpu or h100.")
def collect_command(runs: Path, lab: str, name: str) -> None:
    """Make evidence of the whole runs in a folder, which is the --out of `grade truth rerun`.

    Runs that are not whole are named and left out. `grade truth build` then makes bands of the evidence.
    """
    from grader.lab.files import LabError, lab_folder
    from reference.reruns.collecting import evidence_of, whole_runs, write_evidence
    from reference.reruns.errors import RerunError
    from reference.reruns.spec import load_specs

    try:
        folder = lab_folder(lab)
        _, specs = load_specs(folder)
        records, unfinished = whole_runs(runs)
        for evidence in evidence_of(records, specs, name):
            target = write_evidence(folder / "evidence", evidence)
            click.echo(f"{target}: {len(evidence.seeds)} whole run{'s' * (len(evidence.seeds) > 1)}")
    except (RerunError, LabError) as error:
        raise _CannotRunError(str(error)) from error
    for name_of_run in unfinished:
        click.echo(f"left out, not whole: {name_of_run}", err=True)
    told_next(f"grade truth bands --lab {quoted(lab)}   (show the bands that follow)")
