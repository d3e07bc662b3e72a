"""Logs of another training in the same notebook are none of the lab's."""

import pytest

from grader.claims.answer import Answer, extract
from grader.reading.log import Log, Reading, Run, Series, Subset
from grader.reading.notebook import Cell, CellKind, Notebook
from grader.reading.runs import runs_of
from tests.claims.making import lab

FILE = "report.ipynb"


def run(values: tuple[float, ...], cell: int) -> tuple[Run, ...]:
    steps = tuple(225 * n for n in range(1, len(values) + 1))
    lines = tuple(range(1, len(values) + 1))
    valid = Series(tag="eval/accuracy", subset=Subset.VALID, steps=steps, values=values, lines=lines, cell=cell)
    return tuple(runs_of([Log(file=FILE, name="hf/1", seed=1, series=(valid,))]))


def answer(values: tuple[float, ...], text: str) -> Answer:
    cells = (
        Cell(index=1, kind=CellKind.MARKDOWN, source=text),
        Cell(index=2, kind=CellKind.CODE, source="trainer.train()", output="done", execution_count=1),
    )
    notebook = Notebook(file=FILE, cells=cells)
    return extract(Reading(notebooks=(notebook,), runs=run(values, 2)), lab())


@pytest.mark.parametrize(
    ("values", "is_own"),
    [
        ((0.81, 0.835, 0.83), True),
        ((0.9109, 0.9313, 0.9297), False),
        ((0.9109,), True),
        ((0.81, 0.835, 0.9297), True),
        ((0.81, 0.8347, 0.9297), False),
    ],
)
def test_a_run_with_impossible_accuracies_trained_on_something_else(values: tuple[float, ...], *, is_own: bool) -> None:
    assert bool(answer(values, "Nothing is said of results.").runs) is is_own


def test_a_run_that_the_text_reports_is_the_lab_s_whatever_its_data() -> None:
    text = "## Task 5\n\nHugging Face, validation accuracy:\n\n- seed 1: 93.13 %\n- seed 2: 92.5 %\n- seed 3: 93 %"
    assert answer((0.9109, 0.9313, 0.9297), text).runs
