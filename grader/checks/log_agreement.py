"""The positions of a student's figures in the student's own logs: single values, averages over seeds by the checkpoint
that is taken of each run, and averages by epoch."""

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
from grader.message import Message, joined, say, say_values

CONTRADICTS = "claim-contradicts-log"


class Place(StrEnum):
    """The position of a figure in a run, the most fitting position first."""

    AT_BEST = "at-best"
    AT_END = "at-end"
    ELSEWHERE = "elsewhere"
    BEST_VALID = "best-valid"
    VALID = "valid"
    NOWHERE = "nowhere"
    NO_LOG = "no-log"


def _in_words(place: Place, report: Report) -> Message:
    """The place of a logged figure."""
    of_split = place in (Place.AT_BEST, Place.AT_END, Place.ELSEWHERE)
    named = {**report.named, "split": report.named["split" if of_split else "selecting"]}
    return {
        Place.AT_BEST: say("the {measure} on {split} at the best one on {selecting}", **named),
        Place.AT_END: say("the {measure} on {split} at the last evaluation", **named),
        Place.BEST_VALID: say("the best {measure} on {split}", **named),
    }.get(place, say("the {measure} on {split} at another step", **named))


class Located(Frozen):
    """A claim with its place in the logs: the point that agrees, and those where the figure should come from.
    `is_selecting`: it is said to be of the split that selects."""

    claim: RunResult
    is_selecting: bool = False
    place: Place
    point: LoggedValue | None = None
    wanted: tuple[LoggedValue, ...] = ()

    @property
    def is_right(self) -> bool:
        """Whether the figure is what it should be: that of the split that is asked for at the best value of the one
        that selects, or, where it is said to be of that one, the best one."""
        return self.place is (Place.BEST_VALID if self.is_selecting else Place.AT_BEST)

    @property
    def is_contradicted(self) -> bool:
        """Whether the log has the figure to expect, and another one was given."""
        return bool(self.wanted) and not self.is_right


def located(claims: Sequence[RunResult], report: Report) -> tuple[Located, ...]:
    """Each claim of one split with its place. Where the seeds of claims and logs are not the same (1, 2, 3 and 0, 1, 2
    are usual), or do not agree as numbered, a figure may be that of any run, and each run has one figure."""
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


def _number_right(found: Iterable[Located]) -> int:
    return sum(figure.is_right for figure in found)


def contradictions(found: Iterable[Located], report: Report) -> Iterator[Flag]:
    """A flag for the figures that the logs contradict, both sides shown. That all of them are of the last evaluation
    is a remark."""
    wrong = [figure for figure in found if figure.is_contradicted]
    if not wrong:
        return
    points = ((figure.claim, *figure.wanted[:1], figure.point) for figure in wrong)
    places = tuple(dict.fromkeys(point.evidence for several in points for point in several if point))
    at_end = all(figure.place is Place.AT_END for figure in wrong)
    yield Flag(
        id=CONTRADICTS,
        severity=Severity.INFO if at_end else Severity.WARNING,
        message=joined(" ", (place_in_log(figure, report) for figure in wrong)),
        evidence=places,
    )


def place_in_log(figure: Located, report: Report) -> Message:
    """Return a sentence that compares the reported figure with the log."""
    unit = report.measure.behind
    points = (
        say_values("{value:g}{unit} ({moment})", value=point.value, unit=unit, moment=point.moment)
        for point in figure.wanted
    )
    right = joined(say(" or "), dict.fromkeys(points))
    shown = say(
        "the log shows {right} as {place}",
        right=right,
        place=_in_words(Place.BEST_VALID if figure.is_selecting else Place.AT_BEST, report),
    )
    said = {
        "run": report.named["run"],
        "number": figure.claim.seed,
        "value": report.shown(figure.claim.value, figure.claim.resolution),
        "shown": shown,
    }
    if figure.point is None:
        return say("{run:capital} {number}: {value} is reported, which is in no log of it; {shown}.", **said)
    place = {"place": _in_words(figure.place, report), "moment": figure.point.moment}
    return say("{run:capital} {number}: {value} is reported, which is {place} ({moment}); {shown}.", **said, **place)


def _best(claim: RunResult, runs: Sequence[LoggedRun], unit: float, report: Report) -> Located:
    """The most fitting place of a claim in some runs."""
    found = [_in_run(claim, run, unit, report) for run in runs] or [Located(claim=claim, place=Place.NO_LOG)]
    return min(found, key=lambda figure: (not figure.is_right, list(Place).index(figure.place)))


def _any_order(claims: Sequence[RunResult], report: Report, unit: float) -> Iterator[Located]:
    """Each claim in a run of its own: those that are right first, the others in what runs are left. One without a run
    stands in no log."""
    rest = list(report.runs)
    right: dict[int, Located] = {}
    for number, claim in enumerate(claims):
        found = ((_in_run(claim, run, unit, report), run) for run in rest)
        own = next(((figure, run) for figure, run in found if figure.is_right), None)
        if own:
            right[number] = own[0]
            rest.remove(own[1])
    for number, claim in enumerate(claims):
        yield right.get(number) or _best(claim, rest, unit, report)


def _in_run(claim: RunResult, run: LoggedRun, unit: float, report: Report) -> Located:
    """The most fitting place of a claim in one run."""
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
        places.sort(key=lambda one: one[0] not in (Place.BEST_VALID, Place.VALID))
    wanted = (run.best_selecting if is_selecting else at_best) if run.is_whole else ()
    for place, point in places:
        if agrees(float(claim.value), unit, point.value):
            return Located(claim=claim, is_selecting=is_selecting, place=place, point=point, wanted=wanted)
    return Located(claim=claim, is_selecting=is_selecting, place=Place.NOWHERE, wanted=wanted)


def agrees(reported: float, unit: float, logged: float) -> bool:
    """Whether a logged value is written as reported when it is rounded or cut at the last digit."""
    return -unit / 2 - 1e-6 <= logged - reported < unit - 1e-6


_MOST_TIES = 64


class Selection(StrEnum):
    """The accuracy that is taken of each run, the right one first."""

    BEST = "best"
    LAST = "last"
    BEST_TEST = "best-test"
    VALID = "valid"


def selected(selection: Selection, report: Report) -> Message:
    """A selection in words."""
    if selection is Selection.BEST_TEST:
        return say("the best {measure} on {split}", **report.named)
    places = {Selection.BEST: Place.AT_BEST, Selection.LAST: Place.AT_END, Selection.VALID: Place.BEST_VALID}
    return _in_words(places[selection], report)


def logged_series(report: Report) -> Iterator[tuple[Selection, tuple[float, ...]]]:
    """The values of all repetitions for each selection, several where epochs tie; none where one is not logged, or
    logged more than once with different results."""
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
"""The points of a run that each selection may take."""


def selection_of(summary: Summary, report: Report) -> Selection | None:
    """The first selection that a stated average, with its deviation where there is one, follows from."""
    for selection, accuracies in logged_series(report):
        numbers = list(accuracies)
        fits = summary.mean is not None and mean_fits(summary.mean, summary.mean_resolution, numbers)
        if fits and (summary.std is None or std_fits(summary.std, summary.std_resolution, numbers)):
            return selection
    return None


def course_of(report: Report, answer: Answer) -> list[CoursePoint]:
    """The figures over training that a text gives of an experiment by a measure."""
    own = report.experiment, report.measure.id
    return [point for point in answer.results.course if (point.experiment, point.measure) == own]


def with_courses(report: Report, answer: Answer) -> Report:
    """A report whose runs are the courses over training that the text itself gives of the repetitions, in place of
    logs; without runs where the text has no course of several values on the split that selects."""
    points: list[CoursePoint | RunResult] = [
        point
        for point in course_of(report, answer)
        if point.statistic is SummaryStatistic.VALUE and point.seed is not None and point.moment.is_told
    ]
    # Figures that are set off in a course are claims, and no points of it any more.
    told = {(point.seed, point.split, point.moment.step, point.moment.epoch) for point in points}
    points += (
        result
        for result in report.seeds
        if result.moment.is_told and (result.seed, result.split, result.moment.step, result.moment.epoch) not in told
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
    """The values of a run on a split, in their order in training."""
    values = (
        LoggedValue(
            step=point.moment.step or point.moment.epoch or 0, value=float(point.value), evidence=point.evidence
        )
        for point in points
        if (point.seed, point.split) == (seed, split)
    )
    return tuple(sorted(values, key=lambda value: value.step))


def is_best_on_test(figure: Located, report: Report) -> bool:
    """Whether a figure is the best one of its run on the split that is asked for."""
    best = (run.best((point.value for point in run.reported), default=None) for run in report.runs)
    return figure.point is not None and any(
        figure.point in run.reported and figure.point.value == value
        for run, value in zip(report.runs, best, strict=True)
    )


def is_last_best(report: Report, answer: Answer) -> bool:
    """Whether the courses that the text gives show the best value of every run on the split that selects at its last
    evaluation."""
    runs: dict[int | None, list[tuple[int, Decimal]]] = {}
    best = min if report.measure.is_lower_better else max
    for point in course_of(report, answer):
        if point.split == report.selecting and point.statistic is SummaryStatistic.VALUE:
            runs.setdefault(point.seed, []).append((point.moment.step or point.moment.epoch or 0, point.value))
    return len(runs) >= report.number and all(
        len({moment for moment, _ in points}) == len(points) > 1  # else it is unknown what the numbers of runs are
        and max(points)[1] == best(value for _, value in points)
        for points in runs.values()
    )
