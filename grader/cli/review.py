"""`grade review`: like answers that await a person, and one decision for all of them."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from grader.gradebook.review import AnswerGroup

LABELS = ("correct", "partial", "incorrect")


@click.command("review")
@click.argument("results", metavar="RESULTS", type=click.Path(path_type=Path, file_okay=False))
@click.option("--set", "settings", metavar="GROUP=LABEL", multiple=True, help="Decide a group; LABEL is one of "
              f"{', '.join(LABELS)}. GROUP may be cut short.")  # fmt: skip
@click.option("--why", metavar="TEXT", help="The reason, which students see.")
@click.option("--author", metavar="NAME", help="Who decides; by default the user of this machine.")
@click.option("--lab", "lab_name", default="nlp-frameworks", show_default=True, metavar="NAME|FOLDER")
def review_command(
    results: Path, settings: tuple[str, ...], why: str | None, author: str | None, lab_name: str
) -> None:
    """List like answers in RESULTS, a folder of graded submissions, that await a person.

    With --set, a decision is stored in the lab's decisions.toml. Grade again, and every answer with the same words gets
    it, now and from then on.
    """
    from grader.gradebook.review import answer_groups
    from grader.gradebook.stored import stored_results

    groups = answer_groups(stored_results(results))
    if not settings:
        _listed(groups)
        return
    if not why:
        raise click.UsageError("--set needs a reason: add --why TEXT. Students see it.")
    chosen = [_chosen(setting, groups) for setting in settings]
    import getpass

    _store(chosen, why, author or getpass.getuser(), lab_name)


def _listed(groups: "tuple[AnswerGroup, ...]") -> None:
    if not groups:
        click.echo("No like answers await a person.")
        return
    item: str = ""
    tags: tuple[str, ...] = ()
    for group in groups:
        if group.item != item:
            click.echo(f"\n{group.item}")
        if (group.item, group.tags) != (item, tags) and group.tags:
            click.echo(f"  recognised: {', '.join(group.tags)}")
        item, tags = group.item, group.tags
        answers = "1 answer" if len(group.students) == 1 else f"{len(group.students)} answers"
        suggested = f", suggested: {group.suggestion.value}" if group.suggestion else ""
        click.echo(f"  {group.group}  {answers}, {group.points} points{suggested}")
        click.echo(f"      “{' '.join((group.quote or group.text).split())[:300]}”")
        click.echo(f"      {group.reason}")
    click.echo("\nDecide with: grade review RESULTS --set GROUP=correct|partial|incorrect --why TEXT")


def _chosen(setting: str, groups: "tuple[AnswerGroup, ...]") -> "tuple[AnswerGroup, str]":
    key, _, label = setting.partition("=")
    if label not in LABELS:
        raise click.UsageError(f"--set {setting}: after the equals sign stands one of {', '.join(LABELS)}.")
    found = [group for group in groups if group.group.startswith(key.strip())] if key.strip() else []
    if len(found) != 1:
        problem = "no group of answers that awaits a person" if not found else f"{len(found)} groups"
        raise click.UsageError(f"--set {setting}: {key!r} names {problem}. `grade review RESULTS` lists them.")
    return found[0], label


def _store(chosen: "list[tuple[AnswerGroup, str]]", why: str, author: str, lab_name: str) -> None:
    from datetime import UTC, datetime

    from grader.lab.decisions import Decision, append
    from grader.lab.files import LabError, lab_folder

    today = datetime.now(UTC).date()
    decisions = [
        Decision.model_validate(
            {"group": group.group, "label": label, "text": group.text, "why": why, "author": author, "date": today}
        )
        for group, label in chosen
    ]
    try:
        path = append(lab_folder(lab_name), decisions)
    except LabError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"the decision cannot be stored: {error.strerror}") from error
    for group, label in chosen:
        click.echo(f"{group.group}: {label}, for {len(group.students)} of the answers here.")
    click.echo(f"Stored in {path}. Grade again to apply it.")
