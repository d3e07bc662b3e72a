"""Times of submission in a CSV file: one's own, Moodle's grading worksheet, or Gradescope's grades."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from grader.gradebook.columns import data_rows, header_row, heading_key, who_columns
from grader.gradebook.csv_table import Table, read_table
from grader.gradebook.errors import GradebookError
from grader.gradebook.matching import match
from grader.gradebook.person import Person
from grader.intake.submission import Source
from grader.intake.times import order, read_time
from grader.pipeline.course.people import named, people_of

_HEADINGS: Final = (
    *("submitted at", "submitted", "submitted on", "submission time", "submission date", "time submitted"),
    *("last modified submission", "derniere modification travail remis", "derniere modification soumission"),
    *("derniere modification remise", "date de remise", "heure de remise", "remis le"),
    *("time", "timestamp", "date", "heure", "created at"),
)
"""The surest first."""

_NONE: Final = ("", "-", "–", "n/a")


class _Row(NamedTuple):
    person: Person
    time: datetime
    place: str


def with_times(sources: Sequence[Source], path: Path) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """The hand-ins with the times that a file gives, and what staff should be told. Raises GradebookError."""
    rows = _rows(path)
    people, places = people_of(sources)
    matching = match([row.person for row in rows], people, several=True)
    times: dict[int, list[_Row]] = defaultdict(list)
    for place, owner in matching.found.items():
        times[places[owner]].append(rows[place])
    timed = tuple(
        source if place not in times else _timed(source, times[place]) for place, source in enumerate(sources)
    )
    doubts = (
        f"times: in doubt, so not used: {rows[place].place} ({rows[place].person.label})" for place in matching.doubtful
    )
    others = [rows[place].person.label for place in matching.unmatched]
    return timed, (*doubts, *([f"times: no hand-in of: {named(others)}"] if others else []))


def tells_times(path: Path) -> bool:
    """Whether a file has a column of times. Raises GradebookError when it is no table."""
    table = read_table(path)
    keys = {heading_key(heading) for heading in table.texts(header_row(table))}
    return not keys.isdisjoint(_HEADINGS)


def _timed(source: Source, rows: Sequence[_Row]) -> Source:
    if len({row.time for row in rows}) > 1:
        places = " and ".join(row.place for row in rows)
        raise GradebookError(f"{places}: two times of one hand-in ({source.student_id}); keep the one of its files.")
    return source.model_copy(update={"submitted_at": rows[0].time, "time_from": rows[0].place})


def _rows(path: Path) -> list[_Row]:
    table = read_table(path)
    header = header_row(table)
    columns = who_columns(table, header)
    column = _time_column(table, header)
    cells = {row: _cell(table, row, column) for row in data_rows(table, header)}
    written = {row: cell for row, cell in cells.items() if cell.casefold() not in _NONE}
    day_first = order(written.values())
    return [
        _Row(
            columns.person(table.texts(row), table.where(row)),
            _time(cell, day_first, table.where(row)),
            f"{path.name}, line {table.lines[row]}",
        )
        for row, cell in written.items()
    ]


def _time_column(table: Table, header: int) -> int:
    headings = [heading_key(heading) for heading in table.texts(header)]
    found = next((headings.index(wanted) for wanted in _HEADINGS if wanted in headings), None)
    if found is None:
        raise GradebookError(f"{table.where(header)}: no column of times; name it `submitted_at`.")
    return found


def _cell(table: Table, row: int, column: int) -> str:
    texts = table.texts(row)
    return texts[column] if column < len(texts) else ""


def _time(text: str, day_first: bool | None, where: str) -> datetime:
    time = read_time(text, day_first=day_first)
    if time is None:
        raise GradebookError(f"{where}: {text!r} is no time that is certain; write it as 2023-11-21T22:58+01:00.")
    return time
