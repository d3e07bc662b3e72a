"""`grade PATH…`: grade a class, a student, or a single file."""

import os
import sys
from pathlib import Path

import click


class _UnusableInputError(click.ClickException):
    """What was asked for cannot be done at all; the exit status is that of a usage error."""

    exit_code = 2


@click.command("run")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--lab", default="nlp-frameworks", show_default=True, help="A shipped lab's name, or a folder with lab.toml."
)
@click.option("--out", default="graded", show_default=True, type=click.Path(path_type=Path), help="Where results go.")
@click.option("--jobs", type=click.IntRange(1), help="Submissions graded side by side.  [default: one per core]")
@click.option("--no-reports", is_flag=True, help="Write results only, no PDFs.")
@click.option(
    "--as",
    "layout",
    default="auto",
    show_default=True,
    type=click.Choice(["auto", "class", "student"]),
    help="Whether PATH is a class or one student's hand-in.",
)
@click.option("--debug", is_flag=True, help="Show where in the program an error happened.")
def run_command(
    paths: tuple[Path, ...], lab: str, out: Path, jobs: int | None, no_reports: bool, layout: str, debug: bool
) -> None:
    """Grade the submissions at PATH."""
    from grader.checks.runner import verify
    from grader.cli.progress import Progress
    from grader.intake.errors import IntakeError
    from grader.intake.layouts import Layout
    from grader.intake.several import find_all_sources
    from grader.lab.files import LabError, lab_folder, load_lab, load_truth
    from grader.pipeline.classroom import grade_class
    from grader.report.pdf import missing_libraries

    try:
        folder = lab_folder(lab)
        definition, truth = load_lab(folder), load_truth(folder)
        verify(definition, truth)
        sources, refused = find_all_sources(paths, Layout(layout))
    except (LabError, IntakeError) as error:
        if debug:
            raise
        raise _UnusableInputError(str(error)) from error
    without_reports = None if no_reports else missing_libraries()
    with Progress(total=len(sources), out=out) as progress:
        for refusal in refused:
            progress.note(f"left out: {refusal.path}: {refusal.reason}")
        if without_reports:
            progress.note(f"No PDFs: {without_reports}")
        try:
            graded = grade_class(
                sources,
                definition,
                truth,
                out,
                workers=min(jobs or os.cpu_count() or 1, len(sources)),
                with_reports=not (no_reports or without_reports),
                done=progress.done,
                debug=debug,
            )
        except OSError as error:
            if debug:
                raise
            raise click.ClickException(f"cannot write to {error.filename or out}: {error.strerror}.") from error
        except KeyboardInterrupt:
            progress.interrupted()
            sys.exit(130)
    progress.table(graded)
    sys.exit(1 if any(one.result.error or one.report_problem for one in graded) else 0)
