"""The review in the browser, and students' requests to look again, which it shows."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.options import (
    DEBUG,
    GRADEBOOK_OF_RESULTS,
    LAB_OF_RESULTS,
    note,
    place,
    quote_path,
    refuse_on,
    told_next,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.gradebook.requests import ReviewRequest
    from grader.intake.submission import Source
    from grader.serve.serving import Place
    from grader.serve.standing import Standing


@click.command("serve")
@click.argument("graded", default="graded", type=click.Path(path_type=Path))
@click.option("--graders", metavar="NAMES", help="Who decides, for example ana,ben; each gets a link.  [default: you]")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=0, metavar="PORT", type=click.IntRange(0, 65535), help="Port to listen on.  [default: a free one]"
)
@click.option("--certificate", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="TLS certificate.")
@click.option(
    "--key", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Private key of the TLS certificate."
)
@click.option(
    "--plain-http", is_flag=True, help="Serve other machines without TLS; others on the network can read everything."
)
@click.option(
    "--origin", "origins", multiple=True, metavar="URL", help="URL by which browsers reach the server behind a proxy."
)
@LAB_OF_RESULTS
@click.option("--lang", metavar="LANGUAGE", help="Language of the pages, en or fr.  [default: that of the reports]")
@GRADEBOOK_OF_RESULTS
@click.option(
    "--submissions",
    multiple=True,
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="The submissions, to show their pages.  [default: where they were graded]",
)
@click.option("--students", is_flag=True, help="Serve released reports to students by personal links.")
@click.option("--check", is_flag=True, help="Serve the check for students: what the grader reads in an upload.")
@click.option(
    "--largest",
    default=32,
    show_default=True,
    metavar="MIB",
    type=click.IntRange(1, 512),
    help="With --check: maximum size of an upload.",
)
@click.option(
    "--hourly",
    default=30,
    show_default=True,
    metavar="NUMBER",
    type=click.IntRange(0),
    help="With --check: maximum uploads per address and hour; 0 for no limit.",
)
@DEBUG
def serve_command(graded: Path, graders: str | None, gradebook: str | None, **options: Any) -> None:
    """Decide in the browser what is pending review in GRADED, a folder of graded submissions.

    Open the link that is printed. Decisions are stored in the gradebook at once; `grade regrade finish` or the page
    brings them into the reports. Ctrl-C stops the server.

    With --students, serve released reports to students, who can ask about items (see `grade serve release` and `grade
    serve links`). With --check, show students what the grader reads in a submission before they hand it in; nothing
    is kept, and neither truth nor grades are served.

    \b
    Examples:
      grade serve graded
      grade serve graded --graders ana,ben
      grade serve --students graded --port 8902 --origin https://grades.example.org
      grade serve --check --lab my-lab
    """
    import getpass

    from grader.cli.options import explain_errors
    from grader.cli.review import open_results
    from grader.message import language_of
    from grader.serve.review import Review
    from grader.serve.serving import Place, UnsafePlaceError, check, serve
    from grader.serve.standing import Finisher, Standing

    here = Place(options["host"], options["port"], options["certificate"], options["key"], options["origins"])
    with refuse_on(UnsafePlaceError):
        check(here, plain=options["plain_http"])
        if options["check"]:
            _serve_check(here, options)
            return
        if options["students"]:
            _serve_reports(graded, place(gradebook, graded), here, options)
            return
        names = [name.strip() for name in (graders or "").split(",") if name.strip()] or [getpass.getuser()]
        if len(set(names)) != len(names):
            raise click.UsageError("--graders names somebody twice.")
        with (
            explain_errors(graded, debug=options["debug"]),
            open_results(graded, place(gradebook, graded), options["lab"]) as found,
        ):
            standing = Standing(graded, found.database, found.lab, overrides=found.overrides, gradebook=found.where)
            language = language_of(options["lang"] or found.language)
            find = _finder(graded, found.where, options["submissions"])
            review = Review(standing, found.database, language, Finisher(found.finish), found.notes, find)
            note(*found.notes)
            number = len(standing.queue())
            pending = "1 group of answers is" if number == 1 else f"{number} groups of answers are"
            click.echo(f"{pending} pending review. Open your link; Ctrl-C stops the server.")
            serve(review, tuple(names), here, lambda line: click.echo(f"  {line}"))
            told_next(f"grade regrade finish {quote_path(graded)}   (bring the decisions into the reports)")


def _finder(graded: Path, where: "Path | str", submissions: tuple[Path, ...]) -> "Callable[[], dict[str, Source]]":
    """A function that finds the hand-ins by student; where they are not at hand, the page goes on without them."""

    def find() -> "dict[str, Source]":
        from grader.cli.options import explain_errors
        from grader.cli.regrade import hand_ins

        try:
            with explain_errors(graded, debug=False):
                return hand_ins(graded, where, submissions)
        except click.ClickException as error:
            note(f"the pages of the submissions are not shown: {error.format_message()}")
            return {}

    return find


def _serve_reports(graded: Path, gradebook: Path | str, here: "Place", options: dict[str, Any]) -> None:
    from grader.cli.options import explain_errors
    from grader.cli.review import open_results
    from grader.gradebook.releases import links_of, releases
    from grader.message import language_of
    from grader.pipeline.releasing import FOLDER
    from grader.serve.reports import Reports
    from grader.serve.serving import serve_reports

    with explain_errors(graded, debug=options["debug"]), open_results(graded, gradebook, options["lab"]) as found:
        language = language_of(options["lang"] or found.language)
        behind = bool(here.origins)
        reports = Reports(graded / FOLDER, found.database, found.lab, language, behind_proxy=behind)
        shown = len(releases(found.database, found.lab.id))
        links = sum(link.revoked is None for link in links_of(found.database, found.lab.id))
        click.echo(f"{shown} reports are released, {links} people have a link; Ctrl-C ends. The address:")
        serve_reports(reports, here, lambda line: click.echo(f"  {line}"))
        told_next(f"grade serve requests {quote_path(graded)}   (what students asked)")


def _serve_check(here: "Place", options: dict[str, Any]) -> None:
    import os

    from grader.cli.options import explain_errors, lab_called
    from grader.lab.files import seen_by_students
    from grader.message import language_of
    from grader.serve.checking import Desk, Limits
    from grader.serve.serving import serve_check

    with explain_errors(Path(), debug=options["debug"]):
        _, lab = lab_called(options["lab"] or "nlp-frameworks")
        language = language_of(options["lang"] or lab.language)
        limits = Limits(largest=options["largest"] << 20, hourly=options["hourly"])
        desk = Desk(seen_by_students(lab), limits, workers=os.cpu_count() or 1)
        click.echo(f"The check of {lab.title}; Ctrl-C ends. Give students this address:")
        serve_check(desk, language, here, lambda line: click.echo(f"  {line}"))
        lab_option = f" --lab {quote_path(options['lab'])}" if options["lab"] else ""
        told_next(f"grade package students{lab_option}   (the same check, for students to install)")


FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("serve requests")
@click.argument("graded", metavar="GRADED", default="graded", type=click.Path(path_type=Path, file_okay=False))
@click.option("--import", "imported", type=FILE, help="CSV file of requests: student (or email), item, reason.")
@click.option("--answer", "answered", type=int, metavar="NUMBER", help="Answer this request; requires --text.")
@click.option("--text", metavar="TEXT", help="The answer, shown to the student in the new report.")
@click.option(
    "--verdict", metavar="VERDICT", help="With --answer: correct, partial, incorrect, missing, or a number of points."
)
@click.option("--export", "exported", type=FILE, help="Write all requests and answers as CSV.")
@click.option("--author", metavar="NAME", help="Who answers.  [default: the current user]")
@click.option("--lab", "lab_name", metavar="NAME|FOLDER", help="The lab.  [default: the lab that graded them]")
@GRADEBOOK_OF_RESULTS
@DEBUG
def requests_command(
    graded: Path, imported: Path | None, answered: int | None, lab_name: str | None, gradebook: str | None, **more: Any
) -> None:
    """List open regrade requests, import new ones, or answer one.

    `grade serve` shows the same requests with the student's page. `grade regrade finish` brings answers into the
    reports.
    """
    import getpass

    from grader.cli.options import explain_errors
    from grader.cli.review import open_results
    from grader.gradebook.requests import answers_csv, every_request, requests_of
    from grader.pipeline.outputs import write_atomically
    from grader.serve.standing import Standing

    author = more["author"] or getpass.getuser()
    with explain_errors(graded, debug=more["debug"]), open_results(graded, place(gradebook, graded), lab_name) as found:
        standing = Standing(graded, found.database, found.lab, overrides=found.overrides, gradebook=found.where)
        note(*found.notes)
        if imported:
            _take_in(standing, found.database, imported, author)
        if answered is not None:
            _answer(standing, found.database, answered, author, more["text"], more["verdict"])
        if more["exported"]:
            asked = every_request(found.database, found.lab.id)
            write_atomically(more["exported"], answers_csv(asked, standing.results).encode())
            click.echo(f"{len(asked)} requests are in {more['exported']}.")
        waiting = requests_of(found.database, found.lab.id)
        if answered is None and not more["exported"]:
            _list(waiting)
    if answered is not None:
        told_next(f"grade regrade finish {quote_path(graded)}   (bring the answer into the student's report)")
    elif waiting:
        told_next(
            f"grade serve requests {quote_path(graded)} --answer NUMBER --text TEXT "
            "[--verdict correct|partial|incorrect|POINTS]",
            f"grade serve {quote_path(graded)}   (the student's page shows the proof)",
        )
    else:
        told_next(f"grade serve requests {quote_path(graded)} --import FILE   (a CSV file: student, item, reason)")


def _list(waiting: "tuple[ReviewRequest, ...]") -> None:
    from grader.cli.history import local_time

    if not waiting:
        click.echo("No request waits for an answer.")
    for request in waiting:
        click.echo(
            f"{request.id:>4}  {request.student}  {request.item}  {local_time(request.entered)}\n      “{request.text}”"
        )


def _take_in(standing: "Standing", database: Any, path: Path, author: str) -> None:
    from grader.gradebook.requests import Wish, ask, every_request, read_requests

    lab = standing.lab.id
    known_wishes = {Wish(request.student, request.item, request.text) for request in every_request(database, lab)}
    found = read_requests(path, standing.results)
    new = [wish for wish in dict.fromkeys(found.wishes) if wish not in known_wishes]
    for wish in new:
        ask(database, lab, wish.student, wish.item, wish.text, author)
    note(*(f"left out: {problem}" for problem in found.problems))
    there = len(found.wishes) - len(new)
    click.echo(f"{len(new)} requests taken in from {path}" + (f"; {there} were there already." if there else "."))


def _answer(
    standing: "Standing", database: Any, number: int, author: str, text: str | None, verdict: str | None
) -> None:
    from grader.cli.review import LABELS, points_up_to
    from grader.gradebook.decisions import Verdict
    from grader.gradebook.requests import answer, every_request
    from grader.result import Status

    asked = next((entry for entry in every_request(database, standing.lab.id) if entry.id == number), None)
    if asked is None:
        raise click.UsageError(f"--answer {number}: there is no such request; `grade serve requests` lists them.")
    if not text or not text.strip():
        raise click.UsageError("--answer needs --text TEXT: the student reads it.")
    if asked.answer is not None:
        raise click.UsageError(f"--answer {number}: {asked.answered_by} answered it already: {asked.answer}")
    if verdict is not None:
        maximum = standing.items[asked.item].points
        worth = None if verdict in LABELS else points_up_to(verdict, maximum)
        if verdict not in LABELS and worth is None:
            raise click.UsageError(f"--verdict {verdict}: say {', '.join(LABELS)}, or points up to {maximum:f}.")
        decided = Verdict(Status(verdict) if worth is None else None, worth, text)
        outcome = standing.decide(author, {(asked.student, asked.item): decided}, seen=standing.seen)
        if outcome.conflicts:
            raise click.ClickException(f"{asked.item} of {asked.student} was decided meanwhile; look again.")
        for entry in outcome.saved:
            click.echo(f"{entry.student} {entry.item}: {entry.before} → {entry.after}")
    theirs = answer(database, standing.lab.id, number, text.strip(), author)
    if theirs:
        raise click.ClickException(f"{theirs.answered_by} answered meanwhile: {theirs.answer}")
    click.echo(f"Request {number} of {asked.student} is answered.")
