"""Exports for Moodle and Canvas: gradebooks with grades filled in, and zips of reports for students.

Moodle: the offline grading worksheet, filled, and a file for *Import grades* (e-mail address or id number, grade,
feedback). One unknown user aborts the whole import, so with the gradebook's own export (`--into`) only those in it are
listed. All other cells are kept, above all `Last modified (grade)`, by which Moodle detects grades changed online
since.

Canvas: the instructor's own gradebook export with one assignment's column filled. Canvas takes the last comma or dot of
a number as the decimal mark, so thousands are never separated; it offers to create an assignment for an unknown title,
so only an existing column is filled.

The names in a zip of reports keep the ids of the download: Moodle (*Upload multiple feedback files in a zip*) looks for
a part of the path such as `Full name_12_assignsubmission_file`; Canvas (*Upload submissions*) for the first two numbers
between underscores.
"""

import calendar
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from grader.gradebook import GradebookError
from grader.gradebook.csv_table import Table, csv_text, fill_cells, read_table, to_bytes
from grader.gradebook.exports.outcome import (
    NO_GRADE,
    Absence,
    Content,
    ExportedFiles,
    ExportOptions,
    MatchedRows,
    Pending,
    absences,
    as_number,
    cell,
    change,
    feedback_line,
    format_points,
    gradable,
    points_for,
    rows_of,
)
from grader.gradebook.people import Person, column_called, heading_key, join_names, keys_of, persons_of
from grader.result import Result

IDENTIFIER: Final = ("identifier", "identifiant", "id", "bezeichner", "identificador")
GRADE: Final = ("grade", "note", "bewertung", "calificacion", "valutazione", "nota")
MAXIMUM: Final = ("maximum grade", "note maximale", "note maximum", "beste bewertung", "calificacion maxima")
_SCALE: Final = ("scale", "bareme", "skala", "escala")
LOCKED: Final = ("grade can be changed", "la note peut etre modifiee", "note modifiable")
_FEEDBACK: Final = ("feedback comments", "commentaires de feedback", "feedback par commentaires", "commentaires")
NO: Final = ("no", "non", "nein")
MODIFIED: Final = (
    *("last modified grade", "derniere modification note", "zuletzt geandert bewertung"),
    *("ultima modificacion calificacion", "ultima modifica valutazione"),
)
_ENGLISH: Final = frozenset({*calendar.day_name, *calendar.month_name, "AM", "PM"})
_NEXT_IN_MOODLE: Final = (
    "in Moodle: the assignment, Submissions, Upload grading worksheet, choose this file. Upload the zip of reports "
    "(moodle-feedback) after it: that counts as grading, and without a word Moodle skips rows that were graded after "
    "the worksheet was downloaded, unless `Allow updating records` is ticked."
)


def moodle_worksheet(results: Sequence[Result], wanted: ExportOptions) -> ExportedFiles:
    """The filled worksheet. Raises GradebookError when the file is not a worksheet, or grades by a scale of words."""
    if wanted.into is None:
        raise GradebookError("moodle-worksheet: download the grading worksheet in Moodle and name it: --into FILE.")
    table = read_table(wanted.into)
    keys, where = keys_of(table), table.place_of_row(table.header)
    grade = column_called(keys, (heading_key(wanted.column),) if wanted.column else GRADE)
    if grade is None or column_called(keys, IDENTIFIER) is None:
        raise GradebookError(
            f"{where}: it is no grading worksheet; columns `Identifier` and `Grade` are missing (name the column of "
            "grades by --column)."
        )
    if column_called(keys, _SCALE) is not None:
        raise GradebookError(f"{where}: this assignment is graded by a scale; points do not fit there.")
    ready = gradable(results, wanted)
    rows = rows_of(table, ready.results, ready.left)
    changes, kept = _changes(table, grade, rows, wanted)
    absent, absent_notes = absences(rows, wanted, {Absence.ZERO: "0"})
    locked = column_called(keys, LOCKED)
    for row, text in absent.items():
        if table.text(row, grade) in NO_GRADE and table.text(row, locked).casefold() not in NO:
            changes[row, grade] = text
    written = sum(column == grade for _, column in changes)
    kept += _stale(table, rows, [row for row, column in changes if column == grade])
    notes = (*ready.notes, *rows.notes, *absent_notes, *kept)
    file = ("moodle-worksheet.csv", to_bytes(fill_cells(table, changes)))
    return ExportedFiles((file,), notes, written, len(rows.rows) + len(absent), _NEXT_IN_MOODLE)


def _stale(table: Table, rows: MatchedRows, changed: Iterable[int]) -> Iterator[str]:
    """A note on the rows whose time of the last grade Moodle cannot read: any grade that it has is newer."""
    modified = column_called(keys_of(table), MODIFIED)
    times = {row: table.text(row, modified) for row in changed}
    stale = [row for row, time in times.items() if time not in NO_GRADE and not is_english_time(time)]
    if stale:
        who = join_names(rows.people[row].label for row in stale)
        yield f"Moodle skips these, which were graded before, unless `Allow updating records` is ticked: {who}"


def is_english_time(text: str) -> bool:
    """Whether Moodle reads a time that it wrote: it does so in English only."""
    return all(word[0].isdecimal() or word in _ENGLISH for word in text.replace(",", " ").split())


def decimal_comma(table: Table, wanted: ExportOptions, columns: Sequence[int]) -> bool:
    """Whether numbers use a decimal comma: as in the file's existing numbers, else as requested.

    Moodle understands a point in every language, but a comma only where its own numbers have one: elsewhere 16,6 is
    16. Raises GradebookError where a comma is requested for a file with points.
    """
    cells = [table.text(row, column) for row in table.data_rows for column in columns]
    marks = [text for text in cells if as_number(text) is not None and not text.strip().isdigit()]
    commas = sum("," in text for text in marks) > len(marks) / 2
    if wanted.decimal_comma and marks and not commas:
        raise GradebookError(
            f"{table.path}: its numbers have a decimal point, and Moodle would read 16,6 as 16 there; leave out "
            "--decimal comma."
        )
    return commas if wanted.decimal_comma is None else wanted.decimal_comma


def _changes(
    table: Table, grade: int, rows: MatchedRows, wanted: ExportOptions
) -> tuple[dict[tuple[int, int], str], list[str]]:
    keys = keys_of(table)
    maximum, locked, feedback = (column_called(keys, names) for names in (MAXIMUM, LOCKED, _FEEDBACK))
    numbers = [place for place in (grade, maximum) if place is not None]
    comma = decimal_comma(table, wanted, numbers)
    changes: dict[tuple[int, int], str] = {}
    kept = []
    for row, result in rows.rows.items():
        if table.text(row, locked).casefold() in NO:
            kept.append(f"left as it is: {rows.people[row].label}: Moodle says that this grade cannot be changed")
            continue
        points = format_points(points_for(result, as_number(table.text(row, maximum)), wanted, table.place_of_row(row)))
        what = change(table.text(row, grade), points.replace(".", ",") if comma else points, force=wanted.force)
        if what.text is not None:
            changes[row, grade] = what.text
        elif what.kept:
            kept.append(f"left as it is: {rows.people[row].label} {what.kept}")
        is_free = wanted.force or table.text(row, feedback) in NO_GRADE
        if feedback and wanted.feedback and not what.kept and is_free:
            changes[row, feedback] = cell(feedback_line(result))
    return changes, kept


class _Column(NamedTuple):
    """A column of a course system's file that holds grades or comments; `id` is the system's own id of it."""

    place: int
    heading: str
    title: str
    id: str = ""


_NEXT_FOR_GRADES: Final = (
    "in Moodle: Grades, Import, CSV file; map the first column to the same field, Grade to the assignment, and leave "
    "`Force import` off, so that Moodle stops where a grade was entered since. The maximum there must be that of the "
    "lab: Moodle lowers higher grades to it. A grade that is imported overrides the assignment's own."
)
_KEYS: Final = {"Email address": "email", "ID number": "number"}
_COMMENT: Final = ("feedback", "commentaire", "ruckmeldung", "retroalimentacion", "comentario")
_UNIX_DIGITS: Final = 10


def moodle_grades(results: Sequence[Result], wanted: ExportOptions) -> ExportedFiles:
    """The three-column file. The notes list students without a known address or number.

    With the gradebook's own export, a grade or comment that it holds stays as it is, and the time of the export goes
    with the grades: Moodle stops where somebody graded since.
    """
    if wanted.scale:
        raise GradebookError(
            "--scale: Moodle's gradebook does not say an item's maximum; set it to that of the lab in Moodle, or fill "
            "the grading worksheet (moodle-worksheet), which says it."
        )
    ready = gradable(results, wanted)
    comma = bool(wanted.decimal_comma)
    notes: tuple[str, ...] = ()
    people: list[tuple[Person, Result | None, str]] = []
    stamp: tuple[str, ...] = ()
    if wanted.into is None:
        if wanted.absent is not Absence.BLANK:
            raise GradebookError("--absent: name Moodle's own export by --into FILE, which says who is in the class.")
        people += [(person, result, "") for result in ready.results for person in persons_of(result)]
    else:
        table = read_table(wanted.into)
        rows = rows_of(table, ready.results, ready.left)
        absent, absent_notes = absences(rows, wanted, {Absence.ZERO: "0"})
        grade, comment = _item_columns(table, wanted, results)
        new, kept = _new_rows(table, rows, (*rows.rows, *absent), grade, comment, wanted)
        notes = (*rows.notes, *absent_notes, *kept)
        time = _time_column(table)
        people += [(rows.people[row], rows.rows.get(row), table.text(row, time)) for row in new]
        stamp = (table.text(table.header, time),) if time is not None else ()
        comma = decimal_comma(table, wanted, range(len(table.rows[table.header])))
    heading = max(_KEYS, key=lambda key: sum(bool(getattr(person, _KEYS[key])) for person, *_ in people))
    body, without = _rows(people, _KEYS[heading], comma=comma, feedback=wanted.feedback, stamped=bool(stamp))
    head = [heading, "Grade", *(["Feedback"] if wanted.feedback else []), *stamp]
    if without:
        notes = (*notes, f"no {heading.lower()} is known, so left out: {join_names(without)}")
    file = ("moodle-grades.csv", csv_text([head, *body]).encode())
    return ExportedFiles((file,), (*ready.notes, *notes), len(body), len(body), _NEXT_FOR_GRADES)


def _item_columns(table: Table, wanted: ExportOptions, results: Sequence[Result]) -> tuple[int | None, int | None]:
    """The columns of an item's grades and comments, `Assignment: Lab 4 (Real)`, `Assignment: Lab 4 (Feedback)`; None
    where the file has no items. Raises GradebookError where it is not clear which item is meant."""
    grades: list[_Column] = []
    comments: list[_Column] = []
    for place, heading in enumerate(table.texts(table.header)):
        title, _, kind = heading.rpartition("(")
        if ":" in heading and heading.endswith(")"):
            is_comment = heading_key(kind).startswith(_COMMENT)
            (comments if is_comment else grades).append(_Column(place, heading, title))
    if wanted.column is None and not [*grades, *comments]:
        return None, None
    grade = _item(grades, wanted, results, table.place_of_row(table.header))
    return grade.place, next((comment.place for comment in comments if comment.heading.startswith(grade.title)), None)


def _item(grades: Sequence[_Column], wanted: ExportOptions, results: Sequence[Result], where: str) -> _Column:
    """The column that holds a requested title, else the only one, else the one that holds the lab's title."""
    titles = {wanted.column} if wanted.column else {result.lab.title for result in results}
    found = [column for column in grades if any(title in column.heading for title in titles)]
    if len(grades) == 1 and not wanted.column:
        found = [*grades]
    return _single(found, grades, f"{where}: which item is it? Name one by --column.")


def _new_rows(
    table: Table, rows: MatchedRows, those: Iterable[int], grade: int | None, comment: int | None, wanted: ExportOptions
) -> tuple[list[int], list[str]]:
    """The rows whose grade is new, and a note for each one that stays."""
    new, kept = [], []
    for row in those:
        points = format_points(rows.rows[row].score) if row in rows.rows else "0"
        what = change(table.text(row, grade), points, force=wanted.force)
        written = table.text(row, comment)
        if what.text is not None and row in rows.rows and wanted.feedback and written and not wanted.force:
            what = what._replace(text=None, kept="holds a comment (--force replaces it)")
        if what.text is not None:
            new.append(row)
        elif what.kept:
            kept.append(f"left as it is: {rows.people[row].label} {what.kept}")
    return new, kept


def _time_column(table: Table) -> int | None:
    """The column that holds in all rows when Moodle wrote the file, whatever the language calls it."""
    last = len(table.rows[table.header]) - 1
    times = [table.text(row, last) for row in table.data_rows]
    return last if all(time.isdecimal() and len(time) == _UNIX_DIGITS for time in times) else None


def _rows(
    people: list[tuple[Person, Result | None, str]], key: str, *, comma: bool, feedback: bool, stamped: bool
) -> tuple[list[list[str]], list[str]]:
    """The rows, with zero for people without a result, and the labels of those who cannot have one."""
    used: set[str] = set()
    rows, without = [], []
    for person, result, stamp in people:
        user = getattr(person, key)
        if not user or (key == "email" and "@" not in user) or (result and user.casefold() in used):
            without.append(person.label)
            continue
        used.add(user.casefold())
        points = format_points(result.score) if result else "0"
        line = [cell(feedback_line(result)) if result else ""]
        stamps = [stamp] if stamped else []
        rows.append([cell(user), points.replace(".", ",") if comma else points, *(line if feedback else ()), *stamps])
    return rows, without


_TITLE: Final = re.compile(r"(?P<title>.*?)\s*\((?P<id>\d+)\)\s*", re.DOTALL)
_TOTALS: Final = re.compile(r"(?:current|final|override) (?:score|points|grade|status)|notes$", re.IGNORECASE)
_ABSENT: Final = {Absence.ZERO: "0", Absence.EXCUSED: "EX"}
_NEXT_IN_CANVAS: Final = "in Canvas: Grades, Import, choose this file, look at the changes, save them."
_POSSIBLE: Final = "points possible"
_READ_ONLY: Final = "read only"


def canvas(results: Sequence[Result], wanted: ExportOptions) -> ExportedFiles:
    """The filled gradebook. Raises GradebookError when the file or the column has not the form that Canvas writes."""
    if wanted.into is None:
        raise GradebookError("canvas: export the gradebook in Canvas and name that file: --into FILE.")
    table = read_table(wanted.into)
    possible = _row_of_maxima(table)
    column = _chosen(_assignments(table, possible), wanted, results, table.place_of_row(table.header))
    maximum = as_number(table.text(possible, column.place)) if possible is not None else None
    ready = gradable(results, wanted)
    rows = rows_of(table, ready.results, ready.left)
    changes: dict[tuple[int, int], str] = {}
    absent, absent_notes = absences(rows, wanted, _ABSENT)
    notes = [f"column: {column.heading}", *ready.notes, *rows.notes, *absent_notes]
    for row, result in rows.rows.items():
        points = format_points(points_for(result, maximum, wanted, f"{wanted.into}, {column.heading}"))
        what = change(table.text(row, column.place), points, force=wanted.force)
        if what.text is not None:
            changes[row, column.place] = what.text
        elif what.kept:
            notes.append(f"left as it is: {rows.people[row].label} {what.kept}")
    changes |= {(row, column.place): text for row, text in absent.items() if table.text(row, column.place) in NO_GRADE}
    return ExportedFiles(
        (("canvas.csv", to_bytes(fill_cells(table, changes))),),
        tuple(notes),
        len(changes),
        len(rows.rows) + len(absent),
        _NEXT_IN_CANVAS,
    )


def canvas_column(table: Table, wanted: ExportOptions, results: Sequence[Result]) -> tuple[int, Decimal | None]:
    """The place of the assignment's column, and its maximum. Raises GradebookError where it is not clear which one is
    meant."""
    possible = _row_of_maxima(table)
    place = _chosen(_assignments(table, possible), wanted, results, table.place_of_row(table.header)).place
    return place, as_number(table.text(possible, place)) if possible is not None else None


def _row_of_maxima(table: Table) -> int | None:
    """The row of possible points. It may be anywhere below the header, since people sort the file."""
    return next((row for row in table.data_rows if _POSSIBLE in table.text(row, 0).casefold()), None)


def _assignments(table: Table, possible: int | None) -> Iterator[_Column]:
    """The columns after the students' that hold an assignment's scores."""
    headings, keys = table.texts(table.header), keys_of(table)
    # An assignment's title may hold the word as well: the students' columns end with the one that is called so.
    last = keys.index("section") if "section" in keys else None
    if last is None or "id" not in keys:
        where = table.place_of_row(table.header)
        raise GradebookError(f"{where}: it is no gradebook of Canvas; columns `ID` and `Section` are missing.")
    for place in range(last + 1, len(headings)):
        found = _TITLE.fullmatch(headings[place])
        title = found["title"] if found else headings[place]
        below = table.text(possible, place) if possible is not None else ""
        if title and not _TOTALS.search(title) and _READ_ONLY not in below.casefold():
            yield _Column(place, headings[place], title, found["id"] if found else "")


def _chosen(columns: Iterator[_Column], wanted: ExportOptions, results: Sequence[Result], where: str) -> _Column:
    known_columns = list(columns)
    with_id = [column for column in known_columns if column.id]
    titles = {result.lab.title for result in results}
    if wanted.column is not None:
        asked = wanted.column.strip()
        found = [column for column in known_columns if asked in (column.heading, column.id)]
        found = found or [column for column in known_columns if asked == column.title]
    elif len(with_id) == 1:
        found = with_id
    else:
        found = [column for column in with_id if column.title in titles]
    return _single(found, known_columns, f"{where}: which assignment is to be filled? Name one by --column TITLE.")


def _single(found: Sequence[_Column], known_columns: Sequence[_Column], question: str) -> _Column:
    """The column that was found. Raises GradebookError with all known ones unless it is exactly one."""
    if len(found) != 1:
        there = "; ".join(column.heading for column in known_columns) or "none"
        raise GradebookError(f"{question} There are: {there}.")
    return found[0]


REPORT: Final = "report"
FEEDBACK: Final = "feedback"
_MOODLE: Final = re.compile(r"[^_.~/\\][^_/\\]*_\d+_assignsubmission_file_?")
_CANVAS: Final = re.compile(r"(?P<head>[^\d/\\][^/\\]*?_\d+_\d+_.*?)(?:\.[^.]*)?", re.DOTALL)
_LONGEST: Final = 120
_IN_MOODLE: Final = "in Moodle: the assignment, Submissions, Upload multiple feedback files in a zip."
_IN_CANVAS: Final = "in Canvas: the assignment, SpeedGrader's assignment page, Re-upload submissions; once only."
_LARGEST: Final = 200_000
"""Bytes; larger PDFs are listed in the notes, since course systems limit uploads."""


def moodle_feedback(results: Sequence[Result], wanted: ExportOptions) -> ExportedFiles:
    """One folder for each student, or member of a team, with the report; `--into` may name a grading worksheet."""
    ready = gradable(results, wanted, Pending.SCORE)
    found = dict(_participants(ready.results, wanted))
    files, missing = [], []
    for result in ready.results:
        reports = _reports(result, wanted)
        people = [found.get((result.student.id, place), person) for place, person in enumerate(persons_of(result))]
        folders = [_folder(person, result) for person in people if person.participant]
        if not reports or len(folders) < len(people):
            missing.append(result.student.id)
        files += [(f"{folder}/{FEEDBACK}{report.suffix}", report) for folder in folders for report in reports]
    notes = (*_notes(files, missing, wanted, "participant id"), *ready.notes)
    return ExportedFiles((("moodle-feedback.zip", _zipped(files)),), notes, len(files), len(files), _IN_MOODLE)


def canvas_feedback(results: Sequence[Result], wanted: ExportOptions) -> ExportedFiles:
    """One file for each student, named like the downloaded file. Uploading it twice adds two comments."""
    ready = gradable(results, wanted, Pending.SCORE)
    files, missing = [], []
    for result in ready.results:
        reports = _reports(result, wanted)
        identity = result.student.identity
        named = _CANVAS.fullmatch(identity.entry) if identity and identity.canvas_user else None
        if named and reports:
            files += [(f"{named['head']}{report.suffix}", report) for report in reports]
        else:
            missing.append(result.student.id)
    notes = (*_notes(files, missing, wanted, "name in the download"), *ready.notes)
    return ExportedFiles((("canvas-feedback.zip", _zipped(files)),), notes, len(files), len(files), _IN_CANVAS)


def _reports(result: Result, wanted: ExportOptions) -> list[Path]:
    """The student's reports in all requested formats; empty if one of them is missing."""
    paths = [wanted.folder / result.student.id / f"{REPORT}.{ending}" for ending in wanted.reports]
    return paths if all(path.is_file() for path in paths) else []


def _participants(results: Sequence[Result], wanted: ExportOptions) -> Iterator[tuple[tuple[str, int], Person]]:
    """The people of a worksheet, each with the student id of the result and the place in the team."""
    if wanted.into is None:
        return
    rows = rows_of(read_table(wanted.into), results)
    for row, result in rows.rows.items():
        person_in_file = rows.people[row]
        for place, person in enumerate(persons_of(result)):
            if (
                len(persons_of(result)) == 1
                or person_in_file.name == person.name
                or person_in_file.email == person.email
            ):
                yield (result.student.id, place), person_in_file


def _folder(person: Person, result: Result) -> str:
    entry = result.student.identity.entry if result.student.identity else ""
    is_own = len(persons_of(result)) == 1 and f"_{person.participant}_" in entry
    if is_own and _MOODLE.fullmatch(entry):
        return entry
    name = re.sub(r"[_/\\\x00-\x1f]+", " ", person.name).strip(" .~")[:_LONGEST] or "Participant"
    return f"{name}_{person.participant}_assignsubmission_file_"


def _notes(files: list[tuple[str, Path]], missing: list[str], wanted: ExportOptions, what: str) -> tuple[str, ...]:
    if not files:
        named = " and a ".join(f"{REPORT}.{ending}" for ending in wanted.reports)
        raise GradebookError(
            f"there is no report to give back: each needs a {named} and the student's {what} "
            "(grade the download of the system itself; for Moodle --into may name its grading worksheet)."
        )
    notes: tuple[str, ...] = (f"{len(files)} reports",)
    large = [path.parent.name for _, path in files if path.suffix == ".pdf" and path.stat().st_size > _LARGEST]
    if large:
        notes = (
            *notes,
            f"larger than {_LARGEST // 1000} kB (grade them again to make them smaller): {join_names(large)}",
        )
    return (*notes, f"without a report or a {what}, so left out: {join_names(missing)}") if missing else notes


def _zipped(files: list[tuple[str, Path]]) -> Content:
    """A zip archive, of which one report at a time is in memory; the same files always give the same bytes."""

    def write(into: BinaryIO) -> None:
        with zipfile.ZipFile(into, "w") as archive:
            for name, path in files:
                archive.writestr(zipfile.ZipInfo(name), path.read_bytes())

    return write
