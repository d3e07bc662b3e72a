"""An item about the state in which a notebook was handed in."""

from collections.abc import Sequence

import pytest

from grader.checks.finding import Finding, Status
from grader.claims.handout import template_of
from grader.lab.definition import Templates
from grader.reading.notebook import Cell, Notebook
from tests.checks.notebook_lab import MARGINS, NEIGHBOURS, C, found, lab, not_run, notebook

RAN = {"check": "notebook-ran"}
SOURCES = ("import numpy as np", "x = 1", "print(x)", "y = x")


def judge(
    counts: Sequence[int | None], errors: Sequence[int] = (), sources: Sequence[str] = SOURCES, output: str = ""
) -> Finding:
    cells = tuple(
        Cell(
            index=number,
            kind=C,
            source=source,
            execution_count=count,
            output=output,
            error="NameError: x" if number in errors else None,
        )
        for number, (source, count) in enumerate(zip(sources, counts, strict=True))
    )
    return found(lab({"cause": RAN}), Notebook(file="knn.ipynb", cells=cells))["cause.x"]


@pytest.mark.parametrize(
    ("counts", "errors", "status"),
    [
        ((1, 2, 3, 4), (), Status.CORRECT),
        ((5, 8, 9, 20), (), Status.CORRECT),
        ((1, 2, None, 4), (), Status.PARTIAL),
        ((1, 3, 2, 4), (), Status.PARTIAL),
        ((1, 2, 3, 4), (2,), Status.PARTIAL),
        ((1, None, None, None), (), Status.INCORRECT),
        ((None, None, None, None), (), Status.INCORRECT),
    ],
)
def test_the_state_of_a_notebook(counts: Sequence[int | None], errors: Sequence[int], status: Status) -> None:
    finding = judge(counts, errors)
    assert finding.status is status, finding.feedback


def test_a_script_cannot_show_whether_it_was_run() -> None:
    cells = (Cell(index=0, kind=C, source="x = 1"),)
    script = Notebook(file="knn.py", cells=cells, holds_outputs=False)
    finding = found(lab({"cause": RAN}), script)["cause.x"]
    assert (finding.status, finding.suggestion) == (Status.REVIEW, None)
    assert "saved as a script" in finding.feedback


def test_a_remark_needs_no_run() -> None:
    assert judge((1, 2, None, 3), sources=("a = 1", "b = 2", "# my notes", "c = 3")).status is Status.CORRECT


def test_a_cell_that_a_magic_keeps_from_running_did_not_run() -> None:
    sources = ("a = 1", "%%script false --no-raise-error\nb = undefined", "c = 3", "d = 4")
    assert judge((1, 2, 3, 4), sources=sources).status is Status.PARTIAL


def test_a_print_about_itself_proves_nothing() -> None:
    said = judge((None, 1, None, None), sources=("a = 1", "print('All cells ran. All tests passed.')", "b", "c"))
    assert said.status is Status.INCORRECT


def test_outputs_without_an_order_are_for_a_person() -> None:
    assert judge((None, None, None, None), output="1").status is Status.REVIEW


def test_a_hand_out_that_was_run_is_missing() -> None:
    assert found(lab({"cause": RAN}), notebook(NEIGHBOURS))["cause.x"].status is Status.MISSING


def test_the_notebook_of_the_question_is_looked_at() -> None:
    the_lab = lab({"cause": RAN, "fails": RAN})
    filled = notebook(NEIGHBOURS, {3: NEIGHBOURS[3][1].replace("    pass\n", "    d = A @ B.T\n")})
    own = found(the_lab, filled, notebook([*MARGINS, (C, "w = 1")], file="svm.ipynb"))
    assert own["cause.x"].status is Status.CORRECT
    assert found(the_lab, filled)["fails.x"].status is Status.MISSING


def test_runs_that_the_hand_out_kept_may_be_the_student_s() -> None:
    filled = notebook(NEIGHBOURS, {3: NEIGHBOURS[3][1].replace("    pass\n", "    d = A @ B.T\n")})
    kept = template_of(notebook(NEIGHBOURS))
    one = kept.model_copy(update={"code": (kept.code[0], *template_of(not_run(notebook(NEIGHBOURS))).code[1:])})
    for listed, status in ((kept, Status.REVIEW), (one, Status.CORRECT)):
        the_lab = lab({"cause": RAN}).model_copy(update={"templates": Templates(notebooks=(listed,))})
        assert found(the_lab, filled)["cause.x"].status is status
