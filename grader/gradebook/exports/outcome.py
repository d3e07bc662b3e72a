"""What an export is asked for, and what it yields."""

from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from grader.result import Result


class Wanted(NamedTuple):
    """What the caller says of an export; each format looks at what concerns it.

    `into` is the system's own file. `column` names the column to fill. `scale` converts points to another maximum.
    `force` replaces grades that are there. `decided_only` leaves out those of whom points await a person.
    `decimal_comma` is None where the file itself shall tell. `folder` holds the results and reports.
    """

    folder: Path
    into: Path | None = None
    column: str | None = None
    scale: bool = False
    force: bool = False
    decided_only: bool = False
    feedback: bool = True
    decimal_comma: bool | None = None
    question: str | None = None
    instance: int = 1


class Exported(NamedTuple):
    """The files, by name, and what the caller should be told. One file may be called anything."""

    files: tuple[tuple[str, bytes], ...]
    notes: tuple[str, ...] = ()


class Gradable(NamedTuple):
    """Results whose grade may go out, and why others may not."""

    results: tuple[Result, ...]
    notes: tuple[str, ...]


def gradable(results: tuple[Result, ...], *, decided_only: bool) -> Gradable:
    """The results without those of which nothing is decided and, if so wanted, those that await a person in part."""
    undecided = [result for result in results if is_undecided(result)]
    there = tuple(result for result in results if not is_undecided(result))
    open_ = [result for result in there if result.pending > 0]
    notes = []
    if undecided:
        notes.append(f"nothing is decided yet, so left out: {listed(undecided)}")
    if open_:
        what = "left out" if decided_only else "only their decided points go out (--decided-only leaves them out)"
        notes.append(f"points await a person, {what}: {listed(open_)}")
    if decided_only:
        there = tuple(result for result in there if not result.pending)
    return Gradable(there, tuple(notes))


def is_undecided(result: Result) -> bool:
    """Whether the grader failed, or every point awaits a person: a zero would be no grade."""
    awaiting = result.items and all(item.pending == item.max_score for item in result.items)
    return result.error is not None or bool(awaiting and result.pending > 0)


def listed(results: list[Result]) -> str:
    """The ids of some results."""
    return ", ".join(result.student.id for result in results)


def feedback_line(result: Result) -> str:
    """The grade in one line for a student: total, each question, lateness, and what awaits a person.

    It holds no angle brackets, as systems may take it for HTML.
    """
    parts = [f"{_points(result.score)} of {_points(result.max_score)} points."]
    parts += ["; ".join(f"{one.id} {_points(one.score)}/{_points(one.max_score)}" for one in result.questions) + "."]
    if result.lateness and result.late_penalty:
        parts.append(f"−{_points(result.late_penalty)} for lateness. {result.lateness.text}")
    if result.pending:
        parts.append(f"{_points(result.pending)} points await a person.")
    return " ".join(parts).replace("<", "‹").replace(">", "›")


def _points(points: Decimal) -> str:
    return format(points.normalize(), "f") if points else "0"
