"""Options and results of an export, cells that no spreadsheet takes for a formula, filling of a system's own file, and
`grades.csv`.

A cell that begins like a formula gets an apostrophe as prefix (https://owasp.org/www-community/attacks/CSV_Injection).

UTF-8 text with a header row, comma-separated, lines ended by a single line feed; no cell holds a line break.
Points are plain decimal numbers; see `cell` for text that looks like a formula.
"""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, Final, NamedTuple

from grader.cohort.rows import MappedSequence, ReadOnDemand
from grader.gradebook import GradebookError
from grader.gradebook.csv_table import Table
from grader.gradebook.people import Person, is_nobody, join_names, match, persons_of, same_name, who_columns, words
from grader.message import (
    ENGLISH,
    Language,
    LanguageError,
    join_messages,
    language_of,
    plural_of,
    say,
    say_number,
    say_values,
)
from grader.result import Result


class Pending(StrEnum):
    """The policy for a student with pending points: left out, or exported with the decided points."""

    SKIP = "skip"
    SCORE = "score"


class Absence(StrEnum):
    """The policy for a student in the system's file without a hand-in: nothing, zero, or excused."""

    BLANK = "blank"
    ZERO = "zero"
    EXCUSED = "excused"


class ExportOptions(NamedTuple):
    """The options of an export; each format uses those that concern it.

    `into` is the system's own file. `column` names the column to fill. `scale` converts points to another maximum.
    `force` replaces existing grades. `pending` is None for the format's default. `absent` is what to write for students
    without a hand-in. `decimal_comma` is None to follow the file. `folder` holds the results and reports; `reports` are
    the suffixes of the reports to return.
    """

    folder: Path
    into: Path | None = None
    column: str | None = None
    scale: bool = False
    force: bool = False
    pending: Pending | None = None
    absent: Absence = Absence.BLANK
    feedback: bool = True
    decimal_comma: bool | None = None
    question: str | None = None
    instance: int = 1
    reports: tuple[str, ...] = ("pdf",)


Content = bytes | Callable[[BinaryIO], None]
"""What is in a file: its bytes, or what writes them, where they are too many to be in memory."""


class ExportedFiles(NamedTuple):
    """The files by name, and notes for the caller. A single file may be renamed by the caller. `written` is the number
    of students with a new grade, None where that has no meaning; `people` is the number of students with a row; `next`
    says what to do with the files."""

    files: Sequence[tuple[str, Content]]
    notes: tuple[str, ...] = ()
    written: int | None = None
    people: int | None = None
    next: str = ""


class Gradable(NamedTuple):
    """Results that may be exported, with their students' ids, the results that wait (`left`), and the reasons as
    notes."""

    results: Sequence[Result]
    students: tuple[str, ...]
    notes: tuple[str, ...]
    left: Sequence[Result] = ()


def gradable(results: Sequence[Result], wanted: ExportOptions, usual: Pending = Pending.SKIP) -> Gradable:
    """Splits results into those that may be exported and those that wait: nothing is decided yet, or points are pending
    and `wanted` does not ask for such results. `usual` is the format's default for pending points: by default they
    wait, as a bare number that may still rise is not a grade. Those that are read when they are asked for stay so."""
    skips = (wanted.pending or usual) is Pending.SKIP
    students: list[str] = []
    undecided: list[int] = []
    open_: list[int] = []
    for place, result in enumerate(results):
        students.append(result.student.id)
        awaiting = result.items and all(item.pending == item.max_score for item in result.items)
        if result.error is not None or (awaiting and result.pending > 0):  # a zero would be no grade
            undecided.append(place)
        elif result.pending > 0:
            open_.append(place)
    notes = []
    if undecided:
        notes.append(
            f"nothing is decided yet, so left out: {join_names(students[candidate] for candidate in undecided)}"
        )
    if open_:
        what = "so these grades are not final: only decided points are written (--pending skip leaves them out)"
        if skips:
            what = "so left out (--pending score writes their decided points)"
        notes.append(f"points pending review, {what}: {join_names(students[candidate] for candidate in open_)}")
    left = sorted([*undecided, *(open_ if skips else ())])
    waits = set(left)
    there = [place for place in range(len(students)) if place not in waits]
    return Gradable(
        MappedSequence(there, results.__getitem__),
        tuple(students[place] for place in there),
        tuple(notes),
        MappedSequence(left, results.__getitem__),
    )


def by_student(results: Sequence[Result]) -> Sequence[Result]:
    """The results in the order of their students' ids."""
    ids = [result.student.id for result in results]
    order = sorted(range(len(ids)), key=ids.__getitem__)
    return results if order == list(range(len(ids))) else MappedSequence(order, results.__getitem__)


def feedback_line(result: Result) -> str:
    """The grade in one line for a student, in the language of the report: total, each question, lateness, pending
    points. It contains no angle brackets, as some systems would take them for HTML.
    """
    words = language_by(result.language).say(join_messages(" ", _sentences(result)))
    return words.replace("<", "‹").replace(">", "›")


@cache
def language_by(code: str) -> Language:
    """The catalogue of a language, cached; English for a language that is no longer available."""
    try:
        return language_of(code)
    except LanguageError:
        return ENGLISH


def _sentences(result: Result) -> Iterator[str]:
    score, maximum = plain_number(result.score), plain_number(result.max_score)
    yield say("{score:f} of {maximum:f} points.", score=score, maximum=maximum)
    questions = (
        say_values(
            "{question} {score:f}/{maximum:f}",
            question=question.id,
            score=plain_number(question.score),
            maximum=plain_number(question.max_score),
        )
        for question in result.questions
    )
    yield join_messages("", (join_messages("; ", questions), "."))
    if result.lateness and result.late_penalty:
        yield say("−{points:f} for lateness.", points=plain_number(result.late_penalty))
        yield result.lateness.text
    if result.pending:
        yield say_number(
            "{points:f} point is pending review.",
            "{points:f} points are pending review.",
            plural_of(result.pending),
            points=plain_number(result.pending),
        )


def plain_number(points: Decimal) -> Decimal:
    """The number without trailing zeros."""
    return points.normalize() if points else Decimal(0)


FORMULA_STARTS: Final = tuple("=+-@＝＋－＠\t\r\n")
BREAKING: Final = ("Cc", "Zl", "Zp")
"""Unicode categories of control characters and of line and paragraph separators."""

CENT: Final = Decimal("0.01")


def number(points: Decimal) -> str:
    """A plain number: no exponent, no trailing zeros, no minus before zero."""
    return format(points.normalize(), "f") if points else "0"


def format_points(points: Decimal) -> str:
    """A number with at most two decimals, half a cent rounded up."""
    return number(points.quantize(CENT, ROUND_HALF_UP))


def cell(text: str) -> str:
    """Text as one line that is not a formula; control characters become spaces, lone surrogates question marks."""
    harmless = one_line(text)
    return f"'{harmless}" if text.startswith(FORMULA_STARTS) or harmless.startswith(FORMULA_STARTS) else harmless


def one_line(text: str) -> str:
    """Text as one line of valid UTF-8."""
    if text.isascii() and text.isprintable():
        return text.strip()
    line = "".join(" " if unicodedata.category(char) in BREAKING else char for char in text).strip()
    return line.encode("utf-8", errors="replace").decode("utf-8")


NO_GRADE: Final = ("", "-", "–")
_NUMBER: Final = re.compile(r"-?\d+(?:[.,]\d+)?")


class MatchedRows(NamedTuple):
    """The result of each row, and notes for staff. `absent` are rows of students without a hand-in; a row that could be
    a student with a hand-in is not among them. `teams` are students whose hand-in may be that of a group."""

    rows: Mapping[int, Result]
    people: dict[int, Person]
    notes: tuple[str, ...]
    absent: tuple[int, ...] = ()
    teams: tuple[str, ...] = ()


class Change(NamedTuple):
    """The new text of a cell, or None and the reason why it is kept."""

    text: str | None
    kept: str = ""


def rows_of(
    table: Table, results: Sequence[Result], left: Sequence[Result] = (), only: Sequence[int] | None = None
) -> MatchedRows:
    """The result of each row below the header, or of `only` some. Notes name everybody with an uncertain match or none.
    `left` are results that may not be exported: their rows match nobody else, and the notes do not name them again."""
    columns = who_columns(table)
    everyone = ((row, columns.person(table.texts(row), "")) for row in (table.data_rows if only is None else only))
    rows = [(row, person) for row, person in everyone if person.label and not is_nobody(person)]
    owned = [(person, number) for number, result in enumerate(results) for person in persons_of(result)]
    everybody = [*(person for person, _ in owned), *(person for result in left for person in persons_of(result))]
    matching = match([person for _, person in rows], everybody)
    found = {rows[place][0]: owned[owner][1] for place, owner in matching.found.items() if owner < len(owned)}
    with_row = set(matching.found.values())
    rowless = {place: person for place, person in enumerate(everybody) if place not in with_row}
    absent = [person for place, person in rowless.items() if place < len(owned)]
    doubtful = [
        f"{table.place_of_row(rows[place][0])}: {rows[place][1].label} "
        f"(perhaps {_labels(everybody[o] for o in owners)})"
        for place, owners in sorted(matching.doubtful.items())
    ]
    without = [rows[place] for place in matching.unmatched]
    perhaps = {row for row, person in without if any(_may_be_same(person, candidate) for candidate in rowless.values())}
    perhaps |= _partners(dict(rows), {rows[place][0] for place in matching.found}, (row for row, _ in without))
    teams = tuple(
        everybody[owner].label
        for place, owner in matching.found.items()
        if _may_be_team(everybody[owner], rows[place][1])
    )
    notes = tuple(_notes(len(found), len(owned), absent, doubtful, [person.label for _, person in without]))
    empty = tuple(row for row, _ in without if row not in perhaps)
    return MatchedRows(ReadOnDemand(found, lambda row: results[found[row]]), dict(rows), notes, empty, teams)


_LARGEST_TEAM: Final = 8
"""Members; a group of more is a class that meets at one hour."""


def _partners(people: Mapping[int, Person], graded: Container[int], without: Iterable[int]) -> set[int]:
    """Return those rows without a result that belong to a small group in which one other row has one: it may be theirs,
    too."""
    groups: dict[str, list[int]] = {}
    for row, person in people.items():
        groups.setdefault(person.group.casefold(), []).append(row)
    teams = [team for group, team in groups.items() if group and len(team) <= _LARGEST_TEAM]
    once = {row for team in teams if sum(row in graded for row in team) == 1 for row in team}
    return once & set(without)


def _may_be_team(person: Person, row: Person) -> bool:
    """Whether a hand-in from Canvas is perhaps that of a group: Canvas names the file after the group, and gives one
    member's id. That the names differ is all that tells."""
    alone = person.canvas and not (person.email or person.number or person.login)
    return bool(alone and person.name and row.name and not same_name(person.name, row.name))


def absences(
    rows: MatchedRows, wanted: ExportOptions, written: Mapping[Absence, str]
) -> tuple[dict[int, str], list[str]]:
    """The text to write in the rows of students without a hand-in, and notes for staff. `written` is the system's text
    for each choice. Raises GradebookError for a choice that the system does not support."""
    if wanted.absent is Absence.BLANK:
        return {}, []
    if wanted.absent not in written:
        choices = ", ".join(absence.value for absence in (Absence.BLANK, *written))
        raise GradebookError(f"--absent {wanted.absent.value}: this file cannot say so; it takes {choices}.")
    if rows.teams:
        reason = f"perhaps submissions of groups, whose members are not known: {join_names(rows.teams)}"
        return {}, [f"{reason}; so nobody is {wanted.absent.value} (grade with --roster, with a column of groups)"]
    cells = dict.fromkeys(rows.absent, written[wanted.absent])
    matched = {*rows.rows, *rows.absent}
    doubtful = [person.label for row, person in rows.people.items() if row not in matched]
    notes = [
        f"handed nothing in, so written as {wanted.absent.value}: {join_names(rows.people[row].label for row in cells)}"
    ]
    if doubtful:
        notes.append(f"no result, but perhaps somebody above, so left blank: {join_names(doubtful)}")
    return cells, notes if cells else notes[1:]


def _may_be_same(candidate: Person, other: Person) -> bool:
    """Whether two unmatched people could still be the same: they share an id, an address or a word of their names, or
    one of them has no name."""
    shared = (set(candidate.system_ids) & set(other.system_ids), set(candidate.ids) & set(other.ids))
    if any(shared) or set(candidate.emails) & set(other.emails):
        return True
    a, b = ({word for name in person.names for word in words(name)} for person in (candidate, other))
    return not a or not b or bool(a & b)


def _labels(people: Iterable[Person]) -> str:
    return join_names(person.label for person in people)


def _notes(found: int, of: int, absent: Sequence[Person], doubtful: Sequence[str], without: Sequence[str]) -> list[str]:
    notes = [f"{found} of {of} graded students have a row of their own"]
    notes += [f"in doubt, so left as it is: {text}" for text in doubtful]
    if absent:
        notes.append(f"graded, but not matched to any row: {_labels(absent)}")
    if without:
        notes.append(f"rows without a result: {join_names(without)}")
    return notes


def change(present: str, score: str, *, force: bool) -> Change:
    """The change of a cell from its present text to a score. An equal grade keeps its spelling; another one is kept
    unless `force` is set."""
    if present in NO_GRADE:
        return Change(score)
    there, new = as_number(present), as_number(score)
    if there is not None and new is not None and round(there, 2) == round(new, 2):
        return Change(None)
    if there is None:
        return Change(None, f"holds {present!r}")
    return Change(score) if force else Change(None, f"holds another grade, {present} (--force replaces it)")


def points_for(result: Result, maximum: Decimal | None, wanted: ExportOptions, where: str) -> Decimal:
    """The points to write where the system's maximum is `maximum`, or None if it is unknown.

    Raises GradebookError where the maxima differ and no conversion was requested, or it was and one is unknown.
    """
    if maximum is None and wanted.scale:
        raise GradebookError(
            f"{where}: the file does not say the maximum there, so --scale cannot convert; export it anew with all its "
            "rows and columns, or leave out --scale if the maximum is that of the lab."
        )
    if maximum is None or maximum == result.max_score:
        return result.score
    if not wanted.scale or maximum <= 0:
        raise GradebookError(
            f"{where}: the maximum there is {format_points(maximum)}, but the lab has "
            f"{format_points(result.max_score)} points; add --scale to convert, or set the maximum there to that of "
            "the lab."
        )
    return result.score * maximum / result.max_score if result.max_score else Decimal(0)


def as_number(text: str) -> Decimal | None:
    """The number in a cell, with a decimal point or comma; None where it holds none."""
    plain = text.strip()
    return Decimal(plain.replace(",", ".")) if _NUMBER.fullmatch(plain) else None


STUDENT_COLUMNS = ("student_id", "name", "score", "pending", "max_score", "late_penalty", "needs_review")


def grades_csv(results: Sequence[Result]) -> str:
    """The text of `grades.csv` for results in any order; see `GradesTable`."""
    table = GradesTable()
    for result in by_student(results):
        table.add(result)
    return "".join(table.lines())


class GradesTable:
    """`grades.csv` in the order of the results, one after the other: score and review state, points per item, flag ids,
    error.

    The cell of an item is empty while its points are pending, and where the result does not list it: neither is a zero.
    """

    def __init__(self) -> None:
        self._items: dict[str, None] = {}
        self._rows = TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115  # closed when it was read

    def add(self, result: Result) -> None:
        """One more student."""
        self._items.update(dict.fromkeys(item.id for item in result.items))
        points = {item.id: number(item.score) for item in result.items if not item.pending}
        flags = dict.fromkeys(flag.id for flag in result.flags)
        row = [
            cell(result.student.id),
            cell(result.student.name),
            *map(number, (result.score, result.pending, result.max_score, result.late_penalty)),
            "true" if result.needs_review else "false",
            *(points.get(item, "") for item in self._items),
            cell(" ".join(flags)),
            cell(result.error or ""),
        ]
        self._rows.write(json.dumps(row) + "\n")

    def lines(self) -> Iterator[str]:
        """The lines of the table; those written before an item was known are filled up."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*STUDENT_COLUMNS, *map(cell, self._items), "flags", "error"])
        yield text.getvalue()
        columns = len(STUDENT_COLUMNS) + len(self._items) + 2
        self._rows.seek(0)
        for row in map(json.loads, self._rows):
            text.seek(0)
            text.truncate()
            writer.writerow([*row[:-2], *[""] * (columns - len(row)), *row[-2:]])
            yield text.getvalue()
        self._rows.close()
