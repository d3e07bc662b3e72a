"""The check `comparison`: the text says which of two experiments is better, and the student's own averages agree.

`stated_comparison.heard_of` finds the statements, `_figures` the averages. `_judged` compares the two.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice, product, takewhile
from statistics import fmean
from typing import Final

from grader.checks.absence import matter_told
from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.experiment import Report, concluded_without, format_value, report_of, values
from grader.checks.feedback import UNPLACED, Reason
from grader.checks.finding import ExpectedAnswer, Finding, Flag, Severity, Status
from grader.checks.seeds_reported import is_all_read
from grader.checks.stated_comparison import (
    AGAINST,
    SENTENCE,
    SHOWN,
    Averages,
    Stand,
    StatedComparison,
    chooses,
    heard_of,
    states_difference,
    told_by,
    weighs,
    with_subject,
)
from grader.claims.answer import Answer
from grader.claims.meaning import comparison_tokens
from grader.claims.numerals import Numeral
from grader.claims.passage import normalise
from grader.claims.results.claimed import Summary
from grader.claims.results.fact import Statistic
from grader.claims.results.measures import may_be_value, told_of
from grader.claims.results.numbers import figures_in, numbers_in
from grader.claims.results.vocabulary import mentions
from grader.claims.statements import statements
from grader.lab.definition import Lab
from grader.lab.experiments import Measure
from grader.language import lexicon
from grader.message import Message, join_messages, say, say_data
from grader.model.sentences import NOTHING, topics
from grader.reading.document import BlockKind, Evidence


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
    """The two experiments are compared, and the student's own averages agree.

    - `better`, `worse`: the two experiments.
    - `least_difference`: the smallest difference between the averages that makes one experiment better.
    - `measure`, `split`: what is asked for, if not the lab's usual measure and split.

    Decides: a sentence that calls one experiment better. The sentence is `correct` if it names `better` and the
    student's own averages agree.

    Leaves to people: uncertain sentences, and contradictions between text and averages, which the grader may have
    misread.
    """
    title = say_data(next(experiment.title for experiment in lab.experiments if experiment.id == better))
    own_measure = lab.measure(measure, better)
    named = {"title": title, "measure": say_data(own_measure.title)}
    expected = say("{title} gives the higher {measure}", **named)
    if own_measure.is_lower_better:
        expected = say("{title} gives the lower {measure}", **named)
    reports = (
        report_of(better, answer, lab, own_measure.id, split),
        report_of(worse, answer, lab, own_measure.id, split),
    )
    averages = _figures(reports)
    shown = tuple(place for report in reports for place in report.evidence)
    if averages:
        yield from _small(averages, least_difference, shown)
    heard = heard_of(answer, (better, worse), averages, lab, own_measure)
    stands = told_by(heard)
    if not stands and (noted := heard_of(answer, (better, worse), averages, lab, own_measure, in_notes=True)):
        stands = told_by(noted)
        heard = noted if stands else [*heard, *noted]
    if not stands and averages and averages.is_clear:
        heard += [*_subtracted(answer, averages), *_ranked(answer, averages)]
        stands = told_by(heard)
    heard.sort(key=lambda statement: -statement.sure)
    found = [
        section
        for section in heard
        if any(section.stand is stand or section.words.get(stand, 0) >= AGAINST for stand in stands)
    ]
    found = [statement for statement in found if statement.sure >= AGAINST] or found[:1] or heard
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=found[0].evidence.quote if found else None,
        expected=ExpectedAnswer(text=expected),
        evidence=tuple(dict.fromkeys(statement.evidence for statement in found[:3])),
    )
    lacking = [report.is_empty for report in reports]
    if averages and any(section.is_unfounded for section in heard):
        yield with_verdict(finding, Status.CORRECT, "", Reason(_contradicted(averages), is_likely=False))
    elif stands:
        yield _judged(finding, stands, averages, reports, answer, lab)
    elif heard:
        yield with_verdict(finding, Status.CORRECT, "", _NOT_UNDERSTOOD)
    elif all(lacking):
        yield concluded_without(finding, reports[1], answer, lab, _no_figures(reports))
    elif any(lacking) and any(figure.experiment is None for figure in answer.results.loose):
        yield with_verdict(finding, Status.CORRECT, "", UNPLACED)
    else:
        place = None if item in answer.silent_on else _unheard((better, worse), own_measure, averages, answer, lab)
        finding = finding.with_changes(evidence=(place,)) if place else finding
        none = say("No sentence compares the two experiments.")
        yield with_verdict(finding, Status.MISSING, none, _PERHAPS.keep_if(place))


_NOT_UNDERSTOOD: Final = Reason(
    say("It was not understood with certainty which of the two experiments the quoted words call better."),
    is_likely=False,
)
_PERHAPS: Final = Reason(
    say("No sentence certainly compares the two experiments; the quoted one may."), is_likely=False
)
_TORN: Final = Reason(say("The text contradicts itself about which of the two is better."), is_likely=False)
_SMALL: Final = Reason(say("The difference may be too small to support what the text says."), is_likely=False)


def _subtracted(answer: Answer, averages: Averages) -> Iterator[StatedComparison]:
    """Yield the rows of tables that give the difference of the two averages.

    The difference stands alone below the averages, or beside the differences of the runs.
    """
    stand = Stand.BETTER if averages.lead > 0 else Stand.WORSE
    for section in answer.sections:
        blocks = section.passage.blocks
        for is_row, group in groupby(enumerate(blocks), key=lambda pair: pair[1].kind is BlockKind.ROW):
            held: list[float] = []
            for index, block in group if is_row and not section.is_closing else ():
                numbers = numbers_in(normalise(block.text).text, told_of(averages.measure))
                exact = [number for number in numbers if number.resolution < 1]
                is_below = all(any(_is(value, figure) for value in held) for figure in averages.both)
                is_of_runs = all(_is_difference(number, averages.pairs) for number in exact)
                has_lead = any(_is_difference(number, (averages.both,)) for number in exact)
                if has_lead and (is_below if len(exact) == 1 else is_of_runs):
                    start = section.passage.offset_of(index)
                    place = section.passage.evidence(start, start + len(block.text))
                    yield StatedComparison(stand, SHOWN, {stand: SHOWN}, place)
                held += [float(number.value) for number in exact]


def _ranked(answer: Answer, averages: Averages) -> Iterator[StatedComparison]:
    """Yield the rankings that give both averages, each in its row: `Ranking` above `1 | HF | 79.7`, `2 | FT | 79.4`."""
    for section in answer.sections:
        blocks = section.passage.blocks
        for index, block in enumerate(blocks):
            if section.is_closing or block.kind is BlockKind.ROW or not lexicon.names(block.text, "ranking"):
                continue
            rows = list(
                takewhile(lambda below: below.kind in (BlockKind.ROW, BlockKind.LIST_ITEM), blocks[index + 1 :])
            )
            shown = [numbers_in(normalise(row.text).text, told_of(averages.measure)) for row in rows]
            places = [_rows_with(figure, shown) for figure in averages.both]
            if all(len(rows_of_figure) == 1 for rows_of_figure in places) and places[0] != places[1]:
                stand = Stand.BETTER if places[0] < places[1] else Stand.WORSE
                start = section.passage.offset_of(index)
                place = section.passage.evidence(start, section.passage.end_of(index + len(rows)))
                yield StatedComparison(stand, SHOWN, {stand: SHOWN}, place)


def _is_difference(shown: Numeral, pairs: Iterable[tuple[float, float]]) -> bool:
    """Whether a number is the difference of two values of a pair."""
    step = float(shown.resolution)
    return any(_is(abs(float(shown.value)), abs(first - other), step) for first, other in pairs)


def _rows_with(figure: float, shown: Sequence[Sequence[Numeral]]) -> list[int]:
    """Return the positions of the rows that show a figure among their numbers."""
    return [at for at, numbers in enumerate(shown) if any(_is(float(number.value), figure) for number in numbers)]


def _is(shown: float, figure: float, step: float = 0.01) -> bool:
    """Whether a number equals a value in percent, or equals it when both are written as fractions."""
    return abs(shown - figure) <= step or abs(100 * shown - figure) <= 100 * step < 2


def _unheard(
    two: tuple[str, str], measure: Measure, averages: Averages | None, answer: Answer, lab: Lab
) -> Evidence | None:
    """Return a sentence that may compare the experiments in unknown words, the likeliest first, or None.

    It stands where the worse experiment is reported or under no question's heading. It has no numbers, or the
    difference of the two averages. Sentences about the choice of checkpoints or about other questions do not count.
    """
    topic = topics()["comparison"]
    asked = {experiment.question for experiment in lab.experiments}
    worse = next(experiment.question for experiment in lab.experiments if experiment.id == two[1])
    question = next(candidate for candidate in lab.questions if candidate.id == worse)
    others = [candidate for candidate in lab.questions if candidate.id not in asked]

    def is_of_other(text: str) -> bool:
        return any(matter_told(text, other) > matter_told(text, question) for other in others)

    def likelihood(text: str, around: str) -> float:
        found = mentions(text, lab)
        tokens = comparison_tokens(text, found, two, lab, measure)
        least = _HARDLY_WEIGHING if weighs(tokens) and (found or not is_of_other(around)) else _HARDLY
        likely = 1 - topic.read(tokens).probabilities[NOTHING]
        return likely if likely >= least else 0.0

    places: dict[Evidence, float] = {}
    section_statements = (
        (candidate, each)
        for candidate in answer.sections
        if not candidate.is_closing
        for each in statements(candidate.passage)
    )
    for section, statement in section_statements:
        place = section.passage.evidence(statement.start, statement.end)
        if averages and states_difference(statement.text, averages, ()):
            return place
        if section.questions and question.id not in section.questions:
            continue
        block = section.passage.block_at(statement.start)
        has_figure = any(may_be_value(number, measure) for number in numbers_in(statement.text, told_of(measure)))
        is_of_worse = section.questions == (question.id,)
        is_sentence = block.kind is not BlockKind.HEADING and len(statement.text.split()) >= SENTENCE
        if is_of_worse and is_sentence and with_subject(statement, two[1], lab, measure) is not statement:
            return place
        if not is_sentence or has_figure or chooses(statement.text, mentions(statement.text, lab), lab, measure, SHOWN):
            continue
        likely = likelihood(statement.text, block.text)
        if is_of_worse or likely:
            places.setdefault(place, likely)
    return max(places, key=lambda place: places[place]) if places else None


_HARDLY: Final = 0.15
"""The least probability of a comparison for a sentence that may compare in unknown words."""
_HARDLY_WEIGHING: Final = 0.03
"""The same for a sentence with a word that compares and without the subject of another question."""


def _judged(
    finding: Finding,
    stands: Mapping[Stand, float],
    averages: Averages | None,
    reports: tuple[Report, Report],
    answer: Answer,
    lab: Lab,
) -> Finding:
    """Return the verdict on the text's statement by the student's own averages. The text must state only one thing."""
    if len(stands) > 1:
        return with_verdict(finding, Status.CORRECT, "", _TORN)
    ((stand, sure),) = stands.items()
    if averages is None:
        # Averages are certainly lacking only if the report was read completely and no comparison gives two numbers.
        is_read = any(report.is_empty and is_all_read(report, answer, lab, finding.item) for report in reports)
        sought = told_of(reports[0].measure)
        has_pair = any(
            sum(figure.statistic is not Statistic.STD for figure in figures_in(normalise(place.quote).text, sought)) > 1
            for place in finding.evidence
        )
        if stand is Stand.BETTER and is_read and not has_pair:
            return with_verdict(finding, Status.PARTIAL, join_messages(" ", (_RIGHT, _no_figures(reports))))
        is_right = stand is Stand.BETTER
        return with_verdict(finding, Status.CORRECT, _RIGHT, Reason(_no_figures(reports), is_likely=is_right))
    message, other = (format_value(average, averages.measure) for average in averages.both)
    agreed = say("The comparison is right, and the figures agree: {one} against {other}.", one=message, other=other)
    otherwise = _contradicted(averages)
    places = (*finding.evidence, *(place for report in reports for place in _of_average(report)))
    finding = finding.with_changes(evidence=tuple(dict.fromkeys(places)))
    if stand is Stand.BETTER and averages.lead > 0:
        confidence = sure if averages.is_clear else 1.0
        return with_verdict(
            finding, Status.CORRECT, agreed, _SMALL.keep_if(not averages.is_clear), confidence=confidence
        )
    agrees = averages.lead < 0 if stand is Stand.WORSE else stand is Stand.NEITHER and not averages.is_clear
    # Hardly anybody contradicts clear averages of their own, so the grader may have misread the sentence.
    is_odd = averages.is_clear and (
        stand is Stand.BETTER or (stand is Stand.NEITHER and _gives_both(finding, averages))
    )
    if agrees or is_odd or averages.is_disputed:
        return with_verdict(finding, Status.CORRECT if agrees else Status.INCORRECT, "", Reason(otherwise))
    return with_verdict(finding, Status.INCORRECT, otherwise, confidence=sure)


def _gives_both(finding: Finding, averages: Averages) -> bool:
    """Whether the sentence that compares gives both averages, with at least one decimal: `66.5 and 79.3`."""
    numbers = [number for number in numbers_in(normalise(finding.found or "").text) if number.has_decimals]
    step = float(max((number.resolution for number in numbers), default=0))
    return all(any(_is(float(number.value), average, step) for number in numbers) for average in averages.both)


def _no_figures(reports: tuple[Report, Report]) -> Message:
    """The sentence on the experiments of which the text gives no average to compare."""
    lacking = [report for report in reports if report.headline is None and not report.series()] or reports
    titles = (say_data(report.titles[report.experiment]) for report in lacking)
    return say("No figures to compare were found for: {experiments}.", experiments=join_messages("; ", titles))


def _contradicted(averages: Averages) -> Message:
    """Return the message that the student's own averages contradict the comparison."""
    message, other = (format_value(average, averages.measure) for average in averages.both)
    return say(
        "The comparison in the text does not follow from its own figures: {one} against {other}.",
        one=message,
        other=other,
    )


_RIGHT: Final = say("The comparison in words is right.")


def _of_average(report: Report) -> tuple[Evidence, ...]:
    """Return the place of an experiment's average, or else of its first result."""
    return report.headline.evidence[:1] if report.headline else report.evidence[:1]


def _figures(reports: tuple[Report, Report]) -> Averages | None:
    """Return the student's averages of both experiments, on the same split if possible, or None if one is lacking.

    If the stated averages cannot belong to the given values, and these compare differently, the values count.
    """
    stated = _averages(reports)
    better, other = (
        report.model_copy(
            update={"summaries": tuple(each for each in report.summaries if not _is_beyond(each, report))}
        )
        for report in reports
    )
    shown = _averages((better, other))
    is_disputed = bool(stated and shown and not shown.is_about(stated.lead))
    averages = shown if is_disputed else stated
    logged = tuple(point.value for report in reports for run in report.runs for point in run.points)
    return averages and averages._replace(logged=logged, is_disputed=is_disputed)


def _averages(reports: tuple[Report, Report]) -> Averages | None:
    """Return the averages of both experiments as stated, or else as computed from the values, or None."""
    measure = reports[0].measure
    splits = reports[0].in_order(claim.split for report in reports for claim in (*report.seeds, *report.summaries))
    for split in splits:
        better, worse = (_average(report, split) for report in reports)
        if better is not None and worse is not None:
            return Averages(better, worse, measure, _pairs(reports))
    better, worse = (next((a for s in splits if (a := _average(r, s)) is not None), None) for r in reports)
    return None if better is None or worse is None else Averages(better, worse, measure, _pairs(reports))


def _is_beyond(stated: Summary, report: Report) -> bool:
    """Whether a stated average is above or below all values of the runs on its split."""
    shown = values(next((group for group in report.series() if group[0].split == stated.split), ()))
    if stated.mean is None or len(shown) < report.number:
        return False
    digit = float(stated.mean_resolution)
    return not min(shown) - digit <= float(stated.mean) <= max(shown) + digit


def _pairs(reports: tuple[Report, Report]) -> tuple[tuple[float, float], ...]:
    """Return all pairs of a value of the first experiment, or its average, with one of the second."""
    first, other = (
        [*values(report.seeds), *(float(summary.mean) for summary in report.summaries if summary.mean is not None)]
        for report in reports
    )
    return tuple(islice(product(first, other), _MOST_PAIRS))


_MOST_PAIRS: Final = 400


def _average(report: Report, split: str | None) -> float | None:
    """Return the stated average on a split, preferably one with a deviation, or else the average of the values, or
    None."""
    stated = [summary for summary in report.summaries if summary.split == split and summary.mean is not None]
    means = [
        float(summary.mean)
        for summary in sorted(stated, key=lambda summary: summary.std is not None)
        if summary.mean is not None
    ]
    if means:
        return means[-1]
    return next((fmean(values(group)) for group in report.series() if group[0].split == split), None)


def _small(figures: Averages, least: float, evidence: tuple[Evidence, ...]) -> Iterator[Flag]:
    """Yield a remark if the difference is smaller than in any known set-up."""
    if least and figures.lead < least:
        message = say(
            "The averages, {one} and {other}, differ by {difference}; at least {least:g} is expected whatever the "
            "schedule.",
            one=format_value(figures.better, figures.measure),
            other=format_value(figures.worse, figures.measure),
            difference=format_value(figures.lead, figures.measure),
            least=least,
        )
        yield Flag(id="outside-band", severity=Severity.WARNING, message=message, evidence=evidence)
