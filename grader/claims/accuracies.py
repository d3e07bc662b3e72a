"""Claimed accuracies: per seed, and as mean with standard deviation, each with experiment and split where named."""

from collections.abc import Iterable, Iterator

from grader.claims import accuracy_prose, accuracy_tables
from grader.claims.accuracy import AccuracyClaims, SeedAccuracy, Summary
from grader.claims.lost_tables import without_lost_tables
from grader.claims.sections import Section
from grader.lab.definition import Lab


def accuracies(sections: tuple[Section, ...], lab: Lab) -> AccuracyClaims:
    """All accuracies claimed in the sections about experiments, or anywhere when no section is about any."""
    about = {experiment.question: experiment.id for experiment in lab.experiments}
    telling = [section for section in sections if any(question in about for question in section.questions)]
    named = _with_labels(lab)
    claims = AccuracyClaims()
    for section in telling or sections:
        own = tuple(about[question] for question in section.questions if question in about)
        found = accuracy_tables.read(section.passage, own, named).joined(
            accuracy_prose.read(without_lost_tables(section.passage, named), own, named)
        )
        claims = claims.joined(found.model_copy(update={"summaries": tuple(_completed(found.summaries))}))
    return claims.model_copy(update={"seeds": tuple(_distinct(claims.seeds))})


def _with_labels(lab: Lab) -> Lab:
    """The lab whose experiments are also named by their question, `task 3`. Labels of one word stay out: `T4` is a
    graphics card as well."""
    labels = {question.id: tuple(label for label in question.labels if " " in label) for question in lab.questions}
    experiments = (one.model_copy(update={"words": one.words + labels[one.question]}) for one in lab.experiments)
    return lab.model_copy(update={"experiments": tuple(experiments)})


def _distinct(claims: tuple[SeedAccuracy, ...]) -> Iterator[SeedAccuracy]:
    """Each claim once: a value that is repeated in another place is one claim."""
    seen = set()
    for claim in claims:
        key = (claim.experiment, claim.split, claim.seed, claim.value)
        if key not in seen:
            seen.add(key)
            yield claim


def _completed(summaries: Iterable[Summary]) -> Iterator[Summary]:
    """A mean in one sentence or row and its deviation in the next are one summary."""
    open_mean: Summary | None = None
    for summary in summaries:
        if open_mean and summary.mean is None and _agree(open_mean, summary):
            yield open_mean.completed(summary)
            open_mean = None
            continue
        if open_mean:
            yield open_mean
        open_mean = summary if summary.std is None else None
        if summary.std is not None:
            yield summary
    if open_mean:
        yield open_mean


def _agree(mean: Summary, std: Summary) -> bool:
    return std.experiment in (None, mean.experiment) and (std.split is None or std.split == mean.split)
