"""Does the student say which of two experiments is better, and do the student's own figures agree?"""

import re
from collections.abc import Iterator
from statistics import fmean

from grader.checks.check import Conclusion, check
from grader.checks.experiment import report_of, values
from grader.checks.finding import Expected, Finding, Status
from grader.claims.answer import Answer
from grader.claims.passage import Passage
from grader.claims.statements import Statement, statements
from grader.claims.wording import words_pattern
from grader.frozen import Frozen
from grader.lab.definition import Experiment, Lab
from grader.reading.evidence import Evidence

_UP = re.compile(
    r"\b(?:better|higher|highest|best|greater|larger|superior|outperform\w*|surpass\w*|exceed\w*|beats?|improv\w+|above|benefit\w*"
    r"|advantages?|faster|stronger|ahead|mieux|meilleure?s?|supérieure?s?|surpasse\w*|dépasse\w*|plus (?:élevée?s?|hautes?)|avantages?)\b",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:worse|lower|lowest|smaller|poorer|inferior|below|behind|less accurate|weaker|moins bonne?s?|inférieure?s?|pire|plus (?:basse?s?|faibles?))\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:not|no|never|neither|nor|hardly|without|although|surprisingly|pas|ni|aucune?|jamais|std|deviations?|variance|variab\w+"
    r"|loss|slower|if|may|might|could)\b|n't\b|\?",
    re.IGNORECASE,
)


class _Said(Frozen):
    """A sentence that compares: whether it says what is right, or None when it cannot be decided."""

    right: bool | None
    evidence: Evidence


@check("comparison")
def comparison(answer: Answer, lab: Lab, *, item: str, better: str, worse: str) -> Iterator[Conclusion]:
    """The two experiments are compared, and the student's own figures agree."""
    experiments = {one.id: one for one in lab.experiments}
    questions = [experiments[name].question for name in (better, worse)]
    said = [
        one
        for passage in answer.passages(*questions)
        for one in _comparisons(passage, experiments[better], experiments[worse])
    ]
    figures = _figures(better, worse, answer, lab)
    evidence = tuple(one.evidence for one in said)
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=evidence[0].quote if evidence else None,
        expected=Expected(text=f"{experiments[better].title} gives the higher accuracy"),
        evidence=evidence,
    )
    right = [one for one in said if one.right]
    wrong = [one for one in said if one.right is False]
    if right and not wrong and figures:
        yield finding.but(status=Status.CORRECT, feedback="The comparison is right, and the figures agree.")
    elif not said and all(report_of(name, answer, lab).is_empty for name in (better, worse)):
        yield finding.but(status=Status.MISSING, feedback="Nothing was found about the two experiments.")
    else:
        doubt = (
            "No sentence that compares the two was understood"
            if not said
            else "The comparison was not fully understood"
        )
        if right and not wrong:
            doubt = "The comparison is right in words" + (
                ", but the figures disagree" if figures is False else "; the figures of both were not found"
            )
        yield finding.but(
            suggestion=Status.CORRECT if right and not wrong else None,
            feedback=f"{doubt}; a person reads it.",
        )


def _comparisons(passage: Passage, better: Experiment, worse: Experiment) -> Iterator[_Said]:
    for statement in statements(passage):
        right = _says(statement, better, worse)
        if right is not _SILENT:
            yield _Said(right=right, evidence=passage.evidence(statement.start, statement.end))


_SILENT = object()


def _says(statement: Statement, better: Experiment, worse: Experiment) -> bool | None | object:
    """Whether a sentence says that `better` is better: the first of the two that it names is its subject."""
    text = statement.text
    first = _first(text, better), _first(text, worse)
    words = [
        *((match.start(), True) for match in _UP.finditer(text)),
        *((m.start(), False) for m in _DOWN.finditer(text)),
    ]
    if None in first or not words:
        return _SILENT
    directions = {up for _, up in words}
    if len(directions) > 1 or _DOUBT.search(text):
        return None
    subject_is_better = first[0] < first[1]  # type: ignore[operator]
    word_position, up = min(words)
    if word_position < min(first):  # type: ignore[type-var]
        return None
    return subject_is_better == up


def _first(text: str, experiment: Experiment) -> int | None:
    match = words_pattern(experiment.words).search(text)
    return match.start() if match else None


def _figures(better: str, worse: str, answer: Answer, lab: Lab) -> bool | None:
    """Whether the student's own averages put `better` above `worse`; None when they are not both there."""
    high, low = (_average(name, answer, lab) for name in (better, worse))
    return None if high is None or low is None else high > low


def _average(experiment: str, answer: Answer, lab: Lab) -> float | None:
    report = report_of(experiment, answer, lab)
    if report.preferred_summaries:
        return float(report.preferred_summaries[-1].mean or 0)
    return next((fmean(values(group)) for group in report.series()), None)
