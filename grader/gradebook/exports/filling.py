"""A system's own file filled with grades: whose row is whose, which cells may change, and what staff should know."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Final, NamedTuple

from grader.gradebook.columns import data_rows, who_columns
from grader.gradebook.csv_table import Table
from grader.gradebook.errors import GradebookError
from grader.gradebook.exports.cells import rounded
from grader.gradebook.exports.outcome import Absence, Wanted
from grader.gradebook.matching import match
from grader.gradebook.person import Person, apart, persons_of
from grader.gradebook.person_names import words
from grader.gradebook.roster import is_nobody
from grader.result import Result

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
