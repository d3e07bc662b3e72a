"""Persons' decisions about items, stored in the gradebook with their whole history. Nothing is overwritten: a decision
is a new version of the previous one, and is refused if somebody else has decided in the meantime."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pydantic import TypeAdapter

from grader.gradebook import GradebookError
from grader.gradebook.releases import refuse_locked
from grader.gradebook.store import Database, tables
from grader.result import EVERYONE, BoundHashes, Override, Part, Scope, Status

if TYPE_CHECKING:
    from sqlalchemy import Connection

DECIDE, UNDO, IMPORT = "decide", "undo", "import"
_MOST_HISTORY: Final = 200
_PARTS: Final = TypeAdapter(tuple[Part, ...])
Key = tuple[str, str]
"""A student and an item."""
Bindings = Mapping[tuple[str, str, str], BoundHashes]
"""What entries of `overrides.toml` were first applied to, by student, item and mark."""
NO_BINDINGS: Final[Bindings] = MappingProxyType({})


class Verdict(NamedTuple):
    """A status, points, or rows of the item's rubric by their numbers from 1, only one of them, and the text for the
    student; or which parts of the hand-in answer which questions. With none, it revokes a decision."""

    status: Status | None
    points: Decimal | None
    reason: str
    rows: tuple[int, ...] | None = None
    sections: tuple[Part, ...] | None = None

    @property
    def is_given(self) -> bool:
        """Whether it says anything."""
        return any(entry is not None for entry in (self.status, self.points, self.rows, self.sections))


TAKEN_BACK: Final = Verdict(None, None, "")


class Target(NamedTuple):
    """A student's item to decide, or that of the whole class (`student` is then a `Scope`): the finding on which the
    decision is based, and the outcome before and after in words. `replaces` identifies the entry of `overrides.toml`
    that was in force. For `subject` and `about` see `Override`."""

    student: str
    item: str
    finding: str
    before: str
    after: str
    replaces: str = ""
    subject: str = ""
    about: str = ""


class DecisionVersion(NamedTuple):
    """One version of a decision in the gradebook. `author` is responsible for the verdict, `actor` entered it: they
    differ where undo restored an earlier verdict."""

    id: int
    lab: str
    student: str
    item: str
    version: int
    action: str
    batch: str
    undoes: str
    verdict: Verdict
    author: str
    actor: str
    decided: datetime
    finding: str
    replaces: str
    before: str
    after: str
    subject: str
    about: str

    @property
    def in_force(self) -> bool:
        """Whether this version holds a verdict rather than revoking one."""
        return self.verdict.is_given

    @property
    def key(self) -> Key:
        """The student and the item."""
        return self.student, self.item

    @property
    def override(self) -> Override:
        """The decision as an override of a grade."""
        return Override(
            status=self.verdict.status,
            points=self.verdict.points,
            rows=self.verdict.rows,
            sections=self.verdict.sections,
            reason=self.verdict.reason,
            author=self.author,
            date=self.decided.date(),
            finding=self.finding,
            subject=self.subject,
            about=self.about,
            scope=self.student if Scope.from_text(self.student) else "",
        )


class Conflict(NamedTuple):
    """Somebody else decided in the meantime: the refused verdict, and the one in force."""

    target: Target
    verdict: Verdict
    theirs: DecisionVersion


class Outcome(NamedTuple):
    """The stored decisions, and the conflicts that were not stored."""

    saved: tuple[DecisionVersion, ...]
    conflicts: tuple[Conflict, ...]


def decide(
    database: Database,
    lab: str,
    author: str,
    wanted: Sequence[tuple[Target, Verdict]],
    *,
    seen: int,
    action: str = DECIDE,
) -> Outcome:
    """Stores verdicts on items, each as a new version. `seen` is the number of the last decision that the author could
    know of; items with a newer one are left unchanged and returned as conflicts. Raises LockedError where reports are
    released."""
    batch = secrets.token_hex(8)
    with database.writing() as connection:
        refuse_locked(connection, lab, ((target.student, target.item) for target, _ in wanted))
        last = _last(connection, lab, {target.student for target, _ in wanted})
        conflicts, rows = [], []
        for target, verdict in wanted:
            known_decision = last.get((target.student, target.item))
            if known_decision and known_decision.id > seen:
                conflicts.append(Conflict(target, verdict, known_decision))
                continue
            version = known_decision.version + 1 if known_decision else 1
            fields = {"action": action, "batch": batch, "undoes": "", "author": author, "actor": author}
            rows.append(_row(lab, target, verdict, version=version, **fields))
        _insert(connection, rows)
        return Outcome(_decisions_of_batch(connection, lab, batch), tuple(conflicts))


def undo(database: Database, lab: str, actor: str) -> Outcome | None:
    """Restores the state before the actor's last decision that is not yet undone; None where there is none. Items that
    somebody has decided since are left unchanged, as conflicts."""
    table = tables().decisions
    with database.writing() as connection:
        batch = _last_batch(connection, lab, actor)
        if batch is None:
            return None
        again = _decisions_of_batch(connection, lab, batch)
        refuse_locked(connection, lab, (version.key for version in again))
        last = _last(connection, lab, {version.student for version in again})
        new, conflicts, rows = secrets.token_hex(8), [], []
        for decision in again:
            now = last[decision.key]
            if now.id != decision.id:
                target = Target(
                    decision.student,
                    decision.item,
                    decision.finding,
                    decision.after,
                    decision.before,
                    decision.replaces,
                )
                conflicts.append(Conflict(target, TAKEN_BACK, now))
                continue
            where = (table.c.lab == lab, table.c.student == decision.student, table.c.item == decision.item)
            older = connection.execute(table.select().where(*where, table.c.version == decision.version - 1)).first()
            past = _decided(older) if older else None
            base = past or decision._replace(replaces="")
            details = (decision.after, decision.before, base.replaces, base.subject, base.about)
            target = Target(decision.student, decision.item, base.finding, *details)
            author = past.author if past and past.in_force else actor
            fields = {"action": UNDO, "batch": new, "undoes": batch, "author": author, "actor": actor}
            verdict = past.verdict if past else TAKEN_BACK
            rows.append(_row(lab, target, verdict, version=decision.version + 1, **fields))
        if not rows:  # so that the next undo reaches further back
            connection.execute(table.update().where(table.c.batch == batch).values(undoes=batch))
        _insert(connection, rows)
        return Outcome(_decisions_of_batch(connection, lab, new), tuple(conflicts))


def decided_since(database: Database, lab: str, seen: int = 0) -> tuple[DecisionVersion, ...]:
    """All versions of decisions with a number greater than `seen`, the oldest first."""
    table = tables().decisions
    query = table.select().where(table.c.lab == lab, table.c.id > seen).order_by(table.c.id)
    return tuple(map(_decided, database.rows(query)))


def decided_about(database: Database, lab: str, students: Sequence[str]) -> dict[Key, DecisionVersion]:
    """The decisions in force about some students, those for the whole class among them."""
    table = tables().decisions
    whose = table.c.student.in_(students) | table.c.student.startswith(EVERYONE, autoescape=True)
    query = table.select().where(table.c.lab == lab, whose).order_by(table.c.id)
    return standing(map(_decided, database.rows(query)))


def standing(decided: Iterable[DecisionVersion]) -> dict[Key, DecisionVersion]:
    """The decisions in force, from all versions in order."""
    last = {candidate.key: candidate for candidate in decided}
    return {key: candidate for key, candidate in last.items() if candidate.in_force}


def history(
    database: Database, lab: str, *, student: str = "", author: str = "", until: int | None = None
) -> tuple[DecisionVersion, ...]:
    """The latest versions, the newest first; optionally of one student, by one author, or before the number `until`."""
    table = tables().decisions
    query = table.select().where(table.c.lab == lab)
    for column, value in ((table.c.student, student), (table.c.actor, author)):
        query = query.where(column == value) if value else query
    query = query.where(table.c.id < until) if until else query
    return tuple(map(_decided, database.rows(query.order_by(table.c.id.desc()).limit(_MOST_HISTORY))))


def all_standing(connection: "Connection", *, only_last: bool = False) -> tuple[int, tuple[DecisionVersion, ...]]:
    """The number of the last version of any decision, 0 where there is none, and the decisions in force about all labs;
    without these if `only_last` is set."""
    from sqlalchemy import func, select

    table = tables().decisions
    last = connection.execute(select(func.max(table.c.id))).scalar() or 0
    if only_last:
        return last, ()
    latest = {
        (decision.lab, *decision.key): decision
        for decision in map(_decided, connection.execute(table.select().order_by(table.c.id)))
    }
    return last, tuple(decision for decision in latest.values() if decision.in_force)


def whole_table(database: Database) -> str:
    """Return the damage to the table of decisions; empty if it is whole. Only SQLite can tell."""
    from sqlalchemy import text

    with database.reading() as connection:
        found = connection.execute(text("PRAGMA quick_check('decisions')")).scalar()
    return "" if found == "ok" else str(found)


def restore_decisions(database: Database, entries: Iterable[tuple[str, str, str, Override]]) -> None:
    """Stores decisions that were kept elsewhere, given as lab, student, item and decision, in a new gradebook."""
    batch = secrets.token_hex(8)
    rows = []
    for lab, student, item, put in entries:
        verdict = Verdict(
            put.status if put.points is None and put.rows is None else None,
            put.points,
            put.reason,
            put.rows,
            put.sections,
        )
        verdict_text = (
            put.status.value if put.status else f"{put.points}" if put.points is not None else "rows of the rubric"
        )
        verdict_text = verdict_text if put.sections is None else put.about
        target = Target(student, item, put.finding, "", verdict_text, "", put.subject, put.about)
        fields = {"action": IMPORT, "batch": batch, "undoes": "", "author": put.author, "actor": put.author}
        day = datetime(put.date.year, put.date.month, put.date.day, tzinfo=UTC)
        rows.append(
            _row(lab, target, verdict, version=1, **fields) | {"decided": day.isoformat(timespec="milliseconds")}
        )
    with database.writing() as connection:
        _insert(connection, rows)


def bindings_of(database: Database, lab: str) -> Bindings:
    """Return the hashes that the entries of `overrides.toml` about a lab were first applied to."""
    table = tables().bindings
    rows = database.rows(table.select().where(table.c.lab == lab))
    return {(row.student, row.item, row.mark): BoundHashes(row.subject, row.about) for row in rows}


def bind(database: Database, lab: str, bindings: Bindings) -> None:
    """Stores what entries were first applied to; what is known of an entry stays."""
    table = tables().bindings
    with database.writing() as connection:
        there = {
            (row.student, row.item, row.mark) for row in connection.execute(table.select().where(table.c.lab == lab))
        }
        rows = [
            {"lab": lab, "student": student, "item": item, "mark": mark, **bound._asdict()}
            for (student, item, mark), bound in bindings.items()
            if (student, item, mark) not in there
        ]
        if rows:
            connection.execute(table.insert(), rows)


def _last(connection: "Connection", lab: str, students: set[str]) -> dict[Key, DecisionVersion]:
    """The last version of the decision about every item of some students."""
    from sqlalchemy import func, select

    table = tables().decisions
    newest = select(func.max(table.c.id)).where(table.c.lab == lab).group_by(table.c.student, table.c.item)
    if len(students) == 1:
        newest = newest.where(table.c.student == next(iter(students)))
    found = (_decided(row) for row in connection.execute(table.select().where(table.c.id.in_(newest))))
    return {decision.key: decision for decision in found if decision.student in students}


def _last_batch(connection: "Connection", lab: str, actor: str) -> str | None:
    from sqlalchemy import select

    table = tables().decisions
    undone = select(table.c.undoes).where(table.c.lab == lab, table.c.undoes != "")
    query = (
        select(table.c.batch)
        .where(table.c.lab == lab, table.c.actor == actor, table.c.action == DECIDE, table.c.batch.not_in(undone))
        .order_by(table.c.id.desc())
        .limit(1)
    )
    return connection.execute(query).scalar()


def _decisions_of_batch(connection: "Connection", lab: str, batch: str) -> tuple[DecisionVersion, ...]:
    table = tables().decisions
    query = table.select().where(table.c.lab == lab, table.c.batch == batch).order_by(table.c.id)
    return tuple(_decided(row) for row in connection.execute(query))


def _insert(connection: "Connection", rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(tables().decisions.insert(), rows)


def _row(lab: str, target: Target, verdict: Verdict, **more: object) -> dict[str, Any]:
    if sum(given is not None for given in (verdict.status, verdict.points, verdict.rows, verdict.sections)) > 1:
        raise GradebookError("a decision gives a status, points or rows of a rubric, and only one of them.")
    return {
        "lab": lab,
        **target._asdict(),
        "status": verdict.status.value if verdict.status else None,
        "points": format(verdict.points, "f") if verdict.points is not None else None,
        "reason": verdict.reason,
        "rows": ",".join(map(str, verdict.rows)) if verdict.rows is not None else None,
        "sections": _PARTS.dump_json(verdict.sections).decode() if verdict.sections is not None else None,
        "decided": datetime.now(UTC).isoformat(timespec="milliseconds"),
        **more,
    }


def _decided(row: Any) -> DecisionVersion:
    try:
        return _decision_in(row._mapping)
    except (ValueError, TypeError, ArithmeticError, AttributeError) as error:
        raise GradebookError(
            f"decision {row.id} in the gradebook is not as this program writes it ({error}): the file may be damaged. "
            "Restore a backup, or run `grade serve review GRADED --restore`."
        ) from error


def _decision_in(fields: Mapping[str, Any]) -> DecisionVersion:
    verdict = Verdict(
        Status(fields["status"]) if fields["status"] else None,
        Decimal(fields["points"]) if fields["points"] is not None else None,
        fields["reason"],
        None if fields["rows"] is None else tuple(int(row) for row in fields["rows"].split(",") if row),
        None if fields["sections"] is None else _PARTS.validate_json(fields["sections"]),
    )
    values = {name: fields[name] for name in DecisionVersion._fields if name in fields and name != "decided"}
    return DecisionVersion(**values, verdict=verdict, decided=datetime.fromisoformat(fields["decided"]))
