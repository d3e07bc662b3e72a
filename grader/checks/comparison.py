"""Does the student say which of two experiments is better, and do the student's own figures agree?"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from enum import StrEnum
from statistics import fmean
from typing import Final, NamedTuple

from grader.checks.check import Conclusion, check
from grader.checks.experiment import TEST, VALID, Report, concluded_without, is_all_read, report_of, values
from grader.checks.finding import Expected, Finding, Flag, Severity, Status
from grader.claims.answer import Answer
from grader.claims.normal import normalise
from grader.claims.passage import Passage
from grader.claims.results.fact import in_percent, unit_in_percent
from grader.claims.results.numbers import may_be_accuracy, numbers_in
from grader.claims.results.vocabulary import Kind, abbreviations_in, mentions
from grader.claims.statements import statements
from grader.lab.definition import Lab
from grader.message import Message, say, say_data
from grader.reading.document import Block, BlockKind
from grader.reading.evidence import Evidence

_UP: Final = re.compile(
    r"(?<!-)>|\b(?:bet+er|higher|greater|larger|superior|outperform\w*|surpass\w*|exceed\w*|beats?|beat|improv\w+|above(?=\s+[\w'])|win|wins|won"
    r"|gain\w*|benefit\w*|advantages?|stronger|ahead|helps?|helped|boost\w*|brings?|leads?|dominat\w*"
    r"|worth|pays?|more accurate"
    r"|mieux|meilleure?s?|supérieure?s?|surpasse\w*|dépasse\w*|gagn\w+|bat|écrase\w*|domine\w*|aide\w*|apport\w+|améliore\w*"
    r"|plus (?:élevée?s?|hautes?|performante?s?|précise?s?)|avantages?)\b",
    re.IGNORECASE,
)
_DOWN: Final = re.compile(
    r"<|\b(?:worse|lower|smaller|poorer|inferior|below|behind|less (?:accurate|good)|(?:far|much|clearly"
    r"|way) less than(?! \d)|points? (?:under|below|short|less|lower|behind)|weaker|loses?|lost|lag\w*"
    r"|drops?|short of|never (?:reach\w*|catch\w*)"
    r"|points short|moins bon(?:ne)?s?|moins bien|inférieure?s?|pires?|perd\w*|en dessous|derrière"
    r"|plus (?:basse?s?|faibles?|mauvaise?s?))\b",
    re.IGNORECASE,
)
_OF_SPREAD: Final = re.compile(
    r"(?:\b(?:and|but|with|while|et|mais|avec)\s+)?(?:\b(?:an?|une?|the|la|le)\s+)?(?:\b(?:much|also|it|bien|aussi)\s+){0,2}\b(?:larger|smaller|higher|lower"
    r"|greater|less|more|plus|moins|better)\s+(?:in\s+)?(?:variance|variability|spread|std|stable"
    r"|deviations?|standard deviations?|dispersion|écarts?[- ]types?|loss)\b"
    r"|\b(?:loss|variance|spread|deviations?|écarts?[- ]types?)\b[^.;,]{0,40}\b(?:larger|smaller|higher"
    r"|lower|greater|slower|faster|plus \w+|moins \w+)\b",
    re.IGNORECASE,
)
"""What is said of the spread or of the loss says nothing of which is better."""

_DOUBT: Final = re.compile(
    r"\b(?:if|may|might|could|should|would|expect\w*|hypothes\w+|wonder|whether|neither|nor|si|pourrait|devrait|attend\w*)\b|\?",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:false|faux|fails?|failed|unable|échou\w+|not|no|never|hardly|n't|pas|aucune?|jamais|ne)\b", re.IGNORECASE
)
_VERSUS: Final = re.compile(
    r"\b(?:against|vs\.?|versus|contre|compared (?:with|to)|in front of|instead of|than|que|only|seulement"
    r"|whereas|while|tandis|alors que|from\b.{1,40}\bto)\b|[<>]|→|->",
    re.IGNORECASE,
)
_ANAPHORA: Final = re.compile(
    r"\b(?:(?:the|this|that) (?:previous|former|latter|other|first|second|one|model)|previous|th(?:is|at"
    r"|ose) one|le pr[ée]c[ée]dent|l['’]autre|ce mod[èe]le"
    r"|celui|it|they|the two|both|les deux)\b",
    re.IGNORECASE,
)
_RELATES: Final = re.compile(
    r"\b(?:than|nowhere|far|trail\w*|catch\w*|caught|compet\w*|equal\w*|same as|compar\w*|differ\w*|gap"
    r"|clear\w*|matters?|dust|skip\w*|throw\w*|without"
    r"|que|moins|plus|manque\w*|[ée]gal\w*|compar\w*|diff[ée]ren\w*|[ée]cart(?![- ]?type)|loin|sans)\b",
    re.IGNORECASE,
)
"""Words of sentences that may compare in ways that are not understood."""
_POINTS: Final = re.compile(r"(?:percentage |accuracy |absolute )?(?:points?|pts?|pp)\b|\s?%|percent", re.IGNORECASE)
_WORDS: Final = {
    word: number
    for number, words in enumerate(
        [
            "zero zéro",
            "one un",
            "two deux",
            "three trois",
            "four quatre",
            "five cinq",
            "six",
            "seven sept",
            "eight huit",
            "nine neuf",
            "ten dix dizaine",
            "eleven onze",
            "twelve douze dozen douzaine",
            "thirteen treize",
            "fourteen quatorze",
            "fifteen quinze quinzaine",
            "sixteen seize",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty vingt",
        ]
    )
    for word in words.split()
}
_WORD_POINTS: Final = re.compile(rf"\b({'|'.join(_WORDS)})\b(?=[^.;]{{0,24}}\b(?:points?|pts?|percent))", re.IGNORECASE)


class _Stand(StrEnum):
    """What a sentence says about two experiments."""

    RIGHT = "right"
    WRONG = "wrong"
    OPEN = "open"


class _Said(NamedTuple):
    """A sentence that compares; `by_figures`: it gives the difference of the two, or both figures."""

    stand: _Stand
    evidence: Evidence
    by_figures: bool


@check("comparison")
def comparison(
    answer: Answer, lab: Lab, *, item: str, better: str, worse: str, least_difference: float = 0
) -> Iterator[Conclusion]:
    """The two experiments are compared, and the student's own figures agree."""
    title = next(one.title for one in lab.experiments if one.id == better)
    reports = (report_of(better, answer, lab), report_of(worse, answer, lab))
    averages = _figures(reports)
    shown = tuple(place for report in reports for place in report.evidence)
    if averages:
        yield from _small(averages, least_difference, shown)
    said = _said(answer, better, worse, averages, lab)
    right = [one for one in said if one.stand is _Stand.RIGHT]
    proven = any(one.by_figures for one in right)
    wrong = [one for one in said if one.stand is _Stand.WRONG and (one.by_figures or not proven)]
    found = right or wrong or said
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=found[0].evidence.quote if found else None,
        expected=Expected(text=say("{title} gives the higher accuracy", title=say_data(title))),
        evidence=tuple(dict.fromkeys(one.evidence for one in found[:3])),
    )
    figures = None if averages is None else averages[0] > averages[1]
    if right and not wrong and figures:
        yield finding.but(status=Status.CORRECT, feedback=_agreed(averages))
    elif wrong and not right and figures:
        text = say("The text says the opposite of what its own figures show.")
        yield finding.but(suggestion=Status.INCORRECT, feedback=text)
    elif right and not wrong:
        yield _without_figures(finding, figures, reports, answer, lab)
    elif said:
        yield finding.but(
            feedback=say("The comparison was not fully understood."),
        )
    elif reports[0].is_empty and reports[1].is_empty:
        text = say("No result of the two experiments was found.")
        yield concluded_without(finding, reports[1], answer, lab, text)
    elif any(report.is_empty for report in reports) and any(one.experiment is None for one in answer.accuracies.loose):
        yield finding.but(feedback=say("It was not understood which figures are of the two experiments."))
    else:
        yield finding.but(status=Status.MISSING, feedback=say("No sentence compares the two."))


def _said(answer: Answer, better: str, worse: str, averages: tuple[float, float] | None, lab: Lab) -> "list[_Said]":
    """The sentences that compare the two: those that were read already, or those understood by their words."""
    if answer.comparisons is not None:
        stands = {better: _Stand.RIGHT, worse: _Stand.WRONG}
        return [_Said(stands.get(one.better or "", _Stand.OPEN), one.evidence, False) for one in answer.comparisons]
    return [
        one
        for section in answer.sections
        if not section.is_closing
        for one in _comparisons(section.passage, better, worse, averages, lab)
    ]


def _agreed(averages: tuple[float, float] | None) -> Message:
    if averages is None:
        return say("The comparison is right, and the figures agree")
    high, low = averages
    return say("The comparison is right, and the figures agree: {high:.2f} % against {low:.2f} %.", high=high, low=low)


def _without_figures(
    finding: Finding, figures: bool | None, reports: tuple[Report, Report], answer: Answer, lab: Lab
) -> Finding:
    """A right comparison whose figures disagree, or are not there."""
    if figures is False:
        return finding.but(
            suggestion=Status.INCORRECT, feedback=say("The comparison is right in words, but the figures disagree.")
        )
    text = say("The comparison is right in words; the figures of both were not found.")
    if all(not report.is_empty or is_all_read(report, answer, lab, finding.item) for report in reports):
        return finding.but(status=Status.PARTIAL, feedback=text)
    return finding.but(suggestion=Status.PARTIAL, feedback=text)


def _comparisons(
    passage: Passage, better: str, worse: str, averages: tuple[float, float] | None, lab: Lab
) -> Iterator[_Said]:
    """Sentences that compare the two. One that names only one of them may compare it with what its heading is about."""
    abbreviations = abbreviations_in(passage.text, lab)
    under: set[str] = set()
    previous: set[str] = set()
    age = 0
    figures_at = [index for index, block in enumerate(passage.blocks) if _has_figures(block)]
    for statement in statements(passage):
        found = [one for one in mentions(statement.text, lab, abbreviations) if one.kind is Kind.EXPERIMENT]
        named = {one.value for one in found}
        if passage.block_at(statement.start).kind is BlockKind.HEADING:
            under, previous = named, set()
            continue
        text = _OF_SPREAD.sub(lambda match: " " * len(match.group()), statement.text)
        index = passage.index_at(statement.start)
        near = any(0 <= index - at <= _NEAR for at in figures_at)
        places = [(one.value, one.start) for one in found]
        if len(named & {better, worse}) == 1 and not named - {better, worse}:
            about = under if len(under & {better, worse}) == 1 else previous
            places += [(one, -1) for one in about - named if one in (better, worse)][:1]
        refers = not named and len(previous & {better, worse}) == 1 and bool(_ANAPHORA.search(text))
        stand = _stand(text, places, better, worse, averages, refers=refers)
        if stand and (stand[0] is not _Stand.OPEN or {better, worse} <= named or near):
            yield _Said(stand[0], passage.evidence(statement.start, statement.end), by_figures=stand[1])
        age = 0 if named else age + 1
        previous = named or (previous if age <= _RECENT else set())


_NEAR: Final = 8
"""A sentence that names one of the two, or none, may compare them if a figure stands at most so many lines above."""
_RECENT: Final = 3
"""`This one` is what was named at most so many sentences before."""


def _has_figures(block: Block) -> bool:
    """Whether a line gives figures that may be accuracies, other than as whole numbers."""
    text = normalise(" ".join(block.cells) or block.text).text
    return any(may_be_accuracy(number) and number.resolution < 1 for number in numbers_in(text))


def _stand(
    text: str,
    places: Sequence[tuple[str, int]],
    better: str,
    worse: str,
    averages: tuple[float, float] | None,
    *,
    refers: bool,
) -> tuple[_Stand, bool] | None:
    """What a sentence says of the two, and whether its figures say it; None where it does not compare them. A
    difference or two figures that are those of the two say that they are compared, whatever the words."""
    named = {value for value, _ in places}
    both = {better, worse} <= named
    compares = bool(_UP.search(text) or _DOWN.search(text))
    difference = averages is not None and _states_difference(text, averages)
    figures = averages is not None and _states_both(text, averages)
    exact = difference and averages is not None and _states_difference(text, averages, exactly=True)
    if (
        (difference and named & {better, worse})
        or (exact and not named)
        or (figures and (compares or _VERSUS.search(text)))
    ):
        told = _direction(text, places, better, worse) if both else _Stand.RIGHT
        return (told if told is _Stand.WRONG else _Stand.RIGHT), True
    if both and compares:
        return _direction(text, places, better, worse), False
    reports = any(may_be_accuracy(number) for number in numbers_in(text))
    if named - {better, worse}:
        return None
    if refers and (compares or _RELATES.search(text) or _WORD_POINTS.search(text)):
        return _Stand.OPEN, False
    if figures or (named and (compares or _RELATES.search(text))) or (both and not reports):
        return _Stand.OPEN, False
    return None


def _states_both(text: str, averages: tuple[float, float]) -> bool:
    """Whether a sentence gives both averages, as precisely as it likes."""
    numbers = [number for number in numbers_in(text) if may_be_accuracy(number)]
    return all(
        any(abs(float(in_percent(n)) - average) <= max(float(unit_in_percent(n)), 0.011) for n in numbers)
        for average in averages
    )


def _states_difference(text: str, averages: tuple[float, float], *, exactly: bool = False) -> bool:
    """Whether a sentence gives the difference of the averages in points, in figures or in words, as roughly as people
    do."""
    difference = averages[0] - averages[1]
    for number in numbers_in(text):
        behind = _POINTS.match(text[number.end :].lstrip(" +"))
        value = number.value if number.value >= 1 or number.percent else number.value * 100
        if exactly and number.resolution >= 1:
            continue
        if (behind or number.percent or number.value < 1) and abs(float(value) - difference) <= _tolerance(
            number.resolution
        ):
            return True
    return not exactly and any(
        abs(_WORDS[match.group(1).casefold()] - difference) <= 1.2 for match in _WORD_POINTS.finditer(text)
    )


def _tolerance(resolution: Decimal) -> float:
    return 1.2 if resolution >= 1 else 0.11


def _direction(text: str, places: Sequence[tuple[str, int]], better: str, worse: str) -> _Stand:
    """What a sentence that names both says of which is better. The one named behind `than` is what is compared with,
    and the other one the subject; else the subject is the one named before the word that compares. OPEN where clauses
    say both, deny, or leave the subject open."""
    stands = set()
    for pattern, up in ((_UP, True), (_DOWN, False)):
        for match in pattern.finditer(text):
            if _SIZE.fullmatch(match.group()) and not _QUALITY.search(text):
                stands.add(_Stand.OPEN)
                continue
            subject = _subject(text, match.start(), match.end(), places, (better, worse))
            clause = _clause(text, match.start(), match.end())
            if subject is None or _DENIED.search(_NEVER_REACHES.sub("", clause)) or _DOUBT.search(clause):
                stands.add(_Stand.OPEN)
            else:
                stands.add(_Stand.RIGHT if (subject == better) == up else _Stand.WRONG)
    return stands.pop() if len(stands) == 1 else _Stand.OPEN


_SIZE: Final = re.compile(r"larger|greater|smaller", re.IGNORECASE)
_QUALITY: Final = re.compile(
    r"\b(?:accurac\w+|exactitude|scores?|results?|perform\w*|means?|averages?|points?)\b", re.IGNORECASE
)
_THAN: Final = re.compile(r"\b(?:than|que|to|of|à|compared|against|contre)\b", re.IGNORECASE)
_NEVER_REACHES: Final = re.compile(r"\bnever (?:reach|catch)\w*", re.IGNORECASE)


def _subject(text: str, start: int, end: int, places: Sequence[tuple[str, int]], two: tuple[str, str]) -> str | None:
    """Which of the two a word of comparison is said of."""
    sign = text[start:end] in "<>"
    than = re.compile("").match(text, end) if sign else _THAN.search(text, end, min(len(text), end + 40))
    if than and not sign and re.match(r"\s*[\d+]", text[than.end() :]):
        than = None
    behind = [
        value for value, at in sorted(places, key=lambda place: place[1]) if than and at >= than.end() and value in two
    ]
    if behind and not re.search(r"[;.]", text[end : end + 40].partition(behind[0])[0]):
        return two[1] if behind[0] == two[0] else two[0]
    before = [value for value, at in sorted(places, key=lambda place: place[1]) if 0 <= at < start and value in two]
    before = before or [value for value, at in places if at < 0]
    return before[0] if before and before[0] == before[-1] else None


def _clause(text: str, start: int, end: int) -> str:
    """The part of a sentence between its commas that holds a word."""
    opened = max((match.end() for match in re.finditer(r"[,;:(]\s|→", text[:start])), default=0)
    closed = re.search(r"[,;:)]\s|→", text[end:])
    return text[opened : end + closed.start() if closed else len(text)]


def _figures(reports: tuple[Report, Report]) -> tuple[float, float] | None:
    """The student's own averages of both, on the same split where there is one with both; None when they are not both
    there."""
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
