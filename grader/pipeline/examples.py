"""Pictures of common misconceptions, taken from the pages that the students get: the class's report opens nothing that
was handed in, and unchanged hand-ins need not be graded again for it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from grader.cohort.misconceptions import Case, cases, telling_first
from grader.cohort.statistics import ClassSummary
from grader.pipeline.outputs import PAGE
from grader.pipeline.page_pictures import item_pictures, page_text
from grader.report.pictures import Picture, Place, place_of
from grader.report.views.misconceptions import MOST, class_place
from grader.result import Result

MOST_TRIED: Final = 3
"""Students of whom a picture is looked for, for each misconception."""


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
        picture = item_pictures(page_text(out / student / PAGE), case.item.id).get(0)
        if place and picture:
            return class_place(student, place), picture
    return None


def _place(case: Case) -> Place | None:
    """Where the item's picture is from: its first evidence, as that is shown first."""
    return place_of(case.item.id, case.item.evidence[0]) if case.item.evidence else None
