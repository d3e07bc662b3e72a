"""The current state of a class under review: results, persons' decisions, which grader looks at what, and reports
re-rendered in the background.
"""

import gc
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Final, NamedTuple

from grader.cohort.attention import SECONDS_A_DECISION
from grader.cohort.rows import MappedSequence, ReadOnDemand
from grader.gradebook.decisions import (
    TAKEN_BACK,
    Bindings,
    DecisionVersion,
    Key,
    Outcome,
    Target,
    Verdict,
    bindings_of,
    decide,
    decided_since,
    undo,
)
from grader.gradebook.marking import Shares, shares_of, split
from grader.gradebook.outline import Outline, outline_of, outline_of_item, stored_result, stored_results
from grader.gradebook.overrides import (
    FILE,
    Contradiction,
    OverrideEntry,
    import_entries,
    in_force,
    mark_of,
    verdict_in,
)
from grader.gradebook.review import (
    Answer,
    AnswerGroup,
    Grouping,
    answers_left,
    group_answers,
    letter_runs,
    nearness,
    plain_words,
)
from grader.gradebook.second_copy import write_copy
from grader.gradebook.store import FILE as GRADEBOOK
from grader.gradebook.store import Database
from grader.lab.definition import Item, Lab
from grader.message import Words
from grader.pipeline.assigning import sections_in, summary
from grader.pipeline.course import overrides_in
from grader.pipeline.finishing import FinishOutcome
from grader.pipeline.order import subject_in, with_decisions
from grader.reading.document import SECTIONS
from grader.result import EVERYONE, MAXIMUM, ItemResult, Override, Result, Scope, Status, Subject, answer_summary
from grader.scoring import decided_status, given_points, still_judges

_ENOUGH: Final = 5
_DECIDED: Final = (Status.CORRECT, Status.PARTIAL, Status.INCORRECT)
_NEAR_ENOUGH: Final = 0.08
"""Least similarity (share of common runs of letters) of a decided answer that is shown as an example."""
_MOST_RUNS: Final = 2_000
"""So many sets of runs of letters are in memory."""
_MOST_REMARKS: Final = 6
_PAUSE: Final = 300.0
"""Seconds without a decision after which nobody is counted as working."""
_MOST_RESULTS: Final = 128
"""So many results that were looked at last are in memory."""
_MOST_EXAMPLES: Final = 1_000
"""Of the texts that the grader decided itself, so many different ones of an item may be shown as examples."""


class Pace(NamedTuple):
    """The time that a group takes, in seconds, and whether that was measured here; the average measured with others is
    about 40 seconds."""

    seconds: float
    measured: bool


class Line(NamedTuple):
    """A student in short, with all decisions in force."""

    student: str
    name: str
    outline: Outline


class Standing:
    """The results in `out` with the gradebook's decisions about them. Thread-safe.

    In memory are what awaits a person and every student in short; results are read when they are looked at.
    """

    def __init__(
        self,
        out: Path,
        database: Database,
        lab: Lab,
        *,
        overrides: Path | None = None,
        gradebook: Path | str | None = None,
        grouping: Grouping = group_answers,
    ) -> None:
        self.out, self.lab = out, lab
        self._database, self._grouping = database, grouping
        self._overrides = overrides or out / FILE
        self._where = gradebook or out / GRADEBOOK
        self._lock = threading.RLock()
        self._stamp: object = None
        self.items: dict[str, Item] = {item.id: item for item in lab.items}
        self.results: Mapping[str, Result] = {}
        self.answers: dict[Key, Answer] = {}
        self.groups: dict[str, AnswerGroup] = {}
        self.seen = 0
        self.loaded = 0
        self._answered: dict[str, tuple[int, int]] = {}
        self._files = lru_cache(_MOST_RESULTS)(partial(stored_result, out))
        self._lines: dict[str, Line] = {}
        self._changed: set[str] = set()
        self._texts: dict[str, dict[str, str]] = {}
        self._queue: tuple[AnswerGroup, ...] | None = None
        self._waiting: dict[str, tuple[Answer, ...]] = {}
        self._group_of: dict[Key, str] = {}
        self.shares = Shares()
        self._marker_of: dict[str, str] = {}
        self._written: dict[str, dict[str, Override]] = {}
        self._bound: Bindings = {}
        self._in_force: dict[str, Mapping[str, Override]] = {}
        self.for_class: dict[str, Override] = {}
        self._last: dict[str, dict[str, DecisionVersion]] = {}
        self._times: dict[str, dict[str, datetime]] = {}
        self._contradictions: dict[str, tuple[Contradiction, ...]] = {}
        self.refresh()

    def refresh(self) -> None:
        """Load results and decisions that other processes wrote. Raises GradebookError, StoredResultError."""
        with self._lock:
            # It changes when the class is graded again or overrides.toml is edited.
            watched = (self.out / "class.json", self._overrides)
            stamp = [path.stat().st_mtime_ns if path.is_file() else 0 for path in watched]
            if stamp != self._stamp:
                self._load()
                self._stamp = stamp
            new = decided_since(self._database, self.lab.id, self.seen)
            self._take(new)
            if any(Scope.from_text(decision.student) for decision in new):
                self._load()
            if shares_of(self._database, self.lab.id) != self.shares:
                self._group()

    def has_changed(self, student: str, loaded: int) -> bool:
        """Whether a student has answered otherwise since the results were `loaded` for so many times: what is decided
        on a page that was made then is about what stood there."""
        with self._lock:
            return self._answered.get(student, (0, 0))[1] > loaded

    def decide(self, author: str, verdicts: Mapping[Key, Verdict], *, seen: int, whole: bool = False) -> Outcome:
        """Store verdicts on some items; those about a hand-in as a `whole` are not about their answers. Decisions newer
        than `seen` are kept and returned as conflicts."""
        with self._lock:
            wanted = [(self._target(key, verdict, whole=whole), verdict) for key, verdict in verdicts.items()]
        outcome = decide(self._database, self.lab.id, author, wanted, seen=seen)
        self._kept()
        return outcome

    def decide_for_class(self, author: str, item: str, scope: Scope, verdict: Verdict, *, seen: int) -> Outcome:
        """Store a decision for the whole class, or revoke it. Decisions about single students that give them less than
        it does are revoked with it."""
        with self._lock:
            lifted = [
                affected.student for affected in self.affected_students(item, scope, verdict) if affected.is_lifted
            ]
            wanted = [(self._target((student, item), TAKEN_BACK), TAKEN_BACK) for student in lifted]
            current_override = self.for_class.get(scope.key(item))
            mark = mark_of(self._written.get(str(scope), {}).get(item))
            before = self._told_for_class(item, scope, verdict_in(current_override) if current_override else TAKEN_BACK)
            after = self._told_for_class(item, scope, verdict)
            wanted.append((Target(str(scope), item, "", before, after, mark), verdict))
        outcome = decide(self._database, self.lab.id, author, wanted, seen=seen)
        self._kept()
        return outcome

    def assign(self, author: str, student: str, verdict: Verdict, subject: str, *, seen: int) -> Outcome:
        """Store which sections of a hand-in answer which questions, or revoke that; `subject` stands for its text."""
        with self._lock:
            before = sections_in(self.overrides_of(student))
            then, now = (summary(parts or ()) for parts in (before and before.sections, verdict.sections))
            mark = mark_of(self._written.get(student, {}).get(SECTIONS))
            target = Target(student, SECTIONS, "", then, now, mark, subject, now)
        outcome = decide(self._database, self.lab.id, author, [(target, verdict)], seen=seen)
        self._kept()
        return outcome

    def _told_for_class(self, item: str, scope: Scope, verdict: Verdict) -> str:
        known_item = self.items[item]
        if verdict == TAKEN_BACK:
            return f"{known_item.points:f}" if scope.is_maximum else "–"
        return f"{verdict.points:f}" if scope.is_maximum else outcome(*self._decided(item, verdict), known_item.points)

    def affected_students(self, item: str, scope: Scope, verdict: Verdict) -> Iterator["AffectedStudent"]:
        """The students for whom a decision for the whole class changes something, or would if nothing had been decided
        about them, by id."""
        fields = verdict._replace(reason="-")._asdict()
        put = Override(**fields, author="-", date=datetime.now().date(), scope=str(scope))
        for student in sorted(self.results):
            own_overrides, file = self.overrides_of(student), self._file(student)
            new = {key: override for key, override in own_overrides.items() if key != scope.key(item)}
            new |= {} if verdict == TAKEN_BACK else {scope.key(item): put}
            now, then = (with_decisions(file, self.lab, entry) for entry in (own_overrides, new))
            before, after = (now.score, now.max_score), (then.score, then.max_score)
            change = AffectedStudent(
                student, file.student.name, _item_of(now, item), _item_of(then, item), before, after
            )
            if new.get(item) and not scope.is_maximum and verdict != TAKEN_BACK:
                free = with_decisions(
                    file, self.lab, {key: kept_override for key, kept_override in new.items() if key != item}
                )
                change = change.without_own(free, in_gradebook=self.gradebook_decision((student, item)) is not None)
            if change.changes:
                yield change

    def remarks(self, item: str) -> tuple[str, ...]:
        """Return the remarks that persons have made to students about an item, the most frequent first."""
        decisions = (by_item.get(item) for student, by_item in list(self._last.items()) if not Scope.from_text(student))
        reasons = Counter(
            decision.verdict.reason
            for decision in decisions
            if decision and decision.in_force and decision.verdict.reason
        )
        return tuple(text for text, _ in reasons.most_common(_MOST_REMARKS))

    def slips_of(self, item: str) -> dict[str, tuple[int, Words]]:
        """The slips that were recognised in answers to an item: how many students made each, and what it is; the most
        frequent first."""
        found: dict[str, tuple[int, Words]] = {}
        for result in self.results.values():
            slips = {
                slip.id: slip.text for candidate in result.items if candidate.id == item for slip in candidate.diagnoses
            }
            found |= {id_: (found.get(id_, (0, text))[0] + 1, text) for id_, text in slips.items()}
        return dict(sorted(found.items(), key=lambda entry: -entry[1][0]))

    def overrides_of(self, student: str) -> dict[str, Override]:
        """All decisions that count for a student."""
        return {**self._in_force.get(student, {}), **self.for_class}

    def _kept(self) -> None:
        """Bring what was decided into the second copy, and take it in."""
        write_copy(self._database, self._where)
        self.refresh()

    def take_in(self, entries: Sequence[OverrideEntry]) -> Outcome:
        """Store the entries of a file as decisions of their authors."""
        decisions_by_key = {decision.key: decision for decision in self.all_decided()}
        outcomes: dict[Key, tuple[str, str]] = {}
        bound: list[OverrideEntry] = []
        for entry in entries:
            if entry.override.scope and entry.item in self.items:
                bound.append(entry)
                scope = Scope.from_text(entry.override.scope) or Scope()
                after = self._told_for_class(entry.item, scope, verdict_in(entry.override))
                outcomes[entry.student, entry.item] = "–", after
            elif entry.item == SECTIONS and entry.student in self._lines:
                bound.append(entry)
                outcomes[entry.student, entry.item] = "–", summary(entry.override.sections or ())
            elif item := self.item((entry.student, entry.item)):
                if not (entry.override.subject or entry.override.finding):  # then it is about what is there now
                    told_now = {"subject": subject_in(self.results[entry.student], item), "about": answer_summary(item)}
                    entry = entry._replace(override=entry.override.model_copy(update=told_now))
                bound.append(entry)
                outcomes[entry.student, entry.item] = (
                    item_outcome(item),
                    self._after((entry.student, entry.item), verdict_in(entry.override)),
                )
        outcome = import_entries(
            self._database, self.lab.id, bound, decisions_by_key, outcomes, self._written, seen=self.seen
        )
        self._stamp = None  # a decision may be about another answer, which then awaits a person
        self._kept()
        return outcome

    def undo(self, actor: str) -> Outcome | None:
        """Undo the actor's last decision; None where there is none."""
        outcome = undo(self._database, self.lab.id, actor)
        self._kept()
        return outcome

    def item(self, key: Key) -> ItemResult | None:
        """An item with the decision in force."""
        result = self.results.get(key[0])
        return next((item for item in result.items if item.id == key[1]), None) if result else None

    def stored_item(self, answer: Answer) -> ItemResult:
        """The item of an answer as it was graded last. Raises LookupError for one that is no longer there."""
        found = next((item for item in self._file(answer.student).items if item.id == answer.item), None)
        if found is None:
            raise LookupError(answer.key)
        return found

    def lines(self) -> list[Line]:
        """All students in short, by id."""
        with self._lock:
            for student in self._changed:
                self._lines[student] = _line(self.results[student])
            self._changed.clear()
            return list(self._lines.values())

    def gradebook_decision(self, key: Key) -> DecisionVersion | None:
        """The gradebook's decision about an item, if one is in force."""
        decision = self._last.get(key[0], {}).get(key[1])
        return decision if decision and decision.in_force else None

    def waits(self, key: Key) -> bool:
        """Whether an item left to a person is undecided, or was decided when there was another answer."""
        answer = self.answers.get(key)
        if answer is None or self._decision_on(answer) is not None:
            return False
        return not answer.is_returned or key[1] in self._in_force.get(key[0], {})

    def _decision_on(self, answer: Answer) -> Override | None:
        """The decision in force on an answer as it is now."""
        if answer.item not in self.items or any(key.partition(" ")[0] == answer.item for key in self.for_class):
            item = self.item(answer.key)
            return item.override if item else None
        put = self._in_force.get(answer.student, {}).get(answer.item)
        return put if put and still_judges(put, answer.finding, answer.subject) else None

    def marker_of(self, group: str) -> str:
        """Return the marker of a group; empty if nobody was named."""
        return self._marker_of.get(group, "")

    def waiting(self, group: AnswerGroup) -> tuple[Answer, ...]:
        """The answers of a group that are not decided."""
        with self._lock:
            if group.id not in self._waiting:
                self._waiting[group.id] = tuple(answer for answer in group.answers if self.waits(answer.key))
            return self._waiting[group.id]

    def queue(self) -> tuple[AnswerGroup, ...]:
        """The groups with undecided answers, reduced to these; the most points first."""
        with self._lock:
            if self._queue is None:
                left = (group._replace(answers=self.waiting(group)) for group in self.groups.values())
                groups = [candidate for candidate in left if candidate.answers]
                self._queue = tuple(
                    sorted(groups, key=lambda candidate: (-candidate.points, -len(candidate.answers), candidate.id))
                )
            return self._queue

    def all_decided(self) -> list[DecisionVersion]:
        """The gradebook's decisions that are in force."""
        return [
            decision for decisions in list(self._last.values()) for decision in decisions.values() if decision.in_force
        ]

    def contradictions(self) -> tuple[Contradiction, ...]:
        """The items about which `overrides.toml` and the gradebook disagree."""
        return tuple(contradiction for found in self._contradictions.values() for contradiction in found)

    def persons_verdicts(self, item: str = "") -> list[tuple[Answer, Status]]:
        """The answers, of one item or of all, that persons decided, with the status in force."""
        pairs = (
            (answer, self._decision_on(answer)) for key, answer in self.answers.items() if not item or key[1] == item
        )
        return [
            (
                answer,
                decided_status(known_item, put)
                if (known_item := self.items.get(answer.item))
                else put.status or Status.REVIEW,
            )
            for answer, put in pairs
            if put
        ]

    def decided_texts(self, item: str) -> Iterator[tuple[str, str, bool]]:
        """Students with answers to an item that are decided, the plain words, and whether a person decided: of those
        that the grader decided itself, each text once and the first ones only."""
        yield from ((student, words, False) for words, student in self._texts.get(item, {}).items())
        yield from ((answer.student, answer.words, True) for answer, _ in self.persons_verdicts(item) if answer.words)

    def pace(self) -> Pace:
        """The mean time between two decisions of one person, or a default while there are too few. The mean, and not
        the median, times the number of groups is the time that is left: some groups take long."""
        gaps = [
            (later - earlier).total_seconds()
            for times in self._times.values()
            for ordered in (sorted(times.values()),)
            for earlier, later in pairwise(ordered)
        ]
        gaps = [gap for gap in gaps if gap < _PAUSE]
        return Pace(mean(gaps), measured=True) if len(gaps) >= _ENOUGH else Pace(SECONDS_A_DECISION, measured=False)

    def points_for(self, item: str, status: Status) -> Decimal:
        """The points that a status earns for an item."""
        known_item = self.items.get(item)
        given = Override(status=status, reason="-", author="-", date=datetime.now().date())
        return given_points(known_item, given) if known_item else Decimal(0)

    def _target(self, key: Key, verdict: Verdict, *, whole: bool = False) -> Target:
        if key[1] not in self.items:
            raise LookupError(key)
        mark = mark_of(self._written.get(key[0], {}).get(key[1]))
        answer = self.answers.get(key)
        if answer and answer.subject and not whole and key[1] not in self._in_force.get(key[0], {}):
            # A group may have thousands of answers, so their results are not read.
            before = after = outcome(answer.status, answer.score, answer.max_score)
            if verdict != TAKEN_BACK:
                after = outcome(*self._decided(key[1], verdict), answer.max_score)
            return Target(*key, answer.finding, before, after, mark, answer.subject, answer.about)
        item = self.item(key)
        if item is None:
            raise LookupError(key)
        then = self._after(key, verdict)
        subject = subject_in(self.results[key[0]], item)
        finding = item.finding
        if whole:
            subject, finding = str(Subject.from_text(subject)._replace(answer="")), ""
        return Target(*key, finding, item_outcome(item), then, mark, subject, answer_summary(item))

    def _after(self, key: Key, verdict: Verdict) -> str:
        if verdict != TAKEN_BACK:
            return outcome(*self._decided(key[1], verdict), self.items[key[1]].points)
        others = {item: put for item, put in self.overrides_of(key[0]).items() if item != key[1]}
        return item_outcome(_item_of(with_decisions(self._file(key[0]), self.lab, others), key[1]))

    def _decided(self, item: str, verdict: Verdict) -> tuple[Status, Decimal]:
        known_item = self.items[item]
        given = Override(**verdict._replace(reason="-")._asdict(), author="-", date=datetime.now().date())
        return decided_status(known_item, given), given_points(known_item, given)

    def _load(self) -> None:
        self._files.cache_clear()
        stored = stored_results(self.out)
        students = [path.parent.name for path in self.out.glob("*/result.json")]
        self._written = overrides_in(self._overrides, self.lab, students)
        self._bound = bindings_of(self._database, self.lab.id)
        self._last, self._times, self.seen = {}, {}, 0
        self._in_force, self._contradictions, self._changed, self.for_class = {}, {}, set(), {}
        self._lines, self._texts = {}, {}
        self.loaded += 1
        places = []
        for place, result in enumerate(stored):
            if result.lab.id == self.lab.id:
                places.append(place)
                self._lines[result.student.id] = _line(result)
                if any(item.worth or (item.override and item.override.scope) for item in result.items):
                    self._changed.add(result.student.id)
                answered = hash(tuple(subject_in(result, item) for item in result.items))
                if self._answered.get(result.student.id, (None, 0))[0] != answered:
                    self._answered[result.student.id] = answered, self.loaded
                for item in result.items:
                    item_texts = self._texts.setdefault(item.id, {})
                    if (
                        item.status in _DECIDED
                        and item.found
                        and not item.override
                        and len(item_texts) < _MOST_EXAMPLES
                    ):
                        item_texts.setdefault(plain_words(item.found), result.student.id)
        self.results = ReadOnDemand(
            self._lines,
            lambda student: with_decisions(self._file(student), self.lab, self.overrides_of(student)),
        )
        self._take(decided_since(self._database, self.lab.id))
        # Decisions that are in force in results may have been taken back since.
        lines = list(self._lines.values())
        overridden = [line.student for line in lines if any(item.override for item in line.outline.items.values())]
        for student in (*self._written, *overridden):
            self._apply(student)
        self._apply_for_class()
        self._find_answers(MappedSequence(places, stored.__getitem__))
        gc.freeze()  # the answers stay in memory: scanning them for garbage would take longer than a decision

    def _find_answers(self, stored: Sequence[Result]) -> None:
        """All that is left to persons, with the decisions of now: one may be about another answer."""

        def decided(result: Result) -> Result:
            return with_decisions(result, self.lab, self.overrides_of(result.student.id))

        self.answers = {answer.key: answer for answer in answers_left(MappedSequence(stored, decided))}
        self._group()

    def _group(self) -> None:
        """Group the answers, those of different markers apart."""
        self._waiting, self._queue = {}, None
        self.shares = shares_of(self._database, self.lab.id)
        groups = list(split(self._grouping(tuple(self.answers.values())), self.shares))
        self.groups = {answer_group.id: answer_group for _, answer_group in groups}
        self._marker_of = {answer_group.id: marker for marker, answer_group in groups}
        self._group_of = {answer.key: group.id for group in self.groups.values() for answer in group.answers}

    def _file(self, student: str) -> Result:
        """A result as it lies in the folder. Raises StoredResultError."""
        with self._lock:
            return self._files(student)

    def _take(self, decided: Sequence[DecisionVersion]) -> None:
        for decision in decided:
            self._last.setdefault(decision.student, {})[decision.item] = decision
            self._times.setdefault(decision.actor, {})[decision.batch] = decision.decided
            self.seen = max(self.seen, decision.id)
        for student in {decision.student for decision in decided}:
            self._apply(student)

    def _apply_for_class(self) -> None:
        """Put in force what was decided for the whole class, from the file and the gradebook."""
        scopes = [entry for entry in (*self._written, *self._last) if Scope.from_text(entry)]
        decided = {
            entry.key: entry for scope in scopes for entry in self._last.get(scope, {}).values() if entry.in_force
        }
        found = in_force({scope: self._written.get(scope, {}) for scope in scopes}, decided)
        self.for_class = found.for_class
        self._contradictions[EVERYONE] = found.contradictions
        self.items = {item.id: item for item in self.lab.items}
        for key, put in self.for_class.items():
            item = self.items.get(key.partition(" ")[0])
            if item and put.scope == MAXIMUM:
                self.items[item.id] = item.model_copy(update={"points": put.points})
        if self.for_class:
            self._changed.update(self._lines)

    def _apply(self, student: str) -> None:
        if student not in self._lines:
            return
        decided = {decision.key: decision for decision in self._last.get(student, {}).values() if decision.in_force}
        written = {student: self._written[student]} if student in self._written else {}
        found = in_force(written, decided, self._bound)
        self._contradictions[student] = found.contradictions
        before, now = self._in_force.get(student, {}), found.overrides.get(student, {})
        self._in_force[student] = now
        for item in (*before, *now):
            self._waiting.pop(self._group_of.get((student, item), ""), None)
        self._changed.add(student)
        self._queue = None


class AffectedStudent(NamedTuple):
    """A student whom a decision for the whole class concerns: the item, and the whole result's points and maximum, now
    and then. `is_lifted`: a decision about this student gives less, and is revoked; `stays`: one in `overrides.toml`
    gives less, and counts."""

    student: str
    name: str
    before: ItemResult
    after: ItemResult
    total_before: tuple[Decimal, Decimal]
    total_after: tuple[Decimal, Decimal]
    is_lifted: bool = False
    stays: bool = False

    def totals(self, points: Callable[[Decimal], str]) -> str:
        """All points now and then, written by `points`, with the maximum where it changes."""
        before, after = ([points(number) for number in total] for total in (self.total_before, self.total_after))
        shown = 1 if before[1] == after[1] else 2
        return f"{' / '.join(before[:shown])} → {' / '.join(after[:shown])}"

    @property
    def changes(self) -> bool:
        """Whether anything is to be told."""
        before, after = (outline_of_item(item)._replace(override="") for item in (self.before, self.after))
        return self.is_lifted or self.stays or before != after

    def without_own(self, free: Result, *, in_gradebook: bool) -> "AffectedStudent":
        """The change where the decision about this student gives less than is given `free` of it: one in the gradebook
        is revoked."""
        lifted = _item_of(free, self.after.id)
        if lifted.score <= self.after.score:
            return self
        if not in_gradebook:
            return self._replace(stays=True)
        return self._replace(after=lifted, total_after=(free.score, free.max_score), is_lifted=True)


def _item_of(result: Result, item: str) -> ItemResult:
    return next(candidate for candidate in result.items if candidate.id == item)


def _line(result: Result) -> Line:
    return Line(result.student.id, result.student.name, outline_of(result))


class Nearest:
    """Finds the decided answers whose words are most similar to a given text."""

    def __init__(self, standing: Standing) -> None:
        self._standing = standing
        self._runs = lru_cache(_MOST_RUNS)(letter_runs)

    def similar_answers(self, item: str, words: str, leave_out: set[str], most: int) -> list[tuple[Result, ItemResult]]:
        """Decided answers to an item, the most similar first; at about equal similarity a person's decision comes
        before the grader's."""
        runs = letter_runs(words)
        found = []
        for student, text, by_person in self._standing.decided_texts(item):
            if student not in leave_out and (near := nearness(runs, self._runs(text))) >= _NEAR_ENOUGH:
                found.append((near + (0.2 if by_person else 0.0), student, text))
        found.sort(key=lambda each: (-each[0], each[1]))
        different: dict[str, tuple[Result, ItemResult]] = {}
        for _, student, text in found:
            result = self._standing.results[student]
            item_result = next((candidate for candidate in result.items if candidate.id == item), None)
            if item_result and item_result.status in _DECIDED:
                different.setdefault(f"{item_result.status}{text}", (result, item_result))
            if len(different) == most:
                break
        return list(different.values())


def item_outcome(item: ItemResult) -> str:
    """An item's outcome as the history keeps it: `correct 2.5 / 2.5`."""
    return outcome(item.status, item.score, item.max_score)


def outcome(status: Status, score: Decimal, maximum: Decimal) -> str:
    """The same of what an item's outcome is made of."""
    return f"{status.value} {score:f} / {maximum:f}"


Finish = Callable[[Callable[[int, int], None]], FinishOutcome]


class State(NamedTuple):
    """Progress of a background run: `made` of `of` reports, its outcome, and the reason if it failed."""

    running: bool = False
    made: int = 0
    of: int = 0
    finished: FinishOutcome | None = None
    problem: str = ""


class Finisher:
    """Runs `finish` in the background, one run at a time."""

    def __init__(self, finish: Finish) -> None:
        self._finish = finish
        self._lock = threading.Lock()
        self.state = State()

    def begin(self) -> None:
        """Start a run, unless one is in progress."""
        with self._lock:
            if self.state.running:
                return
            self.state = State(running=True)
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        def told(made: int, of: int) -> None:
            self.state = State(running=True, made=made, of=of)

        try:
            self.state = State(finished=self._finish(told))
        except Exception as error:  # the review goes on; what is wrong is shown
            self.state = State(problem=f"{type(error).__name__}: {error}")


_GONE: Final = 20.0
"""Seconds without a request after which a grader no longer counts as present."""


class Presence:
    """The group that each grader looks at."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at: dict[str, tuple[str, float]] = {}

    def looks(self, grader: str, group: str) -> None:
        """Record that a grader looks at a group; an empty group means none."""
        with self._lock:
            self._at[grader] = (group, time.monotonic())

    def other_graders(self, grader: str) -> dict[str, tuple[str, ...]]:
        """The other graders, by the group they look at."""
        now = time.monotonic()
        found: dict[str, list[str]] = {}
        with self._lock:
            for name, (group, when) in self._at.items():
                if name != grader and group and now - when < _GONE:
                    found.setdefault(group, []).append(name)
        return {group: tuple(sorted(names)) for group, names in found.items()}
