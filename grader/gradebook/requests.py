"""Students' requests to look again, from the review page or a CSV file (such as the answers to a course's form), and
the replies. A request is answered once.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple

from grader.gradebook import GradebookError
from grader.gradebook.csv_table import csv_text, read_table
from grader.gradebook.exports.outcome import cell
from grader.gradebook.people import Person, column_called, join_names, keys_of, match, persons_of, who_columns
from grader.gradebook.store import Database, tables
from grader.result import LookedAgain, Result


class ReviewRequest(NamedTuple):
    """A request about an item, and its answer where there is one."""

    id: int
    student: str
    item: str
    text: str
    entered: datetime
    entered_by: str
    answer: str | None
    answered: datetime | None
    answered_by: str | None


def ask(database: Database, lab: str, student: str, item: str, text: str, entered_by: str) -> None:
    """Keep a request."""
    row = {"lab": lab, "student": student, "item": item, "text": text, "entered": _now(), "entered_by": entered_by}
    with database.writing() as connection:
        connection.execute(tables().requests.insert().values(**row))


class Refusal(StrEnum):
    """The reason why a student's request was not stored."""

    OPEN = "open"
    """A request about the same item waits for its answer."""
    MANY = "many"
    """No more requests about this hand-in are taken."""


def ask_once(
    database: Database, lab: str, student: str, item: str, text: str, entered_by: str, *, most: int
) -> Refusal | None:
    """As `ask`, for a student who asks; returns why nothing was stored. Students who ask at the same time take turns,
    so the limits hold for all of them together."""
    table = tables().requests
    row = {"lab": lab, "student": student, "item": item, "text": text, "entered": _now(), "entered_by": entered_by}
    with database.writing() as connection:
        query = table.select().where(table.c.lab == lab, table.c.student == student)
        there = connection.execute(query).all()
        if any(request.item == item and request.answer is None for request in there):
            return Refusal.OPEN
        if len(there) >= most:
            return Refusal.MANY
        connection.execute(table.insert().values(**row))
        return None


def answer(database: Database, lab: str, request: int, text: str, answered_by: str) -> ReviewRequest | None:
    """Answers a request. If it has been answered already, nothing changes and the existing answer is returned."""
    table = tables().requests
    with database.writing() as connection:
        where = (table.c.lab == lab, table.c.id == request)
        values = {"answer": text, "answered": _now(), "answered_by": answered_by}
        changed = connection.execute(table.update().where(*where, table.c.answer.is_(None)).values(**values))
        if changed.rowcount:
            return None
        row = connection.execute(table.select().where(*where)).first()
        return _asked(row) if row else None


def requests_of(database: Database, lab: str, student: str = "") -> tuple[ReviewRequest, ...]:
    """The requests of a student, or without one all unanswered requests; the oldest first."""
    table = tables().requests
    query = table.select().where(table.c.lab == lab).order_by(table.c.id)
    query = query.where(table.c.student == student) if student else query.where(table.c.answer.is_(None))
    return tuple(map(_asked, database.rows(query)))


def answered_of(database: Database, lab: str) -> dict[str, dict[str, tuple[LookedAgain, ...]]]:
    """The answered requests by student and item, in the form of results."""
    table = tables().requests
    query = table.select().where(table.c.lab == lab, table.c.answer.is_not(None)).order_by(table.c.id)
    found: dict[str, dict[str, tuple[LookedAgain, ...]]] = {}
    for request in map(_asked, database.rows(query)):
        by_item = found.setdefault(request.student, {})
        again = LookedAgain(
            text=request.text,
            asked=request.entered.date(),
            answer=request.answer or "",
            answered=(request.answered or request.entered).date(),
            answered_by=request.answered_by or "",
        )
        by_item[request.item] = (*by_item.get(request.item, ()), again)
    return found


def every_request(database: Database, lab: str) -> tuple[ReviewRequest, ...]:
    """All requests about a lab, the latest first."""
    table = tables().requests
    return tuple(map(_asked, database.rows(table.select().where(table.c.lab == lab).order_by(table.c.id.desc()))))


def _asked(row: Any) -> ReviewRequest:
    fields = {name: row._mapping[name] for name in ReviewRequest._fields}
    for name in ("entered", "answered"):
        fields[name] = datetime.fromisoformat(fields[name]) if fields[name] else None
    return ReviewRequest(**fields)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


_ITEM: Final = ("item", "items", "question", "exercise", "rubric item", "critere")
_REASON: Final = ("reason", "request", "why", "text", "comment", "explanation", "raison", "demande", "motif")
_LONGEST: Final = 4_000


class Wish(NamedTuple):
    """A request in a file: the student's id, the item, the student's words."""

    student: str
    item: str
    text: str


class Wishes(NamedTuple):
    """The requests that can be stored, and the problems of the others, with place and reason."""

    wishes: tuple[Wish, ...]
    problems: tuple[str, ...]


def read_requests(path: Path, results: Mapping[str, Result]) -> Wishes:
    """The requests in a file. Columns: the student (as in a roster: id, e-mail, name), `item`, `reason`. An uncertain
    student is a problem, never a guess. Raises GradebookError when the file is not such a list."""
    table = read_table(path)
    keys = keys_of(table)
    item_at, reason_at = column_called(keys, _ITEM), column_called(keys, _REASON)
    if item_at is None or reason_at is None:
        raise GradebookError(
            f"{table.place_of_row(table.header)}: columns `item` and `reason` are needed beside the student "
            f"(there are: {', '.join(table.texts(table.header))})."
        )
    columns = who_columns(table)
    people = [columns.person(table.texts(row), table.place_of_row(row)) for row in table.data_rows]
    owned = [(person, student) for student, result in results.items() for person in persons_of(result)]
    groups = [
        result.student for result in results.values() if result.student.identity and result.student.identity.members
    ]
    owned += [
        (Person(label=group.id, own=group.id), group.id) for group in groups
    ]  # a group is called by its own id, too
    matching = match(people, [person for person, _ in owned], several=True)
    wishes, problems = [], []
    for place, row in enumerate(table.data_rows):
        item, text = table.text(row, item_at), " ".join(table.text(row, reason_at).split())[:_LONGEST]
        student = owned[matching.found[place]][1] if place in matching.found else None
        item_ids = [candidate.id for candidate in results[student].items] if student is not None else []
        if student is None:
            problem = "nobody who was graded here, or not only one"
        elif item not in item_ids:
            problem = f"there is no item {item!r}; there are {join_names(item_ids)}"
        elif not text:
            problem = "it says no reason"
        else:
            wishes.append(Wish(student, item, text))
            continue
        problems.append(f"{table.place_of_row(row)}: {people[place].label}: {problem}")
    return Wishes(tuple(wishes), tuple(problems))


def answers_csv(asked: Sequence[ReviewRequest], results: Mapping[str, Result]) -> str:
    """The requests with their answers as CSV, for a course's own letters; the answer is empty for an open request."""
    rows = [["student", "name", "email", "item", "request", "answer", "answered_by", "points", "of"]]
    for request in sorted(asked, key=lambda each: each.id):
        result = results.get(request.student)
        item = next((item for item in result.items if item.id == request.item), None) if result else None
        email = result.student.identity.email if result and result.student.identity else ""
        texts = [request.student, result.student.name if result else "", email, request.item, request.text]
        texts += [request.answer or "", request.answered_by or ""]
        points = [format(item.score, "f"), format(item.max_score, "f")] if item else ["", ""]
        rows.append([*map(cell, texts), *points])
    return csv_text(rows)
