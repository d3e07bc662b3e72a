"""What a course system would do with a file of grades: which rows it skips, and which it reads otherwise.

The rules are those of the systems' own importers. The file may be one that was exported here and then edited.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType

from grader.gradebook import GradebookError
from grader.gradebook.csv_table import Table, read_table
from grader.gradebook.exports.course_systems import (
    GRADE,
    IDENTIFIER,
    LOCKED,
    MAXIMUM,
    MODIFIED,
    NO,
    canvas_column,
    is_english_time,
)
from grader.gradebook.exports.outcome import NO_GRADE, Filled, Wanted, as_number, points_for, rounded, rows_of
from grader.gradebook.people import column_called, keys_of
from grader.result import Result


def checked(form: str, path: Path, results: Sequence[Result], wanted: Wanted) -> tuple[str, ...]:
    """A line for each row that the system would skip or change, and how many it takes as they are. Raises
    GradebookError for a format without rules, or a file that the system would refuse."""
    if form not in _RULES:
        raise GradebookError(f"--check: no rules are known for {form}; they are for {', '.join(_RULES)}.")
    table = read_table(path)
    rows = rows_of(table, results)
    told, taken, skipped = [], 0, 0
    for row, written, maximum, problem in _RULES[form](table, rows, wanted):
        who = rows.people[row].label
        skipped += written is None
        taken += written is not None
        result = rows.rows.get(row)
        if problem:
            told.append(f"{who}: {problem}")
        elif written is not None and result is not None:
            points = rounded(points_for(result, maximum, wanted, table.where(row)))
            told += [f"{who}: {rounded(written)} in the file, {points} by the results"] * (rounded(written) != points)
    return (*told, f"{taken:,} grades would be taken, {skipped:,} rows skipped")


_Outcome = Iterator[tuple[int, Decimal | None, Decimal | None, str]]
"""The rows of people, the number that the system reads in each, None where it skips it, the maximum, and what is told
about it."""

_UNLESS = "skipped unless `Allow updating records` is ticked"


def _moodle_worksheet(table: Table, rows: Filled, wanted: Wanted) -> _Outcome:
    """Moodle skips a row without a word where the grade is above the maximum, cannot be changed, or was given after the
    time in the row, which it reads in English only."""
    columns = [column_called(keys_of(table), names) for names in (IDENTIFIER, GRADE, MODIFIED, MAXIMUM, LOCKED)]
    if None in columns[:3]:
        raise GradebookError(f"{table.path}: Moodle needs the columns Identifier, Grade and Last modified (grade).")
    since = _times_now(wanted)
    for row in rows.people:
        identifier, text, time, most, locked = (table.text(row, column) for column in columns)
        limit = as_number(most)
        value, problem = _moodle_number(text, most)
        reasons = (
            (text in NO_GRADE, ""),
            (value < 0 or (limit is not None and value > limit), f"skipped: {text} is not between 0 and {most}"),
            (locked.casefold() in NO, "skipped: the grade cannot be changed"),
            (since.get(identifier, time) != time, f"{_UNLESS}: graded since this file was downloaded"),
            (time not in NO_GRADE and not is_english_time(time), f"{_UNLESS}: graded before"),
        )
        skipped = next((reason for holds, reason in reasons if holds), None)
        yield (row, value, limit, problem) if skipped is None else (row, None, limit, skipped)


def _moodle_number(text: str, most: str) -> tuple[Decimal, str]:
    """The number that Moodle reads in a cell, and what staff should be told where it is not the one that stands there.
    A comma is a decimal mark only where the maximum has none with a point."""
    value = as_number(text)
    if value is None:
        return Decimal(0), f"{text!r} is no number, so Moodle reads as far as it is one"
    if "," in text and "." in most:
        whole = text.partition(",")[0]
        return Decimal(whole), f"Moodle reads {text} as {whole}"
    return value, ""


def _times_now(wanted: Wanted) -> Mapping[str, str]:
    """The times of grades in a worksheet that was downloaded just now, by participant."""
    if wanted.into is None:
        return {}
    table = read_table(wanted.into)
    identifier, modified = (column_called(keys_of(table), names) for names in (IDENTIFIER, MODIFIED))
    return {table.text(row, identifier): table.text(row, modified) for row in table.data_rows}


def _canvas(table: Table, rows: Filled, wanted: Wanted) -> _Outcome:
    """Canvas takes the last comma or point of a number as its decimal mark, and the last of several rows of one id."""
    place, maximum = canvas_column(table, wanted, tuple(rows.rows.values()))
    ids = column_called(keys_of(table), ("id",))
    last = {table.text(row, ids): row for row in rows.people}
    for row in rows.people:
        text = table.text(row, place)
        plain = text.replace(",", ".")
        whole, _, part = plain.rpartition(".")
        digits = f"{whole.replace('.', '')}.{part}" if whole else plain
        value = as_number(digits)
        if last[table.text(row, ids)] != row:
            yield row, None, maximum, "skipped: a later row has the same id"
        elif value is None:
            told = "" if text in NO_GRADE or text.casefold() in ("ex", "excused") else f"{text!r} is no score"
            yield row, None, maximum, told
        else:
            yield row, value, maximum, f"Canvas reads {text} as {digits}" if sum(map(text.count, ",.")) > 1 else ""


_RULES: Mapping[str, Callable[[Table, Filled, Wanted], _Outcome]] = MappingProxyType(
    {"moodle-worksheet": _moodle_worksheet, "canvas": _canvas}
)
