"""`grade serve`: the review in the browser."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.options import place as gradebook_place
from grader.cli.options import quoted, told_next

if TYPE_CHECKING:
    from grader.serve.serving import Place


@click.command("serve")
@click.argument("graded", default="graded", type=click.Path(path_type=Path))
@click.option("--graders", metavar="NAMES", help="Who decides, such as ana,ben; each gets a link.  [default: you]")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", default=0, metavar="PORT", type=click.IntRange(0, 65535), help="[default: a free one]")
@click.option("--certificate", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="For TLS.")
@click.option("--key", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="For TLS.")
@click.option("--plain-http", is_flag=True, help="Serve others without TLS: whoever is between can read along.")
@click.option("--origin", "origins", multiple=True, metavar="URL", help="How browsers reach it behind a proxy.")
@click.option("--lab", metavar="NAME|FOLDER", help="[default: the one they were graded by]")
@click.option("--lang", metavar="LANGUAGE", help="Language of the pages: en or fr.  [default: that of the reports]")
@click.option("--gradebook", metavar="URL", help="A file, or a database by its SQLAlchemy URL.  [default: in GRADED]")
@click.option("--check", is_flag=True, help="Serve the check for students instead: what is read of an upload.")
@click.option(
    "--largest",
    default=32,
    show_default=True,
    metavar="MIB",
    type=click.IntRange(1, 512),
    help="With --check: the largest upload.",
)
@click.option(
    "--hourly",
    default=30,
    show_default=True,
    metavar="NUMBER",
    type=click.IntRange(0),
    help="With --check: uploads of one address in an hour; 0 for any number.",
)
@click.option("--debug", is_flag=True, help="Show where in the program an error happened.")
def serve_command(graded: Path, graders: str | None, gradebook: str | None, **options: Any) -> None:
    """Decide in the browser what awaits a person in GRADED, a folder of graded submissions.

    With --check, let students see what is read of a hand-in before they hand it in; nothing is kept, and no truth or
    grade is served.

    Open the link that is printed. Decisions are kept at once in the gradebook; `grade finish` or the page brings them
    into the reports. Ctrl-C ends it.
    """
    from grader.cli.preparation import UnusableInputError, explained
    from grader.cli.review import opened
    from grader.message import language_of
    from grader.serve.review import Review
    from grader.serve.serving import Place, UnsafePlaceError, check, serve
    from grader.serve.standing import Finisher, Standing

    here = Place(options["host"], options["port"], options["certificate"], options["key"], options["origins"])
    if options["check"]:
        _serve_check(here, options)
        return
    names = _names(graders)
    try:
        check(here, plain=options["plain_http"])
        with (
            explained(graded, debug=options["debug"]),
            opened(graded, gradebook_place(gradebook, graded), options["lab"]) as found,
        ):
            standing = Standing(graded, found.database, found.lab, overrides=found.overrides)
            language = language_of(options["lang"] or found.language)
            review = Review(standing, found.database, language, Finisher(found.finish), found.notes)
            for note in found.notes:
                click.echo(note, err=True)
            click.echo(f"{len(standing.queue())} groups of answers await a person. Open your link; Ctrl-C ends.")
            serve(review, names, here, lambda line: click.echo(f"  {line}"))
            told_next(f"grade finish {quoted(graded)}   (bring the decisions into the reports)")
    except UnsafePlaceError as error:
        raise UnusableInputError(str(error)) from error


def _serve_check(here: "Place", options: dict[str, Any]) -> None:
    import os

    from grader.cli.preparation import UnusableInputError, explained
    from grader.lab.files import lab_folder, load_lab, seen_by_students
    from grader.message import language_of
    from grader.serve.checking import Desk, Limits
    from grader.serve.serving import UnsafePlaceError, check, serve_check

    try:
        check(here, plain=options["plain_http"])
        with explained(Path(), debug=options["debug"]):
            lab = load_lab(lab_folder(options["lab"] or "nlp-frameworks"))
            language = language_of(options["lang"] or lab.language)
            limits = Limits(largest=options["largest"] << 20, hourly=options["hourly"])
            desk = Desk(seen_by_students(lab), limits, workers=os.cpu_count() or 1)
            click.echo(f"The check of {lab.title}; Ctrl-C ends. Give students this address:")
            serve_check(desk, language, here, lambda line: click.echo(f"  {line}"))
            own = f" --lab {quoted(options['lab'])}" if options["lab"] else ""
            told_next(f"grade package students{own}   (the same check, for students to install)")
    except UnsafePlaceError as error:
        raise UnusableInputError(str(error)) from error


def _names(graders: str | None) -> tuple[str, ...]:
    import getpass

    names = [name.strip() for name in (graders or "").split(",") if name.strip()] or [getpass.getuser()]
    if len(set(names)) != len(names):
        raise click.UsageError("--graders names somebody twice.")
    return tuple(names)
