"""`grade read`: what the grader sees in a file. `grade doctor`: what this machine offers, and what it lacks. `grade
bench-class`: what a class of any size would need on it.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from grader.cli.options import JSON, UnusableInputError, quoted, told_next
from grader.cli.options import as_json as json_of

if TYPE_CHECKING:
    from grader.lab.experiments import LogFormat
    from grader.pipeline.isolation import Send


@click.command("read")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--lab", metavar="LAB", help="Read training logs as this lab describes its own, too.")
def read_command(files: tuple[Path, ...], lab: str | None) -> None:
    """Print as JSON what the grader reads in each FILE.

    Text comes as blocks with page and box or line, notebooks as cells, event files as runs with their series. Fields
    without a value are left out; a value that is not a number is printed as null. Each file is read in a process of
    its own that can touch nothing else, as when it is graded.
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
    told_next("grade check PATH   (what is read of a whole hand-in, in words)", "grade PATH   (grade it)")


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
    """Tell what this machine has for grading, and what a hand-in that takes over its process could do here.

    The second is tried out, not looked up. The exit status is 1 when something is lacking that grading needs or that
    protects, else 0. What is merely useful to some is told, and does no harm when it is missing.
    """
    from grader.pipeline.doctor import examined

    found = examined()
    if as_json:
        click.echo(json_of([one.model_dump(mode="json") for one in found]))
    else:
        for one in found:
            click.echo(f"{one.state.value:<9} {one.what}" + (f": {one.remedy}" if one.remedy else ""))
        again = () if all(one.is_well for one in found) else ("do what stands beside `lacking`, then: grade doctor",)
        told_next(*again, "grade PATH   (a folder, a zip, or a download of a course system)")
    sys.exit(0 if all(one.is_well for one in found) else 1)


_HOUR, _MINUTE = 3600, 60


@click.command("bench-class")
@click.argument("students", metavar="N", type=click.IntRange(1))
@click.argument("path", metavar="PATH", default="submissions", type=click.Path(path_type=Path))
@click.option("--lab", default="nlp-frameworks", show_default=True, help="As for grading.")
@click.option("--jobs", type=click.IntRange(1), help="Submissions graded side by side.  [default: one per core]")
@click.option("--sample", default=20, show_default=True, type=click.IntRange(2), help="How many hand-ins to grade.")
@click.option("--no-reports", is_flag=True, help="Measure without PDFs.")
@JSON
def bench_class_command(
    students: int, path: Path, lab: str, jobs: int | None, sample: int, no_reports: bool, as_json: bool
) -> None:
    """Tell what grading a class of N students would need on this machine: time, memory and storage.

    For this, some hand-ins of PATH are graded, evenly chosen, into a folder that is then removed.
    """
    import json
    import os

    from grader.cli.options import explained
    from grader.cli.progress import steps
    from grader.intake.layouts import find_all_sources
    from grader.lab.files import lab_folder
    from grader.pipeline.doctor import forecast, measured
    from grader.pipeline.inspection.soundness import sound_lab
    from grader.pipeline.order import Order

    with explained(path, debug=False), steps() as step:
        sources, _ = find_all_sources([path])
        if len(sources) < 2:
            raise UnusableInputError(f"{path}: a sample needs two hand-ins at least; there are {len(sources)}.")
        chosen = sources[:: max(1, len(sources) // sample)][:sample]
        order = Order(chosen, *sound_lab(lab_folder(lab)), with_reports=not no_reports)
        cores = jobs or os.cpu_count() or 1
        found = measured(order, cores, lambda made: step("grading the sample", made, len(chosen)))
    told = forecast(found, students)
    if as_json:
        click.echo(json.dumps({"sample": found._asdict(), "class": told._asdict()}, indent=2))
        return
    reports = "with reports" if found.with_reports else "without reports"
    click.echo(
        f"Sample: {found.hand_ins} hand-ins of {path}, {reports}, {found.workers} side by side: "
        f"{found.seconds / found.hand_ins:.2f} s each ({found.processor / found.hand_ins:.2f} s of a core).\n"
    )
    worker = f"{_size(found.memory)} a worker" if found.memory else "a worker's is not told by this system"
    is_busy = told.seconds > 1.2 * told.seconds_alone
    busy = f"; {_time(told.seconds)} while it is as busy as it was just now" if is_busy else ""
    steering = _size(told.steering_memory)
    rows = (
        ("time", f"{_time(told.seconds_alone)} on this machine, {_time(told.seconds_alone / 10)} on ten like it{busy}"),
        ("cores", f"{told.core_seconds / _HOUR:,.1f} hours of one core in all"),
        ("memory", f"{worker}, {found.workers} side by side; {steering} for the process that steers"),
        ("storage", f"{_size(told.storage)}, {_size(told.storage / students)} a student, the gradebook included"),
    )
    click.echo(f"A class of {students:,} would need")
    for name, text in rows:
        click.echo(f"  {name:<8} {text}")
    if students > 10 * found.hand_ins:
        click.echo(f"\nExtrapolated {students / found.hand_ins:,.0f} times from the sample; see docs/scale.md.")
    told_next(f"grade bench-class {students} {quoted(path)} --sample {min(len(sources), 5 * sample)}   (more exact)")


def _time(seconds: float) -> str:
    if seconds < 2 * _MINUTE:
        return f"{seconds:.0f} s"
    return f"{seconds / _MINUTE:.0f} min" if seconds < 2 * _HOUR else f"{seconds / _HOUR:,.1f} h"


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if count < 1000 or unit == "TB":
            break
        count /= 1000
    return f"{count:,.0f} {unit}" if count >= 10 or unit == "bytes" else f"{count:.1f} {unit}"
