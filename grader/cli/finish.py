"""`grade finish`: what persons decided, brought into results and reports."""

import sys
from pathlib import Path

import click

from grader.cli.commands import quoted, told_next
from grader.cli.gradebook_options import place


@click.command("finish")
@click.argument("graded", default="graded", type=click.Path(path_type=Path))
@click.option("--lab", metavar="NAME|FOLDER", help="[default: the one they were graded by]")
@click.option("--gradebook", metavar="URL", help="A file, or a database by its SQLAlchemy URL.  [default: in GRADED]")
@click.option("--debug", is_flag=True, help="Show where in the program an error happened.")
def finish_command(graded: Path, lab: str | None, gradebook: str | None, debug: bool) -> None:
    """Bring what persons decided into the results in GRADED, and render the reports that change.

    Decisions are those of the gradebook (`grade serve`, `grade review`) and of overrides.toml. No hand-in is opened:
    pictures are taken from the reports of before. The exit status is 1 if a report could not be made.
    """
    from rich.console import Console
    from rich.progress import Progress

    from grader.cli.deciding import opened
    from grader.cli.preparation import explained

    with explained(graded, debug=debug), opened(graded, place(gradebook, graded), lab) as found:
        for note in found.notes:
            click.echo(note, err=True)
        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("Reports", total=None)
            done = found.finish(lambda made, of: bar.update(task, completed=made, total=of))
    for student, problem in done.problems:
        click.echo(f"{student}: {problem}", err=True)
    click.echo(f"{done.written:,} of {done.students:,} students have new results and reports, in {graded}.")
    told_next(
        f"grade export moodle-feedback {quoted(graded)}   (or canvas-feedback: give the reports back)",
        f"grade export FORMAT {quoted(graded)} --into FILE   (the grades)",
    )
    sys.exit(1 if done.problems else 0)
