"""Grade again without opening the hand-ins, or confirm that results can be reproduced."""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from grader.cli.options import (
    DEBUG,
    FILE,
    JSON,
    SectionedCommand,
    UnusableInputError,
    combine_options,
    course_options,
    earlier_notes,
    note,
    place,
    presentation_options,
    quote_path,
    told_next,
)
from grader.cli.options import as_json as json_of

if TYPE_CHECKING:
    from grader.gradebook.keeper import Keeper
    from grader.gradebook.store import Run
    from grader.intake.submission import Source
    from grader.pipeline.order import Order
    from grader.pipeline.regrading import CauseChange, GradedFolder, StudentOutcome, Verdict

_NOBODY = {"roster": None, "times": None, "extensions": None, "tests": ()}
"""Options with lists that match nobody under pseudonyms; their content comes with the hand-ins, if these are
available."""

replay_options = combine_options(
    click.argument("graded", default="graded", type=FILE),
    click.option("--submissions", multiple=True, metavar="PATH", type=FILE, help="The submissions.  [default: "
                 "where they were graded]"),
    click.option("--lab", metavar="NAME|FOLDER", help="The lab: the name of a shipped one, or a folder.  "
                 "[default: the lab that graded them]"),
    click.option("--as", "layout", default="auto", type=click.Choice(["auto", "class", "student"]),
                 help="Treat --submissions as a class or as one student's submission."),
    click.option("--jobs", type=click.IntRange(1), help="Maximum number of submissions graded at the same time.  "
                 "[default: one per core]"),
    click.option("--gradebook", metavar="URL", help="The gradebook: a file, or a SQLAlchemy URL.  "
                 "[default: the file in GRADED]"),
    DEBUG,
    course_options,
    presentation_options,
)  # fmt: skip
"""The folder of graded submissions and the options of grading; options that are not given keep the values of the
earlier run."""


class PreparedRegrade(NamedTuple):
    """The earlier grading by student, the order that grades them again, the available hand-ins, and notes for
    staff."""

    graded: "Mapping[str, GradedFolder]"
    order: "Order"
    opened: "dict[str, Source]"
    notes: tuple[str, ...]


def last_run(keeper: "Keeper", graded: Path) -> "Run | None":
    """The last run in the gradebook that graded into the folder. Raises GradebookError."""
    from grader.pipeline.regrading import graded_in

    lab = next((folder.result.lab.id for folder in graded_in(graded).values() if folder.result), None)
    return keeper.standings_for(lab).last if lab else None


def recall_options(context: click.Context, options: dict[str, Any], run: "Run | None") -> dict[str, Any]:
    """The options, completed with those of an earlier run."""
    earlier_options = dict(run.options) if run else {}
    earlier_options["submissions"] = earlier_options.pop("paths", ())
    found = dict(options)
    for parameter in context.command.params:
        name = str(parameter.name)
        given = context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
        if name in earlier_options and name in options and name not in ("debug", "lab") and not given:
            found[name] = parameter.type_cast_value(context, earlier_options[name])
    return found


def prepare_regrade(
    graded: Path, options: dict[str, Any], keeper: "Keeper", *, given: bool, run: "Run | None"
) -> PreparedRegrade:
    """A folder of graded submissions, prepared for grading again. `given`: the hand-ins were named and so must exist;
    the lab is the one that graded. `keeper` provides persons' decisions. Raises the errors that `explained` handles."""
    from grader.cli.options import lab_that_graded, order_for
    from grader.pipeline.regrading import graded_in, sources_of

    folders = graded_in(graded)
    if not folders:
        raise UnusableInputError(f"{graded}: no graded submissions there; name the folder that `grade` wrote (--out).")
    lab = next((folder.result.lab.id for folder in folders.values() if folder.result), None)
    if lab is not None:
        options["lab"] = str(lab_that_graded(graded, lab, options["lab"], run))
    options["lab"] = options["lab"] or "nlp-frameworks"
    options = {"no_readings": False, "no_reports": False, **options}
    options["lang"] = options["lang"] or next(
        (folder.result.language for folder in folders.values() if folder.result), None
    )
    order, notes = order_for(
        tuple(sources_of(folders)),
        graded,
        {**options, **_NOBODY} if options["anonymous"] else options,
        keeper=keeper,
    )
    order, opened, opened_notes = _opened(order, graded, options, keeper, given=given)
    order, late_notes = (order, ()) if run else _with_old_lateness(order, folders)
    order, reader_notes = _with_records(order)
    return PreparedRegrade(folders, order, opened, (*notes, *opened_notes, *late_notes, *reader_notes))


def _with_records(order: "Order") -> "tuple[Order, tuple[str, ...]]":
    """The order with the reader's recorded answers from the earlier grading; the reader is not asked again."""
    from dataclasses import replace

    from grader.reader.answer import FILE, RecordError, kept_in

    records, notes = {}, []
    for source in order.sources:
        student, folder = source.student_id, source.path
        try:
            record = kept_in(folder)
        except RecordError as error:
            notes.append(f"{folder / FILE} {error}; {student} is graded without the reader")
            continue
        if record is not None:
            records[student] = order.circumstances[student].model_copy(update={"reader": record})
    return replace(order, circumstances={**order.circumstances, **records}), tuple(notes)


def _opened(
    order: "Order", graded: Path, options: dict[str, Any], keeper: "Keeper", *, given: bool
) -> "tuple[Order, dict[str, Source], tuple[str, ...]]":
    """The order completed with the hand-ins' data (such as names to hide), the available hand-ins by student, and
    notes."""
    from dataclasses import replace

    from grader.cli.options import order_from_paths
    from grader.intake import IntakeError
    from grader.pipeline.course import abridged_names

    paths = tuple(options["submissions"])
    if not paths:
        return order, {}, ()
    try:
        there, _ = order_from_paths(paths, graded, options, keeper)
    except IntakeError:
        if given:
            raise
        return order, {}, ()
    students = {source.student_id for source in order.sources}
    opened = {source.student_id: source for source in there.sources if source.student_id in students}
    circumstances = {student: there.circumstances[student] for student in opened}
    others = [source.student_id for source in there.sources if source.student_id not in students]
    notes = (f"never graded here, so left out: {abridged_names(others)}",) if given and others else ()
    return replace(order, circumstances={**order.circumstances, **circumstances}), opened, notes


def hand_ins(graded: Path, gradebook: Path | str, submissions: tuple[Path, ...]) -> "dict[str, Source]":
    """The hand-ins that were graded into a folder, by student, where they lie now; those of blind grading are nobody's.
    Raises the errors that `explained` handles."""
    from grader.gradebook.keeper import Keeper

    named = [part for path in submissions for part in ("--submissions", str(path))]
    context = regrade_command.make_context("regrade", [*named, str(graded)])
    with Keeper(gradebook, graded) as keeper:
        run = last_run(keeper, graded)
        options = recall_options(context, dict(context.params), run)
        return {} if options["anonymous"] else prepare_regrade(graded, options, keeper, given=False, run=run).opened


def _with_old_lateness(order: "Order", folders: "Mapping[str, GradedFolder]") -> "tuple[Order, tuple[str, ...]]":
    """The order with the lateness of the earlier results, for use without a gradebook: nothing else remembers a
    deadline or an extension given as an option, and no student may lose an extension."""
    from dataclasses import replace

    from grader.pipeline.course import abridged_names

    kept = {}
    for student, folder in folders.items():
        old = folder.result.lateness if folder.result else None
        now = order.circumstances[student].lateness
        if old and (now is None or (old.extension and not now.extension)):
            kept[student] = order.circumstances[student].model_copy(update={"lateness": old})
    if not kept:
        return order, ()
    note = (
        f"lateness as in the results, since no gradebook tells the options it came from: {abridged_names(list(kept))}"
    )
    return replace(order, circumstances={**order.circumstances, **kept}), (note,)


@click.command("regrade", cls=SectionedCommand)
@replay_options
@click.option("--only", multiple=True, metavar="ITEM", help="Change only these items; `*` is a wildcard.")
@click.option("--no-reports", is_flag=True, help="Write results without reports.")
@click.option("--dry-run", is_flag=True, help="List whose grade would change, and write nothing.")
@click.option("--all-reports", is_flag=True, help="Also render reports in which only versions changed.")
@click.pass_context
def regrade_command(
    context: click.Context,
    /,
    graded: Path,
    only: tuple[str, ...],
    jobs: int | None,
    gradebook: str | None,
    dry_run: bool,
    all_reports: bool,
    **options: Any,
) -> None:
    """Grade the submissions in GRADED again after the lab or its truth changed.

    Grading starts from what was read the first time. Submissions are opened only for pictures of their pages, or if
    what was read is missing, damaged, or from another version of the grader. Overrides and lateness are applied anew.
    With --only, all other items stay as they were, and those that would have changed are listed.

    \b
    Examples:
      grade regrade graded --dry-run
      grade regrade graded --only 'q2.*'
      grade regrade graded --lab my-lab --submissions downloads/lab4.zip
    """
    from grader.cli.options import explain_errors, stored_options
    from grader.cli.progress import steps
    from grader.gradebook.keeper import Keeper
    from grader.pipeline.regrading import RegradeOptions, is_named, preview_regrade, regrade_class

    with (
        explain_errors(graded, debug=options["debug"]),
        Keeper(place(gradebook, graded), graded, migrate=not dry_run) as keeper,
    ):
        run = last_run(keeper, graded)
        given = bool(options["submissions"])
        options = recall_options(context, options, run)
        found = prepare_regrade(graded, options, keeper, given=given, run=run)
        order = _with_libraries(found.order)
        items = [item.id for item in order.lab.items]
        for name in only:
            if not any(is_named(item, (name,)) for item in items):
                raise click.UsageError(f"--only {name}: the lab has no such item; it has {', '.join(items)}.")
        note(*found.notes)
        kept = {name: value for name, value in options.items() if name != "submissions"}
        wanted = RegradeOptions(
            only, all_reports, jobs or os.cpu_count() or 1, stored_options(options["submissions"], kept)
        )
        summary = _Told(only)
        with steps() as done:
            for outcome in (
                preview_regrade(order, found.graded, found.opened, keeper, wanted)
                if dry_run
                else regrade_class(order, graded, found.graded, found.opened, keeper, wanted, done)
            ):
                summary.add(outcome)
    note(*filter(None, [keeper.loss]))
    for line in summary.lines(None if dry_run else graded):
        click.echo(line)
    if dry_run:
        told_next(f"grade regrade {quote_path(graded)}   (with the same options, to do it)")
        sys.exit(1 if summary.has_problems else 0)
    told_next(
        f"grade export diff --out {quote_path(graded)}   (what changed and why)",
        f"grade export FORMAT {quote_path(graded)} --into FILE",
    )
    if keeper.problem:
        note(keeper.problem)
    sys.exit(1 if keeper.problem or summary.has_problems else 0)


def _with_libraries(order: Any) -> Any:
    """The order, without reports where they cannot be made."""
    from dataclasses import replace

    from grader.pipeline.session import missing_for_reports

    problem = missing_for_reports(order)
    if problem is None:
        return order
    note(problem)
    return replace(order, with_reports=False)


class _Told:
    """The lines that a regrade prints, put together from one student after the other; of many students they lie on the
    disk."""

    def __init__(self, only: tuple[str, ...]) -> None:
        from grader.cli.progress import Table
        from grader.cohort.rows import Store

        store = Store()
        self._only = only
        self._changes = Table(store, ("student", "item", "before", "", "after", "why"))
        self._kept = Table(store, ("student", "item", "kept", "", "would be"))
        self._problems = Table(store, ("student", "problem"))
        self._count: Counter[str] = Counter()
        self._points: Counter[Decimal] = Counter()
        self._earlier: list[tuple[str, list[str]]] = []

    @property
    def has_problems(self) -> bool:
        """Whether somebody was not graded again, or has no report."""
        return bool(self._problems.rows)

    def add(self, outcome: "StudentOutcome") -> None:
        """One more student."""
        from grader.gradebook.history import grade_words, item_why, item_words, reasons_message
        from grader.gradebook.outline import outline_of_item

        regraded, change, student = outcome.regraded, outcome.change, outcome.regraded.source.student_id
        self._count.update(("all", f"way {regraded.way}"))
        if change and change.shows:
            self._count["changed"] += 1
            self._points[change.points] += 1
            for item in change.items:
                before, after = item_words(item.before), item_words(item.after)
                self._changes.add((student, item.item, before, "→", after, item_why(item)))
            before, after = grade_words(change.before), grade_words(change.after)
            self._changes.add((student, "total", before, "→", after, reasons_message(change.why)))
        if regraded.changed and not regraded.shows:
            self._count["quiet"] += 1
        for kept in regraded.kept:
            was, would = (item_words(outline_of_item(item)) for item in kept)
            self._kept.add((student, kept.before.id, was, "→", would))
        if regraded.after:
            self._earlier += [(student, [item.id for item in regraded.after.items if item.earlier])]
        if regraded.problem:
            remedy = "Its grade stays as it was; name its submission by --submissions."
            self._problems.add((student, f"not graded again: {regraded.problem}. {remedy}"))
        if outcome.report_problem:
            self._problems.add((student, f"no report: {outcome.report_problem}"))

    def lines(self, graded: Path | None) -> Iterator[str]:
        """All that is told. `graded` is where the results are, None where nothing was written."""
        yield from self._changes.lines() if self._changes.rows else ("Nobody's grade changes.",)
        if self._kept.rows:
            only = f"--only {' --only '.join(self._only)}"
            yield f"\nKept as they were, though they would be otherwise now ({only}):"
            yield from self._kept.lines()
        yield from (": ".join(row.cells) for row in self._problems.rows)
        yield from earlier_notes(self._earlier)
        yield from _summary(self._count, self._points, graded)


_MOST_CHANGES = 8


def _summary(count: "Counter[str]", points: "Counter[Decimal]", graded: Path | None) -> Iterator[str]:
    from grader.pipeline.regrading import Way

    have, where = ("have", f"Results are in {graded}.") if graded else ("would have", "Nothing was written.")
    yield f"\n{count['changed']:,} of {count['all']:,} students {have} another grade. {where}"
    if points:
        by_number = [f"{number:,} × {float(change):+g}".replace("-", "−") for change, number in points.most_common()]
        more = f", and {len(by_number) - _MOST_CHANGES} other changes" if len(by_number) > _MOST_CHANGES else ""
        yield f"Points: {', '.join(by_number[:_MOST_CHANGES])}{more}."
    anew, old = count[f"way {Way.SUBMISSION}"], count[f"way {Way.OLD_READING}"]
    if anew:
        yield (
            "Read anew from the submissions, since their stored reading is missing, damaged, or by another version of "
            f"the grader: {anew:,}."
        )
    if old:
        yield f"Graded from what an older version of the grader read: {old:,}; grade the submissions to read them anew."
    if count["quiet"]:
        yield (
            f"Of {count['quiet']:,} only the versions of lab, truth or grader changed; their reports stay "
            "(--all-reports)."
        )


@click.command("regrade verify", cls=SectionedCommand)
@replay_options
@click.option("--from-readings", is_flag=True, help="Start from the stored readings instead of the submissions.")
@click.option(
    "--sample", type=click.IntRange(1), metavar="N", help="Verify N students chosen at random.  [default: all]"
)
@click.option("--seed", default=0, show_default=True, help="Seed of the random choice.")
@click.option("--reports", is_flag=True, help="Verify the reports, too.")
@JSON
@click.pass_context
def verify_command(
    context: click.Context,
    /,
    graded: Path,
    from_readings: bool,
    sample: int | None,
    seed: int,
    reports: bool,
    as_json: bool,
    jobs: int | None,
    gradebook: str | None,
    **options: Any,
) -> None:
    """Compute the results in GRADED again and confirm that they are the same, byte for byte.

    If a result differs, the cause is named: another version of the grader, its libraries, the lab or its truth, another
    submission, overrides, lateness or language; a file that was changed since; or a defect of the grader. The exit
    status is 0 if all are the same, else 1.
    """
    from dataclasses import replace

    from grader.cli.options import explain_errors
    from grader.gradebook.keeper import Keeper
    from grader.pipeline.regrading import sample_order, verify_results

    with explain_errors(graded, debug=options["debug"]), Keeper(place(gradebook, graded), graded) as keeper:
        run = last_run(keeper, graded)
        given = bool(options["submissions"])
        options = recall_options(context, options, run)
        if from_readings:
            options["submissions"] = ()
        found = prepare_regrade(graded, options, keeper, given=given and not from_readings, run=run)
        opened = None if from_readings or not (given or found.opened) else found.opened
        if reports and opened is None:
            raise click.UsageError("--reports needs the submissions, for their pictures: add --submissions PATH.")
        order = replace(sample_order(found.order, sample, seed), with_reports=reports)
        standings = keeper.standings_for(order.lab.id).standings
        recorded = {student: standing.grade.result_sha256 for student, standing in standings.items()}
        workers = jobs or os.cpu_count() or 1
        verdicts = sorted(
            verify_results(order, found.graded, opened, recorded=recorded, workers=workers, with_reports=reports),
            key=lambda verdict: verdict.student,
        )
    source = "stored readings" if opened is None else "submissions"
    if as_json:
        same = sum(verdict.same for verdict in verdicts)
        students = [verdict.model_dump(mode="json") for verdict in verdicts]
        data = {"from": source, "same": same, "different": len(verdicts) - same, "students": students}
        click.echo(json_of(data))
    else:
        click.echo("\n".join(_verdict_lines(verdicts, source, len(found.graded))))
        whole = all(verdict.same for verdict in verdicts)
        told_next(
            f"grade export FORMAT {quote_path(graded)} --into FILE" if whole else f"grade regrade {quote_path(graded)}"
        )
    sys.exit(0 if all(verdict.same for verdict in verdicts) else 1)


def _verdict_lines(verdicts: "Sequence[Verdict]", source: str, all_: int) -> Iterator[str]:
    for verdict in verdicts:
        if not verdict.same:
            yield f"{verdict.student}: not the same"
            yield from (f"    {_words(why)}" for why in verdict.why)
            if verdict.first:
                stored, computed = verdict.first.stored, verdict.first.computed
                yield f"    first difference: {verdict.first.key}: stored {stored}, computed {computed}"
        if verdict.kept:
            yield (
                f"{verdict.student}: kept as an earlier grading left them, so not computed again: "
                f"{', '.join(verdict.kept)}"
            )
    same = sum(verdict.same for verdict in verdicts)
    sampled = f", of {all_:,}" if len(verdicts) < all_ else ""
    yield f"{same:,} of {len(verdicts):,} results{sampled} are the same, byte for byte, computed from the {source}."


def _words(why: "CauseChange") -> str:
    """A cause of a difference in words, with its details."""
    from grader.pipeline.regrading import Cause

    then, now = _short(why.then), _short(why.now)
    match why.cause:
        case Cause.NO_READING:
            return f"{now}; name the submissions by --submissions"
        case Cause.UNREADABLE | Cause.FAILED:
            return now
        case Cause.NO_SUBMISSION:
            return "it is not among the submissions"
        case Cause.CHANGED:
            return (
                "result.json was changed after it was written; the gradebook has the one before (grade export history)"
            )
        case Cause.DEFECT:
            doubt = f" ({then})" if then else ""
            return f"nothing that it follows from differs{doubt}: this is a defect of the grader; please report it"
        case Cause.REPORT:
            return now or f"{then} is not the one that is rendered now"
        case Cause.SUBMISSION:
            return f"the submission is another: {then} then, {now} now"
        case Cause.OVERRIDES | Cause.LATENESS | Cause.STUDENT:
            return f"{why.cause.value}: {then} then, {now} now"
    return f"another {why.cause.value}: {then} then, {now} now"


def _short(text: str) -> str:
    """Hashes shortened as in reports, other text shortened to a line."""
    if len(text) == 64 and set(text) <= set("0123456789abcdef"):
        return text[:12]
    return text if len(text) <= 160 else f"{text[:159]}…"
