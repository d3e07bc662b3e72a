"""Recognise numbers after an average that are not the standard deviation over several runs.

Such a number is a standard error, half of a confidence interval, a negative number, or the zero of a single run.
"""

from collections.abc import Sequence
from decimal import Decimal
from math import sqrt
from typing import Final

from grader.checks.experiment import Report, values
from grader.claims.results.claimed import Summary, mean_fits, std_fits
from grader.language import lexicon
from grader.message import Message, say

_STUDENT: Final = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201)
"""Quantiles of Student's t distribution for two-sided 95 % intervals, beginning with 1 degree of freedom (NIST/SEMATECH
e-Handbook of Statistical Methods, 1.3.6.7.2)."""
_NORMAL: Final = 1.96

STANDARD_ERROR: Final = say("the standard error of the mean")
INTERVAL: Final = say("a confidence interval")


def named_spread(summary: Summary) -> Message | None:
    """Return the name of the number beside an average if the text says that it is no standard deviation, otherwise
    None."""
    text = "\n".join(place.quote for place in summary.evidence)
    if lexicon.names(text, "deviation"):
        return None
    if lexicon.names(text, "standard_error"):
        return STANDARD_ERROR
    return INTERVAL if lexicon.names(text, "interval") else None


def follows(summary: Summary, spread: Message, found: Sequence[float]) -> bool:
    """Whether a standard error, or half of a 95 % interval, follows from the values of the runs."""
    if summary.std is None or len(found) <= 1:
        return False
    of_student = _STUDENT[len(found) - 2 : len(found) - 1]
    factors = (1.0,) if spread is STANDARD_ERROR else (_NORMAL, *of_student)
    # Each factor converts the number to a standard deviation, which may be in either form.
    scales = [Decimal(sqrt(len(found)) / factor) for factor in factors]
    return any(std_fits(summary.std * scale, summary.std_resolution * scale, found) for scale in scales)


def is_negative(summary: Summary) -> bool:
    """Whether the text writes the deviation with a minus sign directly after its name."""
    number = str(summary.std).replace(".", "[.,]")
    form = rf"<deviation>(?:\s\w+)?(?:\s|[:=])\s*[-−]{number}(?!\d)"
    return bool(summary.std) and any(lexicon.search(form, place.quote) for place in summary.evidence)


def is_of_one_run(summary: Summary, report: Report) -> bool:
    """Whether only one value is reported, which is also the average, with a deviation of zero."""
    values_found = values(
        claim for claim in report.seeds if summary.split in (None, claim.split) or claim.split is None
    )
    is_alone = summary.std == 0 and summary.mean is not None and len(values_found) == 1
    return is_alone and mean_fits(summary.mean or Decimal(0), summary.mean_resolution, values_found)
