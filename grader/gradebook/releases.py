"""Releases of reports: what students may see of their grades, and the links by which they read it. Nothing is
overwritten: a release or a withdrawal is a new row, a link that is revoked stays listed."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from grader.gradebook import GradebookError
from grader.gradebook.people import Person, persons_of
from grader.gradebook.store import Database, tables
from grader.result import Result

if TYPE_CHECKING:
    from sqlalchemy import Connection

_SELECTOR, _SECRET = 12, 43
"""Characters of the two parts of a token: 72 and 256 random bits."""
TOKEN: Final = _SELECTOR + _SECRET
_NOBODY: Final = hashlib.sha256(b"").hexdigest()


class LockedError(GradebookError):
    """Reports are released, so what they say is not decided otherwise; the message says for whom and what to do."""


class Release(NamedTuple):
    """The files of a student that are released, as names with SHA-256, and until when the student may ask."""

    student: str
    files: Mapping[str, str]
    released: datetime
    released_by: str
    until: datetime


def release(
    database: Database, lab: str, files: Mapping[str, Mapping[str, str]], released_by: str, until: datetime
) -> None:
    """Release files by student, in one transaction. A student without files sees nothing any more."""
    common = {"lab": lab, "released": _now(), "released_by": released_by, "until": until.astimezone(UTC).isoformat()}
    rows = [
        {**common, "student": student, "files": json.dumps(dict(student_files))}
        for student, student_files in files.items()
    ]
    if rows:
        with database.writing() as connection:
            connection.execute(tables().releases.insert(), rows)


def releases(database: Database, lab: str, student: str = "") -> dict[str, Release]:
    """The releases in force by student, of one or of all."""
    with database.reading() as connection:
        return {
            candidate.student: candidate for candidate in _in_force(connection, lab, [student] if student else None)
        }


def released_files(database: Database) -> set[str]:
    """The hashes of all files that are released, of every lab."""
    from sqlalchemy import select

    with database.reading() as connection:
        labs = connection.execute(select(tables().releases.c.lab).distinct()).scalars().all()
        return {
            sha256 for lab in labs for candidate in _in_force(connection, lab) for sha256 in candidate.files.values()
        }


def _in_force(connection: "Connection", lab: str, some: Collection[str] | None = None) -> Iterator[Release]:
    from sqlalchemy import func, select

    table = tables().releases
    newest = select(func.max(table.c.id)).where(table.c.lab == lab).group_by(table.c.student)
    if some is not None:
        newest = newest.where(table.c.student.in_(some))
    for row in connection.execute(table.select().where(table.c.id.in_(newest)).order_by(table.c.student)):
        if files := json.loads(row.files):
            times = datetime.fromisoformat(row.released), datetime.fromisoformat(row.until)
            yield Release(row.student, files, times[0], row.released_by, times[1])


def refuse_locked(connection: "Connection", lab: str, keys: Iterable[tuple[str, str]]) -> None:
    """Raises LockedError where the report of one of the students is released, unless the student has asked about the
    item and is not answered."""
    wanted = set(keys)
    locked = {candidate.student for candidate in _in_force(connection, lab)} & {student for student, _ in wanted}
    if not locked:
        return
    asked = tables().requests
    rows = connection.execute(asked.select().where(asked.c.lab == lab, asked.c.answer.is_(None)))
    refused = wanted - {(row.student, row.item) for row in rows}
    students = sorted({student for student, _ in refused} & locked)
    if students:
        more = f" and {len(students) - 5} more" if len(students) > 5 else ""
        raise LockedError(
            f"the reports of {', '.join(students[:5])}{more} are released, so nothing was changed. Decide while a "
            "request of the student about the item is open, or withdraw the report first: grade serve release "
            "--withdraw"
        )


class Link(NamedTuple):
    """A person's link to a student's report; `person` is the key that tells members of a group apart."""

    id: int
    student: str
    person: str
    name: str
    email: str
    issued: datetime
    issued_by: str
    revoked: datetime | None


class NewLink(NamedTuple):
    """A link that has just been issued. The token is kept nowhere."""

    student: str
    name: str
    email: str
    token: str


def people_of(result: Result, *, is_blind: bool = False) -> dict[str, Person]:
    """Return the people who handed in, by what distinguishes a person from the other members of the group and stays the
    same from run to run; the key is empty for somebody alone. In blind grading members are numbered only."""
    members = result.student.identity.members if result.student.identity else ()
    people = persons_of(result)
    if not members:
        return {"": people[0]}
    keys = [
        "" if is_blind else member.number or member.email.casefold() or member.login or member.name
        for member in members
    ]
    return {key[:300] or f"#{place}": person for place, (key, person) in enumerate(zip(keys, people, strict=True), 1)}


def may_read(link: Link, result: Result) -> bool:
    """Whether a result is that of the person with a link: somebody alone, or still a member of the group. The results
    of blind grading do not tell members."""
    is_numbered = link.person.startswith("#") and result.student.identity is None
    return link.person in people_of(result) or is_numbered


def issue(
    database: Database,
    lab: str,
    results: Iterable[Result],
    issued_by: str,
    *,
    renewed: Collection[str] = (),
    is_blind: bool = False,
) -> tuple[tuple[NewLink, ...], tuple[Link, ...]]:
    """Issue a link to every person of some results who has none, and to those of the students `renewed`, whose links
    are revoked. Links of those who no longer belong to a group are revoked, too, and returned. In blind grading
    (`is_blind`) the gradebook learns no names, which only the returned links have."""
    made: list[NewLink] = []
    gone: list[Link] = []
    with database.writing() as connection:
        there = _valid(connection, lab)
        for result in results:
            student, people = result.student.id, people_of(result, is_blind=is_blind)
            own_links = there.get(student, {})
            left = [link for person, link in own_links.items() if person not in people]
            ended = list(own_links.values()) if student in renewed else left
            _revoke(connection, [link.id for link in ended], issued_by)
            gone += left
            lacking = people.keys() - (own_links.keys() - {link.person for link in ended})
            for key in (key for key in people if key in lacking):
                token = secrets.token_urlsafe(9) + secrets.token_urlsafe(32)
                new = NewLink(student, people[key].name or people[key].label, people[key].email, token)
                _insert_link(connection, lab, new._replace(name=student, email="") if is_blind else new, key, issued_by)
                made.append(new)
    return tuple(made), tuple(gone)


def _valid(connection: "Connection", lab: str) -> dict[str, dict[str, Link]]:
    """The links that are not revoked, by student and person."""
    found: dict[str, dict[str, Link]] = {}
    for link in _links(connection, lab):
        if link.revoked is None:
            found.setdefault(link.student, {})[link.person] = link
    return found


def _insert_link(connection: "Connection", lab: str, made: NewLink, person: str, issued_by: str) -> None:
    row = {"lab": lab, "student": made.student, "person": person, "name": made.name[:300], "email": made.email[:300]}
    row |= {"selector": made.token[:_SELECTOR], "verifier": _verifier(made.token), "issued": _now()}
    connection.execute(tables().links.insert().values(**row, issued_by=issued_by))


def links_of(database: Database, lab: str) -> tuple[Link, ...]:
    """All links, by student; revoked ones included."""
    with database.reading() as connection:
        return _links(connection, lab)


def revoke(database: Database, lab: str, who: Sequence[str], revoked_by: str) -> tuple[Link, ...]:
    """Revoke the links of students by their ids, or of single persons by e-mail address or name; returns them."""
    wanted = {text.casefold() for text in who}
    with database.writing() as connection:
        there = [link for link in _links(connection, lab) if link.revoked is None]
        some = [
            link for link in there if wanted & {link.student.casefold(), link.email.casefold(), link.name.casefold()}
        ]
        _revoke(connection, [link.id for link in some], revoked_by)
        return tuple(some)


def link_with(database: Database, lab: str, token: str) -> Link | None:
    """The link with a token; None for an unknown or revoked one. The secret part is compared in constant time."""
    if len(token) != TOKEN or not token.isascii() or not token.replace("-", "").replace("_", "").isalnum():
        return None
    table = tables().links
    rows = database.rows(table.select().where(table.c.lab == lab, table.c.selector == token[:_SELECTOR]))
    row = rows[0] if rows else None
    is_right = hmac.compare_digest(row.verifier if row else _NOBODY, _verifier(token))
    return _link(row) if row is not None and is_right and row.revoked is None else None


def _verifier(token: str) -> str:
    return hashlib.sha256(token[_SELECTOR:].encode()).hexdigest()


def _links(connection: "Connection", lab: str) -> tuple[Link, ...]:
    table = tables().links
    rows = connection.execute(table.select().where(table.c.lab == lab).order_by(table.c.student, table.c.id))
    return tuple(map(_link, rows))


def _link(row: Any) -> Link:
    fields = {name: row._mapping[name] for name in Link._fields}
    for name in ("issued", "revoked"):
        fields[name] = datetime.fromisoformat(fields[name]) if fields[name] else None
    return Link(**fields)


def _revoke(connection: "Connection", ids: list[int], revoked_by: str) -> None:
    table = tables().links
    if ids:
        values = {"revoked": _now(), "revoked_by": revoked_by}
        connection.execute(table.update().where(table.c.id.in_(ids)).values(**values))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
