"""Hand-ins, training logs and texts that students share, and what that shows and does not show."""

from typing import Final

from grader.cohort.series import SharedSeries
from grader.cohort.statistics import ClassSummary
from grader.cohort.texts import LikeTexts
from grader.frozen import Frozen
from grader.language import ENGLISH, Language
from grader.message import say
from grader.report.views.people import names
from grader.report.views.wording import clip, left_out, percent

MOST_SHARED: Final = 20
MOST_TEXTS: Final = 25


class SharedLogs(Frozen):
    """Students whose logs hold the same curves, which, and what that shows."""

    students: str
    series: str
    meaning: str


class TextGroup(Frozen):
    """Students, the share of the shorter text that is in another one too, that as a length in CSS percent, and how long
    the texts are."""

    students: str
    share: str
    length: str
    runs: str


class Alike(Frozen):
    """All of it; `more_` tells of what is left out."""

    identical: tuple[str, ...]
    shared: tuple[SharedLogs, ...]
    more_shared: str | None
    texts: tuple[TextGroup, ...]
    more_texts: str | None


def alike(summary: ClassSummary, language: Language = ENGLISH) -> Alike:
    """What of a class is alike."""
    texts = summary.similarity.texts
    return Alike(
        identical=tuple(names(group.students, language) for group in summary.similarity.identical_submissions),
        shared=tuple(_shared(one, language) for one in summary.shared_series[:MOST_SHARED]),
        more_shared=left_out(len(summary.shared_series) - MOST_SHARED, "class.json", language),
        texts=tuple(_group(one, language) for one in texts[:MOST_TEXTS]),
        more_texts=left_out(len(texts) - MOST_TEXTS, "class.json", language),
    )


def _shared(shared: SharedSeries, language: Language) -> SharedLogs:
    return SharedLogs(
        students=names(shared.students, language),
        series=clip(", ".join(map(language.say, shared.series)), 160),
        meaning=clip(language.say(shared.meaning), 300),
    )


def _group(group: LikeTexts, language: Language) -> TextGroup:
    least, most = (percent(share, language) for share in (group.least, group.most))
    shortest, longest = min(group.runs), max(group.runs)
    return TextGroup(
        students=names(group.students, language),
        share=most if least == most else language.say(say("{least} to {most}", least=least, most=most)),
        length=f"{group.most * 100:.2f}%",
        runs=language.say(
            say("{count:,} runs", count=longest)
            if shortest == longest
            else say("{shortest:,} to {longest:,} runs", shortest=shortest, longest=longest)
        ),
    )
