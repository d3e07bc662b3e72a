"""Find a student's reported results in the student's own logs.

`locate_results` finds the value of one run, `selection_of` finds the checkpoints over which a reported average was
computed, and `with_courses` uses values per epoch from the text in place of logs."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from itertools import islice, product
from typing import Final

from grader.checks.experiment import Report, resolution_of
from grader.checks.finding import Flag, Severity
from grader.claims.answer import Answer
from grader.claims.logged import LoggedRun, LoggedValue
from grader.claims.results.claimed import CoursePoint, RunResult, Summary, SummaryStatistic, mean_fits, std_fits
from grader.frozen import Frozen
from grader.message import Message, join_messages, say, say_values

CONTRADICTS = "claim-contradicts-log"


class Place(StrEnum):
    """The position in a run where the log shows a reported value, best position first."""

    AT_BEST = "at-best"
    AT_END = "at-end"
    ELSEWHERE = "elsewhere"
    BEST_VALID = "best-valid"
    VALID = "valid"
    NOWHERE = "nowhere"
    NO_LOG = "no-log"


def _in_words(place: Place, report: Report) -> Message:
    """Return the name of a position for messages."""
    of_split = place in (Place.AT_BEST, Place.AT_END, Place.ELSEWHERE)
    named = {**report.named, "split": report.named["split" if of_split else "selecting"]}
    return {
        Place.AT_BEST: say("the {measure} on {split} at the best one on {selecting}", **named),
        Place.AT_END: say("the {measure} on {split} at the last evaluation", **named),
        Place.BEST_VALID: say("the best {measure} on {split}", **named),
    }.get(place, say("the {measure} on {split} at another step", **named))


class LocatedResult(Frozen):
    """A reported result with its position in the logs."""

    claim: RunResult
    is_selecting: bool = False
    """Whether the text says that the result is of the split that selects checkpoints."""
    place: Place
    point: LoggedValue | None = None
    """The logged value that agrees with the result."""
    wanted: tuple[LoggedValue, ...] = ()
    """The logged values that the student should have reported."""

    @property
    def is_right(self) -> bool:
        """Whether the result comes from the right place.

        That is the reported split at the best checkpoint, or the best value of the split that selects if the text says
        that the result is of that split.
        """
        return self.place is (Place.BEST_VALID if self.is_selecting else Place.AT_BEST)

    @property
    def is_contradicted(self) -> bool:
        """Whether the log shows the value that should have been reported, and the student reported another one."""
        return bool(self.wanted) and not self.is_right


def locate_results(claims: Sequence[RunResult], report: Report) -> tuple[LocatedResult, ...]:
    """Return each result of one split with its position in the logs.

    If text and logs number the seeds differently (1, 2, 3 and 0, 1, 2), the seeds are matched in order. If this fits
    worse than a matching without order, each result is matched with the log that fits it best.
    """
    unit = resolution_of(claims)
    logged = sorted({run.seed for run in report.runs if run.seed is not None})
    claimed = sorted({claim.seed for claim in claims})
    same = dict(zip(claimed, logged if len(logged) == len(claimed) else claimed, strict=True))
    found = tuple(
        _best(claim, [run for run in report.runs if run.seed == same[claim.seed]], unit, report) for claim in claims
    )
    if logged == claimed:
        return found
    free = tuple(_any_order(claims, report, unit))
    return free if _number_right(free) > _number_right(found) else found


def _number_right(found: Iterable[LocatedResult]) -> int:
    return sum(figure.is_right for figure in found)


def contradictions(found: Iterable[LocatedResult], report: Report) -> Iterator[Flag]:
    """Yield one flag for all results that the logs contradict.

    The flag is only a remark if all these results are from the last evaluation.
    """
    wrong = [figure for figure in found if figure.is_contradicted]
    if not wrong:
        return
    points = ((figure.claim, *figure.wanted[:1], figure.point) for figure in wrong)
    places = tuple(dict.fromkeys(point.evidence for several in points for point in several if point))
    at_end = all(figure.place is Place.AT_END for figure in wrong)
    yield Flag(
        id=CONTRADICTS,
        severity=Severity.INFO if at_end else Severity.WARNING,
        message=join_messages(" ", (place_in_log(figure, report) for figure in wrong)),
        evidence=places,
    )


def place_in_log(figure: LocatedResult, report: Report) -> Message:
    """Return a sentence that compares a reported result with the log."""
    unit = report.measure.behind
    points = (
        say_values("{value:g}{unit} ({moment})", value=point.value, unit=unit, moment=point.moment)
        for point in figure.wanted
    )
    right = join_messages(say(" or "), dict.fromkeys(points))
    shown = say(
        "the log shows {right} as {place}",
        right=right,
        place=_in_words(Place.BEST_VALID if figure.is_selecting else Place.AT_BEST, report),
    )
    message_values = {
        "run": report.named["run"],
        "number": figure.claim.seed,
        "value": report.format_stated(figure.claim.value, figure.claim.resolution),
        "shown": shown,
    }
    if figure.point is None:
        return say("{run:capital} {number}: {value} is reported, which is in no log of it; {shown}.", **message_values)
    place = {"place": _in_words(figure.place, report), "moment": figure.point.moment}
    return say(
        "{run:capital} {number}: {value} is reported, which is {place} ({moment}); {shown}.", **message_values, **place
    )


def _best(claim: RunResult, runs: Sequence[LoggedRun], unit: float, report: Report) -> LocatedResult:
    """Return the best position of a result in any of some runs."""
    found = [_in_run(claim, run, unit, report) for run in runs] or [LocatedResult(claim=claim, place=Place.NO_LOG)]
    return min(found, key=lambda figure: (not figure.is_right, list(Place).index(figure.place)))


def _any_order(claims: Sequence[RunResult], report: Report, unit: float) -> Iterator[LocatedResult]:
    """Yield each result with its position, matched with the runs in any order; a run is used once.

    Results that are right choose their run first. A result for which no run is left is in no log.
    """
    rest = list(report.runs)
    right: dict[int, LocatedResult] = {}
    for number, claim in enumerate(claims):
        found = ((_in_run(claim, run, unit, report), run) for run in rest)
        right_pair = next(((figure, run) for figure, run in found if figure.is_right), None)
        if right_pair:
            right[number] = right_pair[0]
            rest.remove(right_pair[1])
    for number, claim in enumerate(claims):
        yield right.get(number) or _best(claim, rest, unit, report)


def _in_run(claim: RunResult, run: LoggedRun, unit: float, report: Report) -> LocatedResult:
    """Return the best position of a result in one run."""
    is_selecting = report.selecting is not None and claim.split == report.selecting
    at_best = run.at_best
    places = [
        *((Place.AT_BEST, point) for point in at_best),
        *((Place.AT_END, point) for point in run.reported[-1:]),
        *((Place.ELSEWHERE, point) for point in run.reported),
        *((Place.BEST_VALID, point) for point in run.best_selecting),
        *((Place.VALID, point) for point in run.selecting),
    ]
    if is_selecting:
        places.sort(key=lambda pair: pair[0] not in (Place.BEST_VALID, Place.VALID))
    wanted = (run.best_selecting if is_selecting else at_best) if run.is_whole else ()
    for place, point in places:
        if agrees(float(claim.value), unit, point.value):
            return LocatedResult(claim=claim, is_selecting=is_selecting, place=place, point=point, wanted=wanted)
    return LocatedResult(claim=claim, is_selecting=is_selecting, place=Place.NOWHERE, wanted=wanted)


def agrees(reported: float, unit: float, logged: float) -> bool:
    """Whether a logged value gives the reported one when it is rounded or cut at the last digit, whose unit is
    `unit`."""
    return -unit / 2 - 1e-6 <= logged - reported < unit - 1e-6


_MOST_TIES = 64


class Selection(StrEnum):
    """The value of each run that an average is of. `BEST`, the right choice, is tried first."""

    BEST = "best"
    LAST = "last"
    BEST_TEST = "best-test"
    VALID = "valid"


def selection_name(selection: Selection, report: Report) -> Message:
    """Return the name of a selection for messages."""
    if selection is Selection.BEST_TEST:
        return say("the best {measure} on {split}", **report.named)
    places = {Selection.BEST: Place.AT_BEST, Selection.LAST: Place.AT_END, Selection.VALID: Place.BEST_VALID}
    return _in_words(places[selection], report)


def logged_series(report: Report) -> Iterator[tuple[Selection, tuple[float, ...]]]:
    """Yield the logged values of all runs for each selection; several series for one selection if epochs tie.

    Yields nothing if a run is not logged completely, or is logged twice.
    """
    by_seed = {run.seed: run for run in report.runs if run.seed is not None}
    runs = [by_seed[seed] for seed in sorted(by_seed)]
    if len(runs) < report.number or len(runs) != len(report.runs) or not all(run.is_whole for run in runs):
        return
    for selection, points_of in _POINTS_OF.items():
        for combination in islice(product(*map(points_of, runs)), _MOST_TIES):
            yield selection, tuple(point.value for point in combination)


def _best_of(run: LoggedRun) -> Sequence[LoggedValue]:
    best = run.best(point.value for point in run.reported)
    return [point for point in run.reported if point.value == best][:1]


_POINTS_OF: Final[Mapping[Selection, Callable[[LoggedRun], Sequence[LoggedValue]]]] = {
    Selection.BEST: lambda run: run.at_best,
    Selection.LAST: lambda run: run.reported[-1:],
    Selection.BEST_TEST: _best_of,
    Selection.VALID: lambda run: run.best_selecting[:1],
}
"""The logged values of a run that each selection may take."""


def selection_of(summary: Summary, report: Report) -> Selection | None:
    """Return the first selection from which a stated average, and its deviation if there is one, follows."""
    for selection, accuracies in logged_series(report):
        numbers = list(accuracies)
        fits = summary.mean is not None and mean_fits(summary.mean, summary.mean_resolution, numbers)
        if fits and (summary.std is None or std_fits(summary.std, summary.std_resolution, numbers)):
            return selection
    return None


def course_of(report: Report, answer: Answer) -> list[CoursePoint]:
    """Return the values over the course of training that a text gives for an experiment."""
    own_key = report.experiment, report.measure.id
    return [point for point in answer.results.course if (point.experiment, point.measure) == own_key]


def with_courses(report: Report, answer: Answer) -> Report:
    """Return a report whose logged runs are replaced by the values over the course of training that the text itself
    gives.

    The report has no runs if the text gives fewer than two values per run on the split that selects checkpoints.
    """
    points: list[CoursePoint | RunResult] = [
        point
        for point in course_of(report, answer)
        if point.statistic is SummaryStatistic.VALUE and point.seed is not None and point.moment.is_told
    ]
    # Highlighted values of a course are claims and were removed from it. Add them again.
    point_keys = {(point.seed, point.split, point.moment.step, point.moment.epoch) for point in points}
    points += (
        result
        for result in report.seeds
        if result.moment.is_told
        and (result.seed, result.split, result.moment.step, result.moment.epoch) not in point_keys
    )
    runs = tuple(
        LoggedRun(
            name="",
            experiment=report.experiment,
            seed=seed,
            measure=report.measure.id,
            is_lower_better=report.measure.is_lower_better,
            is_selected=report.selecting is not None,
            split=report.split,
            selecting=_points(points, seed, report.selecting),
            reported=_points(points, seed, report.split),
        )
        for seed in sorted({point.seed for point in points if point.seed is not None})
    )
    return report.model_copy(update={"runs": runs if all(len(run.selecting) > 1 for run in runs) else ()})


def _points(points: Iterable[CoursePoint | RunResult], seed: int, split: str | None) -> tuple[LoggedValue, ...]:
    """Return the values of a run on a split in the order of training."""
    values = (
        LoggedValue(
            step=point.moment.step or point.moment.epoch or 0, value=float(point.value), evidence=point.evidence
        )
        for point in points
        if (point.seed, point.split) == (seed, split)
    )
    return tuple(sorted(values, key=lambda value: value.step))


def is_best_on_test(figure: LocatedResult, report: Report) -> bool:
    """Whether a result is the best value of its run on the split that is asked for."""
    best = (run.best((point.value for point in run.reported), default=None) for run in report.runs)
    return figure.point is not None and any(
        figure.point in run.reported and figure.point.value == value
        for run, value in zip(report.runs, best, strict=True)
    )


def is_last_best(report: Report, answer: Answer) -> bool:
    """Whether, in the text's courses over training, every run has its best value at its last evaluation.

    The values are those on the split that selects checkpoints.
    """
    runs: dict[int | None, list[tuple[int, Decimal]]] = {}
    best = min if report.measure.is_lower_better else max
    for point in course_of(report, answer):
        if point.split == report.selecting and point.statistic is SummaryStatistic.VALUE:
            runs.setdefault(point.seed, []).append((point.moment.step or point.moment.epoch or 0, point.value))
    return len(runs) >= report.number and all(
        len({moment for moment, _ in points}) == len(points) > 1  # otherwise the numbering of runs is unknown
        and max(points)[1] == best(value for _, value in points)
        for points in runs.values()
    )
