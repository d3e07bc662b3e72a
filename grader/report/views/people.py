"""How students are named in the instructor's report, and where their own files lie beside it."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from grader.language import Language
from grader.message import Message, say, say_number
from grader.report.views.wording import clip, printable

MOST_NAMES: Final = 12


def report_link(student: str) -> str:
    """The relative address of a student's report, as seen from that of the class."""
    return f"{quote(printable(student), safe='')}/report.html"


def students(count: int) -> Message:
    """`1 student`, `23 students`."""
    return say_number("{number} student", "{number} students", count)


def names(ids: Sequence[str], language: Language, most: int = MOST_NAMES) -> str:
    """The first names of several, and how many more there are."""
    named = ", ".join(clip(student, 40) for student in ids[:most])
    left_out = len(ids) - most
    return language.say(say("{names} and {count} more", names=named, count=left_out)) if left_out > 0 else named
