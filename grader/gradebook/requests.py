"""What students asked to be looked at again, and the answers. A request is answered once."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from grader.gradebook.database import Database
from grader.gradebook.tables import tables
from grader.result import LookedAgain


class Asked(NamedTuple):
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


def answer(database: Database, lab: str, request: int, text: str, answered_by: str) -> Asked | None:
    """Answer a request; where somebody else did already, nothing is changed and theirs comes back."""
    known = tables().requests
    with database.writing() as connection:
        where = (known.c.lab == lab, known.c.id == request)
        values = {"answer": text, "answered": _now(), "answered_by": answered_by}
        changed = connection.execute(known.update().where(*where, known.c.answer.is_(None)).values(**values))
        if changed.rowcount:
            return None
        row = connection.execute(known.select().where(*where)).first()
        return _asked(row) if row else None


def requests_of(database: Database, lab: str, student: str = "") -> tuple[Asked, ...]:
    """The requests of a student, or all that are not answered; the oldest first."""
    known = tables().requests
    query = known.select().where(known.c.lab == lab).order_by(known.c.id)
    query = query.where(known.c.student == student) if student else query.where(known.c.answer.is_(None))
    with database.reading() as connection:
        return tuple(_asked(row) for row in connection.execute(query))


def answered_of(database: Database, lab: str) -> dict[str, dict[str, tuple[LookedAgain, ...]]]:
    """The requests that were answered, by student and item, as results hold them."""
    known = tables().requests
    query = known.select().where(known.c.lab == lab, known.c.answer.is_not(None)).order_by(known.c.id)
    found: dict[str, dict[str, tuple[LookedAgain, ...]]] = {}
    with database.reading() as connection:
        for one in map(_asked, connection.execute(query)):
            own = found.setdefault(one.student, {})
            own[one.item] = (*own.get(one.item, ()), _for_result(one))
    return found


def every_request(database: Database, lab: str) -> tuple[Asked, ...]:
    """All requests about a lab, the latest first."""
    known = tables().requests
    with database.reading() as connection:
        rows = connection.execute(known.select().where(known.c.lab == lab).order_by(known.c.id.desc()))
        return tuple(map(_asked, rows))


def _for_result(one: Asked) -> LookedAgain:
    answered = one.answered or one.entered
    return LookedAgain(
        text=one.text,
        asked=one.entered.date(),
        answer=one.answer or "",
        answered=answered.date(),
        answered_by=one.answered_by or "",
    )


def _asked(row: Any) -> Asked:
    fields = {name: row._mapping[name] for name in Asked._fields}
    for name in ("entered", "answered"):
        fields[name] = datetime.fromisoformat(fields[name]) if fields[name] else None
    return Asked(**fields)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
