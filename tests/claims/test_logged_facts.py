"""Which experiment a logged run is of, and on what its accuracies were measured."""

import pytest

from grader.claims.logged import LoggedRun, logged_runs
from grader.reading.document import Evidence
from grader.reading.log import Log, Run, RunFact, Series, Setting, Start, Subset
from tests.claims.making import lab

HERE = Evidence(file="f", quote="q")


def settings(**told: str) -> tuple[Setting, ...]:
    return tuple(Setting(name=name, value=value, evidence=HERE) for name, value in told.items())


def series(tag: str = "accuracy", *values: float, subset: Subset = Subset.VALID) -> Series:
    return Series(tag=tag, subset=subset, steps=tuple(range(1, len(values) + 1)), values=values)


def logged(
    name: str = "x",
    *logs: Log,
    framework: str | None = None,
    start: Start | None = None,
    unclear: tuple[str, ...] = (),
    cell: int | None = None,
) -> LoggedRun:
    known = [RunFact(value=what, evidence=HERE) if what else None for what in (framework, start)]
    line = series("accuracy", 64.0).model_copy(update={"cell": cell, "lines": (3,)})
    given = logs or (Log(file="nb.ipynb", name=name, series=(line,)),)
    (found,) = logged_runs([Run(name=name, logs=given, framework=known[0], start=known[1], unclear=unclear)], lab())
    return found


@pytest.mark.parametrize(
    ("framework", "start", "name", "experiment"),
    [
        ("fairseq", Start.PRETRAINED, "run_1", "pretrained"),
        ("fairseq", Start.RANDOM, "run_1", "random"),
        ("trainer", Start.PRETRAINED, "run_1", "huggingface"),
        ("trainer", None, "run_1", "huggingface"),
        ("trainer", Start.PRETRAINED, "hf_pretrained", "huggingface"),
        ("trainer", Start.RANDOM, "hf_1", None),
        ("fairseq", None, "run_1", None),
        ("fairseq", None, "scratch_1", "random"),
        ("fairseq", Start.RANDOM, "random_vs_pretrained", "random"),
        ("fairseq", Start.PRETRAINED, "hf_1", None),
        (None, None, "random_1", "random"),
        (None, Start.RANDOM, "run_1", None),
    ],
)
def test_the_experiment(framework: str | None, start: Start | None, name: str, experiment: str | None) -> None:
    assert logged(name, framework=framework, start=start).experiment == experiment


def test_what_is_not_clear_is_not_decided_by_the_name() -> None:
    assert logged("random_1", framework="fairseq", unclear=("start",)).experiment is None


def test_a_notebook_does_not_name_its_runs() -> None:
    assert logged("nb.ipynb random cell 3", cell=3).experiment == "random"
    found = Log(
        file="random.ipynb",
        name="random.ipynb cell 3",
        series=(series("accuracy", 64.0).model_copy(update={"cell": 3}),),
    )
    assert logged("random.ipynb cell 3", found).experiment is None


@pytest.mark.parametrize(
    ("told", "subset"),
    [
        ({}, Subset.VALID),
        ({"eval_samples": "200"}, Subset.VALID),
        ({"eval_samples": "2000"}, Subset.TEST),
        ({"eval_samples": "777"}, Subset.VALID),
        ({"validation_file": "data/cls.books-json/test.json"}, Subset.TEST),
        ({"validation_file": "data/test/valid.json"}, Subset.VALID),
        ({"validation_file": "data/test.json", "eval_samples": "2000"}, Subset.TEST),
    ],
)
def test_what_the_trainer_evaluated(told: dict[str, str], subset: Subset) -> None:
    log = Log(file="f", name="hf", series=(series("eval/accuracy", 0.64),), settings=settings(**told))
    found = logged("hf", log)
    assert [len(found.selecting), len(found.reported)] == [int(subset is Subset.VALID), int(subset is Subset.TEST)]


def test_a_file_that_contradicts_its_number_of_examples_is_of_no_subset() -> None:
    log = Log(
        file="f",
        name="hf",
        series=(series("eval/accuracy", 0.64), series("accuracy", 64.0, subset=Subset.TEST)),
        settings=settings(validation_file="valid.json", eval_samples="2000"),
    )
    assert logged("hf", log).selecting == ()


def test_the_validation_of_one_log_meets_the_test_of_another() -> None:
    during = Log(
        file="a", name="hf", series=(series("eval/accuracy", 0.6, 0.8),), settings=settings(eval_samples="200")
    )
    late = Series(tag="eval/accuracy", subset=Subset.VALID, steps=(2,), values=(0.7915,), lines=(9,), cell=4)
    after = Log(file="b", name="hf", series=(late,), settings=settings(eval_samples="2000"))
    (point,) = logged("hf", during, after).at_best
    assert (point.value, point.evidence.line, point.evidence.cell) == (79.15, 9, 4)


def test_a_step_that_is_logged_twice_counts_once() -> None:
    texts = Log(file="a", name="r", series=(series("accuracy", 64.0, 81.5),))
    events = Log(file="b", name="r", series=(series("accuracy", 64.000003, 70.0),))
    found = logged("r", texts, events).selecting
    assert [(point.value, point.evidence.file) for point in found] == [(64.0, "a"), (70.0, "b")]
