"""Canvas: the instructor's own gradebook export with one assignment's column filled.

Canvas takes the last comma or dot of a number as the decimal mark, so thousands are never separated; it offers to
create an assignment for an unknown title, so only an existing column is filled.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from grader.gradebook import GradebookError
from grader.gradebook.csv_table import Table, filled, read_table, to_bytes
from grader.gradebook.exports.outcome import (
    NO_GRADE,
    Absence,
    Exported,
    Wanted,
    absences,
    as_number,
    change,
    gradable,
    points_for,
    rounded,
    rows_of,
    text_at,
)
from grader.gradebook.people import header_row, heading_key
from grader.result import Result

_TITLE: Final = re.compile(r"(?P<title>.*?)\s*\((?P<id>\d+)\)\s*", re.DOTALL)
_TOTALS: Final = re.compile(r"(?:current|final|override) (?:score|points|grade|status)|notes$", re.IGNORECASE)
_ABSENT: Final = {Absence.ZERO: "0", Absence.EXCUSED: "EX"}
_NEXT: Final = "in Canvas: Grades, Import, choose this file, look at the changes, save them."
_POSSIBLE: Final = "points possible"
_READ_ONLY: Final = "read only"


class _Column(NamedTuple):
    place: int
    heading: str
    title: str
    id: str


def canvas(results: Sequence[Result], wanted: Wanted) -> Exported:
    """The filled gradebook. Raises GradebookError when the file or the column has not the form that Canvas writes."""
    if wanted.into is None:
        raise GradebookError("canvas: export the gradebook in Canvas and name that file: --into FILE.")
    table = read_table(wanted.into)
    header = header_row(table)
    possible = _possible_row(table, header)
    column = _chosen(_assignments(table, header, possible), wanted, results, table.where(header))
    maximum = as_number(text_at(table.texts(possible), column.place)) if possible is not None else None
    ready = gradable(results, wanted)
    rows = rows_of(table, header, ready.results, ready.left)
    changes: dict[tuple[int, int], str] = {}
    absent, absent_notes = absences(rows, wanted, _ABSENT)
    notes = [f"column: {column.heading}", *ready.notes, *rows.notes, *absent_notes]
    for row, result in rows.rows.items():
        points = rounded(points_for(result, maximum, wanted, f"{wanted.into}, {column.heading}"))
        what = change(text_at(table.texts(row), column.place), points, force=wanted.force)
        if what.text is not None:
            changes[row, column.place] = what.text
        elif what.kept:
            notes.append(f"left as it is: {rows.people[row].label} {what.kept}")
    changes |= {
        (row, column.place): text for row, text in absent.items() if text_at(table.texts(row), column.place) in NO_GRADE
    }
    return Exported(
        (("canvas.csv", to_bytes(filled(table, changes))),),
        tuple(notes),
        len(changes),
        len(rows.rows) + len(absent),
        _NEXT,
    )


def _possible_row(table: Table, header: int) -> int | None:
    """The row of possible points; it may be anywhere below the header, since people sort the file."""
    below = range(header + 1, len(table.rows))
    return next((row for row in below if text_at(table.texts(row), 0).strip().casefold() == _POSSIBLE), None)


def _assignments(table: Table, header: int, possible: int | None) -> Iterator[_Column]:
    """The columns after the students' that hold an assignment's scores."""
    headings = table.texts(header)
    keys = [heading_key(heading) for heading in headings]
    last = max((place for place, key in enumerate(keys) if "section" in key), default=None)
    if last is None or "id" not in keys:
        raise GradebookError(
            f"{table.where(header)}: it is no gradebook of Canvas; columns `ID` and `Section` are missing."
        )
    below = table.texts(possible) if possible is not None else []
    for place in range(last + 1, len(headings)):
        found = _TITLE.fullmatch(headings[place])
        title = found["title"] if found else headings[place]
        if title and not _TOTALS.search(title) and _READ_ONLY not in text_at(below, place).casefold():
            yield _Column(place, headings[place], title, found["id"] if found else "")


def _chosen(columns: Iterator[_Column], wanted: Wanted, results: Sequence[Result], where: str) -> _Column:
    known = list(columns)
    with_id = [column for column in known if column.id]
    titles = {result.lab.title for result in results}
    if wanted.column is not None:
        asked = wanted.column.strip()
        found = [column for column in known if asked in (column.heading, column.id)]
        found = found or [column for column in known if asked == column.title]
    elif len(with_id) == 1:
        found = with_id
    else:
        found = [column for column in with_id if column.title in titles]
    if len(found) == 1:
        return found[0]
    there = "; ".join(column.heading for column in known) or "none"
    raise GradebookError(f"{where}: which assignment is to be filled? Name one by --column TITLE. There are: {there}.")
