"""Does the student say which of two experiments is better, and do the student's own figures agree?"""

import re
from collections.abc import Iterator
from statistics import fmean

from grader.checks.check import Conclusion, check
from grader.checks.experiment import TEST, VALID, Report, report_of, values
from grader.checks.finding import Expected, Finding, Flag, Severity, Status
from grader.claims.answer import Answer
from grader.claims.passage import Passage
from grader.claims.statements import statements
from grader.claims.wording import words_pattern
from grader.frozen import Frozen
from grader.lab.definition import Experiment, Lab
from grader.message import Message, say, say_data
from grader.reading.evidence import Evidence

_UP = re.compile(
    r"\b(?:better|higher|highest|best|greater|larger|superior|outperform\w*|surpass\w*|exceed\w*|beats?|improv\w+|above"
    r"|benefit\w*|advantages?|faster|stronger|ahead|mieux|meilleure?s?|supérieure?s?|surpasse\w*|dépasse\w*"
    r"|plus (?:élevée?s?|hautes?)|avantages?)\b",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:worse|lower|lowest|smaller|poorer|inferior|below|behind|less accurate|weaker|moins bonne?s?|inférieure?s?"
    r"|pire|plus (?:basse?s?|faibles?))\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:not|no|never|neither|nor|hardly|without|although|surprisingly|pas|ni|aucune?|jamais|std|deviations?|variance"
    r"|variab\w+|loss|slower|if|may|might|could|false|faux|expect\w*|fail\w*|compared (?:with|to)|unlike|contrary"
    r"|size)\b"
    r"|n't\b|\?",
    re.IGNORECASE,
)


class _Said(Frozen):
    """A sentence that compares: whether it says what is right, or None when it cannot be decided."""

    right: bool | None
    evidence: Evidence


@check("comparison")
def comparison(
    answer: Answer, lab: Lab, *, item: str, better: str, worse: str, least_difference: float = 0
) -> Iterator[Conclusion]:
    """The two experiments are compared, and the student's own figures agree."""
    experiments = {one.id: one for one in lab.experiments}
    questions = [experiments[name].question for name in (better, worse)]
    said = [
        one
        for passage in answer.passages(*questions)
        for one in _comparisons(passage, experiments[better], experiments[worse])
    ]
    averages = _figures(better, worse, answer, lab)
    figures = None if averages is None else averages[0] > averages[1]
    shown = tuple(place for name in (better, worse) for place in report_of(name, answer, lab).evidence)
    if averages:
        yield from _small(averages, least_difference, shown)
    evidence = tuple(one.evidence for one in said)
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=evidence[0].quote if evidence else None,
        expected=Expected(text=say("{title} gives the higher accuracy", title=say_data(experiments[better].title))),
        evidence=evidence,
    )
    right = [one for one in said if one.right]
    wrong = [one for one in said if one.right is False]
    if right and not wrong and figures:
        yield finding.but(status=Status.CORRECT, feedback=_agreed(averages))
    elif not said and all(report_of(name, answer, lab).is_empty for name in (better, worse)):
        yield finding.but(status=Status.MISSING, feedback=say("Nothing was found about the two experiments."))
    else:
        yield finding.but(
            suggestion=Status.CORRECT if right and not wrong else Status.PARTIAL if figures and not said else None,
            feedback=_doubt(bool(said), bool(right and not wrong), figures),
        )


def _agreed(averages: tuple[float, float] | None) -> Message:
    if averages is None:
        return say("The comparison is right, and the figures agree")
    high, low = averages
    return say("The comparison is right, and the figures agree: {high:.2f} % against {low:.2f} %.", high=high, low=low)


def _doubt(is_said: bool, is_right: bool, figures: bool | None) -> Message:
    """Why a person compares. `figures`: whether they agree with what is right; None where they were not found."""
    if not is_said:
        return say("No sentence that compares the two was understood.")
    if not is_right:
        return say("The comparison was not fully understood.")
    if figures is False:
        return say("The comparison is right in words, but the figures disagree.")
    return say("The comparison is right in words; the figures of both were not found.")


def _comparisons(passage: Passage, better: Experiment, worse: Experiment) -> Iterator[_Said]:
    for statement in statements(passage):
        first, second = _first(statement.text, better), _first(statement.text, worse)
        if first is not None and second is not None and (_UP.search(statement.text) or _DOWN.search(statement.text)):
            right = _says(statement.text, first, second)
            yield _Said(right=right, evidence=passage.evidence(statement.start, statement.end))


_OF_SPREAD = re.compile(
    r"(?:\b(?:and|but|with|while)\s+)?(?:\ban?\s+)?(?:\bmuch\s+)?\b(?:larger|smaller|higher|lower|greater)\s+"
    r"(?:variance|variability|spread|std|deviations?|standard deviations?)\b",
    re.IGNORECASE,
)
"""What is said of the spread says nothing of which is better."""

_SIZE_WORD = re.compile(r"\b(?:larger|greater|smaller)\b", re.IGNORECASE)
_QUALITY = re.compile(r"\b(?:accurac\w+|scores?|results?|perform\w*|means?|averages?|précision)\b", re.IGNORECASE)


def _says(text: str, better_at: int, worse_at: int) -> bool | None:
    """Whether a sentence says that `better` is better. Its subject is the first of the two that it names; None when
    it also says the opposite, or hedges, or compares before it names its subject."""
    text = _OF_SPREAD.sub(lambda match: " " * len(match.group()), text)
    words = [(match.start(), True) for match in _UP.finditer(text)]
    words += [(match.start(), False) for match in _DOWN.finditer(text)]
    if not words:
        return None
    position, up = min(words)
    if _SIZE_WORD.search(text) and not _QUALITY.search(text):
        return None
    if len({direction for _, direction in words}) > 1 or _DOUBT.search(text) or position < min(better_at, worse_at):
        return None
    return (better_at < worse_at) == up


def _first(text: str, experiment: Experiment) -> int | None:
    match = words_pattern(experiment.words).search(text)
    return match.start() if match else None


def _figures(better: str, worse: str, answer: Answer, lab: Lab) -> tuple[float, float] | None:
    """The student's own averages of both, on the same split where there is one with both; None when they are not both
    there."""
    reports = [report_of(name, answer, lab) for name in (better, worse)]
    for split in (TEST, None, VALID):
        high, low = (_average(report, split) for report in reports)
        if high is not None and low is not None:
            return high, low
    high, low = (next((a for s in (TEST, None, VALID) if (a := _average(r, s)) is not None), None) for r in reports)
    return None if high is None or low is None else (high, low)


def _average(report: Report, split: str | None) -> float | None:
    """The average that is stated for a split, else that of its seeds."""
    means = [float(one.mean) for one in report.summaries if one.split == split and one.mean is not None]
    if means:
        return means[-1]
    return next((fmean(values(group)) for group in report.series() if group[0].split == split), None)


def _small(figures: tuple[float, float], least: float, evidence: tuple[Evidence, ...]) -> Iterator[Flag]:
    """A remark where the difference is smaller than in any known set-up, whatever the schedule."""
    difference = figures[0] - figures[1]
    if difference < least:
        message = say(
            "The averages, {high:.2f} % and {low:.2f} %, differ by {difference:.2f} points; at least {least:g} are "
            "expected whatever the schedule.",
            high=figures[0],
            low=figures[1],
            difference=difference,
            least=least,
        )
        yield Flag(id="outside-band", severity=Severity.WARNING, message=message, evidence=evidence)
