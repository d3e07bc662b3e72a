"""What an instructor wants to know first: how much is left to do, and whether the key can be trusted."""

from collections.abc import Sequence

from grader.cohort.answers import SharedAnswer
from grader.cohort.review_queue import awaits_person
from grader.cohort.statistics import ClassSummary
from grader.frozen import Frozen
from grader.report.views.discrimination import CAUTION, FEWEST
from grader.report.views.wording import clip, counted
from grader.result import Result

MOST_DOUBTS = 3
SECONDS_EACH = 60
"""For reading one answer and deciding about it; like answers are decided together."""


class Doubt(Frozen):
    """An answer that many gave and that did not count in full: perhaps the key is wrong."""

    item: str
    title: str
    text: str


class Glance(Frozen):
    """`work` tells what a person has to decide and how long it takes, `caution` how far figures can be trusted."""

    work: str
    doubts: tuple[Doubt, ...]
    more_doubts: str | None
    caution: str | None


def glance(results: Sequence[Result], summary: ClassSummary) -> Glance:
    """The summary of a summary."""
    left_out = len(summary.shared_answers) - MOST_DOUBTS
    return Glance(
        work=_work(results, summary),
        doubts=tuple(_doubt(one, summary.counts.graded) for one in summary.shared_answers[:MOST_DOUBTS]),
        more_doubts=f"+ {left_out} more in class.json" if left_out > 0 else None,
        caution=_caution(summary.counts.graded),
    )


def _work(results: Sequence[Result], summary: ClassSummary) -> str:
    if not summary.counts.needing_review:
        return "Nothing: every point is decided." if summary.counts.graded else "Nothing was graded."
    open_items = [
        (item.id, item.group or result.student.id)
        for result in results
        if result.error is None
        for item in result.items
        if awaits_person(item)
    ]
    answers = len(set(open_items))
    alike = f", {len(open_items)} with like ones" if len(open_items) > answers else ""
    students = counted(summary.counts.needing_review, "student")
    return (
        f"{counted(answers, 'answer')} to decide{alike}, of {students}: about {_duration(answers * SECONDS_EACH)} "
        "at a minute each. The review queue below begins with the most points."
    )


def _duration(seconds: int) -> str:
    minutes = max(round(seconds / 60), 1)
    return counted(minutes, "minute") if minutes < 90 else counted(round(minutes / 60), "hour")


def _doubt(shared: SharedAnswer, graded: int) -> Doubt:
    against = f", where {clip(shared.expected, 90)} is expected" if shared.expected else ""
    return Doubt(
        item=clip(shared.item, 40),
        title=clip(shared.title, 80),
        text=f"{len(shared.students)} of {graded} answered {clip(shared.found, 90)}{against}.",
    )


def _caution(graded: int) -> str | None:
    if graded < FEWEST:
        return f"Discrimination is not given for fewer than {FEWEST} students: chance would decide it."
    told = "Discrimination is the correlation of a question's points with those of all others; below 0.2, or negative, "
    few = f" With fewer than {CAUTION} students these figures are shaky." if graded < CAUTION else ""
    return f"{told}the question or its key deserves a look.{few}"
