"""Short reports to labs of other measures: what is decided is what a marker accepts."""

from functools import cache
from typing import Final

import pytest

from grader.checks.finding import UNDECIDED, Findings
from grader.checks.runner import run_checks
from grader.lab.definition import Lab
from grader.lab.files import load_truth
from tests.checks.edge_measures import MEASURED, Measured
from tests.checks.making import answer
from tests.checks.test_measured_labs import LABS, lab_of

_WORDS: Final = {"c": "correct", "p": "partial", "i": "incorrect", "m": "missing"}


def _lab(made: Measured) -> Lab:
    data = lab_of(made.lab).model_dump(exclude_unset=True)
    for question in data["questions"]:
        for item in question["items"]:
            item["options"] = {**item["options"], **made.options.get(item["id"], {})}
    return Lab.model_validate(data) if made.options else lab_of(made.lab)


@cache
def concluded(name: str) -> Findings:
    """What the checks conclude of a report."""
    made = MEASURED[name]
    lab = _lab(made)
    return run_checks(answer(made.text, the_lab=lab), load_truth(LABS / made.lab), lab)


@pytest.mark.parametrize("name", MEASURED)
def test_what_is_decided_is_what_a_marker_accepts(name: str) -> None:
    accepted = {item: {_WORDS[one] for one in how} for item, how in MEASURED[name].accepted.items()}
    found = {one.item: one.status for one in concluded(name).findings}
    wrong = {item: found[item].value for item, how in accepted.items() if found[item] not in (*UNDECIDED, *how)}
    assert wrong == {}
