"""`grade read`: what the grader sees in a file. `grade doctor`: what this machine offers, and what it lacks."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from grader.cli.options import JSON, told_next
from grader.cli.options import as_json as json_of

if TYPE_CHECKING:
    from grader.lab.experiments import LogFormat
    from grader.pipeline.isolation import Send


@click.command("read")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--lab", metavar="LAB", help="Also read the log formats that this lab describes.")
def read_command(files: tuple[Path, ...], lab: str | None) -> None:
    """Print as JSON what the grader reads in each FILE.

    Text comes as blocks with page and box or line, notebooks as cells, event files as runs with their series. Fields
    without a value are left out; a value that is not a number is printed as null. Each file is read in an isolated
    process, as in grading.
    """
    from grader.lab.files import LabError, lab_folder, load_lab
    from grader.pipeline.cage import Bounds
    from grader.pipeline.isolation import run_isolated

    try:
        formats = load_lab(lab_folder(lab)).log_formats if lab else ()
    except LabError as error:
        raise click.UsageError(str(error)) from error
    for file in files:
        if not file.is_file():
            what = "is not a file" if file.exists() else "does not exist"
            raise click.UsageError(f"{file} {what}; name a file such as a report, a notebook or an event file.")
        try:
            file.open("rb").close()
        except OSError as error:
            raise click.UsageError(f"{file} cannot be opened: {error.strerror}") from error
    jobs = [_Job(file, formats) for file in files]

    def bounds(job: _Job) -> Bounds:
        return Bounds((job.file,), converts=True)

    for outcome in run_isolated(_read, jobs, workers=1, preload=("grader.reading.formats",), bounds=bounds):
        if outcome.failure:
            raise click.ClickException(f"{outcome.job.file} cannot be read: {outcome.failure}.")
        sys.stdout.buffer.write(b"".join(outcome.messages) + b"\n")
        sys.stdout.flush()
    told_next("grade check PATH   (what is read of a whole submission, in words)", "grade PATH   (grade it)")


class _Job(NamedTuple):
    """A file to read, and the lab whose log formats apply."""

    file: Path
    formats: tuple["LogFormat", ...]


def _read(job: _Job, send: "Send") -> None:
    from grader.reading.formats import read_path

    send(read_path(job.file, job.formats).model_dump_json(indent=2, exclude_defaults=True).encode())


@click.command("doctor")
@JSON
def doctor_command(as_json: bool) -> None:
    """Check this machine: libraries, isolation, memory.

    Isolation is tested, not assumed. The exit status is 1 if something is lacking that grading or isolation needs, else
    0. Optional programs are listed, too.
    """
    from grader.pipeline.doctor import examine_machine

    found = examine_machine()
    if as_json:
        click.echo(json_of([remark.model_dump(mode="json") for remark in found]))
    else:
        for remark in found:
            click.echo(f"{remark.state.value:<9} {remark.what}" + (f": {remark.remedy}" if remark.remedy else ""))
        again = (
            () if all(remark.is_well for remark in found) else ("do what stands beside `lacking`, then: grade doctor",)
        )
        told_next(*again, "grade PATH   (a folder, a zip, or a download of a course system)")
    sys.exit(0 if all(remark.is_well for remark in found) else 1)
