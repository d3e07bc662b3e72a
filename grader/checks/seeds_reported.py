"""The check `seeds-reported`: each required run has a result, and no two places disagree about it.

`seeds_reported` compares the number of results with the number of required runs. `table_contradictions` yields a flag
for each pair of places that cannot both be right.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations
from typing import Final

from grader.checks.absence import absence
from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.experiment import Report, concluded_without, has_others, report_of, taken_for_others, values
from grader.checks.feedback import NO_RESULT, Reason
from grader.checks.finding import Diagnosis, ExpectedAnswer, Finding, Flag, Severity, Status
from grader.checks.hyperparameters import REPEATED_SEED, run_mismatches
from grader.checks.log_agreement import Place, contradictions, course_of, locate_results
from grader.checks.validation_grid import validation_doubt
from grader.claims.answer import Answer
from grader.claims.numerals import numerals
from grader.claims.results.claimed import CoursePoint, RunResult, Summary, SummaryStatistic, mean_fits
from grader.claims.results.measures import any_of
from grader.claims.results.runs import runs_named
from grader.claims.results.vocabulary import Kind, experiments_in, mentions
from grader.claims.statements import statements
from grader.lab.definition import Lab
from grader.lab.truth import GroundTruth
from grader.language import lexicon
from grader.message import Message, Words, join_messages, say, say_data, say_number, say_values
from grader.reading.document import Evidence

FLAG = "table-contradiction"

_SLIP = 5
_SLIP_SHARE = Decimal("0.1")
"""Results that differ by more than `_SLIP` percentage points, or by more than this share of other values, are results
of different things, one of which was misunderstood."""


def table_contradictions(report: Report, answer: Answer, lab: Lab) -> Iterator[Flag]:
    """Yield a flag for each pair of places that cannot both be right. The flag quotes both."""
    yield from _of_seeds(report)
    yield from _of_course(report, course_of(report, answer))
    yield from _of_means(report)
    yield from _of_notebooks(report, answer)
    yield from _copied(report, answer, lab)


def _of_seeds(report: Report) -> Iterator[Flag]:
    """Yield a flag for each pair of different values of one run on one split at the same moment."""
    for result, other in combinations(report.seeds, 2):
        same = (result.split, result.seed) == (other.split, other.seed)
        if (
            same
            and _stand_apart(result, other)
            and not result.moment.differs(other.moment)
            and _differ(result, other, report)
        ):
            yield _flag(_place(result, report), result, other, report)


def _stand_apart(first: RunResult, other: RunResult) -> bool:
    """Whether two results stand in two places. Two readings of one line are no contradiction of the student's."""
    return first.evidence.model_copy(update={"quote": other.evidence.quote}) != other.evidence


def _place(result: RunResult, report: Report) -> Message:
    return say_values("{run} {number}{on}", run=report.named["run"], number=result.seed, on=_on(result.split, report))


def _of_course(report: Report, course: Iterable[CoursePoint]) -> Iterator[Flag]:
    """Yield a flag for each run whose value at its selected epoch differs from the table of epochs."""
    points = [point for point in course if point.statistic is SummaryStatistic.VALUE and point.seed is not None]
    for claim in report.seeds:
        for point in points:
            same = (claim.split, claim.seed) == (point.split, point.seed)
            if same and claim.moment.agrees(point.moment) and _differ(claim, point, report):
                where = say("{place} at that epoch", place=_place(claim, report))
                yield _flag(where, claim, point, report)


def _of_means(report: Report) -> Iterator[Flag]:
    """Yield a flag for each pair of averages on one split of which only one follows from the values."""
    complete = {group[0].split: values(group) for group in report.series() if len(group) >= report.number}
    rests = [rest_summary for rest_summary, _ in report.of_rest]  # averages of fewer runs, according to the text
    means = [
        summary
        for summary in report.summaries
        if summary.mean is not None and summary.split in complete and summary not in rests
    ]
    for first, other in combinations(means, 2):
        if first.split != other.split or first.moment.differs(other.moment) or first.evidence == other.evidence:
            continue
        fit = [
            mean_fits(each.mean or Decimal(0), each.mean_resolution, complete[first.split]) for each in (first, other)
        ]
        if len(set(fit)) > 1 and _differ(first, other, report):
            yield _flag(say("the average{on}", on=_on(first.split, report)), first, other, report)


def _of_notebooks(report: Report, answer: Answer) -> Iterator[Flag]:
    """Yield a remark if notebooks show averages with deviations and the report states none of them."""
    shown = [
        summary
        for summary in answer.shown.summaries
        if (summary.experiment, summary.measure) == (report.experiment, report.measure.id)
        if summary.split in (None, report.split) and summary.mean is not None and summary.std is not None
    ]
    stated = [
        summary for summary in report.summaries if summary.split in (None, report.split) and summary.mean is not None
    ]
    if stated and shown and all(_are_apart(stated_summary, other) for stated_summary in stated for other in shown):
        flag = _flag(say("the average{on}", on=_on(report.split, report)), stated[-1], shown[-1], report)
        yield flag.model_copy(update={"severity": Severity.INFO})


def _copied(report: Report, answer: Answer, lab: Lab) -> Iterator[Flag]:
    """Yield flags for equal values of all runs in two experiments or on two splits.

    Values that may be of the split that selects have a flag of their own (`validation_grid`).
    """
    test = report.of_split(report.split) if report.split else ()
    valid = report.of_split(report.selecting) if report.selecting else ()
    if _are_same(test, valid, report) and not _are_coarse(valid, report, lab):
        yield _repeated(say("for {selecting} and for {split}", **report.named), (*valid, *test), report, lab)
    for other in lab.experiments:
        if other.id == report.experiment:
            break
        if report.measure not in lab.measures_of(other.id):
            continue
        its = report_of(other.id, answer, lab, report.measure.id, report.split).asked
        if _are_same(report.asked, its, report):
            where = say("for two experiments ({title})", title=say_data(other.title))
            yield _repeated(where, (*its, *report.asked), report, lab)


def _are_same(first: Sequence[RunResult], other: Sequence[RunResult], report: Report) -> bool:
    lists = [sorted((claim.seed, claim.value) for claim in claims) for claims in (first, other)]
    return len(first) >= report.number and lists[0] == lists[1]


def _repeated(where: Message, claims: Sequence[RunResult], report: Report, lab: Lab) -> Flag:
    """Return the flag for repeated values.

    It is only a remark for a single value, or if all values are possible on the smallest split: such values are often
    equal by chance.
    """
    own_results = claims[: len(claims) // 2]
    coarse = len(own_results) < 2 or _are_coarse(own_results, report, lab)
    shown = join_messages(", ", (report.format_stated(claim.value, claim.resolution) for claim in own_results))
    return Flag(
        id=FLAG,
        severity=Severity.INFO if coarse else Severity.WARNING,
        message=say(
            "The same values are given {where}: {figures}. A row may have been copied.",
            where=where,
            figures=shown,
        ),
        evidence=_places(claims),
    )


def _are_coarse(claims: Sequence[RunResult], report: Report, lab: Lab) -> bool:
    fewest = min(lab.sizes.values(), default=0) if report.measure.is_counted else 0
    return fewest > 0 and all(claim.value * fewest % 100 == 0 for claim in claims)


Figure = RunResult | CoursePoint | Summary


def _figure(claim: Figure) -> tuple[Decimal, Decimal]:
    if isinstance(claim, Summary):
        return claim.mean or Decimal(0), claim.mean_resolution
    return claim.value, claim.resolution


def _are_apart(first: Figure, other: Figure) -> bool:
    """Whether two numbers differ, even if both are rounded or cut to the digits of the less exact one."""
    (coarse, unit), (fine, _) = sorted((_figure(first), _figure(other)), key=lambda figure: -figure[1])
    return not -unit / 2 <= fine - coarse < unit


def _differ(first: Figure, other: Figure, report: Report) -> bool:
    """Whether two numbers differ, but not so much that they must be results of different things."""
    coarse, fine = sorted((_figure(first), _figure(other)), key=lambda figure: -figure[1])
    most = _SLIP if report.measure.is_share else abs(coarse[0]) * _SLIP_SHARE
    return abs(coarse[0] - fine[0]) <= most and _are_apart(first, other)


def _flag(what: Message, first: Figure, other: Figure, report: Report) -> Flag:
    shown = [report.format_stated(*_figure(claim)) for claim in (first, other)]
    message = say("Two places disagree about {what}: {one} and {other}.", what=what, one=shown[0], other=shown[1])
    return Flag(id=FLAG, severity=Severity.WARNING, message=message, evidence=_places((first, other)))


def _on(split: str | None, report: Report) -> Words:
    return say(" on {split}", split=report.split_name(split)) if split else ""


def _places(claims: Iterable[Figure]) -> tuple[Evidence, ...]:
    found = [e for claim in claims for e in (claim.evidence if isinstance(claim, Summary) else (claim.evidence,))]
    return tuple(dict.fromkeys(found))


_WATCH: Final = "hyperparameters"
"""The watch that examines commands and logs. If the lab has it, this check does not repeat its flags."""


@check("seeds-reported")
def seeds_reported(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    experiment: str,
    measure: str | None = None,
    split: str | None = None,
    require_split: str | None = None,
    values: tuple[Decimal, ...] = (),
    tolerance: Decimal = Decimal(0),
    fewest: int = 2,
) -> Iterator[Conclusion]:
    """The result of every repetition is reported.

    - `experiment`: the experiment.
    - `measure`, `split`, `require_split`: what is asked for, if not the lab's usual measure and split.
    - `values`: the right results if nothing is left to chance.
    - `tolerance`: how much results may differ from `values`, in addition to rounding.
    - `fewest`: with at least this many results, an incomplete answer is `partial`.

    Decides: whether each required run has a result and, with `values`, whether it is right. If only some runs have
    one, the answer earns their share.

    Leaves to people: numbers that may belong to the experiment, and runs that only logs show.
    """
    report = report_of(experiment, answer, lab, measure, split)
    asked = report.number
    yield from _flags(report, answer, truth, lab)
    claimed = max(report.series(), key=len, default=())  # the split with the most runs
    logged = {run.seed for run in report.runs if run.seed is not None}
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=_number(len(claimed), report) if claimed else None,
        expected=ExpectedAnswer(text=_number(asked, report)),
        evidence=tuple(dict.fromkeys(claim.evidence for claim in claimed)),
    )
    number_place = None if claimed or asked == 1 else _said_number(answer, report, lab)
    fewer = number_place and _said_of_fewer(report, answer, lab)
    are_stated = not values and any(
        summary.mean is not None and summary.std is not None for summary in report.summaries
    )
    what = _number(asked, report)
    if len(claimed) >= asked:
        shown = say("Results are reported for {what}.", what=_number(len(claimed), report))
        if asked == 1:
            shown = say("The result is reported: {value}.", value=_shown(claimed, report))
        shown = join_messages(" ", [shown, *_in_logs(report)])
        if values:
            yield _held_against(finding, claimed, values, tolerance, report, shown)
        elif require_split and {claim.split for claim in claimed} == {report.selecting} != {require_split}:
            text = report.of_other_split(report.selecting, report.split)
            valid_only = (Diagnosis(id="valid-only", text=text),)
            yield with_verdict(finding, Status.PARTIAL, join_messages(" ", (shown, text)), diagnoses=valid_only)
        else:
            yield with_verdict(finding, Status.CORRECT, shown)
    elif len(logged) >= asked and not (claimed and _are_all_logged(claimed, report, lab)):
        ends = (run.reported[-1] if run.reported else run.selecting[-1] for run in report.runs)
        held = _number(len(logged), report)
        finding = finding.with_changes(
            found=say("{what} in the training logs", what=held), evidence=tuple(end.evidence for end in ends)
        )
        shown = say("The training logs hold {what}.", what=held)
        if values:
            of_runs = [[Decimal(str(p.value)) for p in (*run.at_best, *run.reported[-1:])] for run in report.runs]
            left = _unmet(
                values,
                of_runs,
                lambda _, known_value: tolerance + Decimal(1).scaleb(int(known_value.as_tuple().exponent)),
            )
            expected = ExpectedAnswer(text=join_messages(", ", map(str, values)))
            message = _right_of(len(values) - len(left), len(values)) if left else shown
            reason = Reason(message, is_likely=False).keep_if(left)
            yield with_verdict(finding.with_changes(expected=expected), Status.CORRECT, message, reason)
        else:
            yield with_verdict(finding, Status.CORRECT, shown)
    elif number_place and not fewer and are_stated:
        places = (*(place for summary in report.summaries for place in summary.evidence), number_place)
        text = say("The text says that there were {what} and gives their average and deviation.", what=what)
        yield with_verdict(finding.with_changes(found=what, evidence=places), Status.CORRECT, text)
    elif report.is_empty:
        yield concluded_without(finding, report, answer, lab, NO_RESULT)
    elif number_place and fewer:
        reason = Reason(say("The text mentions {what}, but fewer in this place.", what=what), is_likely=False)
        yield with_verdict(finding.with_changes(evidence=(number_place, fewer)), Status.CORRECT, "", reason)
    else:
        yield _too_few(finding, report, claimed, answer, lab, fewest)


def _unmet(
    known_values: Sequence[Decimal], shown: Iterable[Sequence[Decimal]], margin: Callable[[int, Decimal], Decimal]
) -> list[Decimal]:
    """Return the known results that no shown result matches, in any order.

    A run matches at most one known result, even if it shows several values. `margin(position, known)` returns the
    allowed difference between a run's value and a known result.
    """
    left = list(known_values)
    for place, several in enumerate(shown):
        met = next(
            (
                expected
                for expected in left
                if any(abs(value - expected) <= margin(place, expected) for value in several)
            ),
            None,
        )
        if met is not None:
            left.remove(met)
    return left


def _right_of(right: int, every: int) -> Message:
    return say_number("{number} of {all} results is right.", "{number} of {all} results are right.", right, all=every)


def _held_against(
    finding: Finding,
    claimed: Sequence[RunResult],
    known_values: Sequence[Decimal],
    tolerance: Decimal,
    report: Report,
    shown: Message,
) -> Finding:
    """Return the verdict on complete results if the right ones are known.

    If the logs contradict the text, the verdict goes to review.
    """
    least = Decimal("1e-9")  # the difference must be less than one unit of the last digit
    margins = [max(tolerance, tolerance + result.resolution - least) for result in claimed]
    left = _unmet(known_values, [[result.value] for result in claimed], lambda place, _: margins[place])
    is_doubted = any(result.is_contradicted for result in locate_results(claimed, report))
    are_others = len(claimed) != len(known_values)
    finding = finding.with_changes(expected=ExpectedAnswer(text=join_messages(", ", map(str, known_values))))
    if not left and not are_others and not is_doubted:
        return with_verdict(finding, Status.CORRECT, shown)
    is_open = is_doubted or are_others or any(claim.split not in (None, report.split) for claim in claimed)
    right = len(known_values) - len(left)
    message = _right_of(right, len(known_values))
    share = Decimal(right) / len(known_values) if right else None
    reason = Reason(message, is_likely=False).keep_if(is_open)
    return with_verdict(finding, Status.PARTIAL if right else Status.INCORRECT, message, reason, share=share)


def _number(number: int, report: Report) -> Message:
    """Return a number of runs in words."""
    return say_values("{number} {what}", number=number, what=report.named["run" if number == 1 else "runs"])


def _shown(claims: Iterable[RunResult], report: Report) -> Message:
    return join_messages(", ", (report.format_stated(claim.value, claim.resolution) for claim in claims))


def _too_few(
    finding: Finding, report: Report, claimed: tuple[RunResult, ...], answer: Answer, lab: Lab, fewest: int
) -> Finding:
    """Return the verdict if fewer runs are reported than were asked for.

    The number is certain if nothing else can hold further results, the logs show no more runs, and no average
    contradicts it; or if the stated average and deviation follow from the given values.
    """
    numbers = values(claimed)
    means = [summary for summary in report.summaries if summary.mean is not None]
    fitting = [
        mean
        for mean in means
        if numbers and mean.mean is not None and mean_fits(mean.mean, mean.mean_resolution, numbers)
    ]
    follows = len(numbers) > 1 and any(average.std is not None for average in fitting)
    is_part = len(claimed) >= max(fewest, 1)
    is_denied = len(numbers) > 1 and bool(means) and not fitting
    is_whole = follows or (not is_denied and is_all_read(report, answer, lab, finding.item))
    is_whole = follows or (is_whole and not has_others(claimed, report))
    number, what = len(claimed), _number(report.number, report)
    text = say("Found in the text: the results of {number} of {what}.", number=number, what=what)
    if claimed and is_whole and _are_all_logged(claimed, report, lab):
        return with_verdict(finding, Status.PARTIAL if is_part else Status.INCORRECT, text)
    if not claimed:
        text = say("No results of single {runs} were found in the text.", runs=report.named["runs"])
    places = tuple(dict.fromkeys((*finding.evidence, *report.evidence, *report.loose)))
    return with_verdict(finding.with_changes(evidence=places), Status.PARTIAL, "", Reason(text, is_likely=False))


def _are_all_logged(claimed: Sequence[RunResult], report: Report, lab: Lab) -> bool:
    """Whether the logs show no more finished runs than are reported.

    A run that stops before the last evaluation has no result. Runs with other hyper-parameters than required are
    trials, unless there are no others.
    """
    as_asked = [run for run in report.runs if not run_mismatches([run], report.experiment, lab)]
    runs = as_asked or report.runs
    ends = [(run, max((point.step for point in (*run.selecting, *run.reported)), default=0)) for run in runs]
    last = max((end for _, end in ends), default=0)
    finished = [run for run, end in ends if end >= (run.schedule.total_updates if run.schedule else last)]
    return len(finished) <= len(claimed)


def _said_number(answer: Answer, report: Report, lab: Lab) -> Evidence | None:
    """Return the place where the text states that the required number of runs was made, or None.

    For example, `three seeds` or `seeds 0, 1 and 2`. A line that names only other experiments counts only if a line
    about this experiment mentions `the same seeds`.
    """
    plain, words = _so_many(report.number, report), any_of("repeated", words=report.repetition.words)
    same = re.compile(rf"\b(?:same|mêmes)\s+(?:[^\W_]+\s+)?{words}", re.IGNORECASE)
    others: Evidence | None = None
    is_same = False
    for section in answer.sections:
        for line in re.finditer(r"[^\n]+", section.passage.text):
            named = {mention.value for mention in mentions(line.group(), lab) if mention.kind is Kind.EXPERIMENT}
            match = plain.search(line.group())
            of_each = {mark.value for mark in runs_named(line.group(), report.repetition.words)}
            is_told = match is not None or len(of_each) == report.number
            start, end = (line.start() + match.start(), line.start() + match.end()) if match else line.span()
            if is_told and (not named or report.experiment in named):
                return section.passage.evidence(start, end)
            if is_told and others is None:
                others = section.passage.evidence(start, end)
            is_same = is_same or (named == {report.experiment} and same.search(line.group()) is not None)
    return others if is_same else None


def _so_many(number: int, report: Report) -> re.Pattern[str]:
    """Return a pattern for a statement of the number of runs."""
    spelled = "|".join((str(number), *lexicon.number_words(number), *(["single"] if number == 1 else [])))
    words = any_of("repeated", words=report.repetition.words)
    return re.compile(rf"(?<![\w.,/-])(?:{spelled})\s+(?:[^\W\d_]+\s+){{0,2}}{words}", re.IGNORECASE)


def _said_of_fewer(report: Report, answer: Answer, lab: Lab) -> Evidence | None:
    """Return the place where a sentence about the experiment mentions fewer runs than required, or None."""
    for section in answer.sections:
        for statement in () if section.is_closing else statements(section.passage):
            for clause in re.finditer(r"[^;]+", statement.text):
                runs = {mark.value for mark in runs_named(clause.group(), report.repetition.words)}
                fewer = 0 < len(runs) < report.number or any(
                    _so_many(number, report).search(clause.group()) for number in range(1, report.number)
                )
                if fewer and experiments_in(clause.group(), lab) == (report.experiment,):
                    return section.passage.evidence(statement.start, statement.end)
    return None


def _flags(report: Report, answer: Answer, truth: GroundTruth, lab: Lab) -> Iterator[Flag]:
    """Yield the flags about this experiment's results and runs."""
    yield from table_contradictions(report, answer, lab)
    yield from _equal_figures(report, lab)
    if not any(watch.check == _WATCH for watch in lab.watches):
        yield from run_mismatches(report.runs, report.experiment, lab)
    doubt = validation_doubt(report, answer, truth, lab)
    if doubt:
        yield doubt.flag
    for group in report.series():
        if not (doubt and group[0].evidence in doubt.evidence):
            yield from contradictions(locate_results(group, report), report)


def _in_logs(report: Report) -> list[str]:
    """Return a sentence on how many of the results the logs contain, or nothing without logs."""
    found = [figure for group in report.series() for figure in locate_results(group, report)]
    logged = [figure for figure in found if figure.place not in (Place.NOWHERE, Place.NO_LOG)]
    if not report.runs or not found:
        return []
    return [say("The logs hold {number} of the {all} figures.", number=len(logged), all=len(found))]


def _equal_figures(report: Report, lab: Lab) -> Iterator[Flag]:
    """Yield a remark if all runs have the same result, because different seeds give different results."""
    title = next(
        (experiment.title for experiment in lab.experiments if experiment.id == report.experiment), report.experiment
    )
    for group in report.series():
        if len({claim.seed for claim in group}) >= max(report.number, 2) and len({claim.value for claim in group}) == 1:
            message = say(
                "{title:capital}: every {run} has the same figure, {value}. Were the {runs} different ones?",
                title=say_data(title),
                value=str(group[0].value),
                run=report.named["run"],
                runs=report.named["runs"],
            )
            evidence = tuple(dict.fromkeys(claim.evidence for claim in group))
            yield Flag(id=REPEATED_SEED, severity=Severity.INFO, message=message, evidence=evidence)
            return


def is_all_read(report: Report, answer: Answer, lab: Lab, item: str) -> bool:
    """Whether no result of an experiment can have been overlooked.

    There is no loose number, no picture, and no file that was not read completely.
    """
    absent = absence(answer, lab, item, in_code=False)
    is_elsewhere = report.is_empty and taken_for_others(report, answer, lab)
    may_be = report.loose or absent.pictures or absent.unread or is_elsewhere
    return not (may_be or _has_counts_beside(report, answer, lab))


def _has_counts_beside(report: Report, answer: Answer, lab: Lab) -> bool:
    """Whether the lines of an average contain as many whole numbers as there are runs, such as `(1579, 1604, 1592)`.

    Each may be the number of right examples of a run.
    """
    size = lab.sizes.get(report.split or "", 0) if report.measure.is_counted else 0
    places = {(place.file, place.page, place.line) for summary in report.summaries for place in summary.evidence}
    lines = (
        block.text
        for section in answer.sections
        for block in section.passage.blocks
        if (block.file or section.passage.file, block.page, block.line) in places and block.line is not None
    )
    return any(
        sum(size < 3 * numeral.value <= 3 * size and numeral.resolution >= 1 for numeral in numerals(line))
        >= report.number
        for line in lines
    )
