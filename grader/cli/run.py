"""`grade PATH…`: grade a class, a student, or a single file."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.course_options import course_options
from grader.cli.presentation_options import presentation_options

if TYPE_CHECKING:
    from grader.lab.definition import Lab
    from grader.lab.truth import GroundTruth
    from grader.pipeline.course.prepare import Course


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
@click.option("--cluster", metavar="ADDRESS", help="Grade on a Dask cluster; start its workers with --no-nanny.")
@click.option("--no-reports", is_flag=True, help="Write results only, no PDFs.")
@click.option(
    "--as",
    "layout",
    default="auto",
    show_default=True,
    type=click.Choice(["auto", "class", "student"]),
    help="Whether PATH is a class or one student's hand-in.",
)
@course_options
@presentation_options
@click.option("--debug", is_flag=True, help="Show where in the program an error happened.")
def run_command(
    paths: tuple[Path, ...],
    lab: str,
    out: Path,
    jobs: int | None,
    cluster: str | None,
    no_reports: bool,
    layout: str,
    debug: bool,
    lang: str | None,
    templates: Path | None,
    **course: Any,
) -> None:
    """Grade the submissions at PATH."""
    from grader.cli.progress import Progress
    from grader.gradebook.overrides import stale_overrides
    from grader.pipeline.classroom import grade_class
    from grader.report.pdf import missing_libraries
    from grader.report.presentation import Presentation

    (definition, truth), (sources, circumstances, notes) = _prepared(paths, lab, out, layout, course, debug)
    without_reports = None if no_reports else missing_libraries()
    with Progress(total=len(sources), out=out) as progress:
        for note in notes:
            progress.note(note)
        if without_reports:
            progress.note(f"No PDFs: {without_reports}")
        try:
            with _explained(out, debug=debug):
                graded = grade_class(
                    sources,
                    definition,
                    truth,
                    out,
                    workers=min(jobs or os.cpu_count() or 1, len(sources)),
                    with_reports=not (no_reports or without_reports),
                    done=progress.done,
                    debug=debug,
                    circumstances=circumstances,
                    cluster=cluster,
                    presentation=Presentation(language=lang or "en", templates=templates),
                )
        except KeyboardInterrupt:
            progress.interrupted()
            sys.exit(130)
    progress.table(graded)
    for one in graded:
        for item in stale_overrides(one.result):
            progress.note(f"override of {one.result.student.id} {item.id}: its finding has changed since; look again")
    sys.exit(1 if any(one.result.error or one.report_problem for one in graded) else 0)


@contextmanager
def _explained(out: Path, *, debug: bool) -> Iterator[None]:
    """Errors of the machine in words, or as they are for debugging."""
    from grader.pipeline.cluster import ClusterError

    try:
        yield
    except (OSError, ClusterError) as error:
        if debug:
            raise
        if isinstance(error, ClusterError):
            raise _UnusableInputError(str(error)) from error
        raise click.ClickException(f"cannot write to {error.filename or out}: {error.strerror}.") from error


def _prepared(
    paths: tuple[Path, ...], name: str, out: Path, layout: str, options: dict[str, Any], debug: bool
) -> "tuple[tuple[Lab, GroundTruth], Course]":
    """The lab, and the course around the hand-ins; the notes tell what is left out too."""
    from grader.checks.runner import verify
    from grader.gradebook.errors import GradebookError
    from grader.intake.errors import IntakeError
    from grader.intake.layouts import Layout
    from grader.intake.several import find_all_sources
    from grader.lab.files import LabError, lab_folder, load_lab, load_truth
    from grader.pipeline.course.choice import Attempt
    from grader.pipeline.course.prepare import Given, prepare

    try:
        folder = lab_folder(name)
        lab, truth = load_lab(folder), load_truth(folder)
        verify(lab, truth)
        sources, refused = find_all_sources(paths, Layout(layout))
        given = {**options, "attempt": Attempt(options["attempt"]), "grace_minutes": options["grace"]}
        course = prepare(sources, lab, Given(**{field: given[field] for field in Given._fields}), out)
    except (LabError, IntakeError, GradebookError) as error:
        if debug:
            raise
        raise _UnusableInputError(str(error)) from error
    left_out = (f"left out: {refusal.path}: {refusal.reason}" for refusal in refused)
    return (lab, truth), course._replace(notes=(*left_out, *course.notes))
