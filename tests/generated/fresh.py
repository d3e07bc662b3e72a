"""Freshly shaped answers, judged as the pipeline does it."""

import json
import random
from collections.abc import Iterator
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


def judged(item: str) -> Iterator[Judged]:
    """Every fresh answer to an item with what its check concludes."""
    family = FAMILIES[item]
    draw = random.Random(item)
    for kind, forms in (("right", family.RIGHT), ("person", family.PERSON), ("wrong", family.WRONG)):
        for name, pieces in forms.items():
            content = json.dumps(notebook(pieces, draw)).encode()
            yield Judged(kind, name, decide(item, reading_of(content))[0])
