"""What an instructor wants to know first: how much is left to do, and whether the key can be trusted."""

from collections.abc import Sequence
from typing import Final

from grader.cohort.absence import is_too_late
from grader.cohort.answers import SharedAnswer
from grader.cohort.review_queue import awaits_person
from grader.cohort.statistics import ClassSummary
from grader.frozen import Frozen
from grader.language import ENGLISH, Language
from grader.message import Message, say, say_number
from grader.report.views.people import students
from grader.report.views.wording import clip, left_out
from grader.result import HAND_IN, UNREADABLE, Result

MOST_DOUBTS: Final = 3
SECONDS_EACH: Final = 60
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


def glance(results: Sequence[Result], summary: ClassSummary, language: Language = ENGLISH) -> Glance:
    """The summary of a summary."""
    return Glance(
        work=language.say(_work(results, summary)),
        doubts=tuple(_doubt(one, summary.counts.graded, language) for one in summary.shared_answers[:MOST_DOUBTS]),
        more_doubts=left_out(len(summary.shared_answers) - MOST_DOUBTS, "class.json", language),
        caution=language.say(summary.caution) if summary.caution else None,
    )


def _work(results: Sequence[Result], summary: ClassSummary) -> Message:
    open_items = [
        (result.student.id, item.id, item.group or result.student.id)
        for result in results
        if result.error is None and not is_too_late(result)
        for item in result.items
        if awaits_person(item)
    ]
    if not open_items:
        return say("Nothing: every point is decided.") if summary.counts.graded else say("Nothing was graded.")
    answers = len(
        {group if group.startswith((HAND_IN, UNREADABLE)) else (item, group) for _, item, group in open_items}
    )
    told = {
        "answers": say_number("{number} answer to decide", "{number} answers to decide", answers),
        "all": len(open_items),
        "students": students(len({student for student, _, _ in open_items})),
        "time": _duration(answers * SECONDS_EACH),
    }
    if len(open_items) > answers:
        return say(
            "{answers}, {all} with like ones, of {students}: about {time} at a minute each. The review queue below "
            "begins with the most points.",
            **told,
        )
    return say(
        "{answers}, of {students}: about {time} at a minute each. The review queue below begins with the most points.",
        **told,
    )


def _duration(seconds: int) -> Message:
    minutes = max(round(seconds / 60), 1)
    if minutes < 90:
        return say_number("{number} minute", "{number} minutes", minutes)
    return say_number("{number} hour", "{number} hours", round(minutes / 60))


def _doubt(shared: SharedAnswer, graded: int, language: Language) -> Doubt:
    told = {"count": len(shared.students), "graded": graded, "answer": clip(language.say(shared.found), 90)}
    text = say("{count} of {graded} answered {answer}.", **told)
    if shared.expected:
        expected = clip(language.say(shared.expected), 90)
        text = say("{count} of {graded} answered {answer}, where {expected} is expected.", expected=expected, **told)
    return Doubt(item=clip(shared.item, 40), title=clip(language.say(shared.title), 80), text=language.say(text))
