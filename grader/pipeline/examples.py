"""Pictures of common misconceptions, taken from the pages that the students get: the class's report opens nothing that
was handed in, and unchanged hand-ins need not be graded again for it."""

from base64 import b64decode
from binascii import Error
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final

from grader.cohort.misconceptions import Case, cases, telling_first
from grader.cohort.statistics import ClassSummary
from grader.pipeline.outputs import PAGE
from grader.report.pictures import Picture, Place, place_of
from grader.report.views.misconceptions import MOST, class_place
from grader.result import Result

MOST_TRIED: Final = 3
"""Students of whom a picture is looked for, for each misconception."""
_PIXELS: Final = 2.0
"""For each point: the scale in which evidence is drawn."""
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_START: Final = '<img src="data:image/png;base64,'


def example_pictures(out: Path, results: Sequence[Result], summary: ClassSummary) -> dict[Place, Picture]:
    """One for each of the most frequent misconceptions that shows on a page, by `class_place`. `out` holds the
    students' folders; what is not there or cannot be read is left out."""
    wanted = {one.id: list[Case]() for one in summary.misconceptions[:MOST]}
    for case in cases(results):
        if case.diagnosis.id in wanted and _place(case):
            wanted[case.diagnosis.id].append(case)
    found = (_first(out, telling_first(group)[:MOST_TRIED]) for group in wanted.values())
    return dict(one for one in found if one)


def _first(out: Path, group: Sequence[Case]) -> tuple[Place, Picture] | None:
    for case in group:
        student, place = case.result.student.id, _place(case)
        picture = _picture(out / student / PAGE, case.item.id)
        if place and picture:
            return class_place(student, place), picture
    return None


def _place(case: Case) -> Place | None:
    """Where the item's picture is from: its first evidence, as that is shown first."""
    return place_of(case.item.evidence[0]) if case.item.evidence else None


def _picture(page: Path, item: str) -> Picture | None:
    """The first picture in an item's part of a student's page."""
    try:
        text = page.read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        return None
    begin = text.find(f'<article data-item="{escape(item)}">')
    end = text.find("</article>", begin)
    start = text.find(_START, begin, end) if 0 <= begin < end else -1
    if start < 0:
        return None
    start += len(_START)
    return _decoded(text[start : text.find('"', start)])


def _decoded(encoded: str) -> Picture | None:
    try:
        png = b64decode(encoded, validate=True)
    except (Error, ValueError):
        return None
    if not png.startswith(_PNG) or len(png) < 24:
        return None
    width, height = (int.from_bytes(png[at : at + 4], "big") / _PIXELS for at in (16, 20))
    return Picture(png, width, height)
