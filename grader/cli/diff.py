"""`grade diff`: who has another grade than before, by how much, and why."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.commands import quoted, told_next
from grader.cli.gradebook_options import asking_options

if TYPE_CHECKING:
    from grader.gradebook.asking import Compared
    from grader.gradebook.diff import GradeChange
    from grader.gradebook.kept import Run


@click.command("diff")
@click.argument("runs", metavar="[RUN RUN]", nargs=-1, type=click.IntRange(1))
@asking_options
def diff_command(runs: tuple[int, ...], out: Path, gradebook: str | None, as_json: bool) -> None:
    """Who has another grade in the second RUN than in the first, by how much and why: the lab, the truth, the grader,
    overrides, the submission or lateness.

    Without RUNs, the last run and the one before. `grade history` lists the runs.
    """
    from grader.cli.asking import opened
    from grader.gradebook.asking import compared

    if len(runs) not in (0, 2):
        raise click.UsageError("name two runs, or none for the last two; `grade history` lists them.")
    with opened(gradebook, out) as database:
        found = compared(database, *runs)
    import json

    click.echo(json.dumps(_data(found), indent=2, ensure_ascii=False) if as_json else "\n".join(_told(found)))
    if not as_json:
        told_next(
            f"grade history STUDENT --out {quoted(out)}   (every grade of one)",
            f"grade export FORMAT {quoted(out)} --into FILE",
        )


def _told(compared: "Compared") -> Iterator[str]:
    from grader.gradebook.told import grade_words, why

    found = compared.found
    shown = [change for change in found.changed if change.shows]
    quiet = [change for change in found.changed if not change.shows]
    yield f"{_run(compared.before)} → {_run(compared.after)}"
    yield f"{len(shown):,} of {len(found.changed) + found.same:,} students have another grade."
    for change in sorted(shown, key=lambda one: (-abs(one.points), one.student)):
        yield from _change(change)
    if quiet:
        reasons = dict.fromkeys(reason for change in quiet for reason in change.why)
        yield f"\n{len(quiet):,} graded anew with the same outcome ({why(reasons)})."
    if found.added:
        yield "\nnew: " + ", ".join(f"{kept.student} ({grade_words(kept)})" for kept in found.added)
    if found.gone:
        yield f"\nnot graded in run {compared.after.id}: {', '.join(found.gone)}"


def _change(change: "GradeChange") -> Iterator[str]:
    from grader.cli.asking import item_lines
    from grader.gradebook.told import grade_words, why

    points = f"{float(change.points):+g}".replace("-", "−")
    grades = f"{grade_words(change.before)} → {grade_words(change.after)}"
    yield f"\n{change.student}  {points}  {grades}  ({why(change.why)})"
    yield from item_lines(change)


def _run(run: "Run") -> str:
    from grader.cli.asking import when

    return f"run {run.id} ({when(run.started)})"


def _data(compared: "Compared") -> dict[str, Any]:
    from grader.cli.asking import change_data, grade_data

    found = compared.found
    return {
        "before": compared.before.model_dump(mode="json"),
        "after": compared.after.model_dump(mode="json"),
        "changed": [
            {
                "student": one.student,
                **change_data(one),
                "before": grade_data(one.before),
                "after": grade_data(one.after),
            }
            for one in found.changed
        ],
        "added": [{"student": kept.student, **grade_data(kept)} for kept in found.added],
        "gone": list(found.gone),
        "same": found.same,
    }
