"""Freshly shaped answers, judged as the pipeline does it."""

import json
import random
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from grader.checks.finding import Finding
from tests.checks.making import decide
from tests.generated import fresh_counting, fresh_prompts, fresh_quantization
from tests.generated.judged import reading_of
from tests.generated.notebooks import notebook

FAMILIES = {
    "t6.quantization": fresh_quantization,
    "t7.trainable": fresh_counting,
    "t8.prompt": fresh_prompts,
}


class Judged(NamedTuple):
    """What a check concluded about an answer of a kind: `right`, for a `person`, or `wrong` (an open gap included)."""

    kind: str
    name: str
    finding: Finding


class Made(NamedTuple):
    """An answer of a kind as a notebook."""

    kind: str
    name: str
    content: bytes


def notebooks(item: str) -> Iterator[Made]:
    """Every fresh answer to an item."""
    family = FAMILIES[item]
    draw = random.Random(item)
    for kind, forms in (("right", family.RIGHT), ("person", family.PERSON), ("wrong", family.WRONG)):
        for name, pieces in forms.items():
            yield Made(kind, name, json.dumps(notebook(pieces, draw)).encode())


@cache
def judged(item: str) -> tuple[Judged, ...]:
    """Every fresh answer to an item with what its check concludes."""
    return tuple(Judged(one.kind, one.name, decide(item, reading_of(one.content))[0]) for one in notebooks(item))
