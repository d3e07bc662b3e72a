"""What persons decided in place of the grader, across a class."""

from collections.abc import Sequence

from grader.language import ENGLISH, Language
from grader.message import say
from grader.report.views.attention import MOST_FILES, Trouble
from grader.report.views.wording import clip, fraction
from grader.result import AppliedOverride, ItemResult, Result


def overridden(results: Sequence[Result], language: Language = ENGLISH) -> tuple[Trouble, ...]:
    """One line for each override, those whose finding has changed since first."""
    found = [(result, item, item.override) for result in results for item in result.items if item.override]
    ordered = sorted(found, key=lambda one: (not one[2].stale, one[0].student.id))
    return tuple(_line(*one, language) for one in ordered[:MOST_FILES])


def _line(result: Result, item: ItemResult, put: AppliedOverride, language: Language) -> Trouble:
    told = {"reason": put.reason, "author": put.author, "day": language.day(put.date)}
    stale = say("The finding has changed since: look again. {reason} ({author}, {day})", **told)
    return Trouble(
        student=clip(result.student.id, 40),
        what=clip(f"{item.id}: {fraction(item.score, item.max_score, language)}", 60),
        reason=clip(language.say(stale if put.stale else say("{reason} ({author}, {day})", **told)), 300),
    )
