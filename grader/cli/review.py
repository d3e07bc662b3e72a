"""Decide about groups of like answers in a terminal, and bring the decisions into results and reports."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
    from grader.gradebook.decisions import Outcome, Verdict
    from grader.gradebook.keeper import Keeper
    from grader.gradebook.review import AnswerGroup
    from grader.gradebook.store import Database
    from grader.lab.definition import Lab
    from grader.pipeline.finishing import FinishOutcome
    from grader.pipeline.regrading import GradedFolder
    from grader.result import Override
    from grader.serve.standing import Standing

LABELS = ("correct", "partial", "incorrect", "missing")
FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("serve review")
@click.argument("graded", metavar="GRADED", type=click.Path(path_type=Path, file_okay=False))
@click.option("--set", "settings", metavar="GROUP=VERDICT", multiple=True,
              help="Decide a group, or one answer: STUDENT/ITEM=VERDICT. "
              f"VERDICT is {', '.join(LABELS)}, a number of points, or each (spot checks only). "
              "The first characters of GROUP are enough.")  # fmt: skip
@click.option("--why", metavar="TEXT", help="The reason, shown to students.")
@click.option("--author", metavar="NAME", help="Who decides.  [default: the current user]")
@click.option("--remember", is_flag=True, help="Apply the decision to future classes, too: store it in the lab.")
@click.option("--export", "exported", type=FILE, help="Write all overrides as TOML.")
@click.option("--import", "imported", type=FILE, help="Read overrides from a TOML file.")
@click.option(
    "--restore",
    "restored",
    is_flag=True,
    help="Rebuild a damaged or lost gradebook from the copy of its decisions.",
)
@click.option("--lab", "lab_name", metavar="NAME|FOLDER", help="The lab.  [default: the lab that graded them]")
@GRADEBOOK_OF_RESULTS
@DEBUG
def review_command(
    graded: Path,
    settings: tuple[str, ...],
    author: str | None,
    lab_name: str | None,
    gradebook: str | None,
    **more: Any,
) -> None:
    """List or decide, in the terminal, what is pending review in GRADED, in groups of similar answers.

    The groups are those of `grade serve`. Each decision is stored in the gradebook with its history; `grade regrade
    finish` or grading again brings it into the reports. Identical words that were decided differently are listed.

    \b
    Examples:
      grade serve review graded
      grade serve review graded --set 1f3a=correct --why "Same idea in other words."
      grade serve review graded --set ada/q4.own=1.5 --why "No experiment is proposed."
      grade serve review graded --export overrides.toml
    """
    import getpass

    from grader.cli.options import explain_errors
    from grader.gradebook.overrides import as_toml
    from grader.pipeline.outputs import write_atomically
    from grader.serve.standing import Standing

    where = place(gradebook, graded)
    if more["restored"]:
        with explain_errors(graded, debug=more["debug"]):
            _restore(where, graded)
    with explain_errors(graded, debug=more["debug"]), open_results(graded, where, lab_name) as found:
        standing = Standing(graded, found.database, found.lab, overrides=found.overrides, gradebook=found.where)
        note(*found.notes)
        if more["imported"]:
            _import(standing, more["imported"])
        chosen = [_chosen(setting, standing) for setting in settings]
        name, why = author or getpass.getuser(), more["why"] or ""
        for group, verdict in chosen:
            made = {entry.key: verdict(entry, why) for entry in group.answers}
            accepted = ({"correct", answer.suggested} - {None} for answer in group.answers)
            is_plain = all(
                made[answer.key].status in fine for answer, fine in zip(group.answers, accepted, strict=True)
            )
            if not why and (more["remember"] or not is_plain):
                raise click.UsageError("--set needs a reason: add --why TEXT. Students see it.")
            # Anything else than `missing` is about the answers.
            is_whole = not group.item and all(entry.status == "missing" for entry in made.values())
            done = standing.decide(name, made, seen=standing.seen, whole=is_whole)
            _print_result(done, group.item or str(group.title))
        if more["remember"]:
            _remember(standing, chosen, more["why"], name, found.folder)
        if more["exported"]:
            decided = standing.all_decided()
            write_atomically(more["exported"], as_toml(decided).encode())
            click.echo(f"{len(decided)} decisions are in {more['exported']}.")
        elif not (chosen or more["imported"]):
            _list(standing)
        note(*_contradictions(standing))
        _next(quote_path(graded), decided=bool(chosen or more["imported"]), waiting=bool(standing.queue()))


def _restore(where: Path | str, graded: Path) -> None:
    from grader.gradebook.second_copy import restore

    if not isinstance(where, Path):
        raise click.UsageError("--restore is for gradebooks in a file; restore a database from its own backup.")
    done = restore(where, graded)
    click.echo(f"{done.known.told} restored from {done.known.source} into {where}.")
    if done.kept_as:
        note(f"The gradebook that was there is kept as {done.kept_as}.")
    note(
        "Runs, earlier grades, requests to look again, links and releases are not restored; `grade` enters the present "
        "grades anew."
    )


def _next(graded: str, *, decided: bool, waiting: bool) -> None:
    finish = f"grade regrade finish {graded}   (bring the decisions into the reports)"
    decide = f"grade serve review {graded} --set GROUP=correct|partial|incorrect|POINTS --why TEXT   (or STUDENT/ITEM)"
    browser = f"grade serve {graded}   (decide in the browser)"
    if not waiting:
        told_next(finish, f"grade export FORMAT {graded} --into FILE")
    elif decided:
        told_next(decide, finish)
    else:
        told_next(decide, browser)


def _list(standing: "Standing") -> None:
    queue = standing.queue()
    if not queue:
        click.echo("Nothing is pending review.")
        return
    for group in queue:
        answers = "1 answer" if len(group.answers) == 1 else f"{len(group.answers)} answers"
        click.echo(f"\n{group.id}  {group.item or group.title}  {answers}, {group.points:f} points{_remarks(group)}")
        click.echo(f"    {group.reason}")
        by_words = _students_by_words(group, standing)
        # Different answers may deserve different verdicts: each is listed with the name that decides it.
        single = f"/{group.item}" if group.item and len(by_words) > 1 else ""
        for words, students in by_words.items():
            quote = [f"    “{words}”" if words else "    (nothing was found)"] if group.item else []
            names = [f"{student}{single}" for student in dict.fromkeys(students)]
            click.echo("\n".join([*quote, f"    {', '.join(names)}"]))
    click.echo("")


def _students_by_words(group: "AnswerGroup", standing: "Standing") -> dict[str, list[str]]:
    """Return all students of a group by the words of their answers, since one decision settles them all."""
    by_words: dict[str, list[str]] = {}
    for answer in group.answers:
        by_words.setdefault(_quoted(standing.stored_item(answer)) if group.item else "", []).append(answer.student)
    return by_words


def _remarks(group: "AnswerGroup") -> str:
    """The suggestion for a group, and whether it is a spot check."""
    from grader.gradebook.review import EACH

    suggestion = group.suggestion.value if group.suggestion else EACH if group.suggests_each else ""
    suggested = f", suggested: {suggestion}" if suggestion else ""
    return f"{suggested}, spot check: decided by the grader" if group.answers[0].is_audit else suggested


def _quoted(item: Any) -> str:
    text = item.found or (item.evidence[0].quote if item.evidence else "")
    return " ".join(text.split())[:200]


def _chosen(setting: str, standing: "Standing") -> "tuple[AnswerGroup, Any]":
    """The group of a setting, and a function from an answer and a reason to the verdict."""
    from grader.gradebook.decisions import Verdict
    from grader.gradebook.review import EACH
    from grader.result import Status

    key, _, label = setting.rpartition("=")
    found = list(_named(key.strip(), standing.queue()))
    if len(found) != 1:
        problem = "no group or answer that is pending review" if not found else f"{len(found)} groups"
        raise click.UsageError(f"--set {setting}: {key!r} names {problem}. `grade serve review GRADED` lists them.")
    if label == EACH and found[0].confirms_each:
        return found[0], lambda answer, why: Verdict(answer.suggested, None, why)
    if label in LABELS:
        return found[0], lambda answer, why: Verdict(Status(label), None, why)
    maximum = min(standing.items[candidate.item].points for candidate in found[0].answers)
    worth = points_up_to(label, maximum)
    if worth is None:
        choices = f"{', '.join(LABELS)}, or points up to {maximum:f}"
        if label == EACH:
            raise click.UsageError(f"--set {setting}: this group has no spot checks to confirm. Use one of {choices}.")
        raise click.UsageError(f"--set {setting}: write after the equals sign one of {choices}.")
    return found[0], lambda answer, why: Verdict(None, worth, why)


def _named(name: str, queue: "Sequence[AnswerGroup]") -> "Iterator[AnswerGroup]":
    """The groups whose id begins with a name, or a group of the one answer that it names as `STUDENT/ITEM`."""
    for group in queue:
        answers = [answer for answer in group.answers if f"{answer.student}/{answer.item}" == name]
        if answers:
            yield group._replace(item=answers[0].item, title=answers[0].title, answers=tuple(answers))
        elif name and group.id.startswith(name):
            yield group


def points_up_to(text: str, maximum: Decimal) -> Decimal | None:
    """The points that a text says, in hundredths and up to a maximum; None where it says none."""
    try:
        worth = Decimal(text)
    except InvalidOperation:
        return None
    return worth if worth.is_finite() and 0 <= worth <= maximum and worth == round(worth, 2) else None


def _print_result(outcome: "Outcome", called: str) -> None:
    for saved in outcome.saved[:1]:
        given = saved.after if saved.item == called else str(saved.after).split()[0]  # the items have different points
        answers = f"the answer of {saved.student}" if len(outcome.saved) == 1 else f"{len(outcome.saved)} answers"
        click.echo(f"{called}: {given}, for {answers}.")
    for conflict in outcome.conflicts:
        theirs = conflict.theirs
        note(
            f"{theirs.student} {theirs.item}: not changed, since {theirs.author} decided otherwise: {theirs.after} "
            f"(not {conflict.target.after})."
        )


def _remember(
    standing: "Standing", chosen: "Sequence[tuple[AnswerGroup, Any]]", why: str, author: str, folder: Path
) -> None:
    """Stores decisions in the lab's decisions.toml, for answers with a hash."""
    from datetime import UTC, datetime

    from grader.lab.short_answers import Decision, append

    today = datetime.now(UTC).date()
    decisions: dict[str, Decision] = {}
    for group, verdict in chosen:
        for answer in group.answers:
            made: Verdict = verdict(answer, why)
            key = answer.group
            if key and key not in decisions and made.status and made.status.value in LABELS[:3]:
                text = standing.stored_item(answer).found or ""
                values = {"group": key, "label": made.status.value, "text": text, "why": why}
                decisions[key] = Decision.model_validate({**values, "author": author, "date": today})
    if not decisions:
        raise click.UsageError("--remember: the lab cannot remember decisions about these answers, only about words.")
    path = append(folder, decisions.values())
    click.echo(f"Remembered in {path}: from now on every answer with the same words is decided so.")


def _import(standing: "Standing", path: Path) -> None:
    from grader.gradebook.overrides import read_overrides
    from grader.lab.definition import rubrics_of

    entries = read_overrides(
        path,
        {id_: item.points for id_, item in standing.items.items()},
        rubrics_of(standing.items.values()),
        standing.lab.id,
    )
    strangers = [
        stranger for stranger in entries if stranger.student not in standing.results and not stranger.override.scope
    ]
    note(
        *(
            f"{stranger.place}: no submission of {stranger.student!r} is graded here; left out."
            for stranger in strangers
        )
    )
    outcome = standing.take_in([entry for entry in entries if entry not in strangers])
    click.echo(f"{len(outcome.saved)} decisions taken in from {path}.")
    _print_result(outcome._replace(saved=()), "")


def _contradictions(standing: "Standing") -> Iterator[str]:
    """Lines on contradictions: between overrides.toml and the gradebook, or between decisions about the same words."""
    from grader.gradebook.review import contradictions
    from grader.pipeline.course import told_of

    yield from told_of(standing.contradictions())
    for item, words, by_status in contradictions(standing.persons_verdicts()):
        verdicts = "; ".join(f"{status.value} for {', '.join(students[:5])}" for status, students in by_status.items())
        yield f"{item}: the same words were decided otherwise: {verdicts}: “{words[:120]}”"


@click.command("regrade finish")
@click.argument("graded", default="graded", type=click.Path(path_type=Path))
@LAB_OF_RESULTS
@GRADEBOOK_OF_RESULTS
@DEBUG
def finish_command(graded: Path, lab: str | None, gradebook: str | None, debug: bool) -> None:
    """Apply overrides to the results in GRADED and render the reports that change.

    Overrides come from the gradebook (`grade serve`, `grade serve review`) and from overrides.toml. No submission is
    opened: pictures come from the earlier reports. The exit status is 1 if a report could not be made.
    """
    from rich.console import Console
    from rich.progress import Progress

    from grader.cli.options import earlier_notes, explain_errors

    with explain_errors(graded, debug=debug), open_results(graded, place(gradebook, graded), lab) as found:
        note(*found.notes)
        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("Students", total=None)
            done = found.finish(lambda made, of: bar.update(task, completed=made, total=of))
    note(*(f"{student}: {problem}" for student, problem in done.problems), *earlier_notes(done.earlier))
    click.echo(f"{done.written:,} of {done.students:,} students have new results and reports, in {graded}.")
    if done.pending:
        some = "1 student" if len(done.pending) == 1 else f"{len(done.pending):,} students"
        click.echo(
            f"Points of {some} are pending review. Most exports omit these students, unless you use --pending score."
        )
        steps = [f"grade serve {quote_path(graded)}   (decide in the browser what is pending review)"]
        if len(done.pending) < done.students:
            steps += [f"grade export FORMAT {quote_path(graded)} --into FILE   (the grades of the others)"]
        told_next(*steps)
        sys.exit(1 if done.problems else 0)
    told_next(
        f"grade export moodle-feedback {quote_path(graded)}   (or canvas-feedback: give the reports back)",
        f"grade export FORMAT {quote_path(graded)} --into FILE   (the grades)",
        f"grade serve release {quote_path(graded)}   (show students their reports)",
    )
    sys.exit(1 if done.problems else 0)


Told = Callable[[int, int], None]


class OpenResults(NamedTuple):
    """A folder of graded submissions: where its gradebook lies and the gradebook, its lab and the lab's folder, the
    language of its results, the path of its overrides, notes for staff, and the function that brings decisions into the
    reports."""

    where: Path | str
    database: "Database"
    lab: "Lab"
    folder: Path
    language: str
    overrides: Path | None
    notes: tuple[str, ...]
    finish: "Callable[[Told], FinishOutcome]"


@contextmanager
def open_results(graded: Path, where: Path | str, lab_name: str | None) -> Iterator[OpenResults]:
    """Opens a folder of graded submissions. Raises the errors that `explained` handles."""
    import os

    from grader.cli.options import lab_that_graded
    from grader.gradebook.history import all_runs
    from grader.gradebook.keeper import Keeper
    from grader.gradebook.second_copy import opened_whole
    from grader.pipeline.finishing import finish_class
    from grader.pipeline.regrading import graded_in
    from grader.pipeline.soundness import sound_lab
    from grader.report.resources import Presentation

    folders = graded_in(graded)
    first = next((graded_folder.result for graded_folder in folders.values() if graded_folder.result), None)
    if first is None:
        raise UnusableInputError(f"{graded}: no graded submissions there; name the folder that `grade` wrote (--out).")
    is_new = isinstance(where, Path) and not where.exists()
    database = opened_whole(where, graded, durable=True)
    try:
        runs = reversed(all_runs(database))
        run = next((run for run in runs if run.lab == first.lab.id and run.finished), None)
        options = run.options if run else {}
        folder = lab_that_graded(graded, first.lab.id, lab_name, run)
        lab, truth = sound_lab(folder)
        named = options.get("overrides")
        overrides = Path(str(named)) if named else None
        notes = tuple(_notes(graded, folders, lab))
        if is_new:
            notes += (f"{where}: no gradebook was there, so this one is new. If you graded with --gradebook, name it.",)
        templates = Path(str(options["templates"])) if options.get("templates") else None

        def finish(report_progress: Told) -> "FinishOutcome":
            with Keeper(where, graded) as keeper:
                done = finish_class(
                    graded,
                    lab,
                    truth,
                    _overrides_by_student(graded, lab, overrides, keeper),
                    keeper,
                    answers=keeper.answers_for(lab.id),
                    presentation=Presentation(language=first.language, templates=templates),
                    with_reports=not options.get("no_reports"),
                    workers=os.cpu_count() or 1,
                    done=report_progress,
                )
            problems = (("gradebook", keeper.problem),) if keeper.problem else ()
            return done._replace(problems=(*done.problems, *problems))

        yield OpenResults(where, database, lab, folder, first.language, overrides, notes, finish)
    finally:
        database.close()


def _notes(graded: Path, folders: "Mapping[str, GradedFolder]", lab: "Lab") -> Iterator[str]:
    labs, unreadable = set(), []
    for student, graded_folder in folders.items():
        if graded_folder.result:
            labs.add((graded_folder.result.lab.id, graded_folder.result.lab.sha256))
        else:
            unreadable.append(student)
    others = sorted({id_ for id_, _ in labs if id_ != lab.id})
    if others:
        raise UnusableInputError(f"{graded}: graded by {', '.join(others)}, not by {lab.id}; name that lab with --lab.")
    if any(sha256 != lab.sha256 for _, sha256 in labs):
        yield (
            f"The lab {lab.id} has changed since some of these were graded; points are those of now. "
            "`grade regrade` brings the results up to date."
        )
    if unreadable:
        from grader.pipeline.course import abridged_names

        yield f"Left out, since their result cannot be read: {abridged_names(unreadable)}"


def _overrides_by_student(
    graded: Path, lab: "Lab", overrides: Path | None, keeper: "Keeper"
) -> "Callable[[str], Mapping[str, Override]]":
    """Persons' decisions in overrides.toml and the gradebook about a student, by item; those of the gradebook are read
    for some students at a time. Raises GradebookError, also when called."""
    from grader.cohort.rows import ReadTogether
    from grader.gradebook.overrides import FILE, in_force
    from grader.pipeline.course import overrides_in
    from grader.pipeline.regrading import graded_in
    from grader.result import Scope

    written = overrides_in(overrides or graded / FILE, lab, graded_in(graded))
    bound = keeper.bindings_for(lab.id)

    def read(some: list[str]) -> "Mapping[str, Mapping[str, Override]]":
        selected_overrides = {
            student: entries for student, entries in written.items() if student in some or Scope.from_text(student)
        }
        found = in_force(selected_overrides, keeper.decided_about(lab.id, some), bound)
        return {student: found.overrides_for(student) for student in some}

    found = ReadTogether(graded_in(graded), read)
    return lambda student: found.get(student, {})
