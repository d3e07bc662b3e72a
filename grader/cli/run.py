"""`grade PATH…`: grade a class, a student, or a single file."""

import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from grader.cli.options import (
    DEBUG,
    LAB,
    Location,
    SectionedCommand,
    course_options,
    keeping_options,
    place,
    presentation_options,
    quote_path,
    reader_options,
    told_next,
)

if TYPE_CHECKING:
    from grader.pipeline.order import GradeSummary
    from grader.pipeline.outputs import StoreOutput


_NOTHING: Final = hashlib.sha256(b"").hexdigest()
"""The hash of a submission without files."""


@click.command("run", cls=SectionedCommand)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=Location())
@LAB
@click.option(
    "--out", default="graded", show_default=True, type=Location(), help="Folder, or URL of a store, for the results."
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    help="Maximum number of submissions graded at the same time.  [default: one per core]",
)
@click.option(
    "--cluster", metavar="ADDRESS|FILE", help="Grade on a Dask cluster: its address, or a TOML file that describes it."
)
@click.option("--no-reports", is_flag=True, help="Write results without reports.")
@click.option("--no-readings", is_flag=True, help="Do not keep what was read; regrading then needs the submissions.")
@click.option(
    "--as",
    "layout",
    default="auto",
    show_default=True,
    type=click.Choice(["auto", "class", "student"]),
    help="Treat PATH as a class or as one student's submission.",
)
@course_options
@presentation_options
@reader_options
@keeping_options
@DEBUG
def run_command(
    paths: tuple[Path | str, ...],
    out: Path | str,
    jobs: int | None,
    cluster: str | None,
    gradebook: str | None,
    again: bool,
    **options: Any,
) -> None:
    """Grade the submissions at PATH. Submissions that have not changed since they were graded are skipped.

    PATH is a folder or zip file with one folder or zip file per student, the download of a course system, one
    student's folder or zip file, or a single report.
    """
    from grader.cli.options import consulting, earlier_notes, explain_errors, order_from_paths, stored_options
    from grader.cli.progress import Progress
    from grader.gradebook.keeper import Keeper
    from grader.pipeline.classroom import grade_class
    from grader.pipeline.session import new_run, session

    with (
        explain_errors(out, debug=options["debug"]),
        _output(out, options) as (folder, elsewhere),
        Keeper(place(gradebook, folder), folder) as keeper,
    ):
        order, notes = order_from_paths(paths, folder, options, keeper)
        reader, reader_notes = consulting(options, folder, order.lab)
        if reader:
            from grader.pipeline.asking import with_reader

            order = with_reader(order, reader)
        found = session(order, folder, keeper, again=again, elsewhere=elsewhere)
        with Progress(total=found.waiting, out=out) as progress:
            progress.notes((*notes, *reader_notes, *found.notes))
            try:
                folder.mkdir(parents=True, exist_ok=True)
                keeper.begin(new_run(found, stored_options(paths, options)))
                progress.notes(filter(None, [keeper.loss]))
                if not options["anonymous"]:
                    # Of several under one name, the first keeps the id.
                    named = {entry.origin: entry.student_id for entry in reversed(order.sources) if entry.origin}
                    keeper.introduce(order.lab.id, named)
                workers = min(jobs or os.cpu_count() or 1, max(found.waiting, 1))
                if reader:
                    found, asked_notes = _with_answers(found, reader, workers, progress)
                    progress.notes(asked_notes)
                graded = grade_class(
                    found.order,
                    folder,
                    workers=workers,
                    done=progress.report_graded,
                    cluster=cluster,
                    plan=found.plan,
                    keeper=keeper,
                    notify=progress.note,
                    elsewhere=elsewhere,
                )
            except KeyboardInterrupt:
                progress.report_interruption()
                sys.exit(130)
        progress.table(graded)
        progress.notes(_same_files(graded))
        progress.notes(earlier_notes((entry.student, entry.stale) for entry in graded))
    _next(graded, out)
    if keeper.problem:
        progress.note(
            f"{keeper.problem} The grades are whole in {out}; what the gradebook lacks is graded again next time."
        )
    sys.exit(1 if keeper.problem or any(entry.error or entry.report_problem for entry in graded) else 0)


@contextmanager
def _output(out: Path | str, options: dict[str, Any]) -> "Iterator[tuple[Path, StoreOutput | None]]":
    """The folder on this machine that results are written to; for a URL, one that holds what the run needs of them."""
    if isinstance(out, Path):
        yield out, None
        return
    import tempfile

    from grader.pipeline.cage import temporary_folder
    from grader.pipeline.outputs import open_store_output

    if options["anonymous"]:
        raise click.UsageError(
            "--anonymous writes its key beside the results, where no student may see it: give --out a folder on this "
            "machine, and copy the results from there."
        )
    with (
        tempfile.TemporaryDirectory(dir=temporary_folder(), ignore_cleanup_errors=True) as folder,
        open_store_output(out, Path(folder)) as found,
    ):
        yield Path(folder), found


def _with_answers(found: Any, reader: Any, workers: int, progress: Any) -> Any:
    """The session with the reader's answers about the hand-ins to grade, and notes for staff."""
    from grader.pipeline.asking import with_answers
    from grader.pipeline.session import with_failures

    waiting = [source for source in found.order.sources if source.student_id not in found.plan.unchanged]
    answered = with_answers(found.order, waiting, reader, workers=workers, done=progress.report_asked)
    return found._replace(order=answered.order, plan=with_failures(found.plan, answered.order)), answered.notes


def _same_files(graded: "Sequence[GradeSummary]") -> "Iterator[str]":
    """A line for each group of students who handed in the same files; nothing is the same for everybody."""
    groups: dict[str, list[str]] = {}
    for grade in graded:
        groups.setdefault(grade.submission_sha256, []).append(grade.student)
    for sha256, students in groups.items():
        if len(students) > 1 and sha256 not in ("", _NOTHING):
            yield f"the same files were handed in by {'; '.join(students)} (a team? name it in the roster's groups)"


def _next(graded: Sequence["GradeSummary"], out: Path | str) -> None:
    if isinstance(out, str):
        told_next(f"copy {out} into a folder on this machine; `grade serve` and `grade export` work on such a folder")
        return
    folder = quote_path(out)
    if any(grade.pending for grade in graded):
        told_next(f"grade serve {folder}   (decide in the browser what is pending review)")
    else:
        told_next(f"grade export FORMAT {folder} --into FILE   (grade export --help lists the formats)")
