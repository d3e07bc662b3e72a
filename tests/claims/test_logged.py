import pytest

from grader.claims.logged import LoggedRun, logged_runs
from grader.reading.document import Evidence
from grader.reading.log import Log, Series, Setting, Subset
from grader.reading.runs import runs_of
from tests.claims.making import lab


def log(name: str, subset: Subset, values: tuple[float, ...], seed: int | None = 1, tag: str = "accuracy") -> Log:
    steps = tuple(225 * n for n in range(1, len(values) + 1))
    series = tuple(Series(tag=one, subset=subset, steps=steps, values=values) for one in (tag, "loss"))
    return Log(file=f"{name}/{subset}", name=name, seed=seed, series=series)


def one(*logs: Log) -> LoggedRun:
    (read,) = logged_runs(runs_of(logs), lab())
    return read


def test_the_logs_of_one_run_are_put_together() -> None:
    name = "roberta_pretrained/seed_1"
    read = one(log(name, Subset.VALID, (64.0, 81.5, 81.0)), log(name, Subset.TEST, (67.7, 79.3, 79.9)))
    assert (read.experiment, read.seed) == ("pretrained", 1)
    assert [(p.step, p.value) for p in read.at_best] == [(450, 79.3)]
    assert (read.at_best[0].evidence.tag, read.at_best[0].evidence.step) == ("accuracy", 450)


def test_ties_of_the_best_validation_keep_every_epoch() -> None:
    read = one(log("random/1", Subset.VALID, (62.0, 65.0, 65.0)), log("random/1", Subset.TEST, (60.0, 66.7, 68.1)))
    assert [p.value for p in read.at_best] == [66.7, 68.1]


def test_fractions_become_percentages() -> None:
    read = one(log("hf/1", Subset.VALID, (0.81, 0.835), tag="eval/accuracy"))
    assert read.experiment == "huggingface"
    assert [p.value for p in read.selecting] == [81.0, 83.5]


@pytest.mark.parametrize("name", ["run_1", "experiment", "random_vs_pretrained"])
def test_a_name_that_does_not_tell_leaves_the_experiment_open(name: str) -> None:
    assert one(log(name, Subset.VALID, (64.0,))).experiment is None


def test_contradicting_seeds_leave_the_seed_open() -> None:
    runs = log("random", Subset.VALID, (64.0,), seed=1), log("random", Subset.TEST, (64.0,), seed=2)
    assert one(*runs).seed is None


def test_a_run_without_validation_has_no_best_point() -> None:
    assert one(log("random", Subset.TEST, (64.0,))).at_best == ()


def test_other_series_make_no_run() -> None:
    others = log("random", Subset.TRAIN, (64.0,)), log("x", Subset.VALID, (1.0,), tag="ppl")
    assert logged_runs(runs_of(others), lab()) == ()


def test_values_that_are_no_numbers_do_not_fail() -> None:
    read = one(log("random", Subset.VALID, (float("nan"), 64.0)), log("random", Subset.TEST, (60.0, 66.0)))
    assert [p.value for p in read.at_best] == [66.0]


def subsets(second: tuple[float, ...]) -> LoggedRun:
    """A run that fairseq evaluated on `valid` and `valid1`."""
    values = ((61.5, 69.0, 78.5), second)
    series = tuple(
        Series(tag="accuracy", subset=Subset.VALID, steps=(225, 450, 675), values=own, cell=3) for own in values
    )
    return one(Log(file="lab.ipynb", name="pretrained_1 cell 3", series=series))


def test_a_second_validation_subset_is_the_test_set_where_only_that_has_such_values() -> None:
    read = subsets((65.2, 73.3, 77.8))
    assert [p.value for p in read.selecting] == [61.5, 69.0, 78.5]
    assert [p.value for p in read.reported] == [65.2, 73.3, 77.8]
    doubtful = subsets((65.0, 73.5, 77.5))
    assert [p.value for p in doubtful.selecting] == [61.5, 69.0, 78.5]
    assert doubtful.reported == ()


@pytest.mark.parametrize(("folder", "seed"), [("hf/graine3", 3), ("hf/out", None), ("hf/essai 2", 2)])
def test_a_folder_may_name_the_repetition_in_the_words_of_the_lab(folder: str, seed: int | None) -> None:
    assert one(log(folder, Subset.VALID, (64.0,), seed=None)).seed == seed


@pytest.mark.parametrize(("courses", "found"), [((70.0, 71.5, 78.0), [77.5]), ((70.0, 78.0, 71.5), [])])
def test_a_test_after_training_is_of_the_best_weights_where_these_are_the_last(
    courses: tuple[float, ...], found: list[float]
) -> None:
    """As Lightning's `test()` logs it, which may have loaded the best weights or not."""
    trained = log("pretrained_seed1/valid", Subset.VALID, courses)
    tested = Series(tag="accuracy", subset=Subset.TEST, steps=(676,), values=(77.5,))
    run = one(trained, trained.model_copy(update={"series": (tested,)}))
    assert [point.value for point in run.at_best] == found


def test_the_file_of_a_later_evaluation_is_not_the_one_that_training_evaluated() -> None:
    trained = log("pretrained_seed1", Subset.VALID, (70.0, 71.5, 78.0), tag="eval/accuracy")
    tested = Series(tag="eval/accuracy", subset=Subset.VALID, steps=(675,), values=(77.55,))
    place = Evidence(file="lab.ipynb", quote="--validation_file test.json")
    settings = (Setting(name="validation_file", value="test.json", evidence=place),)
    run = one(trained, trained.model_copy(update={"series": (tested,), "settings": settings}))
    assert [point.value for point in run.selecting] == [70.0, 71.5, 78.0]
    assert [point.value for point in run.reported] == [77.55]
