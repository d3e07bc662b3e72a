"""Several markers in a terminal: share out what is left to decide, and see how each marks."""

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
    from grader.message import Language
    from grader.serve.standing import Standing


@click.command("serve markers")
@click.argument("graded", default="graded", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--share",
    "markers",
    metavar="NAMES",
    help="Distribute the pending groups among these markers, for example ana,ben.",
)
@click.option("--by", "kind", default="item", show_default=True, type=click.Choice(["item", "student"]),
              help="With --share: distribute by item or by student.")  # fmt: skip
@click.option("--give", "given", metavar="SUBJECT=NAME", multiple=True, help="Assign an item or a student to a "
              "marker; without a name, to nobody.")  # fmt: skip
@LAB_OF_RESULTS
@GRADEBOOK_OF_RESULTS
@DEBUG
def markers_command(
    graded: Path, lab: str | None, gradebook: str | None, given: tuple[str, ...], **options: Any
) -> None:
    """Distribute pending groups of GRADED among markers, and show who has what and how each marks.

    `grade serve --graders ana,ben` shows each marker their own groups first. On its page *Markers*, another marker
    looks again at a sample of each marker's decisions. This command lists the differences, too.
    """
    from grader.cli.options import explain_errors
    from grader.cli.review import open_results
    from grader.gradebook.marking import ITEM, STUDENT, dealt, give
    from grader.message import ENGLISH
    from grader.serve.standing import Standing

    with explain_errors(graded, debug=options["debug"]), open_results(graded, place(gradebook, graded), lab) as found:
        standing = Standing(graded, found.database, found.lab, overrides=found.overrides, gradebook=found.where)
        note(*found.notes)
        names = list(dict.fromkeys(name.strip() for name in (options["markers"] or "").split(",") if name.strip()))
        if names:
            give(
                found.database,
                found.lab.id,
                options["kind"],
                dealt(standing.queue(), names, options["kind"]),
                anew=True,
            )
        for setting in given:
            subject, _, name = (part.strip() for part in setting.partition("="))
            kind = ITEM if subject in standing.items else STUDENT
            if kind == STUDENT and subject not in standing.results:
                raise UnusableInputError(f"--give {setting}: {subject!r} is no item and no student here.")
            give(found.database, found.lab.id, kind, {subject: name})
        standing.refresh()
        _tell(standing, found.database, ENGLISH)
    everybody = ",".join(sorted({*standing.shares.items.values(), *standing.shares.students.values()}))
    told_next(
        f"grade serve {quote_path(graded)} --graders {quote_path(everybody)}" if everybody else
        f"grade serve markers {quote_path(graded)} --share ana,ben   (share out what is left)"
    )  # fmt: skip


def _tell(standing: "Standing", database: Any, language: "Language") -> None:
    from grader.serve.marking import marks, moderation, moderation_warnings, pairs, portions

    for entry in portions(standing, language):
        counted = ((entry.groups, "group"), (entry.answers, "answer"), (entry.points, "point"))
        left = ", ".join(f"{number} {what}{'s' * (str(number) != '1')}" for number, what in counted) + " left"
        click.echo(
            f"{entry.marker or '(nobody)'}: {left}; "
            f"{entry.decided} decided{f'; {entry.subjects}' * bool(entry.subjects)}"
        )
    found = moderation(standing, database)
    for each in marks(found, language):
        click.echo(
            f"{each.marker}: {each.judgments} decisions, mean {each.mean}, spread {each.spread}, beside others "
            f"{each.beside}; {each.looked_at} second looks, agreement {each.agreement}"
        )
    for pair in pairs(standing, found, language):
        click.echo(f"  {pair.student} {pair.item}: {pair.first}; {pair.second}")
    note(*(language.say(entry) for entry in moderation_warnings(found)))
