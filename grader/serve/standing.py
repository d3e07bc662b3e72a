"""The current state of a class under review: results, persons' decisions, which grader looks at what, and reports
re-rendered in the background.
"""

import gc
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from grader.gradebook.database import Database
from grader.gradebook.decisions import TAKEN_BACK, Decided, Key, Outcome, Target, Verdict, decide, decided_since, undo
from grader.gradebook.outline import stored_results
from grader.gradebook.overrides import (
    FILE,
    Contradiction,
    OverrideEntry,
    import_entries,
    in_force,
    mark_of,
    read_overrides,
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
from grader.lab.definition import Item, Lab, rubrics_of
from grader.pipeline.finishing import Finished, undecided, with_decisions
from grader.result import ItemResult, Override, Result, Status
from grader.scoring import decided_status, given_points

FIRST_GUESS: Final = 8.0
"""Assumed seconds for a group, until enough decisions are there to measure."""
_ENOUGH: Final = 5
_DECIDED: Final = (Status.CORRECT, Status.PARTIAL, Status.INCORRECT)
_NEAR_ENOUGH: Final = 0.08
"""Least similarity (share of common runs of letters) of a decided answer that is shown as an example."""
_PAUSE: Final = 300.0
"""Seconds without a decision after which nobody is counted as working."""
_LONG: Final[dict[str, object]] = dict.fromkeys(("series", "curves", "curve_bands", "averages", "average_bands"), ())


class Pace(NamedTuple):
    """How long a group takes, in seconds, and whether that was measured here."""

    seconds: float
    measured: bool


class Standing:
    """The results in `out` with the gradebook's decisions about them. Thread-safe."""

    def __init__(
        self,
        out: Path,
        database: Database,
        lab: Lab,
        *,
        overrides: Path | None = None,
        grouping: Grouping = group_answers,
    ) -> None:
        self.out, self.lab = out, lab
        self._database, self._grouping = database, grouping
        self._overrides = overrides or out / FILE
        self._lock = threading.RLock()
        self._stamp: object = None
        self.items: dict[str, Item] = {item.id: item for item in lab.items}
        self.results: dict[str, Result] = {}
        self.answers: dict[Key, Answer] = {}
        self.groups: dict[str, AnswerGroup] = {}
        self.seen = 0
        self._items: dict[Key, ItemResult] = {}
        self._queue: tuple[AnswerGroup, ...] | None = None
        self._waiting: dict[str, tuple[Answer, ...]] = {}
        self._group_of: dict[Key, str] = {}
        self._written: dict[str, dict[str, Override]] = {}
        self._last: dict[str, dict[str, Decided]] = {}
        self._times: dict[str, dict[str, datetime]] = {}
        self._contradictions: dict[str, tuple[Contradiction, ...]] = {}
        self.refresh()

    def refresh(self) -> None:
        """Load results and decisions that other processes wrote. Raises GradebookError, StoredResultError."""
        with self._lock:
            stamp = self._graded_when()
            if stamp != self._stamp:
                self._load()
                self._stamp = stamp
            self._take(decided_since(self._database, self.lab.id, self.seen))

    def decide(self, author: str, keys: Iterable[Key], verdict: Verdict, *, seen: int) -> Outcome:
        """Store a verdict on some items. Decisions newer than `seen` are kept and returned as conflicts."""
        with self._lock:
            wanted = [(self._target(key, verdict), verdict) for key in keys]
        outcome = decide(self._database, self.lab.id, author, wanted, seen=seen)
        self.refresh()
        return outcome

    def take_in(self, entries: Sequence[OverrideEntry]) -> Outcome:
        """Store the entries of a file as decisions of their authors."""
        known = {one.key: one for one in self.all_decided()}
        outcomes = {(one.student, one.item): self._outcome_of(one) for one in entries}
        outcome = import_entries(self._database, self.lab.id, entries, known, outcomes, self._written, seen=self.seen)
        self.refresh()
        return outcome

    def undo(self, actor: str) -> Outcome | None:
        """Undo the actor's last decision; None where there is none."""
        outcome = undo(self._database, self.lab.id, actor)
        self.refresh()
        return outcome

    def result(self, student: str) -> Result | None:
        """A student's result with all decisions in force."""
        return self.results.get(student)

    def item(self, key: Key) -> ItemResult | None:
        """An item with the decision in force."""
        return self._items.get(key)

    def decided(self, key: Key) -> Decided | None:
        """The gradebook's decision about an item, if one is in force."""
        one = self._last.get(key[0], {}).get(key[1])
        return one if one and one.in_force else None

    def waits(self, key: Key) -> bool:
        """Whether an item left to a person is undecided, or was decided on a finding that has changed since."""
        item = self.item(key)
        return item is not None and key in self.answers and (item.override is None or item.override.stale)

    def waiting(self, group: AnswerGroup) -> tuple[Answer, ...]:
        """The answers of a group that are not decided."""
        with self._lock:
            if group.id not in self._waiting:
                self._waiting[group.id] = tuple(one for one in group.answers if self.waits(one.key))
            return self._waiting[group.id]

    def queue(self) -> tuple[AnswerGroup, ...]:
        """The groups with undecided answers, reduced to these; the most points first."""
        with self._lock:
            if self._queue is None:
                left = (group._replace(answers=self.waiting(group)) for group in self.groups.values())
                groups = [one for one in left if one.answers]
                self._queue = tuple(sorted(groups, key=lambda one: (-one.points, -len(one.answers), one.id)))
            return self._queue

    def all_decided(self) -> list[Decided]:
        """The gradebook's decisions that are in force."""
        return [one for own in list(self._last.values()) for one in own.values() if one.in_force]

    def contradictions(self) -> tuple[Contradiction, ...]:
        """The items about which `overrides.toml` and the gradebook disagree."""
        return tuple(one for found in self._contradictions.values() for one in found)

    def persons_verdicts(self, item: str = "") -> list[tuple[Answer, Status]]:
        """The answers, of one item or of all, that persons decided, with the status in force."""
        pairs = ((answer, self.item(key)) for key, answer in self.answers.items() if not item or key[1] == item)
        return [(answer, one.status) for answer, one in pairs if one and one.override and not one.override.stale]

    def pace(self) -> Pace:
        """The median time between two decisions of one person, or a default while there are too few."""
        gaps = [
            (later - earlier).total_seconds()
            for times in self._times.values()
            for ordered in (sorted(times.values()),)
            for earlier, later in pairwise(ordered)
        ]
        gaps = [gap for gap in gaps if gap < _PAUSE]
        return Pace(median(gaps), measured=True) if len(gaps) >= _ENOUGH else Pace(FIRST_GUESS, measured=False)

    def points_for(self, item: str, status: Status) -> Decimal:
        """The points that a status earns for an item."""
        known = self.items.get(item)
        given = Override(status=status, reason="-", author="-", date=datetime.now().date())
        return given_points(known, given) if known else Decimal(0)

    def _target(self, key: Key, verdict: Verdict) -> Target:
        item = self.item(key)
        if item is None or key[1] not in self.items:
            raise LookupError(key)
        after = self._after(undecided(item), verdict)
        return Target(*key, item.finding, told(item), told(after), mark_of(self._written.get(key[0], {}).get(key[1])))

    def _outcome_of(self, entry: OverrideEntry) -> tuple[str, str]:
        """The outcome of an item before and after an entry of a file."""
        item = self.item((entry.student, entry.item))
        if item is None:
            return "", ""
        return told(item), told(self._after(undecided(item), verdict_in(entry.override)))

    def _after(self, item: ItemResult, verdict: Verdict) -> ItemResult:
        if verdict == TAKEN_BACK:
            return item
        known = self.items[item.id]
        own = verdict._replace(reason="-")._asdict()
        given = Override(**own, author="-", date=datetime.now().date())
        return item.model_copy(update={"status": decided_status(known, given), "score": given_points(known, given)})

    def _graded_when(self) -> object:
        """A stamp that changes when the class is graded again or overrides.toml is edited."""
        parts = [self.out / "class.json", self._overrides]
        return [path.stat().st_mtime_ns if path.is_file() else 0 for path in parts]

    def _load(self) -> None:
        results = [one.model_copy(update={**_LONG, "prose": None}) for one in stored_results(self.out)]
        results = [one for one in results if one.lab.id == self.lab.id]
        self.results = {one.student.id: one for one in results}
        self._items, self._waiting, self._queue = {}, {}, None
        self.answers = {one.key: one for one in answers_left(results)}
        self.groups = {one.id: one for one in self._grouping(tuple(self.answers.values()))}
        self._group_of = {answer.key: one.id for one in self.groups.values() for answer in one.answers}
        self._written = self._read_overrides()
        self._last, self._times, self.seen = {}, {}, 0
        decided = decided_since(self._database, self.lab.id)
        self._take(decided)
        decided_students = {one.student for one in decided}
        for student in self.results:
            if student not in decided_students:
                self._apply(student)
        gc.freeze()  # the results stay in memory: scanning them for garbage would take longer than a decision

    def _read_overrides(self) -> dict[str, dict[str, Override]]:
        if not self._overrides.is_file():
            return {}
        found: dict[str, dict[str, Override]] = {}
        for entry in read_overrides(
            self._overrides, {id_: item.points for id_, item in self.items.items()}, rubrics_of(self.items.values())
        ):
            found.setdefault(entry.student, {})[entry.item] = entry.override
        return found

    def _take(self, decided: Sequence[Decided]) -> None:
        for one in decided:
            self._last.setdefault(one.student, {})[one.item] = one
            self._times.setdefault(one.actor, {})[one.batch] = one.decided
            self.seen = max(self.seen, one.id)
        for student in {one.student for one in decided}:
            self._apply(student)

    def _apply(self, student: str) -> None:
        result = self.results.get(student)
        if result is None:
            return
        decided = {one.key: one for one in self._last.get(student, {}).values() if one.in_force}
        written = {student: self._written[student]} if student in self._written else {}
        found = in_force(written, decided)
        self._contradictions[student] = found.contradictions
        live = with_decisions(result, self.lab, found.overrides.get(student, {}))
        for item in live.items:
            self._waiting.pop(self._group_of.get((student, item.id), ""), None)
        self.results[student] = live
        self._items.update({(student, item.id): item for item in live.items})
        self._queue = None


class Nearest:
    """Finds the decided answers whose words are most similar to a given text."""

    def __init__(self, standing: Standing) -> None:
        self._standing = standing
        self._runs: dict[str, frozenset[str]] = {}

    def of(self, item: str, words: str, leave_out: set[str], most: int) -> list[tuple[Result, ItemResult]]:
        """Decided answers to an item, the most similar first; at about equal similarity a person's decision comes
        before the grader's."""
        runs = letter_runs(words)
        found = []
        for student, result in list(self._standing.results.items()):
            one = next((one for one in result.items if one.id == item), None)
            if one is None or student in leave_out or one.status not in _DECIDED or not one.found:
                continue
            text = plain_words(one.found)
            if text not in self._runs:
                self._runs[text] = letter_runs(text)
            near = nearness(runs, self._runs[text])
            if near >= _NEAR_ENOUGH:
                found.append((near + (0.2 if one.override else 0.0), student, result, one))
        found.sort(key=lambda each: (-each[0], each[1]))
        different: dict[str, tuple[Result, ItemResult]] = {}
        for _, _, result, one in found:
            different.setdefault(f"{one.status}{plain_words(one.found or '')}", (result, one))
        return list(different.values())[:most]


def told(item: ItemResult) -> str:
    """An item's outcome as the history keeps it: `correct 2.5 / 2.5`."""
    return f"{item.status.value} {item.score:f} / {item.max_score:f}"


Finish = Callable[[Callable[[int, int], None]], Finished]


class State(NamedTuple):
    """Progress of a background run: `made` of `of` reports, its outcome, and the reason if it failed."""

    running: bool = False
    made: int = 0
    of: int = 0
    finished: Finished | None = None
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
        try:
            finished = self._finish(self._report_progress)
            self.state = State(finished=finished)
        except Exception as error:  # the review goes on; what is wrong is shown
            self.state = State(problem=f"{type(error).__name__}: {error}")

    def _report_progress(self, made: int, of: int) -> None:
        self.state = State(running=True, made=made, of=of)


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

    def others(self, grader: str) -> dict[str, tuple[str, ...]]:
        """The other graders, by the group they look at."""
        now = time.monotonic()
        found: dict[str, list[str]] = {}
        with self._lock:
            for name, (group, when) in self._at.items():
                if name != grader and group and now - when < _GONE:
                    found.setdefault(group, []).append(name)
        return {group: tuple(sorted(names)) for group, names in found.items()}
