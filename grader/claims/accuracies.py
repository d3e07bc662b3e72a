"""Claimed accuracies: per seed, and as mean with standard deviation, each with experiment and split where named."""

from collections.abc import Iterator
from decimal import Decimal

from grader.claims import accuracy_prose, accuracy_tables
from grader.claims.accuracy import AccuracyClaims, SeedAccuracy, Summary
from grader.claims.sections import Section
from grader.lab.definition import Lab


def accuracies(sections: tuple[Section, ...], lab: Lab) -> AccuracyClaims:
    """All accuracies claimed in the sections about experiments, or anywhere when no section is about any."""
    about = {experiment.question: experiment.id for experiment in lab.experiments}
    telling = [section for section in sections if any(question in about for question in section.questions)]
    claims = AccuracyClaims()
    for section in telling or sections:
        own = tuple(about[question] for question in section.questions if question in about)
        claims = claims.joined(accuracy_tables.read(section.passage, own, lab))
        claims = claims.joined(accuracy_prose.read(section.passage, own, lab))
    return AccuracyClaims(
        seeds=tuple(_as_percent_seed(claim) for claim in _distinct(claims.seeds)),
        summaries=tuple(_as_percent_summary(claim) for claim in claims.summaries),
    )


def _distinct(claims: tuple[SeedAccuracy, ...]) -> Iterator[SeedAccuracy]:
    """Each claim once: a value that is repeated in another place is one claim."""
    seen = set()
    for claim in claims:
        key = (claim.experiment, claim.split, claim.seed, claim.value)
        if key not in seen:
            seen.add(key)
            yield claim


def _as_percent_seed(claim: SeedAccuracy) -> SeedAccuracy:
    """Accuracies written as fractions, `0.799`, become percentages."""
    if claim.value > 1:
        return claim
    return claim.model_copy(update={"value": claim.value * 100, "resolution": claim.resolution * 100})


def _as_percent_summary(claim: Summary) -> Summary:
    """A mean written as a fraction becomes a percentage, and its deviation with it. A deviation beside a mean in
    percent stays as written, also when it looks like a fraction: that is a finding, not a format."""
    if claim.mean is None or claim.mean > 1:
        return claim
    hundred = Decimal(100)
    return claim.model_copy(
        update={
            "mean": claim.mean * hundred,
            "mean_resolution": claim.mean_resolution * hundred,
            "std": None if claim.std is None else claim.std * hundred,
            "std_resolution": claim.std_resolution * hundred,
        }
    )
