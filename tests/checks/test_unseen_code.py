"""Answers of several kinds of students, written before the checks were looked at: nothing is given or taken wrongly."""

import json
import random

import pytest

from grader.checks.finding import Finding, Status
from tests.checks.making import decide
from tests.generated.judged import reading_of
from tests.generated.notebooks import notebook
from tests.generated.unseen import ITEMS, concluded, figures
from tests.patience import within

LEFT = {("t8.prompt", "stringio")}
"""Right answers that may be left to a person."""


@pytest.mark.parametrize("series", ["", "_2"])
@pytest.mark.parametrize("item", ITEMS)
def test_unseen_answers(item: str, series: str) -> None:
    judged = concluded(item, series)
    found = figures(judged)
    print(f"{item}{series}: {found}")
    assert not found.given_wrongly
    assert not found.taken_wrongly
    assert not found.elsewhere
    right = {case.name: finding.status for case, finding in judged if case.labels == {Status.CORRECT}}
    assert {(item, name) for name, status in right.items() if status is not Status.CORRECT} <= LEFT


def finding_of(item: str, name: str, series: str = "") -> Finding:
    return next(finding for case, finding in concluded(item, series) if case.name == name)


def test_a_sum_of_typed_numbers_is_told_to_verify_nothing() -> None:
    finding = finding_of("t1.verified", "hand formula only")
    assert "nothing was computed" in finding.feedback


def test_a_configuration_that_is_replaced_is_named() -> None:
    finding = finding_of("t6.quantization", "changed later to 8 bit")
    assert [one.id for one in finding.diagnoses] == ["made-anew"]


def test_a_script_that_a_cell_writes_and_another_runs_was_run() -> None:
    assert finding_of("t2.prepared", "script written then run", "_2").status is Status.CORRECT
    assert finding_of("t2.prepared", "written file, never run", "_2").status is Status.REVIEW


@pytest.mark.parametrize(
    ("cells", "status", "told"),
    [
        ([("x = 3", "22829056\n")], Status.REVIEW, "may not have printed"),
        (
            [("n = sum(p.numel() for p in m.parameters())", ""), ("print('done')", "22829056\n")],
            Status.CORRECT,
            "may not have printed",
        ),
        ([("n = sum(p.numel() for p in m.parameters())\nn", "22829056\n")], Status.CORRECT, ""),
        ([("print(load('count.txt'))", "22829056\n")], Status.CORRECT, ""),
    ],
)
def test_a_count_under_code_that_cannot_have_printed_it_is_told(
    cells: list[tuple[str, str]], status: Status, told: str
) -> None:
    finding = decide("t1.verified", reading_of(json.dumps(notebook(cells, random.Random(1))).encode()))[0]
    assert finding.status is status
    assert told in finding.note if told else not finding.note


def test_many_numbers_are_read_in_little_time() -> None:
    line = "2023-11-17 | INFO | train_inner | epoch 001: 12 / 225 loss=0.990, accuracy=61.5, lr=8.5e-06, wps=9000\n"
    given = reading_of(json.dumps(notebook([("print(n)", line * 4_000 + "22829056\n")], random.Random(2))).encode())
    with within(1):
        assert decide("t1.verified", given)[0].status is Status.CORRECT
