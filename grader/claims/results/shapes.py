"""What lines below each other tell by their like shapes."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from grader.lab.definition import Lab

_WRITTEN: Final = re.compile(r"\d+(?P<decimals>[.,]\d+)?(?:\s?%)?")
_NUMBERS: Final = re.compile(r"\s*(?P<run>\d{1,6})[\s:,)]+(?:\d{2,5}\s+)?\d{1,2}[.,]\d{1,8}\s?%?\s*")


def exact_lines(texts: Sequence[str]) -> set[int]:
    """The places of lines that differ in their numbers only from those beside them, one of which has decimals: `seed 1:
    79.5` over `seed 2: 80`."""
    shapes = [_WRITTEN.sub("#", one) for one in texts]
    found: set[int] = set()
    for shape, group in groupby(range(len(texts)), key=shapes.__getitem__):
        places = list(group)
        if shape and len(places) > 1 and any(one["decimals"] for at in places for one in _WRITTEN.finditer(texts[at])):
            found.update(places)
    return found


def numbered_lines(texts: Sequence[str], lab: Lab) -> Mapping[int, tuple[int, int]]:
    """The places of lines that are nothing but numbers, a whole one and at last a decimal, as many below each other as
    some experiment has runs, no two with the same whole one: what `print(seed, accuracy)` leaves. To each the run's
    number, and where that ends. Numbers from 1 on may be those of epochs."""
    asked = {lab.repetition_of(one.id).number for one in lab.experiments}
    found = [_NUMBERS.fullmatch(one) for one in texts]
    result: dict[int, tuple[int, int]] = {}
    for is_such, group in groupby(enumerate(found), key=lambda one: one[1] is not None):
        runs = {at: (int(match["run"]), match.end("run")) for at, match in group if match is not None}
        named = [run for run, _ in runs.values()]
        if is_such and len(named) in asked and len({*named}) == len(named) > 1 and named != [*range(1, len(named) + 1)]:
            result |= runs
    return result
