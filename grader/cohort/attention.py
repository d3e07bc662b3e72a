"""What staff should look at besides grades: what awaits a person, flags, files that could not be read, who is late or
missing, what changed, and a sample of automatic verdicts to check.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from math import ceil
from typing import Final

from grader.frozen import Frozen
from grader.message import Words
from grader.result import ItemResult, Points, Result, Severity, Status
from grader.risk import upper_bound


class FlaggedStudent(Frozen):
    """A student who has a flag, and what each such flag says."""

    student: str
    messages: tuple[Words, ...]


class FlagTally(Frozen):
    """One kind of flag and who has it; the severity is the highest that occurs."""

    id: str
    severity: Severity
    students: tuple[FlaggedStudent, ...]


class UnreadFile(Frozen):
    """A file that could not be read completely, and why."""

    student: str
    path: str
    state: str
    reason: Words | None


class Failure(Frozen):
    """A submission that could not be graded, and why."""

    student: str
    name: str
    reason: Words


def flag_tallies(results: Sequence[Result]) -> tuple[FlagTally, ...]:
    """One tally per kind of flag: warnings first, then the most frequent, then by id."""
    ids = {flag.id for result in results for flag in result.flags}
    tallies = (_flag_tally(id_, results) for id_ in ids)
    return tuple(sorted(tallies, key=lambda t: (t.severity is not Severity.WARNING, -len(t.students), t.id)))


def unread_files(results: Sequence[Result]) -> tuple[UnreadFile, ...]:
    """All files that were read in part or not at all, except files that no check uses."""
    return tuple(
        UnreadFile(student=result.student.id, path=file.path, state=file.state, reason=file.reason)
        for result in results
        for file in result.submission.files
        if file.state in ("partly", "unreadable")
    )


def failures(results: Sequence[Result]) -> tuple[Failure, ...]:
    """The submissions whose grading failed."""
    return tuple(
        Failure(student=result.student.id, name=result.student.name, reason=result.error)
        for result in results
        if result.error is not None
    )


def _flag_tally(id_: str, results: Sequence[Result]) -> FlagTally:
    flags = [flag for result in results for flag in result.flags if flag.id == id_]
    warns = any(flag.severity is Severity.WARNING for flag in flags)
    return FlagTally(
        id=id_,
        severity=Severity.WARNING if warns else Severity.INFO,
        students=tuple(student for result in results if (student := _flagged(id_, result)).messages),
    )


def _flagged(id_: str, result: Result) -> FlaggedStudent:
    messages = tuple(flag.message for flag in result.flags if flag.id == id_)
    return FlaggedStudent(student=result.student.id, messages=messages)


class ReviewEntry(Frozen):
    """One student's item to decide: `points` are at stake, `quote` is the first evidence and `file` where it stands."""

    student: str
    name: str
    status: Status
    points: Points
    reason: Words
    suggestion: Status | None
    found: Words | None
    quote: str | None
    file: str | None


class ReviewGroup(Frozen):
    """All students with a pending answer to one item, like answers together. `points` is the sum over all of them."""

    item: str
    title: Words
    points: Points
    entries: tuple[ReviewEntry, ...]


def awaits_person(item: ItemResult) -> bool:
    """Whether a person must decide about an item; it may be worth no points."""
    return item.pending > 0 or item.status in (Status.REVIEW, Status.ERROR)


def review_queue(results: Sequence[Result]) -> tuple[ReviewGroup, ...]:
    """One group per item, the most points at stake first; entries are sorted by suggestion and answer, so that like
    answers are adjacent.

    Pass graded results only: in a failed one every item awaits a person, who decides about it as a whole; in one that
    came too late, nothing is left to decide.
    """
    groups: dict[str, list[tuple[ItemResult, ReviewEntry]]] = {}
    for result in results:
        for item in result.items:
            if awaits_person(item):
                groups.setdefault(item.id, []).append((item, _entry(result, item)))
    return tuple(sorted((_group(pairs) for pairs in groups.values()), key=lambda group: -group.points))


def _group(pairs: Sequence[tuple[ItemResult, ReviewEntry]]) -> ReviewGroup:
    item = pairs[0][0]
    entries = sorted((entry for _, entry in pairs), key=_likeness)
    points = sum((entry.points for entry in entries), Decimal(0))
    return ReviewGroup(item=item.id, title=item.title, points=points, entries=tuple(entries))


def _likeness(entry: ReviewEntry) -> tuple[str, str, str, str, str]:
    return entry.status, entry.suggestion or "", entry.reason, entry.found or entry.quote or "", entry.student


def _entry(result: Result, item: ItemResult) -> ReviewEntry:
    first = item.evidence[0] if item.evidence else None
    return ReviewEntry(
        student=result.student.id,
        name=result.student.name,
        status=item.status,
        points=item.pending,
        reason=item.note or item.feedback,
        suggestion=item.suggestion,
        found=item.found,
        quote=first.quote if first else None,
        file=first.file if first else None,
    )


class Absent(Frozen):
    """A student on the roster without a hand-in."""

    name: str
    id: str = ""


class LateStudent(Frozen):
    """A late hand-in: seconds after the deadline, and points lost. `graded` is false where it came too late to be
    graded."""

    student: str
    late_by: int
    penalty: Points
    graded: bool
    extension: str = ""


def is_too_late(result: Result) -> bool:
    """Whether a hand-in came so late that it is not graded and nothing is left to decide."""
    return result.lateness is not None and result.lateness.penalty is None


def late_students(results: Sequence[Result]) -> tuple[LateStudent, ...]:
    """The students known to be late, the latest first."""
    found = [
        LateStudent(
            student=result.student.id,
            late_by=result.lateness.late_by,
            penalty=result.late_penalty,
            graded=not is_too_late(result),
            extension=result.lateness.extension,
        )
        for result in results
        if result.lateness and result.lateness.late_by
    ]
    return tuple(sorted(found, key=lambda one: (-one.late_by, one.student)))


def empty_hand_ins(results: Sequence[Result]) -> tuple[str, ...]:
    """Students whose hand-in holds no file."""
    return tuple(result.student.id for result in results if result.error is None and not result.submission.files)


class Change(Frozen):
    """One student's item, or whole score where `item` is None: what it was, what it is, and why it changed.

    `before` and `after` are in words: `for review, 0 / 2`; empty where there was no hand-in.
    """

    student: str
    item: str | None = None
    before: Words
    after: Words
    why: Words = ""


AUTOMATIC: Final = "automatic:"
"""Prefix of the tag of a verdict given by a model of marked examples; the verdict follows."""
SHARE: Final = 0.05
LEAST_OF_HUNDRED: Final = 20


class Audit(Frozen):
    """An automatic verdict that a person is asked to confirm or overrule; until then it counts. `is_done`: a person has
    answered."""

    item: str
    student: str
    group: str
    verdict: str
    found: Words | None
    is_done: bool = False


class AuditResult(Frozen):
    """The audit of a question in this class: audited verdicts, those that a person overruled, and the one-sided 95 %
    upper bound of the share of wrong verdicts."""

    item: str
    audited: int
    overruled: int
    bound: float


def verdict_of(item: ItemResult) -> str | None:
    """The automatic verdict on an item, if a model gave one."""
    return next((tag.removeprefix(AUTOMATIC) for tag in item.tags if tag.startswith(AUTOMATIC)), None)


def audits(results: Sequence[Result], share: float = SHARE) -> tuple[Audit, ...]:
    """A sample of the automatic verdicts; at least 20 in a class of 100. The choice is pseudo-random but reproducible:
    it depends on the hash of item and answer, so nobody can influence it."""
    automatic = [
        Audit(
            item=item.id,
            student=result.student.id,
            group=item.group,
            verdict=verdict,
            found=item.found,
            is_done=bool(item.decided_by),
        )
        for result in results
        for item in result.items
        if (verdict := verdict_of(item)) is not None
    ]
    number = max(ceil(share * len(automatic)), ceil(LEAST_OF_HUNDRED * len(results) / 100)) if automatic else 0
    drawn = sorted(
        automatic, key=lambda one: hashlib.sha256(f"{one.item} {one.group} {one.student}".encode()).hexdigest()
    )
    return tuple(sorted(drawn[:number], key=lambda one: (one.item, one.student)))


def audit_results(results: Iterable[Result]) -> tuple[AuditResult, ...]:
    """The outcome of audits, by item."""
    found: dict[str, list[bool]] = defaultdict(list)
    for result in results:
        for item in result.items:
            verdict = verdict_of(item)
            if item.decided_by and verdict is not None:
                found[item.id].append(verdict != item.status.value)
    return tuple(
        AuditResult(
            item=item, audited=len(wrong), overruled=sum(wrong), bound=round(upper_bound(sum(wrong), len(wrong)), 4)
        )
        for item, wrong in sorted(found.items())
    )
