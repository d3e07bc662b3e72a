"""A hand-in's sections as a person assigned them to questions, put in force on what was read of it."""

from collections.abc import Mapping
from typing import NamedTuple

from grader.checks.finding import Flag, Severity
from grader.lab.definition import Lab
from grader.message import say, say_number
from grader.pipeline.hashes import hash_of
from grader.reading.assigned import assign_questions, mark_of_text, texts, units
from grader.reading.document import SECTIONS, Part
from grader.reading.reading import Reading
from grader.result import Override

IN_FORCE, OUTDATED = "sections-assigned", "sections-changed"
"""The flags of a hand-in whose sections a person assigned: they count, or its text has changed since."""


class AssignedReading(NamedTuple):
    """A reading with the assigned sections in force, and the flags that tell of them."""

    reading: Reading
    flags: tuple[Flag, ...] = ()


def sections_in(overrides: Mapping[str, Override]) -> Override | None:
    """Return a person's assignment of a hand-in's sections, from all that was decided about the hand-in."""
    put = overrides.get(SECTIONS)
    return put if put and put.sections else None


def key_of_sections(put: Override | None) -> str:
    """Stands for assigned sections; empty for none."""
    return hash_of([put.subject, [part.model_dump() for part in put.sections or ()]]) if put else ""


def apply_sections(reading: Reading, put: Override | None, lab: Lab) -> AssignedReading:
    """The reading with assigned sections in force, if they are about this text."""
    if put is None or not put.sections:
        return AssignedReading(reading)
    message_values = {"author": put.author, "day": put.date}
    if not is_about(reading, put):
        message = say(
            "{author} assigned the sections of this submission to questions on {day:%Y-%m-%d}. Its text has changed "
            "since, so that no longer counts.",
            **message_values,
        )
        return AssignedReading(reading, (Flag(id=OUTDATED, severity=Severity.WARNING, message=message, evidence=()),))
    asked = {question.id for question in lab.questions}
    parts = [part if part.question in asked else part.model_copy(update={"question": ""}) for part in put.sections]
    number = len({part.question for part in parts if part.question})
    message = say_number(
        "{author} assigned the sections of this submission to {number} question on {day:%Y-%m-%d}.",
        "{author} assigned the sections of this submission to {number} questions on {day:%Y-%m-%d}.",
        number,
        **message_values,
    )
    flag = Flag(id=IN_FORCE, severity=Severity.INFO, message=message, evidence=())
    return AssignedReading(assign_questions(reading, parts), (flag,))


def is_about(reading: Reading, put: Override) -> bool:
    """Whether assigned sections are about the text that was read: its letters are the same, and each part begins as it
    did."""
    parts = put.sections or ()
    if put.subject and put.subject != mark_of_text(reading, parts):
        return False
    there = {(unit.file, unit.number): unit.words for document in texts(reading) for unit in units(document)}
    return all(there.get((part.file, part.at)) == part.words for part in parts)


def summary(parts: tuple[Part, ...]) -> str:
    """The questions of some parts in short, for the history."""
    return ", ".join(dict.fromkeys(part.question for part in parts if part.question)) or "–"
