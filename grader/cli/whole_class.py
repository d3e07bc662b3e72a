"""Decisions for the whole class in a terminal: everybody gets the points, an item does not count or is worth something
else, another answer counts too, a slip costs less."""

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.options import DEBUG, GRADEBOOK_OF_RESULTS, note, place, quote_path, told_next
from grader.cli.review import LABELS, open_results, points_up_to

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.gradebook.decisions import Verdict
    from grader.gradebook.releases import Release
    from grader.result import ItemResult, Scope
    from grader.serve.standing import AffectedStudent, Standing

_MOST_POINTS = Decimal(10_000)


@click.command("serve class")
@click.argument("graded", metavar="GRADED", type=click.Path(path_type=Path, file_okay=False))
@click.argument("item", required=False)
@click.option("--give", metavar="VERDICT", help=f"The verdict: {', '.join(LABELS)}, or a number of points.")
@click.option("--answer", metavar="TEXT", help="Only for students with this answer.  [default: everyone]")
@click.option("--slip", metavar="ID", help="Only for students who made this slip; ITEM alone lists the slips.")
@click.option("--worth", metavar="POINTS", help="Change what the item is worth; answers keep their share.")
@click.option("--drop", is_flag=True, help="Remove the item from the total; same as --worth 0.")
@click.option("--back", is_flag=True, help="Take the decision back.")
@click.option("--why", metavar="TEXT", help="The reason, shown to students.")
@click.option("--apply", "applied", is_flag=True, help="Store the decision; without it, only list who would change.")
@click.option("--author", metavar="NAME", help="Who decides.  [default: the current user]")
@click.option("--lab", "lab_name", metavar="NAME|FOLDER", help="The lab.  [default: the lab that graded them]")
@GRADEBOOK_OF_RESULTS
@DEBUG
def class_command(
    graded: Path, item: str | None, gradebook: str | None, lab_name: str | None, applied: bool, **options: Any
) -> None:
    """Decide about ITEM for the whole class of GRADED, a folder of graded submissions. Without ITEM, list these
    decisions.

    The command lists whose points would change; --apply makes the decision. The decision also covers students graded
    later, and can be taken back. Earlier decisions that give single students less are withdrawn; later decisions about
    single students take precedence.
    """
    import getpass

    from grader.cli.options import explain_errors
    from grader.gradebook.releases import releases
    from grader.serve.standing import Standing

    with (
        explain_errors(graded, debug=options["debug"]),
        open_results(graded, place(gradebook, graded), lab_name) as found,
    ):
        standing = Standing(graded, found.database, found.lab, overrides=found.overrides, gradebook=found.where)
        note(*found.notes)
        if item is None:
            _list(standing)
            told_next(f"grade serve class {quote_path(graded)} ITEM --give correct --why TEXT")
            return
        if item not in standing.items:
            raise click.UsageError(f"the lab has no item {item!r}; it has {', '.join(standing.items)}.")
        if not any(options[name] for name in ("give", "worth", "drop", "back")):
            _list_slips(standing, item)
            return
        scope = _scope(options)
        _require_made(scope, standing, item)
        verdict = _verdict(standing, item, scope, options)
        concerned = list(standing.affected_students(item, scope, verdict))
        click.echo("\n".join(_lines(concerned, releases(found.database, found.lab.id))))
        if not applied:
            click.echo("Nothing is decided yet.")
            told_next("the same command with --apply   (to decide it)")
            return
        if not options["back"] and not options["why"]:
            raise click.UsageError("a decision needs a reason: add --why TEXT. Students see it.")
        author = options["author"] or getpass.getuser()
        outcome = standing.decide_for_class(author, item, scope, verdict, seen=standing.seen)
        if outcome.conflicts:
            raise click.ClickException(f"{item} was decided meanwhile; look again.")
        click.echo(f"{item}: {'taken back' if options['back'] else 'decided'} for the whole class.")
    told_next(f"grade regrade finish {quote_path(graded)}   (bring it into the reports)")


def _require_made(scope: "Scope", standing: "Standing", item: str) -> None:
    """Raise UsageError if the scope is a slip that nobody made."""
    if scope.slip and scope.slip not in standing.slips_of(item):
        raise click.UsageError(f"nobody made the slip {scope.slip!r}; `grade serve class` with {item} lists them.")


def _scope(options: dict[str, Any]) -> "Scope":
    from grader.result import Scope

    has_worth = options["drop"] or options["worth"] is not None
    if sum(map(bool, (options["answer"], options["slip"], has_worth))) > 1 or (has_worth and options["give"]):
        raise click.UsageError("decide one thing: --give (with --answer or --slip), or --worth, or --drop.")
    return Scope(options["answer"] or "", options["slip"] or "", has_worth)


def _verdict(standing: "Standing", item: str, scope: "Scope", options: dict[str, Any]) -> "Verdict":
    from grader.gradebook.decisions import TAKEN_BACK, Verdict
    from grader.result import Status

    why, given = options["why"] or "", options["give"] or ""
    if options["back"]:
        return TAKEN_BACK
    if given in LABELS:
        return Verdict(Status(given), None, why)
    maximum, option_text = standing.items[item].points, f"--give what it is worth: {', '.join(LABELS)}, or points"
    if scope.is_maximum:
        given, maximum, option_text = "0" if options["drop"] else options["worth"], _MOST_POINTS, "--worth points"
    points = points_up_to(given, maximum)
    if points is None:
        raise click.UsageError(f"say by {option_text} up to {maximum:f}.")
    return Verdict(None, points, why)


def _lines(concerned: "list[AffectedStudent]", released: "Mapping[str, Release]") -> list[str]:
    if not concerned:
        return ["Nobody's points change."]
    rows = []
    for student in concerned:
        line = f"{student.student:<16} {_worth(student.before)} → {_worth(student.after)}"
        line += f"   in all {student.totals(_plain)}"
        line += "   (a decision about this student is taken back)" if student.is_lifted else ""
        rows.append(f"{line}   (an entry of overrides.toml counts before it)" if student.stays else line)
    changed = sum(not student.stays for student in concerned)
    changing = released.keys() & {student.student for student in concerned}
    seen = [f"Reports released among these: {len(changing)}. They change when you release again."] if changing else []
    return [*rows, f"{changed} student{'s change' if changed != 1 else ' changes'}.", *seen]


def _worth(item: "ItemResult") -> str:
    if not item.max_score:
        return "does not count"
    return f"{item.status.value} {_plain(item.score)}/{_plain(item.max_score)}"


def _plain(points: Decimal) -> str:
    return f"{points.normalize():f}" if points else "0"


def _list(standing: "Standing") -> None:
    from grader.result import Scope

    if not standing.for_class:
        click.echo("Nothing was decided for the whole class.")
    for key, put in standing.for_class.items():
        scope = Scope.from_text(put.scope) or Scope()
        whom = f"answer “{scope.answer}”" if scope.answer else f"slip {scope.slip}" if scope.slip else "everyone"
        given = put.status.value if put.status else f"{put.points:f} points"
        description = f"worth {put.points:f} points" if scope.is_maximum else f"{whom}: {given}"
        click.echo(f"{key.partition(' ')[0]}  {description}  {put.author}, {put.date}: {put.reason}")


def _list_slips(standing: "Standing", item: str) -> None:
    found = standing.slips_of(item)
    if not found:
        click.echo(f"No slip was recognised in {item}.")
    for id_, (number, text) in found.items():
        click.echo(f"{id_}  {number} student{'s' if number != 1 else ''}  {text}")
