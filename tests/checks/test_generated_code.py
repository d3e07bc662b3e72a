"""Every item that code answers, over families of generated notebooks: what is found right must be right (precision),
and what is right must be found so (recall); nothing that is right may be called wrong."""

import random
from collections import Counter

import pytest

from grader.checks.finding import Finding, Status
from tests.checks.making import decide
from tests.generated.judged import judged_cases, reading_of
from tests.generated.notebook_forms import RIGHT
from tests.generated.notebooks import Case, cases


@pytest.mark.parametrize("item", RIGHT)
def test_precision_and_recall(item: str) -> None:
    judged = judged_cases(item, random.Random(item), times=1)
    counts = Counter((case.kind, finding.status) for case, finding in judged)
    given = sum(number for (_, status), number in counts.items() if status is Status.CORRECT)
    right = sum(number for (kind, _), number in counts.items() if kind == "right")
    both = counts["right", Status.CORRECT]
    print(f"{item}: precision {both}/{given}, recall {both}/{right}")
    assert _wrong(judged) == []
    assert both == given == right


def _wrong(judged: list[tuple[Case, Finding]]) -> list[str]:
    """Right answers that were called wrong or missing."""
    bad = (Status.INCORRECT, Status.MISSING, Status.ERROR)
    return [case.name for case, finding in judged if case.kind == "right" and finding.status in bad]


@pytest.mark.parametrize("damage", ["cut", "torn", "doubled outputs", "huge output", "null bytes"])
def test_a_damaged_notebook_never_costs_a_right_answer(damage: str) -> None:
    draw = random.Random(damage)
    for item in RIGHT:
        case = next(case for case in cases(item, draw) if case.kind == "right")
        given = reading_of(_damaged(case.content, damage))
        finding, _ = decide(item, given)
        assert finding.status not in (Status.INCORRECT, Status.ERROR), (item, case.name)
        assert finding.status is not Status.MISSING or given.gaps, (item, case.name)


def _damaged(content: bytes, damage: str) -> bytes:
    middle = len(content) // 2
    return {
        "cut": content[:-20],
        "torn": content[:middle] + content[middle + 7 :],
        "doubled outputs": content.replace(b'"outputs": []', b'"outputs": [{}, [], null, {"text": 3}]'),
        "huge output": content.replace(
            b'"outputs": []', b'"outputs": [{"output_type": "stream", "text": "%s"}]' % (b"word " * 21_000), 1
        ),
        "null bytes": content.replace(b'"source": "', b'"source": "\\u0000', 1),
    }[damage]


@pytest.mark.slow
def test_every_form_in_many_layouts() -> None:
    for item in RIGHT:
        judged = judged_cases(item, random.Random(1), times=20)
        assert _wrong(judged) == []
        assert {case.kind for case, finding in judged if finding.status is Status.CORRECT} == {"right"}
