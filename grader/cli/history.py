"""`grade history`: every grade of a student, or every run."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.commands import quoted, told_next
from grader.cli.gradebook_options import asking_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.gradebook.history import Entry
    from grader.gradebook.kept import Run
    from grader.gradebook.requests import Asked


@click.command("history")
@click.argument("student", required=False)
@asking_options
def history_command(student: str | None, out: Path, gradebook: str | None, as_json: bool) -> None:
    """Every grade of STUDENT: when, how many points, and why it changed. Without STUDENT, every run."""
    from grader.cli.asking import opened
    from grader.gradebook.asking import all_runs, history_of
    from grader.gradebook.requests import requests_of

    with opened(gradebook, out) as database:
        if student is None:
            runs = all_runs(database)
            click.echo(_json([run.model_dump(mode="json") for run in runs]) if as_json else "\n".join(_runs(runs)))
            if not as_json:
                told_next("grade history STUDENT   (every grade of one)", "grade diff   (what the last run changed)")
        else:
            entries = history_of(database, student)
            labs = dict.fromkeys(entry.lab for entry in entries)
            asked = [one for lab in labs for one in requests_of(database, lab, student)]
            told = (*_told(student, entries), *_asked(asked))
            lines = _json([_data(entry) for entry in entries]) if as_json else "\n".join(told)
            click.echo(lines)
            if not as_json:
                told_next(
                    f"grade serve {quoted(out)}   (the student's page shows every proof, and takes another decision)"
                )


def _runs(runs: "Sequence[Run]") -> "Iterator[str]":
    from grader.cli.asking import when

    if not runs:
        yield "Nothing was graded so far."
    for run in runs:
        new = f"{run.graded:,} of {run.students:,} students have a new grade" if run.students else "no students"
        end = "" if run.finished else "  (did not come to its end, or goes on)"
        yield f"run {run.id:<4} {when(run.started)}  {run.lab}  {new}{end}"


def _told(student: str, entries: "Sequence[Entry]") -> "Iterator[str]":
    from grader.cli.asking import item_lines, when
    from grader.gradebook.told import grade_words, why

    yield student
    several = len({entry.lab for entry in entries}) > 1
    for entry in entries:
        reason = why(entry.change.why) if entry.change else "first grade"
        lab = f"{entry.lab}  " if several else ""
        yield f"{when(entry.grade.graded)}  run {entry.grade.run:<4} {lab}{grade_words(entry.grade)}  ({reason})"
        if entry.change:
            yield from item_lines(entry.change)


def _asked(asked: "Sequence[Asked]") -> "Iterator[str]":
    from grader.cli.asking import when

    for one in asked:
        yield f"{when(one.entered)}  asked to look again at {one.item}: “{one.text}”"
        if one.answered:
            yield f"{when(one.answered)}  {one.answered_by} answered: {one.answer}"


def _data(entry: "Entry") -> dict[str, object]:
    from grader.cli.asking import change_data, grade_data

    change = change_data(entry.change) if entry.change else None
    return {"lab": entry.lab, **grade_data(entry.grade), "change": change}


def _json(data: object) -> str:
    import json

    return json.dumps(data, indent=2, ensure_ascii=False)
