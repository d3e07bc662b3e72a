"""Reports for students: release them, and issue the links by which students read them in the browser."""

from datetime import datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.options import (
    DEBUG,
    GRADEBOOK_OF_RESULTS,
    LAB_OF_RESULTS,
    UnusableInputError,
    note,
    place,
    quote_path,
    told_next,
)

if TYPE_CHECKING:
    from grader.cli.review import OpenResults
    from grader.gradebook.releases import NewLink
    from grader.lab.definition import Lab
    from grader.serve.standing import Standing

GRADED = click.argument("graded", default="graded", type=click.Path(path_type=Path, file_okay=False))
FILE = click.Path(path_type=Path, dir_okay=False)
AUTHOR = click.option("--author", metavar="NAME", help="Who does this.  [default: the current user]")


@click.command("serve release")
@GRADED
@click.option("--until", metavar="TIME", help="End of the time for requests, for example 2026-12-12T18:00.  "
              "[default: after the number of days that the lab sets]")  # fmt: skip
@click.option("--only", "only", metavar="STUDENT", multiple=True, help="Only this student; can be repeated.")
@click.option("--withdraw", is_flag=True, help="Take reports back, so that decisions can be changed.")
@AUTHOR
@LAB_OF_RESULTS
@GRADEBOOK_OF_RESULTS
@DEBUG
def release_command(
    graded: Path, lab: str | None, gradebook: str | None, only: tuple[str, ...], *, withdraw: bool, **more: Any
) -> None:
    """Release the reports in GRADED to students and lock the decisions about them.

    Students with items pending review are left out and listed. Students see the released files until you release
    again (`grade serve --students`). A decision about a released report is possible only while the student's request
    about the item is open, or after --withdraw.
    """
    import getpass

    from grader.cli.options import explain_errors
    from grader.cli.review import open_results
    from grader.pipeline import releasing
    from grader.serve.standing import Standing

    author = more["author"] or getpass.getuser()
    with explain_errors(graded, debug=more["debug"]), open_results(graded, place(gradebook, graded), lab) as found:
        standing = Standing(graded, found.database, found.lab, overrides=found.overrides, gradebook=found.where)
        note(*found.notes)
        _known(only, standing.results, graded, "--only")
        lines = [line for line in standing.lines() if not only or line.student in only]
        if withdraw:
            gone = releasing.withdraw(graded, found.database, found.lab.id, (line.student for line in lines), author)
            click.echo(f"{_reports(len(gone))} withdrawn.")
            told_next(
                f"grade serve {quote_path(graded)}   (decide)", f"grade serve release {quote_path(graded)}   (again)"
            )
            return
        until = _end(more["until"]) if more["until"] else None
        usual = _end_of_day(datetime.now().astimezone() + timedelta(days=found.lab.requests.days))
        outlines = [line.outline for line in lines]
        done = releasing.release_reports(graded, found.database, found.lab.id, outlines, author, until, usual)
        _tell(done, graded, standing)
    if done.students:
        click.echo(_window(found.lab, until or usual))
    told_next(
        f"grade serve links {quote_path(graded)} --at URL --export links.csv   (a link for each student)",
        f"grade serve --students {quote_path(graded)}   (let them read and ask)",
    )


def _known(named: tuple[str, ...], students: Any, graded: Path, option: str) -> None:
    for student in named:
        if student not in students:
            raise UnusableInputError(f"{option} {student}: nobody in {graded} is called so.")


def _tell(done: Any, graded: Path, standing: "Standing") -> None:
    from grader.pipeline.course import abridged_names

    click.echo(f"{_reports(len(done.students))} released, {done.new} of them new or changed.")
    if done.pending:
        note(f"Left out, since an item is pending review: {abridged_names(done.pending)}")
    if done.unfinished:
        note(
            f"Left out, since decisions are not in the report yet (grade regrade finish): "
            f"{abridged_names(done.unfinished)}"
        )
    if done.changed:
        note(f"Left out, since files in {graded} are not those of the last run: {abridged_names(done.changed)}")
    waiting = sum(answer.student in done.students for group in standing.queue() for answer in group.answers)
    if waiting:
        note(
            f"{waiting} verdicts of released reports are still in the queue, where they were only to be checked; they "
            "are released as they are."
        )


def _window(lab: "Lab", until: datetime) -> str:
    if not lab.requests.most:
        return "The lab takes no requests there."
    return f"Students may ask until {until.astimezone():%Y-%m-%d %H:%M %Z}; an earlier release keeps its own time."


def _reports(count: int) -> str:
    return "1 report" if count == 1 else f"{count:,} reports"


def _end(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise click.UsageError(f"--until {text}: write a time as 2026-12-12 or 2026-12-12T18:00.") from error
    return _end_of_day(found.astimezone()) if len(text.strip()) == len("2026-12-12") else found.astimezone()


def _end_of_day(moment: datetime) -> datetime:
    return datetime.combine(moment.date(), time(23, 59, 59)).astimezone()


@click.command("serve links")
@GRADED
@click.option(
    "--export", "exported", type=FILE, help="Issue a link to everybody who has none, and write the links as CSV."
)
@click.option("--at", metavar="URL", help="With --export: URL of the pages, for example https://grades.example.org.")
@click.option("--key", type=FILE, help="With --export: key of blind grading, to write names.")
@click.option("--renew", metavar="STUDENT", multiple=True, help="With --export: replace the link of this student.")
@click.option("--revoke", metavar="WHO", multiple=True, help="Revoke the links of a student or of an e-mail address.")
@AUTHOR
@LAB_OF_RESULTS
@GRADEBOOK_OF_RESULTS
@DEBUG
def links_command(
    graded: Path, lab: str | None, gradebook: str | None, exported: Path | None, at: str | None, **more: Any
) -> None:
    """List, issue or revoke the personal links to released reports.

    Each member of a group has a link of their own. Links are only in the CSV file, since the gradebook stores hashes;
    --renew replaces a lost link.
    """
    import getpass

    from grader.cli.options import explain_errors
    from grader.cli.review import open_results
    from grader.gradebook.releases import links_of, revoke

    author = more["author"] or getpass.getuser()
    if exported and not at:
        raise click.UsageError("--export needs --at URL: the links begin with it, such as https://grades.example.org.")
    with explain_errors(graded, debug=more["debug"]), open_results(graded, place(gradebook, graded), lab) as found:
        if more["revoke"]:
            ended = revoke(found.database, found.lab.id, more["revoke"], author)
            click.echo(f"{_links(len(ended))} revoked.")
            if not ended:
                raise UnusableInputError(f"--revoke {more['revoke'][0]}: nobody called so has a link.")
        if exported:
            people = _people(graded, more["key"])
            _export(found, people, exported, at or "", graded, more["renew"], author, is_blind=bool(more["key"]))
        elif not more["revoke"]:
            _list_links(links_of(found.database, found.lab.id))
    told_next(
        f"grade serve release {quote_path(graded)}", f"grade serve --students {quote_path(graded)}", others="then"
    )


def _export(
    found: "OpenResults",
    results: Any,
    exported: Path,
    at: str,
    graded: Path,
    renewed: tuple[str, ...],
    author: str,
    *,
    is_blind: bool,
) -> None:
    """Issue links and write them. The file is made first, so that no link is issued that cannot be written."""
    from grader.gradebook.releases import issue
    from grader.pipeline.outputs import write_atomically
    from grader.serve.serving import origin_of

    _known(renewed, {entry.student.id for entry in results}, graded, "--renew")
    base = origin_of(at)
    if exported.exists():
        raise UnusableInputError(f"{exported} is there already, and its links are shown nowhere else: name another.")
    write_atomically(exported, _csv((), base).encode(), mode=0o600)
    made, gone = issue(found.database, found.lab.id, results, author, renewed=renewed, is_blind=is_blind)
    note(*(f"{entry.name} is no longer a member of {entry.student}: the link is revoked." for entry in gone))
    if made:
        write_atomically(exported, _csv(made, base).encode(), mode=0o600)
        click.echo(f"{_links(len(made))} issued, in {exported}. Keep that file as you would keep passwords.")
    else:
        exported.unlink()
        click.echo("Everybody has a link already; --renew STUDENT issues another one.")


def _people(graded: Path, key: Path | None) -> Any:
    from grader.gradebook.outline import stored_results
    from grader.pipeline.blind import existing_key, with_names

    results = stored_results(graded)
    return with_names(results, existing_key(key)) if key else results


def _csv(made: "tuple[NewLink, ...]", base: str) -> str:
    from grader.gradebook.csv_table import csv_text
    from grader.gradebook.exports.outcome import cell

    rows = [[cell(link.student), cell(link.name), cell(link.email), f"{base}/#{link.token}"] for link in made]
    return csv_text([["student", "name", "email", "link"], *rows])


def _links(count: int) -> str:
    return "1 link" if count == 1 else f"{count:,} links"


def _list_links(links: Any) -> None:
    from grader.cli.history import local_time

    if not links:
        click.echo("Nobody has a link yet.")
    for link in links:
        state = (
            f"revoked {local_time(link.revoked)}"
            if link.revoked
            else f"issued {local_time(link.issued)} by {link.issued_by}"
        )
        click.echo(f"{link.student}  {link.name}{f' <{link.email}>' if link.email else ''}  {state}")
