"""Figures of one experiment that contradict each other in two places."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations

from grader.checks.experiment import TEST, VALID, Report, mean_fits, percent, report_of, split_name, values
from grader.checks.finding import Flag, Severity
from grader.claims.accuracy import CourseAccuracy, SeedAccuracy, Summary, SummaryStatistic
from grader.claims.answer import Answer
from grader.lab.definition import Lab
from grader.message import Message, Words, joined, say, say_data
from grader.reading.evidence import Evidence

FLAG = "table-contradiction"

_SLIP = 5
"""In points. Figures further apart are of different things, of which one was not understood."""


def table_contradictions(report: Report, answer: Answer, lab: Lab) -> Iterator[Flag]:
    """One flag for each pair of places that cannot both be right, both quoted."""
    yield from _of_seeds(report.seeds)
    yield from _of_course(report.seeds, answer.accuracies.course)
    yield from _of_means(report, lab)
    yield from _copied(report, answer, lab)


def _of_seeds(claims: Sequence[SeedAccuracy]) -> Iterator[Flag]:
    """Two accuracies of one seed on one split, neither of which is said to be of another moment."""
    for one, other in combinations(claims, 2):
        same = (one.split, one.seed) == (other.split, other.seed) and one.evidence != other.evidence
        if same and not one.moment.differs(other.moment) and _differ(one, other):
            yield _flag(say("seed {seed}{on}", seed=one.seed, on=_on(one.split)), one, other)


def _of_course(claims: Iterable[SeedAccuracy], course: Iterable[CourseAccuracy]) -> Iterator[Flag]:
    """The accuracy of a seed at its selected epoch, and another one at that epoch in the table of epochs."""
    points = [point for point in course if point.statistic is SummaryStatistic.VALUE and point.seed is not None]
    for claim in claims:
        for point in points:
            same = (claim.experiment, claim.split, claim.seed) == (point.experiment, point.split, point.seed)
            if same and claim.moment.agrees(point.moment) and _differ(claim, point):
                where = say("seed {seed}{on} at that epoch", seed=claim.seed, on=_on(claim.split))
                yield _flag(where, claim, point)


def _of_means(report: Report, lab: Lab) -> Iterator[Flag]:
    """Two averages on one split, of which only one follows from the seeds' accuracies."""
    complete = {group[0].split: values(group) for group in report.series() if len(group) >= lab.seeds}
    means = [summary for summary in report.summaries if summary.mean is not None and summary.split in complete]
    for one, other in combinations(means, 2):
        if one.split != other.split or one.moment.differs(other.moment) or one.evidence == other.evidence:
            continue
        fit = [mean_fits(each.mean or Decimal(0), each.mean_resolution, complete[one.split]) for each in (one, other)]
        if len(set(fit)) > 1 and _differ(one, other):
            yield _flag(say("the average{on}", on=_on(one.split)), one, other)


def _copied(report: Report, answer: Answer, lab: Lab) -> Iterator[Flag]:
    """The same accuracies for all seeds in two experiments or on two splits."""
    test, valid = report.of_split(TEST), report.of_split(VALID)
    if _are_same(test, valid, lab):
        yield _repeated(say("for validation and for test"), (*valid, *test), lab)
    for other in lab.experiments:
        if other.id == report.experiment:
            break
        mine, theirs = test or report.of_split(None), report_of(other.id, answer, lab)
        its = theirs.of_split(TEST) or theirs.of_split(None)
        if _are_same(mine, its, lab):
            where = say("for two experiments ({title})", title=say_data(other.title))
            yield _repeated(where, (*its, *mine), lab)


def _are_same(one: Sequence[SeedAccuracy], other: Sequence[SeedAccuracy], lab: Lab) -> bool:
    lists = [sorted((claim.seed, claim.value) for claim in claims) for claims in (one, other)]
    return len(one) >= lab.seeds and lists[0] == lists[1]


def _repeated(where: Message, claims: Sequence[SeedAccuracy], lab: Lab) -> Flag:
    """A remark only where all are possible on the smallest set: so coarse figures agree by chance as well."""
    own = claims[: len(claims) // 2]
    fewest = min((split.examples for split in lab.splits), default=0)
    coarse = fewest > 0 and all(claim.value * fewest % 100 == 0 for claim in own)
    shown = joined(", ", (percent(claim.value, claim.resolution) for claim in own))
    return Flag(
        id=FLAG,
        severity=Severity.INFO if coarse else Severity.WARNING,
        message=say(
            "The same accuracies are given {where}: {figures}. A row may have been copied.",
            where=where,
            figures=shown,
        ),
        evidence=_places(claims),
    )


Figure = SeedAccuracy | CourseAccuracy | Summary


def _figure(claim: Figure) -> tuple[Decimal, Decimal]:
    if isinstance(claim, Summary):
        return claim.mean or Decimal(0), claim.mean_resolution
    return claim.value, claim.resolution


def _differ(one: Figure, other: Figure) -> bool:
    """Whether two figures are neither the same, rounded or cut to the digits of the coarser one, nor far apart."""
    (coarse, unit), (fine, _) = sorted((_figure(one), _figure(other)), key=lambda figure: -figure[1])
    return abs(coarse - fine) <= _SLIP and not -unit / 2 <= fine - coarse < unit


def _flag(what: Message, one: Figure, other: Figure) -> Flag:
    shown = [percent(*_figure(claim)) for claim in (one, other)]
    message = say("Two places disagree about {what}: {one} and {other}.", what=what, one=shown[0], other=shown[1])
    return Flag(id=FLAG, severity=Severity.WARNING, message=message, evidence=_places((one, other)))


def _on(split: str | None) -> Words:
    return say(" on {split}", split=split_name(split)) if split else ""


def _places(claims: Iterable[Figure]) -> tuple[Evidence, ...]:
    found = [e for claim in claims for e in (claim.evidence if isinstance(claim, Summary) else (claim.evidence,))]
    return tuple(dict.fromkeys(found))
