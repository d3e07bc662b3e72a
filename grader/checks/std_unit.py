"""Deviations that are written as fractions beside averages in percent."""

from decimal import Decimal
from typing import Final

from grader.checks.experiment import stated
from grader.checks.grim import triples
from grader.claims.accuracy import Summary
from grader.lab.definition import Lab

_LEAST: Final = Decimal("0.05")
"""In percent. The deviation of three seeds is smaller less than once in a hundred times, where it is about one."""

_MOST: Final = 5.0
_TRIPLE: Final = 3
_USUAL: Final = (Decimal("0.1"), Decimal(10))


def is_unit_slip(summary: Summary) -> bool:
    """Whether a deviation is too small to be in percent as the average is, and usual when it is taken for a
    fraction."""
    std = summary.std
    return std is not None and 0 < std < _LEAST and _USUAL[0] <= std * 100 <= _USUAL[1]


def is_impossible(summary: Summary, lab: Lab) -> bool:
    """Whether no accuracies of three seeds have the stated average and deviation in percent, on any set that they may
    be of. False where that cannot be told."""
    figures = stated(summary)
    sizes = [split.examples for split in lab.splits if summary.split in (None, split.id)]
    if figures is None or figures.std is None or lab.seeds != _TRIPLE or not sizes:
        return False
    return figures.std <= _MOST and not any(triples(figures, size) for size in sizes)
