"""The history of grades: every grade of a student, every run, and the students whose grade changed between two runs."""

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.options import as_json as json_of
from grader.cli.options import asking_options, place, quote_path, refuse_on, told_next

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.gradebook.history import Entry, GradeChange, RunComparison
    from grader.gradebook.outline import ItemOutline
    from grader.gradebook.store import Database, Run, StoredGrade


@click.command("export history")
@click.argument("words", metavar="[GRADED] [STUDENT]", nargs=-1)
@asking_options
def history_command(words: tuple[str, ...], out: Path, gradebook: str | None, as_json: bool) -> None:
    """List every grade of STUDENT: when it was given, its points, and why it changed. Without STUDENT, list the runs.

    Part of the student's id or name is enough if it matches only one student. GRADED is the folder of results.
    """
    from grader.gradebook.history import all_runs, history_of

    out, rest = _folder(words, out)
    if len(rest) > 1:
        raise click.UsageError(
            f"name one student, in quotes where the id has blanks; {rest[0]} is no folder of results."
        )
    data: list[dict[str, Any]]
    with open_gradebook(gradebook, out) as database:
        if rest:
            entries = history_of(database, _id_of(rest[0], out))
            lines = [*_history_lines(entries), *_asked(database, entries)]
            data = [
                {
                    "lab": entry.lab,
                    **grade_data(entry.grade),
                    "change": change_data(entry.change) if entry.change else None,
                }
                for entry in entries
            ]
            hints = [
                f"grade serve {quote_path(out)}   (the student's page shows every proof, and takes another decision)"
            ]
        else:
            runs = all_runs(database)
            lines, data = [*_runs(runs)], [run.model_dump(mode="json") for run in runs]
            hints = [
                "grade export history STUDENT   (every grade of one)",
                "grade export diff   (what the last run changed)",
            ]
    click.echo(json_of(data) if as_json else "\n".join(lines))
    if not as_json:
        told_next(*hints)


def _id_of(student: str, out: Path) -> str:
    """The id of the only student in a folder of results whose name has these words; else the words as they are."""
    from grader.gradebook.outline import StoredResultError, stored_results
    from grader.gradebook.people import words as words_of

    sought, named = words_of(student), list[str]()
    if (out / student).is_dir() or not sought:
        return student
    with suppress(StoredResultError):  # the gradebook knows the ids
        named = [result.student.id for result in stored_results(out) if sought <= words_of(result.student.name)]
    return named[0] if len(named) == 1 else student


def _runs(runs: "Sequence[Run]") -> "Iterator[str]":
    if not runs:
        yield "Nothing was graded so far."
    for run in runs:
        new = f"{run.graded:,} of {run.students:,} students have a new grade" if run.students else "no students"
        end = "" if run.finished else "  (did not come to its end, or goes on)"
        yield f"run {run.id:<4} {local_time(run.started)}  {run.lab}  {new}{end}"


def _history_lines(entries: "Sequence[Entry]") -> "Iterator[str]":
    from grader.gradebook.history import grade_words, reasons_message

    yield entries[0].grade.student
    several = len({entry.lab for entry in entries}) > 1
    for entry in entries:
        reason = reasons_message(entry.change.why) if entry.change else "first grade"
        lab = f"{entry.lab}  " if several else ""
        yield f"{local_time(entry.grade.graded)}  run {entry.grade.run:<4} {lab}{grade_words(entry.grade)}  ({reason})"
        if entry.change:
            yield from item_lines(entry.change)


def _asked(database: "Database", entries: "Sequence[Entry]") -> "Iterator[str]":
    """The lines of a student's requests in every lab, with their answers."""
    from grader.gradebook.requests import requests_of

    for lab in dict.fromkeys(entry.lab for entry in entries):
        for request in requests_of(database, lab, entries[0].grade.student):
            yield f"{local_time(request.entered)}  asked to look again at {request.item}: “{request.text}”"
            if request.answered:
                yield f"{local_time(request.answered)}  {request.answered_by} answered: {request.answer}"


@click.command("export diff")
@click.argument("words", metavar="[GRADED] [RUN RUN]", nargs=-1)
@asking_options
def diff_command(words: tuple[str, ...], out: Path, gradebook: str | None, as_json: bool) -> None:
    """List students whose grade changed between two runs, by how much and why: the lab, the truth, the grader,
    overrides, the submission or lateness.

    Without RUNs, the last run and the one before. `grade export history` lists the runs. GRADED is the folder of
    results, as --out.
    """
    from grader.gradebook.history import compare_runs

    out, numbers = _folder(words, out)
    runs = tuple(int(number) for number in numbers if number.isascii() and number.isdecimal() and int(number) > 0)
    if len(numbers) not in (0, 2) or len(runs) < len(numbers):
        raise click.UsageError("name two runs, or none for the last two; `grade export history` lists them.")
    with open_gradebook(gradebook, out) as database:
        found = compare_runs(database, *runs)
        if as_json:
            click.echo(json_of(_changes_data(found)))
        else:
            for line in _change_lines(found):
                click.echo(line)
    if not as_json:
        told_next(
            f"grade export history STUDENT --out {quote_path(out)}   (every grade of one)",
            f"grade export FORMAT {quote_path(out)} --into FILE",
        )


def _change_lines(compared: "RunComparison") -> Iterator[str]:
    from grader.gradebook.history import grade_words, reasons_message

    found = compared.found
    shown, reasons = [], {}
    for number, student_change in enumerate(found.changed):
        if student_change.shows:
            shown.append((-abs(student_change.points), student_change.student, number))
        else:
            reasons.update(dict.fromkeys(student_change.why))
    yield " → ".join(f"run {run.id} ({local_time(run.started)})" for run in (compared.before, compared.after))
    yield f"{len(shown):,} of {len(found.changed) + found.same:,} students have other points or new decisions."
    for change in found.changed.changes_at(number for *_, number in sorted(shown)):
        points = f"{float(change.points):+g}".replace("-", "−")
        grades = f"{grade_words(change.before)} → {grade_words(change.after)}"
        yield f"\n{change.student}  {points}  {grades}  ({reasons_message(change.why)})"
        yield from item_lines(change)
    if quiet := len(found.changed) - len(shown):
        yield f"\n{quiet:,} graded anew with the same outcome ({reasons_message(reasons)})."
    if found.added:
        yield "\nnew: " + ", ".join(f"{kept.student} ({grade_words(kept)})" for kept in found.added)
    if found.gone:
        yield f"\nnot graded in run {compared.after.id}: {', '.join(found.gone)}"


def _folder(words: tuple[str, ...], out: Path) -> tuple[Path, tuple[str, ...]]:
    """The folder of results, if the first word is one, and the other words."""
    from grader.gradebook.store import FILE

    return (Path(words[0]), words[1:]) if words and (Path(words[0]) / FILE).is_file() else (out, words)


def _changes_data(compared: "RunComparison") -> dict[str, Any]:
    found = compared.found
    return {
        "before": compared.before.model_dump(mode="json"),
        "after": compared.after.model_dump(mode="json"),
        "changed": [
            {
                "student": change.student,
                **change_data(change),
                "before": grade_data(change.before),
                "after": grade_data(change.after),
            }
            for change in found.changed
        ],
        "added": [{"student": kept.student, **grade_data(kept)} for kept in found.added],
        "gone": list(found.gone),
        "same": found.same,
    }


@contextmanager
def open_gradebook(gradebook: str | None, out: Path) -> "Iterator[Database]":
    """The gradebook, which must exist; errors end the command with a message."""
    from grader.gradebook import GradebookError
    from grader.gradebook.store import open_database

    with refuse_on(GradebookError), closing(open_database(place(gradebook, out), create=False)) as database:
        yield database


def local_time(time: datetime) -> str:
    """A time of the gradebook in the local time zone."""
    return f"{time.astimezone():%Y-%m-%d %H:%M}"


def item_lines(change: "GradeChange") -> Iterator[str]:
    """A line for each changed item, with its reason if it differs from that of the whole grade."""
    from grader.gradebook.history import item_why, item_words

    for item in change.items:
        reason = f"  ({item_why(item)})" if item.decision or item.why != change.why else ""
        yield f"    {item.item:24} {item_words(item.before)} → {item_words(item.after)}{reason}"


def grade_data(kept: "StoredGrade") -> dict[str, Any]:
    """A grade as JSON data."""
    outline = kept.outline
    return {
        "run": kept.run,
        "graded": kept.graded.isoformat(),
        "score": float(outline.score),
        "pending": float(outline.pending),
        "max_score": float(outline.max_score),
        "late_penalty": float(outline.late_penalty),
        "error": outline.error,
        "submission_sha256": kept.submission_sha256,
        "result_sha256": kept.result_sha256,
        "inputs": kept.inputs._asdict(),
    }


def change_data(change: "GradeChange") -> dict[str, Any]:
    """A change as JSON data."""
    return {
        "points": float(change.points),
        "why": list(change.why),
        "items": [
            {
                "item": item.item,
                "why": list(item.why),
                "decision": item.decision or None,
                "before": _item_data(item.before),
                "after": _item_data(item.after),
            }
            for item in change.items
        ],
    }


def _item_data(item: "ItemOutline | None") -> dict[str, Any] | None:
    if item is None:
        return None
    return {"status": item.status, "score": item.score, "pending": item.pending}
