"""Which experiment a logged run is of, and on what its accuracies were measured."""

from collections.abc import Sequence

import pytest

from grader.claims.handout import own_logs, template_of
from grader.claims.logged import LoggedRun, logged_runs, with_logged_experiments
from grader.claims.results.claimed import ResultClaims, result_claims
from grader.claims.sections import sections
from grader.lab.definition import Templates
from grader.reading.document import Evidence
from grader.reading.log import Log, Run, RunFact, Series, Setting, Start, Subset
from grader.reading.notebook import Cell, CellKind, Notebook
from tests.claims.making import document, lab

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


def curve(subset: Subset, *values: float, tag: str = "accuracy", file: str = "f") -> Log:
    return Log(file=file, name=file, series=(series(tag, *values, subset=subset),))


def points(found: LoggedRun) -> tuple[list[float], list[float]]:
    return [one.value for one in found.selecting], [one.value for one in found.reported]


@pytest.mark.parametrize(
    ("values", "moved"),
    [
        ((79.3, 78.55, 80.15), True),
        ((79.3, 78.55), False),
        ((81.0, 80.5, 83.5), False),
        ((79.33, 78.55, 80.15), False),
        ((81.0, 80.5, 79.05), True),
        ((81.009, 80.5, 83.5), False),
    ],
)
def test_values_that_only_the_test_set_has_are_of_it(values: tuple[float, ...], moved: bool) -> None:
    """Of 200 examples all accuracies are multiples of 0.5 %, of 2,000 ones of 0.05 %."""
    wanted = ([], [*values]) if moved else ([*values], [])
    assert points(logged("r", curve(Subset.VALID, *values))) == wanted


def test_values_of_validation_stay_where_the_test_set_has_its_own() -> None:
    found = logged("r", curve(Subset.VALID, 79.3, 78.55, 80.15), curve(Subset.TEST, 79.0))
    assert points(found) == ([79.3, 78.55, 80.15], [79.0])


@pytest.mark.parametrize(("again", "kept"), [(64.009, 64.0), (64.02, 64.02), (63.991, 64.0), (63.98, 63.98)])
def test_another_value_of_a_step_counts_where_it_is_more_than_rounded(again: float, kept: float) -> None:
    found = logged("r", curve(Subset.VALID, 64.0), curve(Subset.VALID, again, file="g"))
    assert points(found) == ([kept], [])


@pytest.mark.parametrize(
    ("values", "kept"),
    [((0.8, 1.0), [80.0, 100.0]), ((0.8, 1.5), [0.8, 1.5]), ((1.0,), [100.0]), ((float("nan"), 0.5), [50.0])],
)
def test_fractions_are_told_by_a_whole_series(values: tuple[float, ...], kept: list[float]) -> None:
    assert points(logged("r", curve(Subset.VALID, *values)))[0] == kept


def test_the_best_value_is_the_highest_or_of_some_measures_the_lowest() -> None:
    run = logged("r", curve(Subset.VALID, 64.0, 81.5, 81.0), curve(Subset.TEST, 60.0, 79.3, 79.9))
    assert [one.value for one in run.at_best] == [79.3]
    assert [one.value for one in run.model_copy(update={"is_lower_better": True}).at_best] == [60.0]
    assert [one.value for one in run.model_copy(update={"is_selected": False}).at_best] == [79.9]
    assert (run.best([], default=1.5), run.best([2.0, 3.0])) == (1.5, 3.0)


SHOWN = ("Test accuracy: seed 1 79.3, seed 2 78.55.", "On test the mean is 78.93.", "On test the mean is 66.1.")


def placed(*runs: LoggedRun, said: Sequence[str] = SHOWN) -> list[str]:
    """Of which experiment the values and averages are that a notebook shows, which names none."""
    texts = (document(f"# Results\n\n{text}", "nb.ipynb") for text in said)
    found = [result_claims(sections(one, lab()), lab()) for one in texts]
    shown = ResultClaims(seeds=found[0].seeds, summaries=(*found[1].summaries, *found[2].summaries))
    told = with_logged_experiments(shown, runs)
    return [str(one.experiment) for one in (*told.seeds, *told.summaries)]


def test_values_shown_are_of_the_only_experiment_in_the_logs_of_their_notebook() -> None:
    run = logged("random_1", curve(Subset.TEST, 50.0, file="nb.ipynb"))
    other = logged("pretrained_1", curve(Subset.TEST, 79.3, 78.55))
    assert placed(run, other) == ["random", "random", "random", "None"]


def test_values_shown_are_of_the_only_experiment_whose_logs_hold_them_all() -> None:
    one, other = logged("pretrained_1", curve(Subset.TEST, 79.3)), logged("pretrained_2", curve(Subset.TEST, 78.55))
    rest = logged("random_1", curve(Subset.TEST, 79.3, 65.0))
    assert placed(one, other, rest) == ["pretrained", "pretrained", "pretrained", "None"]
    assert placed(one, rest) == ["None"] * 4
    both = logged("random_1", curve(Subset.TEST, 79.3, 78.55))
    assert placed(one, other, both) == ["None"] * 4
    near = logged("pretrained_2", curve(Subset.TEST, 78.559))
    far = logged("pretrained_2", curve(Subset.TEST, 78.57))
    assert placed(one, near)[:2] == ["pretrained", "pretrained"]
    assert placed(one, far)[:2] == ["None", "None"]


def test_an_average_of_another_split_is_not_of_the_values_shown() -> None:
    run = logged("random_1", curve(Subset.TEST, 50.0, file="nb.ipynb"))
    said = (SHOWN[0], "On validation the mean is 78.93.", "On test the mean is 78.93.")
    assert placed(run, said=said) == ["random", "random", "None", "random"]


def test_logs_of_the_handouts_outputs_are_nobodys() -> None:
    cells = tuple(Cell(index=at, kind=CellKind.CODE, source="train()", output=out) for at, out in enumerate(("", "x")))
    kept = [Notebook(file="nb.ipynb", cells=cells)]
    given = Templates(notebooks=(template_of(kept[0]),))

    def run(*places: int | None) -> Run:
        lines = tuple(series("accuracy", 64.0).model_copy(update={"cell": place}) for place in places)
        return Run(name="r", logs=(Log(file="nb.ipynb", name="r", series=lines),))

    silent, own, both, nowhere = run(0), run(1), run(0, 1), run(None)
    assert own_logs([silent, own, both, nowhere], kept, given) == (own, both, nowhere)
    assert own_logs([silent], kept, Templates()) == (silent,)
