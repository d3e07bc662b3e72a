"""`grade review`: like answers that await a person, and one decision for all of them, in a terminal."""

from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.commands import quoted, told_next
from grader.cli.gradebook_options import place

if TYPE_CHECKING:
    from grader.gradebook.decisions import Outcome, Verdict
    from grader.gradebook.review import AnswerGroup
    from grader.serve.standing import Standing

LABELS = ("correct", "partial", "incorrect", "missing")
FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("review")
@click.argument("graded", metavar="GRADED", type=click.Path(path_type=Path, file_okay=False))
@click.option("--set", "settings", metavar="GROUP=VERDICT", multiple=True, help="Decide a group: VERDICT is one of "
              f"{', '.join(LABELS)}, or points. GROUP may be cut short.")  # fmt: skip
@click.option("--why", metavar="TEXT", help="The reason, which students see.")
@click.option("--author", metavar="NAME", help="Who decides; by default the user of this machine.")
@click.option("--remember", is_flag=True, help="Decide like answers of classes to come too, in the lab's files.")
@click.option("--export", "exported", type=FILE, help="Write all decisions as TOML.")
@click.option("--import", "imported", type=FILE, help="Take in decisions from TOML, such as an overrides.toml.")
@click.option("--lab", "lab_name", metavar="NAME|FOLDER", help="[default: the one they were graded by]")
@click.option("--gradebook", metavar="URL", help="A file, or a database by its SQLAlchemy URL.  [default: in GRADED]")
@click.option("--debug", is_flag=True, help="Show where in the program an error happened.")
def review_command(
    graded: Path,
    settings: tuple[str, ...],
    author: str | None,
    lab_name: str | None,
    gradebook: str | None,
    **more: Any,
) -> None:
    """List what awaits a person in GRADED, a folder of graded submissions, by groups of like answers.

    The groups are those of `grade serve`. A decision is kept in the gradebook with its history; `grade finish` brings
    it into the reports, and so does grading again. Items that are decided otherwise for the same words are told.
    """
    from grader.cli.deciding import opened
    from grader.cli.preparation import explained
    from grader.serve.standing import Standing

    with explained(graded, debug=more["debug"]), opened(graded, place(gradebook, graded), lab_name) as found:
        standing = Standing(graded, found.database, found.lab, overrides=found.overrides)
        for note in found.notes:
            click.echo(note, err=True)
        if more["imported"]:
            _import(standing, more["imported"])
        chosen = [_chosen(setting, standing) for setting in settings]
        if chosen and not more["why"]:
            raise click.UsageError("--set needs a reason: add --why TEXT. Students see it.")
        import getpass

        name = author or getpass.getuser()
        for group, verdict in chosen:
            _told(standing.decide(name, [one.key for one in group.answers], verdict(more["why"]), seen=standing.seen))
        if more["remember"]:
            _remember(chosen, more["why"], name, found.folder)
        if more["exported"]:
            _export(standing, more["exported"])
        elif not (chosen or more["imported"]):
            _list(standing.queue())
        for line in _contradictions(standing):
            click.echo(line, err=True)
        _next(quoted(graded), decided=bool(chosen or more["imported"]), waiting=bool(standing.queue()))


def _next(graded: str, *, decided: bool, waiting: bool) -> None:
    finish = f"grade finish {graded}   (bring the decisions into the reports)"
    decide = f"grade review {graded} --set GROUP=correct|partial|incorrect|POINTS --why TEXT"
    browser = f"grade serve {graded}   (decide in the browser)"
    if not waiting:
        told_next(finish, f"grade export FORMAT {graded} --into FILE")
    elif decided:
        told_next(decide, finish)
    else:
        told_next(decide, browser)


def _list(queue: "Sequence[AnswerGroup]") -> None:
    if not queue:
        click.echo("Nothing awaits a person.")
        return
    for group in queue:
        answers = "1 answer" if len(group.answers) == 1 else f"{len(group.answers)} answers"
        suggested = f", suggested: {group.suggestion.value}" if group.suggestion else ""
        click.echo(f"\n{group.id}  {group.item}  {answers}, {group.points:f} points{suggested}")
        click.echo(f"    {group.reason}")
        for words in dict.fromkeys(_quoted(one.result_item) for one in group.answers[:5]):
            click.echo(f"    “{words}”")
        click.echo(f"    {', '.join(one.student for one in group.answers[:8])}{' …' if len(group.answers) > 8 else ''}")
    click.echo("")


def _quoted(item: Any) -> str:
    text = item.found or (item.evidence[0].quote if item.evidence else "")
    return " ".join(text.split())[:200] or "nothing was found"


def _chosen(setting: str, standing: "Standing") -> "tuple[AnswerGroup, Any]":
    """The group that is meant, and what makes a verdict of a reason."""
    from grader.gradebook.decisions import Verdict
    from grader.result import Status

    key, _, label = setting.partition("=")
    queue = standing.queue()
    found = [group for group in queue if group.id.startswith(key.strip())] if key.strip() else []
    if len(found) != 1:
        problem = "no group of answers that awaits a person" if not found else f"{len(found)} groups"
        raise click.UsageError(f"--set {setting}: {key!r} names {problem}. `grade review GRADED` lists them.")
    if label in LABELS:
        return found[0], lambda why: Verdict(Status(label), None, why)
    worth, maximum = _points(label), standing.items[found[0].item].points
    if worth is None or not 0 <= worth <= maximum:
        raise click.UsageError(
            f"--set {setting}: after the equals sign stands one of {', '.join(LABELS)}, or points up to {maximum:f}."
        )
    return found[0], lambda why: Verdict(None, worth, why)


def _points(text: str) -> Decimal | None:
    try:
        worth = Decimal(text)
    except InvalidOperation:
        return None
    return worth if worth.is_finite() and worth == round(worth, 2) else None


def _told(outcome: "Outcome") -> None:
    for one in outcome.saved[:1]:
        click.echo(f"{one.item}: {one.after}, for {len(outcome.saved)} of the answers here.")
    for conflict in outcome.conflicts:
        theirs = conflict.theirs
        click.echo(
            f"{theirs.student} {theirs.item}: not changed, since {theirs.author} decided otherwise: {theirs.after} "
            f"(not {conflict.target.after}).",
            err=True,
        )


def _remember(chosen: "Sequence[tuple[AnswerGroup, Any]]", why: str, author: str, folder: Path) -> None:
    """In the lab's decisions.toml, for answers that have a hash of their own."""
    from datetime import UTC, datetime

    from grader.lab.decisions import Decision, append

    today = datetime.now(UTC).date()
    decisions: dict[str, Decision] = {}
    for group, verdict in chosen:
        made: Verdict = verdict(why)
        for one in group.answers:
            key = one.result_item.group
            if key and made.status and made.status.value in LABELS[:3]:
                values = {"group": key, "label": made.status.value, "text": one.result_item.found or "", "why": why}
                decisions[key] = Decision.model_validate({**values, "author": author, "date": today})
    if not decisions:
        raise click.UsageError("--remember: the lab cannot remember decisions about these answers, only about words.")
    path = append(folder, decisions.values())
    click.echo(f"Remembered in {path}: from now on every answer with the same words is decided so.")


def _export(standing: "Standing", path: Path) -> None:
    from grader.gradebook.persons import as_toml
    from grader.pipeline.outputs import write_atomically

    decided = standing.all_decided()
    write_atomically(path, as_toml(decided).encode())
    click.echo(f"{len(decided)} decisions are in {path}.")


def _import(standing: "Standing", path: Path) -> None:
    from grader.gradebook.overrides import read_overrides

    entries = read_overrides(path, {id_: item.points for id_, item in standing.items.items()})
    strangers = [entry for entry in entries if entry.student not in standing.results]
    for entry in strangers:
        click.echo(f"{entry.place}: no hand-in of {entry.student!r} is graded here; left out.", err=True)
    outcome = standing.take_in([entry for entry in entries if entry not in strangers])
    click.echo(f"{len(outcome.saved)} decisions taken in from {path}.")
    _told(outcome._replace(saved=()))


def _contradictions(standing: "Standing") -> Iterator[str]:
    """What contradicts itself: the file and the gradebook, or decisions about the same words."""
    from grader.gradebook.review import contradictions
    from grader.pipeline.course.prepare import told_of

    yield from told_of(standing.contradictions())
    for item, words, by_status in contradictions(standing.persons_verdicts()):
        told = "; ".join(f"{status.value} for {', '.join(students[:5])}" for status, students in by_status.items())
        yield f"{item}: the same words were decided otherwise: {told}: “{words[:120]}”"
