"""Moodle's offline grading worksheet, filled, and a file for its *Import grades*: e-mail address or id number, grade,
feedback.

One unknown user aborts the whole import, so with the gradebook's own export (`--into`) only those in it are listed.

All other cells are kept, above all `Last modified (grade)`, by which Moodle detects grades changed online since.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from grader.gradebook import GradebookError
from grader.gradebook.csv_table import Table, csv_text, filled, read_table, to_bytes
from grader.gradebook.exports.outcome import (
    NO_GRADE,
    Absence,
    Exported,
    Filled,
    Wanted,
    absences,
    as_number,
    cell,
    change,
    feedback_line,
    gradable,
    points_for,
    rounded,
    rows_of,
    text_at,
)
from grader.gradebook.people import Person, apart, header_row, heading_key, persons_of
from grader.result import Result

_IDENTIFIER: Final = ("identifier", "identifiant", "id", "bezeichner", "identificador")
_GRADE: Final = ("grade", "note", "bewertung", "calificacion", "valutazione", "nota")
_MAXIMUM: Final = ("maximum grade", "note maximale", "note maximum", "beste bewertung", "calificacion maxima")
_SCALE: Final = ("scale", "bareme", "skala", "escala")
_LOCKED: Final = ("grade can be changed", "la note peut etre modifiee", "note modifiable")
_FEEDBACK: Final = ("feedback comments", "commentaires de feedback", "feedback par commentaires", "commentaires")
_NO: Final = ("no", "non", "nein")
_NEXT: Final = "in Moodle: the assignment, Submissions, Upload grading worksheet, choose this file."


def moodle_worksheet(results: Sequence[Result], wanted: Wanted) -> Exported:
    """The filled worksheet. Raises GradebookError when the file is not a worksheet, or grades by a scale of words."""
    if wanted.into is None:
        raise GradebookError("moodle-worksheet: download the grading worksheet in Moodle and name it: --into FILE.")
    table = read_table(wanted.into)
    header = header_row(table)
    keys = [heading_key(heading) for heading in table.texts(header)]
    grade = _column_index(keys, (heading_key(wanted.column),) if wanted.column else _GRADE)
    if grade is None or _column_index(keys, _IDENTIFIER) is None:
        raise GradebookError(
            f"{table.where(header)}: it is no grading worksheet; columns `Identifier` and `Grade` are missing "
            "(name the column of grades by --column)."
        )
    if _column_index(keys, _SCALE) is not None:
        raise GradebookError(f"{table.where(header)}: this assignment is graded by a scale; points do not fit there.")
    ready = gradable(results, wanted)
    rows = rows_of(table, header, ready.results, ready.left)
    changes, kept = _changes(table, header, grade, rows, wanted)
    absent, absent_notes = absences(rows, wanted, {Absence.ZERO: "0"})
    for row, text in absent.items():
        locked = _column_index(keys, _LOCKED)
        if text_at(table.texts(row), grade) in NO_GRADE and text_at(table.texts(row), locked).casefold() not in _NO:
            changes[row, grade] = text
    written = sum(column == grade for _, column in changes)
    notes = (*ready.notes, *rows.notes, *absent_notes, *kept)
    file = ("moodle-worksheet.csv", to_bytes(filled(table, changes)))
    return Exported((file,), notes, written, len(rows.rows) + len(absent), _NEXT)


def decimal_comma(table: Table, header: int, wanted: Wanted, columns: Sequence[int]) -> bool:
    """Whether numbers use a decimal comma: as requested, else as in the file's existing numbers."""
    if wanted.decimal_comma is not None:
        return wanted.decimal_comma
    rows = (table.texts(row) for row in range(header + 1, len(table.rows)))
    cells = [text_at(texts, column) for texts in rows for column in columns]
    marks = [text for text in cells if as_number(text) is not None and not text.strip().isdigit()]
    return sum("," in text for text in marks) > len(marks) / 2


def _changes(
    table: Table, header: int, grade: int, rows: Filled, wanted: Wanted
) -> tuple[dict[tuple[int, int], str], list[str]]:
    keys = [heading_key(heading) for heading in table.texts(header)]
    maximum, locked, feedback = (_column_index(keys, names) for names in (_MAXIMUM, _LOCKED, _FEEDBACK))
    numbers = [place for place in (grade, maximum) if place is not None]
    comma = decimal_comma(table, header, wanted, numbers)
    changes: dict[tuple[int, int], str] = {}
    kept = []
    for row, result in rows.rows.items():
        texts = table.texts(row)
        if text_at(texts, locked).casefold() in _NO:
            kept.append(f"left as it is: {rows.people[row].label}: Moodle says that this grade cannot be changed")
            continue
        points = rounded(points_for(result, as_number(text_at(texts, maximum)), wanted, table.where(row)))
        what = change(text_at(texts, grade), points.replace(".", ",") if comma else points, force=wanted.force)
        if what.text is not None:
            changes[row, grade] = what.text
        elif what.kept:
            kept.append(f"left as it is: {rows.people[row].label} {what.kept}")
        if feedback and wanted.feedback and not what.kept and (wanted.force or text_at(texts, feedback) in NO_GRADE):
            changes[row, feedback] = cell(feedback_line(result))
    return changes, kept


def _column_index(keys: Sequence[str], names: Sequence[str]) -> int | None:
    return next((keys.index(name) for name in names if name in keys), None)


_NEXT_FOR_GRADES: Final = (
    "in Moodle: Grades, Import, CSV file; map the first column to the same field, Grade to the assignment."
)
_KEYS: Final = {"Email address": "email", "ID number": "number"}


class _Graded(NamedTuple):
    person: Person
    result: Result


def moodle_grades(results: Sequence[Result], wanted: Wanted) -> Exported:
    """The three-column file. The notes list students without a known address or number."""
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
    return Exported((file,), (*ready.notes, *notes), len(body), len(body), _NEXT_FOR_GRADES)


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
