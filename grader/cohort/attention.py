"""The matters that staff should look at besides grades: pending reviews, flags, files that could not be read, students
who are late or missing, changes, and a sample of automatic verdicts to check."""

import hashlib
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from math import ceil
from typing import Final, NamedTuple

from pydantic import Field

from grader.cohort.rows import Many, Rows, Store, parts_of
from grader.frozen import Frozen
from grader.message import Words, say
from grader.result import HAND_IN, STATUS_WORDS, UNREADABLE, ItemResult, Points, Result, Severity, Status
from grader.risk import upper_bound


class FlaggedStudent(Frozen):
    """A student who has a flag, and what each such flag says."""

    student: str
    messages: tuple[Words, ...]


class FlagTally(Frozen):
    """One kind of flag and who has it; the severity is the highest that occurs."""

    id: str
    severity: Severity
    students: Many[FlaggedStudent]


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


UNLABELLED: Final = "no-question-found"
"""The flag of a hand-in in which no question was recognised; its evidence are the titles there."""
_MOST_TITLES: Final = 8


def titles_seen(results: Iterable[Result]) -> tuple[str, ...]:
    """The commonest titles of hand-ins in which no question was recognised."""
    seen = Counter(
        " ".join(place.quote.split())
        for result in results
        for flag in result.flags
        if flag.id == UNLABELLED
        for place in flag.evidence
        if place.quote.strip()
    )
    return tuple(title for title, _ in seen.most_common(_MOST_TITLES))


class Flags:
    """The flags of a class, one result after the other."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._rows: dict[str, Rows[FlaggedStudent]] = {}
        self._warnings: set[str] = set()

    def add(self, result: Result) -> None:
        """One more student."""
        messages: dict[str, list[str]] = {}
        for flag in result.flags:
            messages.setdefault(flag.id, []).append(flag.message)
            if flag.severity is Severity.WARNING:
                self._warnings.add(flag.id)
        for id_, flag_messages in messages.items():
            if id_ not in self._rows:
                self._rows[id_] = self._store.rows(FlaggedStudent)
            self._rows[id_].add(FlaggedStudent(student=result.student.id, messages=tuple(flag_messages)))

    def tallies(self) -> tuple[FlagTally, ...]:
        """One tally per kind of flag: warnings first, then the most frequent, then by id."""
        tallies = (
            FlagTally(
                id=id_,
                severity=Severity.WARNING if id_ in self._warnings else Severity.INFO,
                students=rows.as_sequence(),
            )
            for id_, rows in self._rows.items()
        )
        return tuple(sorted(tallies, key=lambda t: (t.severity is not Severity.WARNING, -len(t.students), t.id)))


def unread_files(result: Result) -> Iterator[UnreadFile]:
    """All files of a hand-in that were read in part or not at all, except files that no check uses."""
    for file in result.submission.files:
        if file.state in ("partly", "unreadable"):
            yield UnreadFile(student=result.student.id, path=file.path, state=file.state, reason=file.reason)


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


WHOLE: Final[dict[str, Words]] = {
    UNREADABLE: say("The submission could not be opened."),
    HAND_IN: say("It is not certain that the whole submission can be graded as an answer to this lab."),
}
"""Why a person decides about a hand-in as a whole, by the beginning of its items' group."""
WHOLE_TITLE: Final = say("Whole submissions")


class ReviewGroup(Frozen):
    """All students with a pending answer to one item, like answers together, or those whose whole hand-in awaits a
    person: then `item` is empty. `points` is the sum over all of them."""

    item: str
    title: Words
    points: Points
    entries: Many[ReviewEntry]


def awaits_person(item: ItemResult) -> bool:
    """Whether a person must decide about an item; it may be worth no points."""
    return item.pending > 0 or item.status in (Status.REVIEW, Status.ERROR)


class OpenWork(NamedTuple):
    """The amount of pending work: how many answers of how many students await a person, and how many decisions they
    take, since answers that wait for the same reason are decided together."""

    answers: int
    decisions: int
    students: int


SECONDS_A_DECISION: Final = 40.0
"""Assumed seconds for a decision about one answer or like ones, until enough were made to measure it."""


def reason_of(item: ItemResult) -> Words:
    """Return the reason why an item awaits a person. If a person decided about another answer, it says who decided
    what, why, and about which answer."""
    put = item.earlier
    if put is None:
        return item.note or item.feedback
    verdict = STATUS_WORDS[put.status or Status.REVIEW]
    if put.points is not None:
        verdict = say("{points:f} of {maximum:f} points", points=put.points, maximum=item.max_score)
    given = {"author": put.author, "day": f"{put.date}", "reason": put.reason, "verdict": verdict}
    now = STATUS_WORDS[put.before]
    if not put.about:
        return say(
            "{author} decided on {day} about another submission: {verdict} ({reason}). For this one, the grader's own "
            "verdict is: {now}. Look again.",
            **given,
            now=now,
        )
    return say(
        "{author} decided on {day} about another answer, “{about}”: {verdict} ({reason}). For this one, the grader's "
        "own verdict is: {now}. Look again.",
        **given,
        about=put.about,
        now=now,
    )


def first_sentence(reason: str) -> str:
    """The first sentence of a reason: why a person decides, without what supports it."""
    head, stop, _ = " ".join(reason.split()).partition(". ")
    return f"{head}." if stop else head


def kind_of_doubt(item: str, reason: str, suggestion: Status | None, status: Status) -> str:
    """Return the kind of doubt about an answer: the suggestion and the first sentence of the reason, without the
    student's own values and the item's own name. Answers with equal kinds are decided together."""
    own_name = rf"\b{re.escape(item.rpartition('.')[2])}\b"
    plain_reason = re.sub(rf"“[^”]*”|«[^»]*»|'[^']*'|`[^`]*`|{own_name}", "…", first_sentence(reason))
    return f"{re.sub(r'[0-9][0-9.,]*', '#', plain_reason)}|{suggestion or ''}|{status}"


class Queue:
    """The results that await a person, collected one after the other.

    Only graded results count: in a failed one every item awaits a person, who decides about it as a whole; in one that
    came too late, nothing is left to decide.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._entries: dict[str, Rows[ReviewEntry]] = {}
        self._titles: dict[str, Words] = {}
        self._points: dict[str, Decimal] = {}
        self._students = self._answers = 0
        self._groups = array("Q")

    def add(self, result: Result) -> None:
        """One more student."""
        open_items = [item for item in result.items if awaits_person(item)]
        self._students += bool(open_items)
        self._answers += len(open_items)
        whole = _whole(open_items)
        for item in open_items:
            kind = kind_of_doubt(item.id, reason_of(item), item.suggestion, item.status)
            about = item.group if item in whole else f"{item.id}\0{kind}"
            digest = hashlib.blake2b(about.encode("utf-8", "surrogatepass"), digest_size=8)
            self._groups.append(int.from_bytes(digest.digest(), "big"))
            if item not in whole:
                self._keep(item.id, item.title, _entry(result, item))
        if whole:
            self._keep("", WHOLE_TITLE, _entry_of_hand_in(result, whole))

    def _keep(self, item: str, title: Words, entry: ReviewEntry) -> None:
        if item not in self._entries:
            self._entries[item] = self._store.rows(ReviewEntry)
            self._titles[item] = title
        self._points[item] = self._points.get(item, Decimal(0)) + entry.points
        answer = entry.found or entry.quote or ""
        likeness = entry.status, entry.suggestion or "", entry.reason, answer, entry.student
        self._entries[item].add(entry, "\0".join(likeness))

    def groups(self) -> tuple[ReviewGroup, ...]:
        """One group per item, the most points at stake first; like answers are adjacent, by suggestion and answer."""
        groups = (
            ReviewGroup(item=id_, title=self._titles[id_], points=self._points[id_], entries=rows.as_sequence())
            for id_, rows in self._entries.items()
        )
        return tuple(sorted(groups, key=lambda group: -group.points))

    def work(self) -> OpenWork:
        """Return the amount of pending work."""
        different = sum(len(set(part)) for part in parts_of(self._groups))
        return OpenWork(self._answers, different, self._students)


def _whole(open_items: Sequence[ItemResult]) -> Sequence[ItemResult]:
    """The items that wait because the hand-in as a whole does. One alone is decided as any other item."""
    whole = [item for item in open_items if item.group.startswith(tuple(WHOLE))]
    return whole if len(whole) > 1 else []


def _entry_of_hand_in(result: Result, whole: Sequence[ItemResult]) -> ReviewEntry:
    reason = next(text for prefix, text in WHOLE.items() if whole[0].group.startswith(prefix))
    points = sum((item.pending for item in whole), Decimal(0))
    plain = {"points": points, "reason": reason, "suggestion": None, "found": None, "quote": None, "file": None}
    return _entry(result, whole[0]).model_copy(update=plain)


def _entry(result: Result, item: ItemResult) -> ReviewEntry:
    first = item.evidence[0] if item.evidence else None
    return ReviewEntry(
        student=result.student.id,
        name=result.student.name,
        status=item.status,
        points=item.pending,
        reason=reason_of(item),
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


def late_student(result: Result) -> LateStudent | None:
    """The student, if known to be late."""
    if not result.lateness or not result.lateness.late_by:
        return None
    return LateStudent(
        student=result.student.id,
        late_by=result.lateness.late_by,
        penalty=result.late_penalty,
        graded=not is_too_late(result),
        extension=result.lateness.extension,
    )


MOST_CHANGES: Final = 40
"""Changes that the report of a class shows."""


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
    checked: str = Field(default="", description="What a person who checked it decided: confirmed or overruled.")


class AuditResult(Frozen):
    """The audit of a question in this class: audited verdicts, those that a person overruled, and the one-sided 95 %
    upper bound of the share of wrong verdicts."""

    item: str
    audited: int
    overruled: int
    bound: float


def verdict_of(item: ItemResult) -> str | None:
    """The automatic verdict on an item, if a model gave one and nothing sent the item to review, such as a doubt about
    the whole hand-in."""
    put = item.override or item.earlier
    if (put.before if put else item.status) in (Status.REVIEW, Status.ERROR):
        return None
    return next((tag.removeprefix(AUTOMATIC) for tag in item.tags if tag.startswith(AUTOMATIC)), None)


def audits(results: Iterable[Result]) -> Sequence[Audit]:
    """A sample of the automatic verdicts; at least 20 in a class of 100. The choice is pseudo-random but reproducible:
    it depends on the hash of item and answer, so nobody can influence it."""
    found = Audits(Store())
    for result in results:
        found.add(result)
    return found.sample()


class Audits:
    """The automatic verdicts of a class, one result after the other; see `audits`."""

    def __init__(self, store: Store) -> None:
        self._automatic = store.rows(Audit)
        self._students = 0
        self._outcomes: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, result: Result) -> None:
        """One more graded student."""
        self._students += 1
        for item in result.items:
            verdict = verdict_of(item)
            if verdict is None:
                continue
            is_done = bool(item.decided_by or item.override)
            audit = Audit(
                item=item.id,
                student=result.student.id,
                group=item.group,
                verdict=verdict,
                found=item.found,
                is_done=is_done,
                checked=_checked(item, verdict) if item.override else "",
            )
            drawn_by = f"{audit.item} {audit.group} {audit.student}".encode()
            self._automatic.add(audit, hashlib.sha256(drawn_by).hexdigest())
            if item.decided_by:
                self._outcomes[item.id].update([_checked(item, verdict)])

    def sample(self) -> Sequence[Audit]:
        """The sample, by item and student."""
        number = max(ceil(SHARE * len(self._automatic)), ceil(LEAST_OF_HUNDRED * self._students / 100))
        return tuple(sorted(self._automatic[:number], key=lambda audit: (audit.item, audit.student)))

    def results(self) -> tuple[AuditResult, ...]:
        """The outcome of audits, by item."""
        found = {item: counted.copy() for item, counted in self._outcomes.items()}
        for audit in self.sample():  # what was decided on request is no sample
            if audit.checked:
                found.setdefault(audit.item, Counter()).update([audit.checked])
        return tuple(
            AuditResult(
                item=item,
                audited=counted.total(),
                overruled=counted[_OVERRULED],
                bound=round(upper_bound(counted[_OVERRULED], counted.total()), 4),
            )
            for item, counted in sorted(found.items())
        )


_CONFIRMED, _OVERRULED = "confirmed", "overruled"


def _checked(item: ItemResult, verdict: str) -> str:
    return _CONFIRMED if item.status.value == verdict else _OVERRULED
