"""Storage of grades: every run, every grade, which grade held when, and the hashes of its inputs, in short
transactions.
"""

import hashlib
import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from grader.frozen import Frozen
from grader.gradebook import GradebookError
from grader.gradebook.database import Database, tables
from grader.gradebook.outline import Outline, outline_of
from grader.result import Result

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Row, Select, Subquery, Table


class Inputs(NamedTuple):
    """Hashes of all that goes into a student's result and reports.

    `source` covers the names and bytes of the unopened hand-in; `lateness` its time and the resulting penalty;
    `identity` the student's identity; `presentation` language and templates. `lab` is the hash of the lab's files, a
    space, and that of the lab without its stored decisions; a lab of which more is told is another text.
    """

    source: str
    lab: str
    truth: str
    grader: str
    overrides: str
    lateness: str
    identity: str
    presentation: str

    @property
    def digest(self) -> str:
        """One hash of all inputs: a result with an equal digest need not be computed again."""
        return hashlib.sha256("\n".join(self).encode()).hexdigest()


NO_INPUTS = Inputs(*[""] * len(Inputs._fields))
"""The value of an input that was not requested."""


class Reason(StrEnum):
    """Why a grade differs from the previous one."""

    SUBMISSION = "submission"
    LAB = "lab"
    TRUTH = "truth"
    GRADER = "grader"
    OVERRIDES = "overrides"
    LATENESS = "lateness"
    ROSTER = "roster"
    REPORTS = "reports"
    FAILURE = "failure"
    AGAIN = "again"


_REASONS = {
    Reason.LAB: "lab",
    Reason.TRUTH: "truth",
    Reason.GRADER: "grader",
    Reason.OVERRIDES: "overrides",
    Reason.LATENESS: "lateness",
    Reason.ROSTER: "identity",
    Reason.REPORTS: "presentation",
}


class Origin(NamedTuple):
    """The inputs of a grade. `submission` is the hash of the accepted files, so that the same files in another archive
    are the same submission; it is empty where grading failed."""

    inputs: Inputs
    submission: str
    failed: bool = False


def reasons(before: Origin, after: Origin) -> tuple[Reason, ...]:
    """What differs between the inputs of two grades of a student. `FAILURE`: the grader failed in one of them; `AGAIN`:
    nothing differs."""
    changed = [name for name, field in _REASONS.items() if _version(before, field) != _version(after, field)]
    if before.failed != after.failed:
        changed.append(Reason.FAILURE)
    other_bytes = before.inputs.source != after.inputs.source
    other_files = before.submission != after.submission and not (before.failed or after.failed)
    if other_files or (other_bytes and not changed):
        changed.insert(0, Reason.SUBMISSION)
    return tuple(changed) or (Reason.AGAIN,)


def _version(origin: Origin, field: str) -> str:
    value = getattr(origin.inputs, field)
    return str(value).partition(" ")[0] if field == "lab" else str(value)


Files = Mapping[str, str]
"""SHA-256 of files by name."""


class NewRun(NamedTuple):
    """A new run: the lab, the versions used for grading, and the options."""

    lab: str
    lab_sha256: str
    truth_sha256: str
    grader: str
    language: str
    options: Mapping[str, object]


class Run(Frozen):
    """A run of grading. `finished` is None where it was interrupted or is still in progress.

    `class_sha256` is the hash of the inputs of the class's files, `files`. `students` is the number of students
    covered, `graded` the number of those with a new grade.
    """

    id: int
    started: datetime
    finished: datetime | None
    lab: str
    lab_sha256: str
    truth_sha256: str
    grader: str
    language: str
    options: dict[str, object]
    class_sha256: str = ""
    files: dict[str, str]
    students: int = 0
    graded: int = 0


class Kept(NamedTuple):
    """A stored grade, made by `run` at the time `graded` (UTC)."""

    id: int
    run: int
    student: str
    graded: datetime
    submission_sha256: str
    inputs: Inputs
    result_sha256: str
    outline: Outline

    @property
    def origin(self) -> Origin:
        """The inputs of the grade."""
        return Origin(self.inputs, self.submission_sha256, failed=self.outline.error is not None)


def new_grade(result: Result, inputs: Inputs, result_sha256: str) -> Kept:
    """A submission that was graded now; the gradebook gives its grade a number of its own."""
    return Kept(
        id=0,
        run=0,
        student=result.student.id,
        graded=datetime.now(UTC),
        submission_sha256=result.submission.sha256,
        inputs=inputs,
        result_sha256=result_sha256,
        outline=outline_of(result),
    )


class Standing(NamedTuple):
    """The grade that held for a student at the end of a run, and the files that the run left."""

    grade: Kept
    files: Files


_OWN: Final = ("id", "run", "student", "graded", "submission_sha256", "result_sha256", "outline")
"""The columns of a grade that follow those of its inputs, without the large `result`."""


def runs(connection: "Connection") -> tuple[Run, ...]:
    """All runs, the oldest first."""
    from sqlalchemy import func, select

    known = tables()
    held = known.standings
    covered = select(held.c.run, func.count().label("students")).group_by(held.c.run).subquery()
    made = select(known.grades.c.run, func.count().label("graded")).group_by(known.grades.c.run).subquery()
    query = (
        select(known.runs, covered.c.students, made.c.graded)
        .outerjoin(covered, covered.c.run == known.runs.c.id)
        .outerjoin(made, made.c.run == known.runs.c.id)
        .order_by(known.runs.c.id)
    )
    return tuple(_run(row) for row in connection.execute(query))


def latest(
    connection: "Connection", lab: str, *, until: int | None = None, some: Collection[str] | None = None
) -> dict[str, Standing]:
    """The grades in force by student, of all or of `some`: each from the last run for the lab that covered the student,
    up to run `until`."""
    held = tables().standings
    query = _grades().add_columns(held.c.files).join(held, held.c.grade == tables().grades.c.id)
    found = (standing_of(row) for row in connection.execute(query.join(*_last_runs(lab, until, some))))
    return {one.grade.student: one for one in found}


def _last_runs(
    lab: str, until: int | None, some: Collection[str] | None = None
) -> "tuple[Subquery, ColumnElement[bool]]":
    """The last run of each student, and how it is joined to the standings."""
    from sqlalchemy import and_, func, select

    known = tables()
    held = known.standings
    which = select(held.c.student, func.max(held.c.run).label("run")).join(known.runs).where(known.runs.c.lab == lab)
    if until is not None:
        which = which.where(held.c.run <= until)
    if some is not None:
        which = which.where(held.c.student.in_(some))
    last = which.group_by(held.c.student).subquery()
    return last, and_(last.c.student == held.c.student, last.c.run == held.c.run)


class Place(NamedTuple):
    """Where the grade in force of a student stands: the number of the run that covered the student last, and that of
    the grade."""

    run: int
    grade: int


def places(connection: "Connection", lab: str, *, until: int | None = None) -> dict[str, Place]:
    """Where the grades in force stand, by student; as `latest`, of which a class of any size fits into memory."""
    from sqlalchemy import select

    held = tables().standings
    query = select(held.c.student, held.c.run, held.c.grade).join(*_last_runs(lab, until))
    return {row.student: Place(row.run, row.grade) for row in connection.execute(query)}


def standings_at(connection: "Connection", some: Mapping[str, Place]) -> Iterator[Standing]:
    """The standings of a few students, in no order."""
    held = tables().standings
    query = _grades().add_columns(held.c.files).join(held, held.c.grade == tables().grades.c.id)
    for run in sorted({place.run for place in some.values()}):
        own = [student for student, place in some.items() if place.run == run]
        found = connection.execute(query.where(held.c.run == run, held.c.student.in_(own)))
        yield from map(standing_of, found)


_ASKED_TOGETHER: Final = 500


def grades_by_id(connection: "Connection", ids: Iterable[int]) -> Iterator[Kept]:
    """Grades by their numbers, in no order."""
    wanted = list(ids)
    for start in range(0, len(wanted), _ASKED_TOGETHER):
        some = wanted[start : start + _ASKED_TOGETHER]
        yield from map(_kept, connection.execute(_grades().where(tables().grades.c.id.in_(some))))


def covered(connection: "Connection", run: int) -> set[str]:
    """The students of a run."""
    from sqlalchemy import select

    held = tables().standings
    return set(connection.execute(select(held.c.student).where(held.c.run == run)).scalars())


def grades_of(connection: "Connection", student: str) -> Iterator[tuple[Kept, str]]:
    """All grades of a student, the oldest first, each with its lab."""

    known = tables()
    query = (
        _grades()
        .add_columns(known.runs.c.lab)
        .join(known.runs, known.runs.c.id == known.grades.c.run)
        .where(known.grades.c.student == student)
        .order_by(known.grades.c.id)
    )
    for row in connection.execute(query):
        yield _kept(row), row.lab


def students(connection: "Connection") -> list[str]:
    """Everybody who has a grade."""
    from sqlalchemy import select

    return sorted(connection.execute(select(tables().grades.c.student).distinct()).scalars())


def standing_of(row: "Row[Any]") -> Standing:
    """The standing in a row with a grade and its files."""
    return Standing(_kept(row), json.loads(row.files))


def _grades() -> "Select[Any]":
    """A query of all columns of grades except the large `result`."""
    from sqlalchemy import select

    table = tables().grades
    return select(*(table.c[f"{name}_input"] for name in Inputs._fields), *(table.c[name] for name in _OWN))


def _kept(row: "Row[Any]") -> Kept:
    try:
        outline = Outline.from_json(row.outline)
    except (ValueError, TypeError, LookupError) as error:
        raise GradebookError(f"grade {row.id} in the gradebook is not as this program writes it.") from error
    return Kept(
        id=row.id,
        run=row.run,
        student=row.student,
        graded=datetime.fromisoformat(row.graded),
        submission_sha256=row.submission_sha256,
        inputs=Inputs(*row[: len(Inputs._fields)]),
        result_sha256=row.result_sha256,
        outline=outline,
    )


def _run(row: "Row[Any]") -> Run:
    fields = dict(row._mapping)
    fields |= {name: json.loads(fields[name]) for name in ("options", "files")}
    fields |= {name: fields[name] or 0 for name in ("students", "graded")}
    fields |= {name: datetime.fromisoformat(fields[name]) if fields[name] else None for name in ("started", "finished")}
    return Run(**fields)


def begin_run(database: Database, run: NewRun) -> int:
    """Records a run that begins now; returns its number."""
    row = run._asdict() | {"options": _json(run.options), "started": _now()}
    with database.writing() as connection:
        return _inserted(connection, tables().runs, row)


class New(NamedTuple):
    """A grade to be stored: what is known of it, the content of its `result.json`, and its files."""

    grade: Kept
    content: bytes
    files: Files


def new(result: Result, inputs: Inputs, files: Files) -> New:
    """A result's grade, to be stored."""
    content = result.to_json().encode()
    return New(new_grade(result, inputs, hashlib.sha256(content).hexdigest()), content, files)


def keep(database: Database, run: int, lab: str, some: Iterable[New]) -> None:
    """Stores grades of a run, some of them at a time; reuses a student's previous grade if its inputs and bytes are the
    same."""
    waiting = iter(some)
    while new := list(islice(waiting, _ASKED_TOGETHER)):
        rows = [(one, _grade_row(run, one)) for one in new]
        with database.writing() as connection:
            known = latest(connection, lab, some=[one.grade.student for one in new])
            held = []
            for one, row in rows:
                grade, before = one.grade, known.get(one.grade.student)
                if before and (before.grade.inputs, before.grade.result_sha256) == (grade.inputs, grade.result_sha256):
                    number = before.grade.id
                else:
                    number = _inserted(connection, tables().grades, row)
                held.append((grade.student, number, one.files))
            _insert_standings(connection, run, held)


def keep_standing(database: Database, run: int, standings: Iterable[Standing]) -> None:
    """Records that grades still hold in a run, some of them at a time."""
    waiting = iter(standings)
    while some := [(one.grade.student, one.grade.id, one.files) for one in islice(waiting, _ASKED_TOGETHER)]:
        with database.writing() as connection:
            _insert_standings(connection, run, some)


def finish_run(database: Database, run: int, class_sha256: str, files: Files) -> None:
    """Records the end of a run and the files of the class that it left."""
    runs = tables().runs
    values = {"finished": _now(), "class_sha256": class_sha256, "files": _json(files)}
    with database.writing() as connection:
        connection.execute(runs.update().where(runs.c.id == run).values(**values))


def stored_bytes(database: Database, grade: int) -> bytes | None:
    """The bytes of the `result.json` of a grade; None where there is no such grade."""
    from sqlalchemy import select

    table = tables().grades
    with database.reading() as connection:
        packed = connection.execute(select(table.c.result).where(table.c.id == grade)).scalar()
    return zlib.decompress(packed) if packed else None


def standings(database: Database, lab: str) -> dict[str, Standing]:
    """The grades now in force, by student."""
    with database.reading() as connection:
        return latest(connection, lab)


def names_of(database: Database, lab: str) -> dict[str, str]:
    """The ids that hand-ins were given, by the names that they were found under."""
    known = tables().names
    return {row.origin: row.student for row in database.rows(known.select().where(known.c.lab == lab))}


def keep_names(database: Database, lab: str, names: Mapping[str, str]) -> None:
    """Stores the ids that hand-ins were given; one that is known keeps its id."""
    known = tables().names
    with database.writing() as connection:
        there = set(
            connection.execute(known.select().where(known.c.lab == lab).with_only_columns(known.c.origin)).scalars()
        )
        rows = [{"lab": lab, "origin": one, "student": names[one]} for one in names if one not in there]
        if rows:
            connection.execute(known.insert(), rows)


def _inserted(connection: "Connection", table: "Table", row: Mapping[str, Any]) -> int:
    """Inserts a row; returns its number."""
    key = connection.execute(table.insert().values(**row)).inserted_primary_key
    if key is None:  # every supported database returns it
        raise GradebookError("the database does not tell the number of a new row.")
    return int(key[0])


def _insert_standings(connection: "Connection", run: int, rows: list[tuple[str, int, Files]]) -> None:
    table = tables().standings
    values = [{"run": run, "student": student, "grade": grade, "files": _json(files)} for student, grade, files in rows]
    if values:
        connection.execute(table.insert(), values)


_LEVEL: Final = 3
"""Of compression: results take a tenth more room than at most effort, and half the time."""


def _grade_row(run: int, new: New) -> dict[str, Any]:
    grade, outline = new.grade, new.grade.outline
    return {
        "run": run,
        "student": grade.student,
        "graded": _now(),
        "submission_sha256": grade.submission_sha256,
        **{f"{name}_input": value for name, value in grade.inputs._asdict().items()},
        "result_sha256": grade.result_sha256,
        "score": float(outline.score),
        "pending": float(outline.pending),
        "max_score": float(outline.max_score),
        "late_penalty": float(outline.late_penalty),
        "needs_review": outline.needs_review,
        "outline": outline.to_json(),
        "result": zlib.compress(new.content, _LEVEL),
    }


def _json(values: Mapping[str, object]) -> str:
    return json.dumps(values, ensure_ascii=False, sort_keys=True, default=str)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
