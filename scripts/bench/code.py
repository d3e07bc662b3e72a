"""Code: precision and recall of the items that it answers, and the time for a hand-in with large notebooks."""

import json
import random
from collections.abc import Iterator

from grader.checks.finding import Status
from grader.claims.answer import Answer
from grader.claims.code import notebook_code
from grader.reading.notebook import Notebook
from scripts.bench.figure import Figure, median_seconds
from tests.checks.making import decide
from tests.generated.judged import answered, judged_cases, notebook_in
from tests.generated.notebook_forms import RIGHT
from tests.generated.notebooks import cases, notebook

TIMES = 10
NOTEBOOKS = 5
SIZE = 1_000_000


def figures() -> Iterator[Figure]:
    """Precision and recall for each item, and seconds for five notebooks of a megabyte."""
    for item in RIGHT:
        judged = judged_cases(item, random.Random(item), TIMES)  # noqa: S311 not for secrets
        given = [case for case, finding in judged if finding.status is Status.CORRECT]
        right = [case for case, _ in judged if case.kind == "right"]
        both = sum(case.kind == "right" for case in given)
        yield Figure(f"{item}: precision, of {len(given)} given points", both / len(given), "", 1.0, at_least=True)
        yield Figure(f"{item}: recall, of {len(right)} right answers", both / len(right), "", 1.0, at_least=True)
    contents = [_large(seed) for seed in range(NOTEBOOKS)]
    notebooks = [notebook_in(content) for content in contents]
    answer = answered(*notebooks)
    yield Figure(
        "five notebooks of 1 MB: what their code does", median_seconds(lambda: _claims(notebooks), 3), "s", 0.5
    )
    yield Figure("five notebooks of 1 MB: the items of code", median_seconds(lambda: _decided(answer), 3), "s", 0.5)


def _claims(notebooks: list[Notebook]) -> int:
    return sum(len(list(notebook_code(one))) for one in notebooks)


def _decided(given: Answer) -> list[Status]:
    return [decide(item, given)[0].status for item in RIGHT]


def _large(seed: int) -> bytes:
    """A notebook of about a megabyte: every right form once, and training logs."""
    draw = random.Random(seed)  # noqa: S311 not for secrets
    sources = [
        cell["source"]
        for item in RIGHT
        for case in cases(item, draw, 1)
        if case.kind == "right" and "cells" in case.notebook
        for cell in case.notebook["cells"]
        if cell["cell_type"] == "code"
    ]
    texts = [source if isinstance(source, str) else "".join(source) for source in sources]
    line = "2023-11-17 17:02:45 | INFO | train_inner | epoch 001: 225 / 225 loss=0.98, accuracy=61.5, lr=8.5e-06\n"
    output = line * (SIZE // len(line) // len(texts))
    return json.dumps(notebook([(text, output) for text in texts], draw)).encode()
