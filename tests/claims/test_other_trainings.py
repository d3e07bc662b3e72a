"""Logs of another training in the same notebook are none of the lab's."""

import pytest

from grader.claims.answer import Answer, extract
from grader.reading.log import Log, Run, Series, Subset
from grader.reading.notebook import Cell, CellKind, Notebook
from grader.reading.reading import Reading
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


RIGHT = (529, 415, 481, 592, 676, 668, 656, 713, 720, 745, 701, 733, 751, 760)


def loop(values: tuple[float, ...], code: str = "fit(model)") -> Answer:
    """A notebook whose own loop printed accuracies, as a program that nobody knows does."""
    series = run(values, 2)[0].logs[0].series[0].model_copy(update={"tag": "valid/accuracy"})
    printed = "\n".join(f"Validation accuracy: {value:.2f} %" for value in values)
    cells = (Cell(index=2, kind=CellKind.CODE, source=code, output=printed, execution_count=1),)
    runs = tuple(runs_of([Log(file=FILE, name="loop", series=(series,))]))
    return extract(Reading(notebooks=(Notebook(file=FILE, cells=cells),), runs=runs), lab())


def test_accuracies_that_are_all_shares_of_another_number_of_examples_were_measured_on_other_data() -> None:
    other = loop(
        tuple(
            round(100 * right / 864, 2)
            for right in (529, 415, 481, 592, 676, 668, 656, 713, 720, 745, 701, 733, 751, 760)
        )
    )
    assert (FILE, 2) in other.other_trainings
    assert not other.results.loose
    batches = loop((61.31, 48.07, 55.69, 68.44, 78.12, 77.47, 75.93, 82.64, 83.38, 86.21, 81.03, 84.82, 86.94, 87.97))
    assert (FILE, 2) not in batches.other_trainings, "means over batches may be of the lab's data"


def test_a_report_by_class_tells_how_many_examples_it_is_of() -> None:
    def of(examples: int) -> bool:
        printed = (
            "              precision    recall  f1-score   support\n\n"
            f"    negative       0.80      0.79      0.79      {examples // 2:4}\n"
            f"    positive       0.79      0.80      0.79      {examples // 2:4}\n\n"
            f"    accuracy                           0.79      {examples:4}\n"
        )
        cells = (
            Cell(index=0, kind=CellKind.MARKDOWN, source="# Task 5\n\nOn the test set with Hugging Face:"),
            Cell(index=1, kind=CellKind.CODE, source="print(report)", output=printed, execution_count=1),
        )
        found = extract(Reading(notebooks=(Notebook(file=FILE, cells=cells),)), lab()).results
        return bool(found.loose or found.seeds or found.summaries)

    assert of(2000)
    assert not of(60)
