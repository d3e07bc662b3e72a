"""A check of a file of grades against a course system's rules: which rows it skips, and which it reads otherwise.

The rules are those of the systems' own importers. The file may be one that was exported here and then edited.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from grader.gradebook import GradebookError
from grader.gradebook.csv_table import Table, read_table
from grader.gradebook.exports.autograders import PRAIRIELEARN_KEYS, by_team
from grader.gradebook.exports.course_systems import (
    GRADE,
    IDENTIFIER,
    LOCKED,
    MAXIMUM,
    MODIFIED,
    NO,
    canvas_column,
    decimal_comma,
    is_english_time,
)
from grader.gradebook.exports.outcome import (
    NO_GRADE,
    ExportOptions,
    MatchedRows,
    as_number,
    format_points,
    points_for,
    rows_of,
)
from grader.gradebook.people import column_called, keys_of
from grader.result import Result


def check_grades(form: str, path: Path, results: Sequence[Result], wanted: ExportOptions) -> tuple[str, ...]:
    """A line for each row that the system would skip, refuse or change, and how many it takes as they are. Raises
    GradebookError for a format without rules, or a file that the system would refuse."""
    if form not in _RULES:
        raise GradebookError(f"--check: no rules are known for {form}; they are for {', '.join(_RULES)}.")
    table = read_table(path)
    rows = rows_of(table, by_team(table, results) if form == "prairielearn" else results)
    lines, taken, skipped, stopped = [], 0, 0, False
    for row in _RULES[form](table, rows, wanted):
        who = rows.people[row.row].label
        skipped += row.written is None
        taken += row.written is not None
        stopped = stopped or row.stops
        result = rows.rows.get(row.row)
        if row.told:
            lines.append(f"{who}: {row.told}")
        elif row.written is not None and result is not None:
            points = row.points or format_points(points_for(result, row.maximum, wanted, table.place_of_row(row.row)))
            lines += [f"{who}: {format_points(row.written)} in the file, {points} by the results"] * (
                format_points(row.written) != points
            )
    if stopped:
        return (*lines, "the system stops at the first of these, and takes no grade of the file")
    return (*lines, f"{taken:,} grades would be taken, {skipped:,} rows skipped")


class _Row(NamedTuple):
    """The system's treatment of a person's row: the number that it reads, None if it skips the row, the maximum, and a
    remark. `points` are those of the results in the file's own unit, if that is another one; `stops`: the system then
    takes nothing of the file."""

    row: int
    written: Decimal | None
    maximum: Decimal | None = None
    told: str = ""
    points: str = ""
    stops: bool = False


_Outcome = Iterator[_Row]

_UNLESS = "skipped unless `Allow updating records` is ticked"


def _moodle_worksheet(table: Table, rows: MatchedRows, wanted: ExportOptions) -> _Outcome:
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
        yield _Row(row, value, limit, problem) if skipped is None else _Row(row, None, limit, skipped)


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


def _times_now(wanted: ExportOptions) -> Mapping[str, str]:
    """The times of grades in a worksheet that was downloaded just now, by participant."""
    if wanted.into is None:
        return {}
    table = read_table(wanted.into)
    identifier, modified = (column_called(keys_of(table), names) for names in (IDENTIFIER, MODIFIED))
    return {table.text(row, identifier): table.text(row, modified) for row in table.data_rows}


def _canvas(table: Table, rows: MatchedRows, wanted: ExportOptions) -> _Outcome:
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
            yield _Row(row, None, maximum, "skipped: a later row has the same id")
        elif value is None:
            remark = "" if text in NO_GRADE or text.casefold() in ("ex", "excused") else f"{text!r} is no score"
            yield _Row(row, None, maximum, remark)
        else:
            read_as = f"Canvas reads {text} as {digits}" if sum(map(text.count, ",.")) > 1 else ""
            yield _Row(row, value, maximum, read_as)


def _moodle_grades(table: Table, rows: MatchedRows, wanted: ExportOptions) -> _Outcome:
    """Moodle's gradebook takes nothing of a file with an unknown user or a cell that is no number. An empty cell clears
    the grade, and what is above the maximum is lowered to it without a word. `--into` says who is known."""
    keys = keys_of(table)
    user, grade = keys.index(next(key for key in keys if key)), column_called(keys, GRADE)
    if grade is None:
        raise GradebookError(f"{table.path}: no column `Grade` tells what to import.")
    known_users, marks = _users(wanted)
    times = Counter(table.text(row, user).casefold() for row in rows.people)
    for row in rows.people:
        who, text = table.text(row, user).casefold(), table.text(row, grade)
        value, result = as_number(text), rows.rows.get(row)
        remark, stops = _at_a_cell(who, text, known_users, marks)
        if remark or value is None:
            yield _Row(row, None, told=remark, stops=stops)
        elif result and value > result.max_score:
            yield _Row(
                row, value, told=f"Moodle lowers {text} to the item's maximum, {format_points(result.max_score)}"
            )
        else:
            yield _Row(row, value, told="two rows of the same user" if times[who] > 1 else "")


def _at_a_cell(who: str, text: str, known_users: frozenset[str] | None, marks: Sequence[str]) -> tuple[str, bool]:
    """Return how Moodle's gradebook treats a user and a cell that it does not take, and whether it stops there."""
    if known_users is not None and who not in known_users:
        return "Moodle stops: no such user is in its gradebook", True
    if text in NO_GRADE:
        return "an empty cell clears the grade that is there", False
    if as_number(text) is None or text.strip("0123456789-") not in marks:
        return f"Moodle stops: {text!r} is no number here", True
    return "", False


def _users(wanted: ExportOptions) -> tuple[frozenset[str] | None, tuple[str, ...]]:
    """Return the users in the gradebook's own export, and the decimal marks that the site may use."""
    if wanted.into is None:
        return None, ("", ".", ",")
    known_table = read_table(wanted.into)
    comma = decimal_comma(known_table, wanted, range(len(known_table.rows[known_table.header])))
    texts = frozenset(text.casefold() for row in known_table.data_rows for text in known_table.texts(row))
    return texts, ("", ".", ",") if comma else ("", ".")


def _prairielearn(table: Table, rows: MatchedRows, wanted: ExportOptions) -> _Outcome:
    """PrairieLearn refuses a row whose ids are not letter by letter those of a submission, or whose score is no number
    with a point; it skips one without a score, and takes a score above 100 as it is. `--into` says what is known."""
    places, score = _prairielearn_columns(table)
    submissions = _submissions(wanted, tuple(places))
    for row in rows.people:
        text, result = table.text(row, score), rows.rows.get(row)
        value = as_number(text)
        if submissions is not None and tuple(table.text(row, place) for place in places.values()) not in submissions:
            yield _Row(row, None, told="refused: there is no such submission; the ids are compared letter by letter")
        elif value is None or "," in text:
            yield _Row(row, None, told=f"refused: {text!r} is no number with a point" if text else "")
        else:
            points = format_points(100 * result.score / result.max_score) if result and result.max_score else ""
            yield _Row(row, value, told=f"{text} % is taken as it is" if value > _WHOLE else "", points=points)


def _prairielearn_columns(table: Table) -> tuple[dict[str, int], int]:
    """The places of the ids, by PrairieLearn's names, and that of the score. Raises GradebookError."""
    keys = keys_of(table)
    found = {name: column_called(keys, headings) for name, headings in PRAIRIELEARN_KEYS.items()}
    places = {name: place for name, place in found.items() if place is not None}
    score = column_called(keys, ("score perc",))
    if score is None or not all(places.keys() & names for names in _NEEDED):
        raise GradebookError(
            f"{table.path}: PrairieLearn needs the columns uid or group_name, qid, submission_id or instance, and "
            "score_perc."
        )
    return places, score


def _submissions(wanted: ExportOptions, names: Sequence[str]) -> set[tuple[str, ...]] | None:
    """The ids of the submissions in PrairieLearn's own export, in the order of some columns."""
    if wanted.into is None:
        return None
    table = read_table(wanted.into)
    places = [column_called(keys_of(table), PRAIRIELEARN_KEYS[name]) for name in names]
    return {tuple(table.text(row, place) for place in places) for row in table.data_rows}


_NEEDED = ({"uid", "group_name"}, {"qid"}, {"submission_id", "instance"})
"""Columns of which PrairieLearn needs one each."""
_WHOLE = Decimal(100)
_RULES: Mapping[str, Callable[[Table, MatchedRows, ExportOptions], _Outcome]] = MappingProxyType(
    {
        "moodle-worksheet": _moodle_worksheet,
        "moodle-grades": _moodle_grades,
        "canvas": _canvas,
        "prairielearn": _prairielearn,
    }
)
