"""What an export is asked for and what it yields: cells that no spreadsheet takes for a formula, a system's own file
filled with grades, and `grades.csv`.

A cell that begins like a formula is prefixed by an apostrophe (https://owasp.org/www-community/attacks/CSV_Injection).

UTF-8 text with a header row, comma-separated, lines ended by a single line feed; no cell holds a line break.
Points are plain decimal numbers; see `cells` for what becomes of text that looks like a formula.
"""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from grader.gradebook import GradebookError
from grader.gradebook.csv_table import Table
from grader.gradebook.people import Person, apart, data_rows, is_nobody, match, persons_of, who_columns, words
from grader.message import ENGLISH, Language, LanguageError, joined, language_of, plural_of, say, say_number
from grader.result import Result


class Pending(StrEnum):
    """What becomes of a student of whom points await a person: left out, or written with the decided points."""

    SKIP = "skip"
    SCORE = "score"


class Absence(StrEnum):
    """What is written for a student of the system's file who handed nothing in: nothing, zero, or that it does not
    count."""

    BLANK = "blank"
    ZERO = "zero"
    EXCUSED = "excused"


class Wanted(NamedTuple):
    """What the caller says of an export; each format looks at what concerns it.

    `into` is the system's own file. `column` names the column to fill. `scale` converts points to another maximum.
    `force` replaces grades that are there. `pending` is None for what suits the format. `absent` is about the
    rows of those who handed nothing in. `decimal_comma` is None where
    the file itself shall tell. `folder` holds the results and reports, of which `reports` are the endings to give back.
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


class Exported(NamedTuple):
    """The files, by name, and what the caller should be told. One file may be called anything. `written` is the number
    of students whose grade is new in them, None where that says nothing; `people` is that of all who have a row; `next`
    is what to do with the files."""

    files: tuple[tuple[str, bytes], ...]
    notes: tuple[str, ...] = ()
    written: int | None = None
    people: int | None = None
    next: str = ""


class Gradable(NamedTuple):
    """Results whose grade may go out, why others may not, and these."""

    results: tuple[Result, ...]
    notes: tuple[str, ...]
    left: tuple[Result, ...] = ()


def gradable(results: tuple[Result, ...], wanted: Wanted, usual: Pending = Pending.SKIP) -> Gradable:
    """The results without those of which nothing is decided and, unless they are wanted, those that await a person in
    part. `usual` is what suits the format: a bare number that may still rise is not a grade, so it is left out."""
    undecided = [result for result in results if is_undecided(result)]
    there = tuple(result for result in results if not is_undecided(result))
    open_ = [result for result in there if result.pending > 0]
    notes = []
    if undecided:
        notes.append(f"nothing is decided yet, so left out: {listed(undecided)}")
    if open_ and (wanted.pending or usual) is Pending.SKIP:
        there = tuple(result for result in there if not result.pending)
        what = "so left out (--pending score writes their decided points)"
        notes.append(f"points await a person, {what}: {listed(open_)}")
    elif open_:
        what = "so these grades are not final: only decided points are written (--pending skip leaves them out)"
        notes.append(f"points await a person, {what}: {listed(open_)}")
    return Gradable(there, tuple(notes), tuple(result for result in results if result not in there))


def is_undecided(result: Result) -> bool:
    """Whether the grader failed, or every point awaits a person: a zero would be no grade."""
    awaiting = result.items and all(item.pending == item.max_score for item in result.items)
    return result.error is not None or bool(awaiting and result.pending > 0)


def listed(results: list[Result]) -> str:
    """The ids of some results."""
    return apart(result.student.id for result in results)


def feedback_line(result: Result) -> str:
    """The grade in one line for a student, in the language of their report: total, each question, lateness, and what
    awaits a person. It holds no angle brackets, as systems may take it for HTML.
    """
    words = _language(result.language).say(joined(" ", _sentences(result)))
    return words.replace("<", "‹").replace(">", "›")


@cache
def _language(code: str) -> Language:
    """The catalogue of a language, read once for all results. A language that is there no more leaves English."""
    try:
        return language_of(code)
    except LanguageError:
        return ENGLISH


def _sentences(result: Result) -> Iterator[str]:
    yield say("{score:f} of {maximum:f} points.", score=_plain(result.score), maximum=_plain(result.max_score))
    questions = (
        say("{question} {score:f}/{maximum:f}", question=one.id, score=_plain(one.score), maximum=_plain(one.max_score))
        for one in result.questions
    )
    yield joined("", (joined("; ", questions), "."))
    if result.lateness and result.late_penalty:
        yield say("−{points:f} for lateness.", points=_plain(result.late_penalty))
        yield result.lateness.text
    if result.pending:
        yield say_number(
            "{points:f} point awaits a person.",
            "{points:f} points await a person.",
            plural_of(result.pending),
            points=_plain(result.pending),
        )


def _plain(points: Decimal) -> Decimal:
    """Without trailing zeros."""
    return points.normalize() if points else Decimal(0)


FORMULA_STARTS: Final = tuple("=+-@＝＋－＠\t\r\n")
BREAKING: Final = ("Cc", "Zl", "Zp")
"""Unicode categories of control characters and of line and paragraph separators."""

CENT: Final = Decimal("0.01")


def number(points: Decimal) -> str:
    """A plain number: no exponent, no trailing zeros, no minus before zero."""
    return format(points.normalize(), "f") if points else "0"


def rounded(points: Decimal) -> str:
    """A number of at most two decimals, half a cent rounded up."""
    return number(points.quantize(CENT, ROUND_HALF_UP))


def cell(text: str) -> str:
    """Text that is one line and no formula; control characters become spaces and lone surrogates question marks."""
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


class Filled(NamedTuple):
    """Rows with the result that belongs to each, and what staff should know. `absent` are the rows of those who handed
    nothing in, so far as nobody who did could be meant."""

    rows: dict[int, Result]
    people: dict[int, Person]
    notes: tuple[str, ...]
    absent: tuple[int, ...] = ()


class Change(NamedTuple):
    """What becomes of a cell: its new text, or None and why it stays."""

    text: str | None
    kept: str = ""


def rows_of(table: Table, header: int, results: Sequence[Result], left: Sequence[Result] = ()) -> Filled:
    """The rows below a header that results belong to. Everybody who is in doubt or has no counterpart is named. `left`
    are results that may not go out: their rows belong to nobody else, and are not named again."""
    columns = who_columns(table, header)
    everyone = ((row, columns.person(table.texts(row), "")) for row in data_rows(table, header))
    rows = [(row, person) for row, person in everyone if person.label and not is_nobody(person)]
    owned = [(person, result) for result in results for person in persons_of(result)]
    everybody = [*(person for person, _ in owned), *(person for result in left for person in persons_of(result))]
    matching = match([person for _, person in rows], everybody)
    found = {rows[place][0]: owned[owner][1] for place, owner in matching.found.items() if owner < len(owned)}
    with_row = set(matching.found.values())
    absent = [person for place, (person, _) in enumerate(owned) if place not in with_row]
    doubtful = [
        f"{table.where(rows[place][0])}: {rows[place][1].label} (perhaps {_labels(everybody[o] for o in owners)})"
        for place, owners in sorted(matching.doubtful.items())
    ]
    without = [rows[place] for place in matching.unmatched]
    perhaps = {row for row, person in without if any(_may_be(person, one) for one in absent)}
    notes = _notes(len(found), len(owned), absent, doubtful, [person.label for _, person in without])
    return Filled(found, dict(rows), tuple(notes), tuple(row for row, _ in without if row not in perhaps))


def absences(rows: Filled, wanted: Wanted, written: Mapping[Absence, str]) -> tuple[dict[int, str], list[str]]:
    """What is written in the rows of those who handed nothing in, and what staff should know. `written` is what the
    system knows for each choice. Raises GradebookError for a choice that it does not know."""
    if wanted.absent is Absence.BLANK:
        return {}, []
    if wanted.absent not in written:
        known = ", ".join(one.value for one in (Absence.BLANK, *written))
        raise GradebookError(f"--absent {wanted.absent.value}: this file cannot say so; it takes {known}.")
    cells = dict.fromkeys(rows.absent, written[wanted.absent])
    matched = {*rows.rows, *rows.absent}
    doubtful = [person.label for row, person in rows.people.items() if row not in matched]
    notes = [
        f"handed nothing in, so written as {wanted.absent.value}: {apart(rows.people[row].label for row in cells)}"
    ]
    if doubtful:
        notes.append(f"no result, but perhaps somebody above, so left blank: {apart(doubtful)}")
    return cells, notes if cells else notes[1:]


def _may_be(one: Person, other: Person) -> bool:
    """Whether two people whom no list brings together could still be the same: they share an id, an address or a word
    of their names, or one has no name to tell by."""
    shared = (set(one.system_ids) & set(other.system_ids), set(one.ids) & set(other.ids))
    if any(shared) or set(one.emails) & set(other.emails):
        return True
    a, b = ({word for name in person.names for word in words(name)} for person in (one, other))
    return not a or not b or bool(a & b)


def _labels(people: Iterable[Person]) -> str:
    return apart(person.label for person in people)


def _notes(found: int, of: int, absent: Sequence[Person], doubtful: Sequence[str], without: Sequence[str]) -> list[str]:
    notes = [f"{found} of {of} graded students have a row of their own"]
    notes += [f"in doubt, so left as it is: {one}" for one in doubtful]
    if absent:
        notes.append(f"graded, but not matched to any row: {_labels(absent)}")
    if without:
        notes.append(f"rows without a result: {apart(without)}")
    return notes


def change(present: str, score: str, *, force: bool) -> Change:
    """What becomes of a cell that holds a grade already, or none. An equal grade is left as it is written."""
    if present in NO_GRADE:
        return Change(score)
    there, new = as_number(present), as_number(score)
    if there is not None and new is not None and round(there, 2) == round(new, 2):
        return Change(None)
    if there is None:
        return Change(None, f"holds {present!r}")
    return Change(score) if force else Change(None, f"holds another grade, {present} (--force replaces it)")


def points_for(result: Result, maximum: Decimal | None, wanted: Wanted, where: str) -> Decimal:
    """The points to write where the system's maximum is `maximum`; None: it does not say.

    Raises GradebookError where the maxima differ and nobody asked to convert.
    """
    if maximum is None or maximum == result.max_score:
        return result.score
    if not wanted.scale or maximum <= 0:
        raise GradebookError(
            f"{where}: the maximum there is {rounded(maximum)}, but the lab has {rounded(result.max_score)} points; "
            "add --scale to convert, or set the maximum there to that of the lab."
        )
    return result.score * maximum / result.max_score if result.max_score else Decimal(0)


def as_number(text: str) -> Decimal | None:
    """The number in a cell, with a decimal point or comma; None where it holds none."""
    plain = text.strip()
    if not _NUMBER.fullmatch(plain):
        return None
    try:
        return Decimal(plain.replace(",", "."))
    except InvalidOperation:
        return None


def text_at(texts: Sequence[str], column: int | None) -> str:
    """A cell of a row that may be short."""
    return texts[column] if column is not None and column < len(texts) else ""


STUDENT_COLUMNS = ("student_id", "name", "score", "pending", "max_score", "late_penalty", "needs_review")


def grades_csv(results: Sequence[Result]) -> str:
    """The text of `grades.csv`, sorted by student id: score and review state, points per item, flag ids, error.

    A student's points for an item that the result does not list are 0, so that every item column holds a number.
    """
    ordered = sorted(results, key=lambda result: result.student.id)
    items = list(dict.fromkeys(item.id for result in ordered for item in result.items))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*STUDENT_COLUMNS, *map(cell, items), "flags", "error"])
    writer.writerows(_row(result, items) for result in ordered)
    return text.getvalue()


def _row(result: Result, items: Sequence[str]) -> list[str]:
    points = {item.id: item.score for item in result.items}
    flags = dict.fromkeys(flag.id for flag in result.flags)
    return [
        cell(result.student.id),
        cell(result.student.name),
        *map(number, (result.score, result.pending, result.max_score, result.late_penalty)),
        "true" if result.needs_review else "false",
        *(number(points.get(item, Decimal(0))) for item in items),
        cell(" ".join(flags)),
        cell(result.error or ""),
    ]
