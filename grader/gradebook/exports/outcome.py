"""What an export is asked for, and what it yields."""

from collections.abc import Iterator
from decimal import Decimal
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import NamedTuple

from grader.gradebook.person import apart
from grader.language import ENGLISH, Language, LanguageError, language_of
from grader.message import joined, plural_of, say, say_number
from grader.result import Result


class Pending(StrEnum):
    """What becomes of a student of whom points await a person: left out, or written with the decided points."""

    SKIP = "skip"
    SCORE = "score"


class Absence(StrEnum):
    """What is written for a student of the system's file who handed nothing in: nothing, zero, or that it does not
    count."""

    BLANK = "blank"
    ZERO = "zero"
    EXCUSED = "excused"


class Wanted(NamedTuple):
    """What the caller says of an export; each format looks at what concerns it.

    `into` is the system's own file. `column` names the column to fill. `scale` converts points to another maximum.
    `force` replaces grades that are there. `pending` is None for what suits the format. `absent` is about the
    rows of those who handed nothing in. `decimal_comma` is None where
    the file itself shall tell. `folder` holds the results and reports, of which `reports` are the endings to give back.
    """

    folder: Path
    into: Path | None = None
    column: str | None = None
    scale: bool = False
    force: bool = False
    pending: Pending | None = None
    absent: Absence = Absence.BLANK
    feedback: bool = True
    decimal_comma: bool | None = None
    question: str | None = None
    instance: int = 1
    reports: tuple[str, ...] = ("pdf",)


class Exported(NamedTuple):
    """The files, by name, and what the caller should be told. One file may be called anything. `written` is the number
    of students whose grade is new in them, None where that says nothing; `people` is that of all who have a row; `next`
    is what to do with the files."""

    files: tuple[tuple[str, bytes], ...]
    notes: tuple[str, ...] = ()
    written: int | None = None
    people: int | None = None
    next: str = ""


class Gradable(NamedTuple):
    """Results whose grade may go out, why others may not, and these."""

    results: tuple[Result, ...]
    notes: tuple[str, ...]
    left: tuple[Result, ...] = ()


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
    return Gradable(there, tuple(notes), tuple(result for result in results if result not in there))


def is_undecided(result: Result) -> bool:
    """Whether the grader failed, or every point awaits a person: a zero would be no grade."""
    awaiting = result.items and all(item.pending == item.max_score for item in result.items)
    return result.error is not None or bool(awaiting and result.pending > 0)


def listed(results: list[Result]) -> str:
    """The ids of some results."""
    return apart(result.student.id for result in results)


def feedback_line(result: Result) -> str:
    """The grade in one line for a student, in the language of their report: total, each question, lateness, and what
    awaits a person. It holds no angle brackets, as systems may take it for HTML.
    """
    words = _language(result.language).say(joined(" ", _sentences(result)))
    return words.replace("<", "‹").replace(">", "›")


@cache
def _language(code: str) -> Language:
    """The catalogue of a language, read once for all results. A language that is there no more leaves English."""
    try:
        return language_of(code)
    except LanguageError:
        return ENGLISH


def _sentences(result: Result) -> Iterator[str]:
    yield say("{score:f} of {maximum:f} points.", score=_plain(result.score), maximum=_plain(result.max_score))
    questions = (
        say("{question} {score:f}/{maximum:f}", question=one.id, score=_plain(one.score), maximum=_plain(one.max_score))
        for one in result.questions
    )
    yield joined("", (joined("; ", questions), "."))
    if result.lateness and result.late_penalty:
        yield say("−{points:f} for lateness.", points=_plain(result.late_penalty))
        yield result.lateness.text
    if result.pending:
        yield say_number(
            "{points:f} point awaits a person.",
            "{points:f} points await a person.",
            plural_of(result.pending),
            points=_plain(result.pending),
        )


def _plain(points: Decimal) -> Decimal:
    """Without trailing zeros."""
    return points.normalize() if points else Decimal(0)
