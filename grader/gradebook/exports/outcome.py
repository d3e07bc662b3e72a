"""What an export is asked for, and what it yields."""

from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from grader.result import Result


class Pending(StrEnum):
    """What becomes of a student of whom points await a person: left out, or written with the decided points."""

    SKIP = "skip"
    SCORE = "score"


class Wanted(NamedTuple):
    """What the caller says of an export; each format looks at what concerns it.

    `into` is the system's own file. `column` names the column to fill. `scale` converts points to another maximum.
    `force` replaces grades that are there. `pending` is None for what suits the format. `decimal_comma` is None where
    the file itself shall tell. `folder` holds the results and reports, of which `reports` are the endings to give back.
    """

    folder: Path
    into: Path | None = None
    column: str | None = None
    scale: bool = False
    force: bool = False
    pending: Pending | None = None
    feedback: bool = True
    decimal_comma: bool | None = None
    question: str | None = None
    instance: int = 1
    reports: tuple[str, ...] = ("pdf",)


class Exported(NamedTuple):
    """The files, by name, and what the caller should be told. One file may be called anything."""

    files: tuple[tuple[str, bytes], ...]
    notes: tuple[str, ...] = ()


class Gradable(NamedTuple):
    """Results whose grade may go out, and why others may not."""

    results: tuple[Result, ...]
    notes: tuple[str, ...]


def gradable(results: tuple[Result, ...], wanted: Wanted, usual: Pending = Pending.SKIP) -> Gradable:
    """The results without those of which nothing is decided and, unless they are wanted, those that await a person in
    part. `usual` is what suits the format: a bare number that may still rise is not a grade, so it is left out."""
    undecided = [result for result in results if is_undecided(result)]
    there = tuple(result for result in results if not is_undecided(result))
    open_ = [result for result in there if result.pending > 0]
    notes = []
    if undecided:
        notes.append(f"nothing is decided yet, so left out: {listed(undecided)}")
    if open_ and (wanted.pending or usual) is Pending.SKIP:
        there = tuple(result for result in there if not result.pending)
        what = "so left out (--pending score writes their decided points)"
        notes.append(f"points await a person, {what}: {listed(open_)}")
    elif open_:
        what = "so these grades are not final: only decided points are written (--pending skip leaves them out)"
        notes.append(f"points await a person, {what}: {listed(open_)}")
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
