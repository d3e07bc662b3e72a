"""Several markers: who marks what, and a moderation that compares how they mark.

A judgment is what a marker gave for the answers that one decision settled, as a share of the points. A second marker
looks at a sample of each marker's judgments without seeing them. Warnings need a difference that is large enough to
matter and too large for chance.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import sqrt
from statistics import fmean, pstdev, variance
from typing import Final, NamedTuple

from grader.gradebook import GradebookError
from grader.gradebook.releases import refuse_locked
from grader.gradebook.review import Answer, AnswerGroup
from grader.gradebook.store import Database, tables

ITEM, STUDENT = "item", "student"
FEWEST: Final = 10
"""Judgments that are compared, on either side."""
MATTERS: Final = 0.1
"""Of an item's points: a difference below it is not told."""
_STRONG: Final = 3.0
"""Standard errors beyond which a difference is not taken for chance: in 1 of 400 comparisons it would be."""
_SAMPLE: Final = 10
"""One of so many judgments of a marker is looked at again, and at least `_LEAST`."""
_LEAST: Final = 5
EQUAL: Final = 0.005
"""Shares that differ by less are the same."""


class Shares(NamedTuple):
    """The markers of items and students."""

    items: Mapping[str, str] = {}
    students: Mapping[str, str] = {}

    def marker(self, student: str, item: str) -> str:
        """Return the marker of an answer; empty if nobody was named. A student's marker comes before an item's."""
        return self.students.get(student) or self.items.get(item, "")


def shares_of(database: Database, lab: str) -> Shares:
    """Return the markers of items and students."""
    table = tables().shares
    rows = database.rows(table.select().where(table.c.lab == lab).order_by(table.c.subject))
    by_kind: dict[str, dict[str, str]] = {ITEM: {}, STUDENT: {}}
    for row in rows:
        by_kind.setdefault(row.kind, {})[row.subject] = row.marker
    return Shares(by_kind[ITEM], by_kind[STUDENT])


def give(database: Database, lab: str, kind: str, markers: Mapping[str, str], *, anew: bool = False) -> None:
    """Give items or students to markers; an empty marker takes them back. `anew`: all that was given before is void."""
    table = tables().shares
    of_lab = table.delete().where(table.c.lab == lab)
    with database.writing() as connection:
        here = (table.c.kind == kind, table.c.subject.in_([*markers]))
        connection.execute(of_lab if anew else of_lab.where(*here))
        rows = [{"lab": lab, "kind": kind, "subject": text, "marker": who} for text, who in markers.items() if who]
        if rows:
            connection.execute(table.insert(), rows)


def dealt(groups: Iterable[AnswerGroup], markers: Sequence[str], kind: str) -> dict[str, str]:
    """Items or students dealt out so that every marker has about as many decisions: the largest first, each to whoever
    has the fewest."""
    work: dict[str, int] = defaultdict(int)
    for group in groups:
        for subject in [group.item] if kind == ITEM else [answer.student for answer in group.answers]:
            work[subject] += bool(subject)
    load = dict.fromkeys(markers, 0)
    found = {}
    for subject in sorted(filter(None, work), key=lambda text: (-work[text], text)):
        found[subject] = min(load, key=lambda text: (load[text], markers.index(text)))
        load[found[subject]] += work[subject]
    return found


def split(groups: Iterable[AnswerGroup], shares: Shares) -> Iterator[tuple[str, AnswerGroup]]:
    """Groups with their markers, empty where nobody was named; a group of several markers is taken apart. One that is
    about no single item belongs to the students' markers."""
    for group in groups:
        by_marker: dict[str, list[Answer]] = defaultdict(list)
        for answer in group.answers:
            by_marker[shares.marker(answer.student, answer.item if group.item else "")].append(answer)
        for marker, answers in by_marker.items():
            text = group.id if len(by_marker) == 1 else hashlib.sha256(f"{group.id}\n{marker}".encode()).hexdigest()
            yield marker, group._replace(id=text[: len(group.id)], answers=tuple(answers))


class Judgment(NamedTuple):
    """The share that a marker gave by one decision. A decision that settled several answers at once counts for the
    first."""

    decision: int
    marker: str
    student: str
    item: str
    share: float
    when: datetime


class Look(NamedTuple):
    """A second look at a decision."""

    decision: int
    marker: str
    outcome: str
    share: float


def looks_of(database: Database, lab: str) -> dict[int, Look]:
    """The second looks at decisions about a lab, by the number of the decision."""
    looks, decided = tables().looks, tables().decisions
    query = looks.select().join(decided, decided.c.id == looks.c.decision).where(decided.c.lab == lab)
    return {row.decision: Look(row.decision, row.marker, row.outcome, row.share) for row in database.rows(query)}


def look(database: Database, lab: str, judgment: Judgment, marker: str, outcome: str, share: float) -> None:
    """Keep a second look; the first one stands. Raises GradebookError for a marker's own decision, LockedError where
    the report is released."""
    if marker == judgment.marker:
        raise GradebookError("a second look is another marker's.")
    table = tables().looks
    with database.writing() as connection:
        refuse_locked(connection, lab, [(judgment.student, judgment.item)])
        if connection.execute(table.select().where(table.c.decision == judgment.decision)).first() is None:
            looked = datetime.now(UTC).isoformat(timespec="seconds")
            row = {"decision": judgment.decision, "marker": marker, "outcome": outcome, "share": share}
            connection.execute(table.insert().values(**row, looked=looked))


def sample(judgments: Iterable[Judgment]) -> list[Judgment]:
    """The judgments of every marker that are looked at again. They are drawn by hashes, so that nobody can choose them
    and they stay the same."""
    by_marker: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        by_marker[judgment.marker].append(judgment)
    found = []
    for own_judgments in by_marker.values():
        own_judgments.sort(
            key=lambda candidate: hashlib.sha256(f"{candidate.student}\n{candidate.item}".encode()).digest()
        )
        found += own_judgments[: max(_LEAST, len(own_judgments) // _SAMPLE)]
    return sorted(found, key=lambda candidate: candidate.decision)


class Figures(NamedTuple):
    """Statistics about a marker: judgments, the mean and the standard deviation of the shares of the points, how much
    more than others for the same items, second looks, the share of these that came to the same, and how much more these
    gave. None if there is nothing to compute from."""

    marker: str
    judgments: int
    mean: float
    spread: float
    beside_others: float | None
    looked_at: int
    agreement: float | None
    second_gave: float | None


class Concern(NamedTuple):
    """A marker who marks otherwise than before (`drift`), than others (`level`), or than second markers
    (`agreement`), and by which share of the points, or how often they agree."""

    marker: str
    kind: str
    share: float


def figures(judgments: Sequence[Judgment], looks: Mapping[int, Look]) -> tuple[Figures, ...]:
    """The figures of all markers, by name."""
    beside = _beside_others(judgments)
    found = []
    for marker in sorted({judgment.marker for judgment in judgments}):
        own_judgments = [judgment for judgment in judgments if judgment.marker == marker]
        shares = [judgment.share for judgment in own_judgments]
        gave = [
            looks[judgment.decision].share - judgment.share for judgment in own_judgments if judgment.decision in looks
        ]
        agreed = [abs(difference) < EQUAL for difference in gave]
        own_beside, _ = beside.get(marker, ([], []))
        means = (_mean(own_beside), len(gave), _mean(agreed), _mean(gave))
        found.append(Figures(marker, len(own_judgments), fmean(shares), pstdev(shares), *means))
    return tuple(found)


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def warnings(judgments: Sequence[Judgment], looks: Mapping[int, Look]) -> tuple[Concern, ...]:
    """The markers to talk with."""
    return tuple(sorted([*_drifts(judgments), *_levels(judgments), *_disagreements(figures(judgments, looks))]))


def _drifts(judgments: Sequence[Judgment]) -> Iterator[Concern]:
    """Markers who gave more or less for the same items in the second half of their judgments of each item."""
    by_place: dict[tuple[str, str], list[Judgment]] = defaultdict(list)
    for judgment in sorted(judgments, key=lambda entry: (entry.when, entry.decision)):
        by_place[judgment.marker, judgment.item].append(judgment)
    halves: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for (marker, _), own_judgments in by_place.items():
        middle = fmean(entry.share for entry in own_judgments)
        for place, judgment in enumerate(own_judgments if len(own_judgments) > 1 else ()):
            halves[marker][2 * place >= len(own_judgments)].append(judgment.share - middle)
    for marker, (first, second) in halves.items():
        if min(len(first), len(second)) >= FEWEST:
            difference = fmean(second) - fmean(first)
            error = sqrt(variance(first) / len(first) + variance(second) / len(second))
            if abs(difference) >= MATTERS and abs(difference) > _STRONG * error:
                yield Concern(marker, "drift", difference)


def _levels(judgments: Sequence[Judgment]) -> Iterator[Concern]:
    """Markers who gave more or less than others for the same items."""
    for marker, (own_shares, others) in _beside_others(judgments).items():
        if min(len(own_shares), len(others)) >= FEWEST:
            difference = fmean(own_shares)
            error = sqrt(variance(own_shares) / len(own_shares) + variance(others) / len(others))
            if abs(difference) >= MATTERS and abs(difference) > _STRONG * error:
                yield Concern(marker, "level", difference)


_AGREED: Final = 0.7
"""Below this share of equal second looks the markers are to talk."""


def _disagreements(found: Iterable[Figures]) -> Iterator[Concern]:
    for marker_figures in found:
        if (
            marker_figures.agreement is not None
            and marker_figures.looked_at >= _LEAST
            and marker_figures.agreement < _AGREED
        ):
            yield Concern(marker_figures.marker, "agreement", marker_figures.agreement)


def _beside_others(judgments: Sequence[Judgment]) -> dict[str, tuple[list[float], list[float]]]:
    """Return, by marker, the judgments of items that others judged, too, and those of the others: each less the mean of
    what the others gave for the item."""
    by_item: dict[str, list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        by_item[judgment.item].append(judgment)
    found: dict[str, tuple[list[float], list[float]]] = {}
    for some in by_item.values():
        for marker in {entry.marker for entry in some}:
            others = [entry.share for entry in some if entry.marker != marker]
            if others:
                own_shares, theirs = found.setdefault(marker, ([], []))
                own_shares += [entry.share - fmean(others) for entry in some if entry.marker == marker]
                theirs += [share - fmean(others) for share in others]
    return found
