"""Where a student's figures stand in the student's own logs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

from grader.checks.experiment import TEST, VALID, Report, percent, resolution_of
from grader.checks.finding import Flag, Severity
from grader.claims.accuracy import SeedAccuracy
from grader.claims.logged import LoggedAccuracy, LoggedRun
from grader.frozen import Frozen
from grader.message import Message, joined, say
from grader.reading.evidence import Evidence

CONTRADICTS = "claim-contradicts-log"


class Place(StrEnum):
    """Where in a run a figure stands, the most fitting place first."""

    AT_BEST = "at-best"
    AT_END = "at-end"
    ELSEWHERE = "elsewhere"
    BEST_VALID = "best-valid"
    VALID = "valid"
    NOWHERE = "nowhere"
    NO_LOG = "no-log"


_WORDS: Final[Mapping[Place, Message]] = {
    Place.AT_BEST: say("the test accuracy at the best validation accuracy"),
    Place.AT_END: say("the test accuracy at the last evaluation"),
    Place.ELSEWHERE: say("a test accuracy at another step"),
    Place.BEST_VALID: say("the best validation accuracy"),
    Place.VALID: say("a validation accuracy at another step"),
}
"""The places of a logged figure, in words."""


class Located(Frozen):
    """A claim with its place in the logs: the point that agrees, and those where the figure should come from."""

    claim: SeedAccuracy
    place: Place
    point: LoggedAccuracy | None = None
    wanted: tuple[LoggedAccuracy, ...] = ()

    @property
    def is_right(self) -> bool:
        """Whether the figure is what it should be: test at the best validation accuracy, or, where it is said to be of
        validation, the best one."""
        return self.place is (Place.BEST_VALID if self.claim.split == VALID else Place.AT_BEST)

    @property
    def is_contradicted(self) -> bool:
        """Whether the log has the figure to expect, and another one was given."""
        return bool(self.wanted) and not self.is_right


def located(claims: Sequence[SeedAccuracy], report: Report) -> tuple[Located, ...]:
    """Each claim of one split with its place. Where the seeds of claims and logs are not the same (1, 2, 3 and 0, 1, 2
    are usual), or do not agree as numbered, a figure may be that of any run, and each run has one figure."""
    unit = resolution_of(claims)
    logged = sorted({run.seed for run in report.runs if run.seed is not None})
    claimed = sorted({claim.seed for claim in claims})
    same = dict(zip(claimed, logged if len(logged) == len(claimed) else claimed, strict=True))
    found = tuple(_best(claim, [run for run in report.runs if run.seed == same[claim.seed]], unit) for claim in claims)
    if logged == claimed:
        return found
    free = tuple(_any_order(claims, report.runs, unit))
    return free if _number_right(free) > _number_right(found) else found


def _number_right(found: Iterable[Located]) -> int:
    return sum(one.is_right for one in found)


def contradictions(found: Iterable[Located]) -> Iterator[Flag]:
    """A flag for the figures that the logs contradict, both sides shown. That all of them are of the last evaluation
    is a remark."""
    wrong = [one for one in found if one.is_contradicted]
    if not wrong:
        return
    places = tuple(
        dict.fromkeys(
            place
            for one in wrong
            for place in (one.claim.evidence, *(p.evidence for p in one.wanted[:1]), *_own_place(one))
        )
    )
    at_end = all(one.place is Place.AT_END for one in wrong)
    yield Flag(
        id=CONTRADICTS,
        severity=Severity.INFO if at_end else Severity.WARNING,
        message=joined(" ", (told(one) for one in wrong)),
        evidence=places,
    )


def told(one: Located) -> Message:
    """What is reported and what the log shows, in a sentence."""
    split = VALID if one.claim.split == VALID else TEST
    points = (say("{value:g} % (step {step})", value=point.value, step=point.step) for point in one.wanted)
    right = joined(say(" or "), dict.fromkeys(points))
    if split == VALID:
        shown = say("the log shows {right} as the best validation accuracy", right=right)
    else:
        shown = say("the log shows {right} on test at the best validation accuracy", right=right)
    said = {"seed": one.claim.seed, "value": percent(one.claim.value, one.claim.resolution), "shown": shown}
    if one.point is None:
        return say("Seed {seed}: {value} is reported, which is in no log of this seed; {shown}.", **said)
    place = {"place": _WORDS[one.place], "step": one.point.step}
    return say("Seed {seed}: {value} is reported, which is {place} (step {step}); {shown}.", **said, **place)


def _own_place(one: Located) -> Iterator[Evidence]:
    if one.point:
        yield one.point.evidence


def _best(claim: SeedAccuracy, runs: Sequence[LoggedRun], unit: float) -> Located:
    """The most fitting place of a claim in some runs."""
    found = [_in_run(claim, run, unit) for run in runs] or [Located(claim=claim, place=Place.NO_LOG)]
    return min(found, key=lambda one: (not one.is_right, list(Place).index(one.place)))


def _any_order(claims: Sequence[SeedAccuracy], runs: Sequence[LoggedRun], unit: float) -> Iterator[Located]:
    """Each claim in the runs that no earlier claim was found in, while there are any."""
    rest = list(runs)
    for claim in claims:
        found = [(_in_run(claim, run, unit), run) for run in rest or runs]
        if not found:
            yield Located(claim=claim, place=Place.NO_LOG)
            continue
        best, run = min(found, key=lambda one: (not one[0].is_right, list(Place).index(one[0].place)))
        if best.is_right and run in rest:
            rest.remove(run)
        yield best


def _in_run(claim: SeedAccuracy, run: LoggedRun, unit: float) -> Located:
    at_best = run.at_best_valid
    places = [
        *((Place.AT_BEST, point) for point in at_best),
        *((Place.AT_END, point) for point in run.test[-1:]),
        *((Place.ELSEWHERE, point) for point in run.test),
        *((Place.BEST_VALID, point) for point in run.best_valid),
        *((Place.VALID, point) for point in run.valid),
    ]
    if claim.split == VALID:
        places.sort(key=lambda one: one[0] not in (Place.BEST_VALID, Place.VALID))
    wanted = run.best_valid if claim.split == VALID else at_best
    for place, point in places:
        if agrees(float(claim.value), unit, point.value):
            return Located(claim=claim, place=place, point=point, wanted=wanted)
    return Located(claim=claim, place=Place.NOWHERE, wanted=wanted)


def agrees(reported: float, unit: float, logged: float) -> bool:
    """Whether a logged value is written as reported when it is rounded or cut at the last digit."""
    return -unit / 2 - 1e-6 <= logged - reported < unit - 1e-6
