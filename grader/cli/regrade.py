"""`grade regrade`: grade once more what was graded, without opening the hand-ins."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.commands import quoted, told_next
from grader.cli.gradebook_options import place
from grader.cli.replay_options import replay_options

if TYPE_CHECKING:
    from grader.pipeline.regrading.run import Told

_Row = tuple[str, ...]


@click.command("regrade")
@replay_options
@click.option("--only", multiple=True, metavar="ITEM", help="Change these items only; `*` stands for anything.")
@click.option("--no-reports", is_flag=True, help="Write results only, no PDFs.")
@click.option("--all-reports", is_flag=True, help="Render reports too where nothing but versions changed.")
@click.pass_context
def regrade_command(
    context: click.Context,
    /,
    graded: Path,
    only: tuple[str, ...],
    jobs: int | None,
    gradebook: str | None,
    all_reports: bool,
    **options: Any,
) -> None:
    """Grade once more what was graded into GRADED, after a change of the lab, its decisions or its truth.

    It starts from what was read when the submissions were graded. The submissions are opened only for pictures, and
    where their reading is missing, damaged, or by another version of the grader. Overrides and lateness are applied
    anew. With --only, all other items stay as they were, and it is told which would have changed.
    """
    from grader.cli.preparation import explained, remembered
    from grader.cli.progress import steps
    from grader.cli.replay_options import before, last_run, recalled
    from grader.gradebook.keeper import Keeper
    from grader.pipeline.regrading.run import Wanted, regrade_class

    with explained(graded, debug=options["debug"]), Keeper(place(gradebook, graded)) as keeper:
        run = last_run(keeper, graded)
        given = bool(options["submissions"])
        options = recalled(context, options, run)
        found = before(graded, options, keeper, given=given, run=run)
        order = _with_libraries(found.order)
        _check_items(only, order)
        _say(found.notes)
        kept = {name: value for name, value in options.items() if name != "submissions"}
        wanted = Wanted(only, all_reports, jobs or os.cpu_count() or 1, remembered(options["submissions"], kept))
        with steps() as done:
            told = regrade_class(order, graded, found.graded, found.opened, keeper, wanted, done)
    for line in (*_changes(told), *_kept(told, only), *_problems(told), *_summary(told, graded)):
        click.echo(line)
    told_next(
        f"grade diff --out {quoted(graded)}   (what changed and why)",
        f"grade export FORMAT {quoted(graded)} --into FILE",
    )
    if keeper.problem:
        _say([keeper.problem])
    sys.exit(1 if keeper.problem or any(one.regraded.problem or one.report_problem for one in told) else 0)


def _with_libraries(order: Any) -> Any:
    """The lab made sure of, and no reports where they cannot be made."""
    from dataclasses import replace

    from grader.pipeline.session import missing_for_reports, verify

    verify(order)
    problem = missing_for_reports(order)
    _say([problem] if problem else [])
    return replace(order, with_reports=False) if problem else order


def _check_items(only: tuple[str, ...], order: Any) -> None:
    from grader.pipeline.regrading.merging import named

    items = [item.id for item in order.lab.items]
    for name in only:
        if not any(named(item, (name,)) for item in items):
            raise click.UsageError(f"--only {name}: the lab has no such item; it has {', '.join(items)}.")


def _say(notes: Sequence[str]) -> None:
    for note in notes:
        click.echo(note, err=True)


def _changes(told: "Sequence[Told]") -> Iterator[str]:
    """A line for each item that is otherwise, and one for a total."""
    from grader.gradebook.told import grade_words, item_why, item_words, why

    rows: list[_Row] = [("student", "item", "before", "", "after", "why")]
    for one in told:
        change = one.change
        if change is None or not change.shows:
            continue
        for item in change.items:
            rows.append(
                (change.student, item.item, item_words(item.before), "→", item_words(item.after), item_why(item))
            )
        total = (change.student, "total", grade_words(change.before), "→", grade_words(change.after), why(change.why))
        rows.append(total)
    yield from _table(rows) if len(rows) > 1 else ("Nobody's grade changes.",)


def _kept(told: "Sequence[Told]", only: tuple[str, ...]) -> Iterator[str]:
    """The items that --only kept as they were."""
    rows: list[_Row] = [("student", "item", "kept", "", "would be")]
    rows += [
        (one.regraded.source.student_id, kept.before.id, _outcome(kept.before), "→", _outcome(kept.now))
        for one in told
        for kept in one.regraded.kept
    ]
    if len(rows) > 1:
        yield f"\nKept as they were, though they would be otherwise now (--only {' --only '.join(only)}):"
        yield from _table(rows)


def _outcome(item: Any) -> str:
    from grader.gradebook.outline import ItemOutline
    from grader.gradebook.told import item_words

    return item_words(ItemOutline(item.status.value, item.score, item.pending, item.max_score))


def _problems(told: "Sequence[Told]") -> Iterator[str]:
    for one in told:
        if one.regraded.problem:
            yield (
                f"{one.regraded.source.student_id}: not graded again: {one.regraded.problem}. "
                "Its grade stays as it was; name its hand-in by --submissions."
            )
        if one.report_problem:
            yield f"{one.regraded.source.student_id}: no report: {one.report_problem}"


def _summary(told: "Sequence[Told]", graded: Path) -> Iterator[str]:
    from grader.pipeline.regrading.regrade import Way

    ways = [one.regraded.way for one in told]
    changed = sum(bool(one.change and one.change.shows) for one in told)
    yield f"\n{changed:,} of {len(told):,} students have another grade. Results are in {graded}."
    anew, old = ways.count(Way.SUBMISSION), ways.count(Way.OLD_READING)
    if anew:
        yield (
            "Read anew from the hand-ins, since their stored reading is missing, damaged, or by another version of the "
            f"grader: {anew:,}."
        )
    if old:
        yield f"Graded from what an older version of the grader read: {old:,}; grade the submissions to read them anew."
    quiet = sum(one.regraded.changed and not one.regraded.shows for one in told)
    if quiet:
        yield f"Of {quiet:,} only the versions of lab, truth or grader changed; their reports stay (--all-reports)."


def _table(rows: Sequence[_Row]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
