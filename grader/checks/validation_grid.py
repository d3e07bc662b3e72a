"""Figures that are said to be of the test set, but are all possible on the small validation set."""

from grader.checks.experiment import VALID, values
from grader.checks.finding import Flag, Severity
from grader.claims.accuracy import SeedAccuracy
from grader.lab.definition import Lab


def looks_like_validation(claimed: tuple[SeedAccuracy, ...], lab: Lab) -> bool:
    """Whether all seeds' accuracies lie on the validation set's grid without being called validation accuracies.

    With a test set ten times larger, one test accuracy falls on that grid by chance once in ten times, three do once
    in a thousand.
    """
    unsaid = all(claim.split != VALID for claim in claimed)
    return unsaid and len(claimed) >= lab.seeds and _on_grid(values(claimed), _validation_step(lab))


def validation_flag(claimed: tuple[SeedAccuracy, ...], lab: Lab) -> Flag:
    """The flag for such figures."""
    return Flag(
        id="validation-reported-as-test",
        severity=Severity.WARNING,
        message=f"All reported accuracies are multiples of {_validation_step(lab):g} %, the step of the validation "
        "set; test accuracies would be finer. They may be validation accuracies.",
        evidence=tuple(dict.fromkeys(claim.evidence for claim in claimed)),
    )


def _validation_step(lab: Lab) -> float:
    """The difference that one example makes, in percent."""
    return 100 / next(split.examples for split in lab.splits if split.id == VALID)


def _on_grid(accuracies: list[float], step: float) -> bool:
    return all(abs(value / step - round(value / step)) < 1e-6 for value in accuracies)
