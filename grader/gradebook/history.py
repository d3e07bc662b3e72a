"""Grades over time: the history of a student, and the differences between two runs with their reasons in words."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, overload

from grader.cohort.attention import Change
from grader.cohort.rows import Store
from grader.gradebook import GradebookError
from grader.gradebook import store as queries
from grader.gradebook.outline import ItemOutline, Outline
from grader.gradebook.people import words
from grader.gradebook.store import Database, Reason, Run, Standing, StoredGrade, reasons
from grader.message import Message, join_messages, say, say_values
from grader.result import STATUS_WORDS, Status

if TYPE_CHECKING:
    from sqlalchemy import Connection

_OF_THE_WHOLE = frozenset({Reason.OVERRIDES, Reason.LATENESS, Reason.ROSTER, Reason.REPORTS})
"""Reasons that change no finding: an override changes its own item, lateness the total."""


class ItemChange(NamedTuple):
    """One item before and after; one of them is None where the lab gained or lost the item. `decision` is the override
    now in force, if it has changed."""

    item: str
    before: ItemOutline | None
    after: ItemOutline | None
    why: tuple[Reason, ...]
    decision: str = ""


class GradeChange(NamedTuple):
    """One student's new grade. `points` is the increase of the score; `items` are the items that changed."""

    student: str
    before: StoredGrade
    after: StoredGrade
    points: Decimal
    why: tuple[Reason, ...]
    items: tuple[ItemChange, ...]

    @property
    def shows(self) -> bool:
        """Whether the outcome changed, rather than only its inputs."""
        return bool(self.items) or _outcome(self.before) != _outcome(self.after)


_READ_TOGETHER: Final = 200


class GradeChanges(Sequence[GradeChange]):
    """New grades, each with the one before; `pairs` are the numbers of both. They are read as they are gone through, so
    that all grades of a class may change. The database stays open meanwhile."""

    def __init__(self, database: Database, pairs: Sequence[tuple[int, int]]) -> None:
        self._database, self._pairs = database, pairs

    def __len__(self) -> int:
        return len(self._pairs)

    def __iter__(self) -> Iterator[GradeChange]:
        return self.changes_at(range(len(self._pairs)))

    @overload
    def __getitem__(self, place: int) -> GradeChange: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[GradeChange]: ...

    def __getitem__(self, place: int | slice) -> GradeChange | Sequence[GradeChange]:
        found = tuple(
            self.changes_at(range(len(self))[place] if isinstance(place, slice) else [range(len(self))[place]])
        )
        return found if isinstance(place, slice) else found[0]

    def changes_at(self, places: Iterable[int]) -> Iterator[GradeChange]:
        """Yield the changes at some places, in the order of these. Raises GradebookError."""
        waiting = iter(places)
        while some := [self._pairs[place] for place in islice(waiting, _READ_TOGETHER)]:
            with self._database.reading() as connection:
                grades = {
                    kept_grade.id: kept_grade
                    for kept_grade in queries.grades_by_id(connection, [id_ for pair in some for id_ in pair])
                }
            yield from (changes(grades[old], grades[new]) for old, new in some)


class Differences(NamedTuple):
    """Differences between two times: new grades, students new to the gradebook, and students no longer covered. `same`
    is the number of students with the same grade."""

    changed: GradeChanges
    added: tuple[StoredGrade, ...]
    gone: tuple[str, ...]
    same: int


def changes(before: StoredGrade, after: StoredGrade) -> GradeChange:
    """Return the differences between two grades of one student."""
    why = reasons(before.origin, after.origin)
    old, new = before.outline, after.outline
    return GradeChange(
        student=after.student,
        before=before,
        after=after,
        points=new.score - old.score,
        why=why,
        items=tuple(_items(old, new, why)),
    )


def _items(before: Outline, after: Outline, why: tuple[Reason, ...]) -> Iterator[ItemChange]:
    found = tuple(reason for reason in why if reason not in _OF_THE_WHOLE) or why
    for item in dict.fromkeys((*after.items, *before.items)):
        if before.items.get(item) == after.items.get(item):
            continue
        old, new = before.item(item), after.item(item)
        if old and new and old.override != new.override:
            yield ItemChange(item, old, new, (Reason.OVERRIDES,), new.override)
        else:
            yield ItemChange(item, old, new, found)


def _outcome(kept: StoredGrade) -> tuple[object, ...]:
    outline = kept.outline
    return outline.score, outline.pending, outline.max_score, outline.late_penalty, outline.error


class Entry(NamedTuple):
    """One grade of a student in a lab, and what it changed; None for the first one of that lab."""

    lab: str
    grade: StoredGrade
    change: GradeChange | None


def history(grades: Iterable[tuple[StoredGrade, str]]) -> tuple[Entry, ...]:
    """The grades of one student, the oldest first, each with its lab and the change from the previous grade."""
    last: dict[str, StoredGrade] = {}
    entries = []
    for kept, lab in grades:
        entries.append(Entry(lab, kept, changes(last[lab], kept) if lab in last else None))
        last[lab] = kept
    return tuple(entries)


_MOST_MEANT: Final = 3


class RunComparison(NamedTuple):
    """Two runs, and the differences between the grades at their ends."""

    before: Run
    after: Run
    found: Differences


def all_runs(database: Database) -> tuple[Run, ...]:
    """The runs, the oldest first. Raises GradebookError."""
    with database.reading() as connection:
        return queries.runs(connection)


def history_of(database: Database, student: str) -> tuple[Entry, ...]:
    """The grades of a student, the oldest first. Words that only one id contains are enough. Raises GradebookError for
    a student without any."""
    with database.reading() as connection:
        entries = history(queries.grades_of(connection, student))
        if not entries:
            # Ids that contain all the words, else one with a similar spelling.
            students, sought = queries.students(connection), words(student)
            holding = [text for text in students if sought and sought <= words(text)]
            if len(holding) == 1:
                return history(queries.grades_of(connection, holding[0]))
            close = holding[:_MOST_MEANT] or difflib.get_close_matches(student, students, n=1)
            hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
            raise GradebookError(f"{database.place}: {student!r} has no grades.{hint}")
        return entries


def compare_runs(database: Database, first: int | None = None, second: int | None = None) -> RunComparison:
    """Two runs compared; by default the last run, and the last one before it that finished.

    For the students of the second run, the grades at the ends of the two runs are compared; those that changed are read
    from the database as they are gone through. Raises GradebookError for
    runs that do not exist or belong to different labs.
    """
    with database.reading() as connection:
        runs = queries.runs(connection)
        if not runs and not second:
            raise GradebookError(f"{database.place}: nothing was graded so far.")
        after = _run(database, runs, second) if second else runs[-1]
        earlier = [run for run in runs if run.id < after.id and run.lab == after.lab and run.finished]
        if not earlier and not first:
            problem = f"run {after.id} is the first of {after.lab}; grade again to compare"
            raise GradebookError(f"{database.place}: {problem}.")
        before = _run(database, runs, first) if first else earlier[-1]
        if before.lab != after.lab:
            raise GradebookError(f"runs {before.id} and {after.id} are of two labs: {before.lab} and {after.lab}.")
        found = _between(database, connection, before, after)
    return RunComparison(before, after, found)


def _between(database: Database, connection: "Connection", before: Run, after: Run) -> Differences:
    """The differences between the grades at the ends of two runs. Those that are the same are counted by their numbers
    and never loaded."""
    students = queries.students_of_run(connection, after.id)
    then, now = (
        {student: place.grade for student, place in queries.places(connection, run.lab, until=run.id).items()}
        for run in (before, after)
    )
    new = {student: now[student] for student in sorted(students & now.keys())}
    added = queries.grades_by_id(connection, [id_ for student, id_ in new.items() if student not in then])
    pairs = [(then[student], id_) for student, id_ in new.items() if then.get(student, id_) != id_]
    return Differences(
        changed=GradeChanges(database, pairs),
        added=tuple(sorted(added, key=lambda kept_grade: kept_grade.student)),
        gone=tuple(sorted(queries.students_of_run(connection, before.id) - new.keys())),
        same=sum(then.get(student) == id_ for student, id_ in new.items()),
    )


def _run(database: Database, runs: tuple[Run, ...], number: int) -> Run:
    found = next((run for run in runs if run.id == number), None)
    if found is None:
        raise GradebookError(f"{database.place}: there is no run {number}; `grade export history` lists them.")
    return found


_REASONS = MappingProxyType(
    {
        Reason.SUBMISSION: say("another submission"),
        Reason.LAB: say("the lab changed"),
        Reason.TRUTH: say("the truth changed"),
        Reason.GRADER: say("the grader changed"),
        Reason.OVERRIDES: say("overrides changed"),
        Reason.LATENESS: say("lateness changed"),
        Reason.ROSTER: say("the student's identity changed"),
        Reason.REPORTS: say("language or templates changed"),
        Reason.FAILURE: say("the grader failed before or now"),
        Reason.AGAIN: say("graded again"),
    }
)


def reasons_message(reasons: Iterable[Reason]) -> Message:
    """Reasons, such as `the lab changed, overrides changed`."""
    return join_messages(", ", [_REASONS[reason] for reason in reasons])


def item_words(item: ItemOutline | None) -> Message:
    """An item's outcome, such as `partly correct, 1 / 2`; nothing where there is no such item."""
    if item is None:
        return say("not in the lab")
    status = STATUS_WORDS[Status(item.status)]
    return say_values("{status}, {score:g} / {max_score:g}", status=status, score=item.score, max_score=item.max_score)


def grade_words(kept: StoredGrade) -> Message:
    """A grade, such as `13.5 / 20, 2 for review`."""
    outline = kept.outline
    if outline.error is not None:
        return STATUS_WORDS[Status.ERROR]
    points = say_values("{score:g} / {max_score:g}", score=float(outline.score), max_score=float(outline.max_score))
    pending, penalty = float(outline.pending), float(outline.late_penalty)
    late = [say("{penalty:g} taken off for lateness", penalty=penalty)] if penalty else []
    waiting = [say("{pending:g} for review", pending=pending)] if pending else []
    return join_messages(", ", [points, *late, *waiting])


def item_why(change: ItemChange) -> Message:
    """Return the reason why an item changed, with the person who decided if a decision is the reason."""
    if not change.decision:
        return reasons_message(change.why)
    return say("decided by {decision}", decision=change.decision)


class ClassChanges:
    """The changes that the report of a class shows, one new grade after the other: each student's score, then the items
    that changed, by student. `before` are the grades of the run before."""

    def __init__(self, before: Mapping[str, Standing]) -> None:
        self._before = before
        self._rows = Store().rows(Change)

    def add(self, now: StoredGrade) -> None:
        """One more grade; those that are the same are left out."""
        old = self._before.get(now.student)
        if old and old.grade.id != now.id:
            change = changes(old.grade, now)
            if not change.shows:
                return
            before, after = grade_words(change.before), grade_words(change.after)
            row = Change(student=now.student, before=before, after=after, why=reasons_message(change.why))
            self._rows.add(row, now.student)
            for item in change.items:
                before, after = item_words(item.before), item_words(item.after)
                row = Change(student=now.student, item=item.item, before=before, after=after, why=item_why(item))
                self._rows.add(row, now.student)

    def all_changes(self) -> Sequence[Change]:
        """All of them."""
        return self._rows.as_sequence()
