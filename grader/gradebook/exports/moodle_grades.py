"""A file for Moodle's *Import grades*: e-mail address or id number, grade, feedback.

One unknown user aborts the whole import, so with the gradebook's own export (`--into`) only those in it are listed.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from grader.gradebook.columns import header_row
from grader.gradebook.csv_table import csv_text, read_table
from grader.gradebook.errors import GradebookError
from grader.gradebook.exports.cells import cell, rounded
from grader.gradebook.exports.filling import absences, rows_of
from grader.gradebook.exports.moodle_worksheet import decimal_comma
from grader.gradebook.exports.outcome import Absence, Exported, Wanted, feedback_line, gradable
from grader.gradebook.person import Person, apart, persons_of
from grader.result import Result

_NEXT: Final = "in Moodle: Grades, Import, CSV file; map the first column to the same field, Grade to the assignment."
_KEYS: Final = {"Email address": "email", "ID number": "number"}


class _Graded(NamedTuple):
    person: Person
    result: Result


def moodle_grades(results: tuple[Result, ...], wanted: Wanted) -> Exported:
    """The three-column file. Those of whom neither address nor number is known are named."""
    ready = gradable(results, wanted)
    comma = bool(wanted.decimal_comma)
    notes: tuple[str, ...] = ()
    nothing: list[Person] = []
    if wanted.into is None:
        if wanted.absent is not Absence.BLANK:
            raise GradebookError("--absent: name Moodle's own export by --into FILE, which says who is in the class.")
        graded = [_Graded(person, result) for result in ready.results for person in persons_of(result)]
    else:
        table = read_table(wanted.into)
        header = header_row(table)
        rows = rows_of(table, header, ready.results, ready.left)
        absent, absent_notes = absences(rows, wanted, {Absence.ZERO: "0"})
        notes = (*rows.notes, *absent_notes)
        nothing = [rows.people[row] for row in absent]
        graded = [_Graded(rows.people[row], result) for row, result in rows.rows.items()]
        comma = decimal_comma(table, header, wanted, range(len(table.rows[header])))
    everybody = [*(one.person for one in graded), *nothing]
    heading = max(_KEYS, key=lambda key: sum(bool(getattr(person, _KEYS[key])) for person in everybody))
    body, without = _rows(graded, _KEYS[heading], comma=comma, feedback=wanted.feedback)
    zeros, nowhere = _zeros(nothing, _KEYS[heading], feedback=wanted.feedback)
    body, without = [*body, *zeros], [*without, *nowhere]
    head = [heading, "Grade", *(["Feedback"] if wanted.feedback else [])]
    if without:
        notes = (*notes, f"no {heading.lower()} is known, so left out: {apart(without)}")
    file = ("moodle-grades.csv", csv_text([head, *body]).encode())
    return Exported((file,), (*ready.notes, *notes), len(body), len(body), _NEXT)


def _zeros(people: list[Person], key: str, *, feedback: bool) -> tuple[list[list[str]], list[str]]:
    users = [(person, getattr(person, key)) for person in people]
    rows = [[cell(user), "0", *([""] if feedback else [])] for _, user in users if user]
    return rows, [person.label for person, user in users if not user]


def _rows(graded: list[_Graded], key: str, *, comma: bool, feedback: bool) -> tuple[list[list[str]], list[str]]:
    used: set[str] = set()
    rows, without = [], []
    for person, result in graded:
        user = getattr(person, key)
        if not user or user.casefold() in used:
            without.append(person.label)
            continue
        used.add(user.casefold())
        rows.append(list(_cells(user, result, comma=comma, feedback=feedback)))
    return rows, without


def _cells(user: str, result: Result, *, comma: bool, feedback: bool) -> Iterator[str]:
    points = rounded(result.score)
    yield cell(user)
    yield points.replace(".", ",") if comma else points
    if feedback:
        yield cell(feedback_line(result))
