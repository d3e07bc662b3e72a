"""Code: precision and recall of the items that it answers."""

import random
from collections.abc import Iterator

from grader.checks.finding import Status
from scripts.bench.figure import Figure
from tests.generated.judged import judged_cases
from tests.generated.notebook_forms import RIGHT

TIMES = 10


def figures() -> Iterator[Figure]:
    """Precision and recall for each item."""
    for item in RIGHT:
        judged = judged_cases(item, random.Random(item), TIMES)  # noqa: S311 not for secrets
        given = [case for case, finding in judged if finding.status is Status.CORRECT]
        right = [case for case, _ in judged if case.kind == "right"]
        both = sum(case.kind == "right" for case in given)
        yield Figure(f"{item}: precision, of {len(given)} given points", both / len(given), "", 1.0, at_least=True)
        yield Figure(f"{item}: recall, of {len(right)} right answers", both / len(right), "", 1.0, at_least=True)
