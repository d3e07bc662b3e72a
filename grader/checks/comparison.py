"""Does the student say which of two experiments is better, and do the student's own figures agree?"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from statistics import fmean
from typing import Final, NamedTuple

from grader.checks.check import Conclusion, check
from grader.checks.experiment import Report, concluded_without, is_all_read, report_of, rounded, values
from grader.checks.finding import Expected, Finding, Flag, Severity, Status
from grader.claims.answer import Answer
from grader.claims.meaning import NOTHING, PLACEHOLDERS, Tokens, comparison_tokens, together, topics
from grader.claims.passage import Passage
from grader.claims.results.fact import digit_in_unit, in_unit
from grader.claims.results.measures import told_of
from grader.claims.results.numbers import may_be_value, numbers_in
from grader.claims.results.vocabulary import Kind, abbreviations_in, mentions
from grader.claims.statements import Statement, all_statements, statements
from grader.lab.definition import Lab
from grader.lab.experiments import Measure
from grader.message import Message, say, say_data
from grader.reading.document import BlockKind, Evidence

_TOLD: Final = 0.8
"""From which trust on a statement is taken for what it seems to say."""
_SHOWN: Final = 0.7
"""And from which on, where the words leave hardly any room for the contrary and the figures show the same."""
_ROOM: Final = 0.05
_DOUBT: Final = 0.2
"""Words so likely to say that the two are alike are not made right by the figures."""
_HEARD: Final = 0.2
"""A statement that is so likely to compare the two keeps the matter open."""
_PLAIN: Final = 0.9
"""From which trust on words alone are enough, whatever the figures."""
_AGAINST: Final = 0.7
"""What is said so likely stands against something else that is told."""
_SENTENCE: Final = 5
"""Words that make a sentence."""
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


_LIKELY: Final = 0.4
"""How sure it is of a statement at least that adds to what others say."""
_IS_CODE: Final = re.compile(r"[/\\$;{}\[\]_=`|]")
"""Signs of commands and code, which compare nothing; a comment behind them may."""
_IS_PATH: Final = re.compile(r"\w/[\w/.*-]+\.[a-z]{2,4}\b")
"""A page may show a command as a line of text: it names files."""


class _Stand(StrEnum):
    """What a statement says about two experiments: which one is better."""

    BETTER = "better"
    WORSE = "worse"
    NEITHER = "neither"


class _Said(NamedTuple):
    """What a statement that may compare is likeliest to say, how sure that is, and where it stands. `words` is what it
    says by its words alone, whatever the figures."""

    stand: _Stand
    sure: float
    words: Mapping[_Stand, float]
    evidence: Evidence


class _Averages(NamedTuple):
    """The student's own averages of the two by a measure."""

    better: float
    worse: float
    measure: Measure

    @property
    def lead(self) -> float:
        """By how much the one that is to be better is better; below 0 where it is worse."""
        lead = self.better - self.worse
        return -lead if self.measure.is_lower_better else lead

    @property
    def is_clear(self) -> bool:
        """Whether people see a difference."""
        return self.measure.is_clear(self.better, self.worse)

    @property
    def both(self) -> tuple[float, float]:
        return self.better, self.worse


@check("comparison")
def comparison(
    answer: Answer,
    lab: Lab,
    *,
    item: str,
    better: str,
    worse: str,
    least_difference: float = 0,
    measure: str | None = None,
    split: str | None = None,
) -> Iterator[Conclusion]:
    """The two experiments are compared, and the student's own figures agree.

    By a measure of which less is better, the better one has the lower figures. `measure` and `split` are those that are
    asked for, if not the lab's usual ones.

    Decides: a sentence that calls the right experiment better, where the student's own averages agree; one that
    calls the other one better.

    Leaves to people: sentences that are not certain, and comparisons that the student's own figures contradict.
    """
    title = next(one.title for one in lab.experiments if one.id == better)
    own = lab.measure(measure, better)
    reports = (report_of(better, answer, lab, own.id, split), report_of(worse, answer, lab, own.id, split))
    averages = _figures(reports)
    shown = tuple(place for report in reports for place in report.evidence)
    if averages:
        yield from _small(averages, least_difference, shown)
    heard = _heard(answer, (better, worse), averages, lab, own)
    told = _told(heard)
    found = [one for one in heard if any(one.stand is stand or one.words.get(stand, 0) >= _AGAINST for stand in told)]
    found = found or heard
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=max(found, key=lambda one: one.sure).evidence.quote if found else None,
        expected=Expected(text=_expected(title, own)),
        evidence=tuple(dict.fromkeys(one.evidence for one in found[:3])),
    )
    if told:
        yield _judged(finding, told, averages, reports, answer, lab)
    elif heard:
        yield finding.changed(feedback=say("The comparison was not fully understood. A person will read it."))
    elif reports[0].is_empty and reports[1].is_empty:
        text = say("No result of the two experiments was found.")
        yield concluded_without(finding, reports[1], answer, lab, text)
    elif any(report.is_empty for report in reports) and any(one.experiment is None for one in answer.accuracies.loose):
        yield finding.changed(feedback=say("It was not understood which figures are of the two experiments."))
    elif item not in answer.silent_on and (place := _unheard(worse, own, averages, answer, lab)) is not None:
        yield finding.changed(evidence=(place,), feedback=say("No sentence was understood to compare the two."))
    else:
        yield finding.changed(status=Status.MISSING, feedback=say("No sentence compares the two."))


def _expected(title: str, measure: Measure) -> Message:
    named = {"title": say_data(title), "measure": say_data(measure.title)}
    if measure.is_lower_better:
        return say("{title} gives the lower {measure}", **named)
    return say("{title} gives the higher {measure}", **named)


def _unheard(
    experiment: str, measure: Measure, averages: _Averages | None, answer: Answer, lab: Lab
) -> Evidence | None:
    """A sentence where an experiment is reported, or where no heading tells what is, without figures or with the
    difference of the two: it may compare in words that are in no marked sentence."""
    question = next(one.question for one in lab.experiments if one.id == experiment)
    for section in answer.sections:
        if section.is_closing:
            continue
        for statement in statements(section.passage):
            block = section.passage.block_at(statement.start)
            words = statement.text.split()
            if averages and _states_difference(statement.text, averages, ()):
                return section.passage.evidence(statement.start, statement.end)
            if section.questions and question not in section.questions:
                continue
            has_figure = any(may_be_value(number, measure) for number in numbers_in(statement.text, told_of(measure)))
            if block.kind is not BlockKind.HEADING and len(words) >= _SENTENCE and not has_figure:
                return section.passage.evidence(statement.start, statement.end)
    return None


def _heard(answer: Answer, two: tuple[str, str], averages: _Averages | None, lab: Lab, measure: Measure) -> list[_Said]:
    """The statements that may compare the two: those that were read already, or those understood by their words."""
    if answer.comparisons is not None:
        stands = {two[0]: _Stand.BETTER, two[1]: _Stand.WORSE, None: _Stand.NEITHER}
        read = ((stands[one.better], one.evidence) for one in answer.comparisons if one.better in stands)
        return [_Said(stand, 1.0, {stand: 1.0}, evidence) for stand, evidence in read]
    own = {one.question for one in lab.experiments if one.id in two}
    return [
        one
        for section in answer.sections
        if not section.is_closing
        for one in _statements(
            section.passage,
            two,
            averages,
            lab,
            measure,
            elsewhere=bool(section.questions) and own.isdisjoint(section.questions),
        )
    ]


def _told(heard: Sequence[_Said]) -> dict[_Stand, float]:
    """What the text says of the two, with how sure it is that some statement does: two that each are likely to say it
    are surer together, many that hardly say it are not. Empty where nothing is sure. What words alone say against the
    figures is told, too."""
    likely = [one for one in heard if one.sure >= _LIKELY]
    sure = {stand: together(one.sure for one in likely if one.stand is stand) for stand in _Stand}
    alone = {stand: max((one.words.get(stand, 0.0) for one in heard), default=0.0) for stand in _Stand}
    if sure[_Stand.BETTER] >= _SHOWN and any(
        one.sure >= _SHOWN and _contrary(one) <= _ROOM for one in heard if one.stand is _Stand.BETTER
    ):
        return {_Stand.BETTER: sure[_Stand.BETTER]} | {
            stand: share for stand, share in alone.items() if stand is not _Stand.BETTER and share >= _AGAINST
        }
    doubted = [one for one in heard if one.stand is _Stand.BETTER and one.sure >= _TOLD]
    if doubted and all(one.words[_Stand.NEITHER] > _DOUBT for one in doubted):
        return {}
    if max(sure.values()) < _TOLD:
        sure = alone if max(alone.values()) >= _PLAIN else {}
    return {stand: share for stand, share in sure.items() if share >= _TOLD or alone[stand] >= _AGAINST}


def _contrary(one: _Said) -> float:
    """How likely the words of a statement say the contrary of what it is taken for."""
    return sum(share for stand, share in one.words.items() if stand is not one.stand)


def _judged(
    finding: Finding,
    told: Mapping[_Stand, float],
    averages: _Averages | None,
    reports: tuple[Report, Report],
    answer: Answer,
    lab: Lab,
) -> Finding:
    """The verdict on what the text says, which must be one thing, by the student's own figures."""
    if len(told) > 1:
        return finding.changed(feedback=say("The text says different things about which of the two is better."))
    ((stand, sure),) = told.items()
    if averages is None:
        return _without_figures(finding, stand, reports, answer, lab)
    text = _beside_figures(averages)
    agrees = {
        _Stand.BETTER: averages.lead > 0,
        _Stand.WORSE: averages.lead < 0,
        _Stand.NEITHER: not averages.is_clear,
    }[stand]
    finding = finding.changed(evidence=tuple(dict.fromkeys((*finding.evidence, *_of_averages(reports)))))
    if agrees and stand is _Stand.BETTER:
        return finding.changed(status=Status.CORRECT, confidence=sure, feedback=_agreed(averages))
    if agrees:
        return finding.changed(suggestion=Status.CORRECT, feedback=text)
    return finding.changed(status=Status.INCORRECT, confidence=sure, feedback=text)


def _agreed(averages: _Averages) -> Message:
    one, other = (rounded(average, averages.measure) for average in averages.both)
    return say("The comparison is right, and the figures agree: {one} against {other}.", one=one, other=other)


def _beside_figures(averages: _Averages) -> Message:
    return say(
        "What the text says of the two does not follow from its own figures: {one} against {other}.",
        one=rounded(averages.better, averages.measure),
        other=rounded(averages.worse, averages.measure),
    )


def _of_averages(reports: tuple[Report, Report]) -> Iterator[Evidence]:
    """Where the figures of both stand."""
    for report in reports:
        headline = report.headline
        yield from headline.evidence[:1] if headline else report.evidence[:1]


def _without_figures(
    finding: Finding, stand: _Stand, reports: tuple[Report, Report], answer: Answer, lab: Lab
) -> Finding:
    """A comparison without the figures of both."""
    if stand is not _Stand.BETTER:
        text = say("The comparison differs from what is expected; the figures of both were not found.")
        return finding.changed(feedback=text)
    text = say("The comparison is right in words; the figures of both were not found.")
    if any(report.is_empty and is_all_read(report, answer, lab, finding.item) for report in reports):
        return finding.changed(status=Status.PARTIAL, feedback=text)
    return finding.changed(suggestion=Status.PARTIAL, feedback=text)


def _statements(
    passage: Passage,
    two: tuple[str, str],
    averages: _Averages | None,
    lab: Lab,
    measure: Measure,
    *,
    elsewhere: bool,
) -> Iterator[_Said]:
    """The statements that may compare the two, in order. `elsewhere`, where another question is answered, only those
    that name one of the two."""
    topic = topics()["comparison"]
    sizes = [split.examples for split in lab.splits if split.examples]
    abbreviations = abbreviations_in(passage.text, lab)
    for statement in _with_clauses(all_statements(passage)):
        kind = passage.block_at(statement.start).kind
        is_verbatim = kind in (BlockKind.CODE, BlockKind.OUTPUT, BlockKind.ROW)
        if kind is BlockKind.HEADING or (is_verbatim and _IS_CODE.search(statement.text.rpartition("#")[2])):
            continue
        if _IS_PATH.search(statement.text):
            continue
        found = mentions(statement.text, lab, abbreviations)
        named = {one.value for one in found if one.kind is Kind.EXPERIMENT}
        if (named - set(two) and not set(two) <= named) or (elsewhere and not named):
            continue
        tokens = comparison_tokens(statement.text, found, two, lab, measure)
        if _is_bare(tokens):
            continue
        read = topic.read(tokens).probabilities
        ahead, other = (_Stand.WORSE, _Stand.BETTER) if tokens.lead == two[1] else (_Stand.BETTER, _Stand.WORSE)
        said = {ahead: read["first"], other: read["second"], _Stand.NEITHER: read["neither"]}
        likely = _with_figures(said, read[NOTHING], statement.text, averages, sizes)
        stand = max(_Stand, key=lambda one: likely[one])
        place = passage.evidence(statement.start, statement.end)
        lists = averages is not None and _lists_both(statement.text, averages)
        if (
            lists
            or (not tokens.lead and _gives_other_points(statement.text, averages))
            or _contradicts_itself(tokens, stand, ahead, other)
        ):
            yield _Said(stand, _HEARD, {}, place)
        elif sum(likely.values()) >= _HEARD:
            yield _Said(stand, likely[stand], said, place)


def _contradicts_itself(tokens: Tokens, stand: _Stand, ahead: _Stand, other: _Stand) -> bool:
    """Whether a statement that judges, and says of the measure that it is higher or lower, judges otherwise than that:
    `better because its loss is higher`."""
    if tokens.judging is None:
        return False
    read = topics()["comparison"].read(tokens._replace(words=tokens.judging)).probabilities
    said = {ahead: read["first"], other: read["second"], _Stand.NEITHER: read["neither"]}
    judged = max(said, key=lambda one: said[one])
    return judged is not stand and said[judged] >= _AGAINST


def _with_clauses(found: Iterable[Statement]) -> Iterator[Statement]:
    """Statements, each long one followed by its clauses: one of them may compare among much else."""
    for statement in found:
        yield statement
        if len(statement.text) <= _LONG:
            continue
        for clause in _CLAUSE_END.split(statement.text):
            if len(clause.split()) >= _SENTENCE:
                yield statement.model_copy(update={"text": clause})


_LONG: Final = 250
"""Characters of a sentence that says several things."""
_CLAUSE_END: Final = re.compile(
    r"[,;]\s+(?=(?:and|but|so|while|whereas|from|which|then|mais|donc|tandis|alors|ce|et|d'où|puis)\b)|;\s+",
    re.IGNORECASE,
)


def _is_bare(tokens: Tokens) -> bool:
    """Whether a statement is no more than a name or a title: no words but the names of experiments, or without these
    only one or two."""
    words = [word for word in tokens.words if word not in PLACEHOLDERS]
    if tokens.lead:
        return not any(word.isalpha() or word in _COMPARING for word in words)
    return sum(word.isalpha() for word in words) < _FEWEST_WORDS and not any(word in _COMPARING for word in words)


_COMPARING: Final = frozenset("<>=≈≤≥+-")
_FEWEST_WORDS: Final = 3


def _with_figures(
    said: Mapping[_Stand, float], nothing: float, text: str, averages: _Averages | None, sizes: Sequence[int]
) -> dict[_Stand, float]:
    """How likely a statement says each thing, given the student's own averages: nearly all students say what their
    figures show, and a statement that gives their difference compares them. The weights are a guess; what the
    words say outweighs them."""
    if averages is None:
        return dict(said)
    weights = _WEIGHTS[1 if not averages.is_clear else 0 if averages.lead > 0 else 2]
    if _states_difference(text, averages, sizes) or _states_both(text, averages):
        nothing *= _STATED
    likely = {stand: share * weights[stand] for stand, share in said.items()}
    total = sum(likely.values()) + nothing
    return {stand: share / total for stand, share in likely.items()}


_WEIGHTS: Final = (
    {_Stand.BETTER: 2.0, _Stand.WORSE: 0.2, _Stand.NEITHER: 0.4},
    {_Stand.BETTER: 0.7, _Stand.WORSE: 0.7, _Stand.NEITHER: 2.0},
    {_Stand.BETTER: 0.6, _Stand.WORSE: 3.0, _Stand.NEITHER: 0.5},
)
"""How much likelier each is said than among the marked sentences, where the figures show that the one is clearly
better, that they are near each other, and that it is clearly worse."""
_STATED: Final = 0.2


def _states_both(text: str, averages: _Averages) -> bool:
    """Whether a statement gives both averages, as precisely as it likes."""
    return all(_places(text, average, averages.measure) for average in averages.both)


def _places(text: str, average: float, measure: Measure) -> list[tuple[int, int]]:
    """Where a statement gives an average."""
    finest = 0.011 if measure.is_share else 1e-9
    return [
        (number.start, number.end)
        for number in numbers_in(text, told_of(measure))
        if may_be_value(number, measure)
        and abs(float(in_unit(number)) - average) <= max(float(digit_in_unit(number)), finest)
    ]


def _lists_both(text: str, averages: _Averages) -> bool:
    """Whether a statement only reports both averages, each behind a name and a sign, and says nothing after them:
    `pretrained = 79.3, random = 66.5`."""
    found = [_places(text, average, averages.measure) for average in averages.both]
    if not all(found) or not all(re.search(r"[=:]\s?$", text[:start]) for places in found for start, _ in places):
        return False
    rest = text[max(end for places in found for _, end in places) :]
    return len(re.findall(r"[^\W\d_]{2,}", rest)) < _SENTENCE


def _states_difference(text: str, averages: _Averages, sizes: Sequence[int]) -> bool:
    """Whether a sentence gives the difference of the averages, of shares in points, in figures or in words, as roughly
    as people do, or as a number of examples of which there are as many as one of `sizes` tells."""
    difference = abs(averages.lead) if not averages.measure.is_share else averages.better - averages.worse
    if not averages.measure.is_share:
        numbers = numbers_in(text, told_of(averages.measure))
        return any(abs(float(one.value) - difference) <= float(one.resolution) for one in numbers if one.value > 0)
    counts = [abs(difference) * size / 100 for size in sizes]
    if any(abs(int(one.group()) - count) <= _SAME_COUNT for one in _COUNT.finditer(text) for count in counts):
        return True
    for number in numbers_in(text):
        behind = _POINTS.match(text[number.end :].lstrip(" +"))
        value = number.value if number.value >= 1 or number.percent else number.value * 100
        if (behind or number.percent or number.value < 1) and abs(float(value) - difference) <= _tolerance(
            number.resolution
        ):
            return True
    return any(abs(_WORDS[match.group(1).casefold()] - difference) <= 1.2 for match in _WORD_POINTS.finditer(text))


def _gives_other_points(text: str, averages: _Averages | None) -> bool:
    """Whether a sentence speaks of points, and not of as many as the averages differ by."""
    if averages is None or not averages.measure.is_share or _states_difference(text, averages, ()):
        return False
    return any(_POINTS.match(text[number.end :].lstrip(" +")) for number in numbers_in(text))


_COUNT: Final = re.compile(r"(?<![\d.,])\d{2,4}(?![\d%]|[.,]\d|\s?%)")
_SAME_COUNT: Final = 1.5
"""Examples by which a difference of averages may be off where it is told in examples."""


def _tolerance(resolution: Decimal) -> float:
    return 1.2 if resolution >= 1 else 0.11


def _figures(reports: tuple[Report, Report]) -> _Averages | None:
    """The student's own averages of both, on the same split where there is one with both; None when they are not both
    there."""
    measure = reports[0].measure
    splits = reports[0].in_order(claim.split for report in reports for claim in (*report.seeds, *report.summaries))
    for split in splits:
        better, worse = (_average(report, split) for report in reports)
        if better is not None and worse is not None:
            return _Averages(better, worse, measure)
    better, worse = (next((a for s in splits if (a := _average(r, s)) is not None), None) for r in reports)
    return None if better is None or worse is None else _Averages(better, worse, measure)


def _average(report: Report, split: str | None) -> float | None:
    """The average that is stated for a split, else that of its seeds."""
    means = [float(one.mean) for one in report.summaries if one.split == split and one.mean is not None]
    if means:
        return means[-1]
    return next((fmean(values(group)) for group in report.series() if group[0].split == split), None)


def _small(figures: _Averages, least: float, evidence: tuple[Evidence, ...]) -> Iterator[Flag]:
    """A remark where the difference is smaller than in any known set-up, whatever the schedule."""
    if least and figures.lead < least:
        message = say(
            "The averages, {one} and {other}, differ by {difference}; at least {least:g} is expected whatever the "
            "schedule.",
            one=rounded(figures.better, figures.measure),
            other=rounded(figures.worse, figures.measure),
            difference=rounded(figures.lead, figures.measure),
            least=least,
        )
        yield Flag(id="outside-band", severity=Severity.WARNING, message=message, evidence=evidence)
