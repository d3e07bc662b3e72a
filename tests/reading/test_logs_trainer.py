"""What the Trainer prints comes back, run by run, and what its last evaluation was of."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.reading.log import Log, Series, Subset
from grader.reading.logs.text import logs_in_text
from tests.reading.making_logs import Script, trainer_run
from tests.reading.test_logs_fairseq import told

FRACTIONS = st.lists(st.integers(100, 180).map(lambda count: count / 200), min_size=5, max_size=5)


def series(logs: tuple[Log, ...] | list[Log], tag: str) -> list[Series]:
    return [one for log in logs for one in log.series if one.tag == tag]


def points(logs: tuple[Log, ...], tag: str) -> list[tuple[Subset | None, tuple[int, ...], tuple[float, ...]]]:
    return [(one.subset, one.steps, one.values) for one in series(logs, tag)]


@given(runs=st.lists(FRACTIONS, min_size=1, max_size=3), quoted=st.booleans())
@settings(deadline=None, max_examples=50)
def test_every_value_comes_back(runs: list[list[float]], quoted: bool) -> None:
    lines: list[str] = []
    scripts = []
    for seed, accuracies in enumerate(runs):
        script = Script(list(lines))
        best = accuracies.index(max(accuracies)) + 1
        trainer_run(script, accuracies, seed=seed, best=best, quoted=quoted)
        lines = script.lines
        scripts.append(script)
    logs = logs_in_text(lines, "f", "f")
    assert len(logs) == len(runs)
    for seed, (log, script) in enumerate(zip(logs, scripts, strict=True)):
        for name, tag in (("eval_accuracy", "eval/accuracy"), ("eval_loss", "eval/loss"), ("loss", "train/loss")):
            (found,) = series([log], tag)
            meant = {step: at for (one, _, step), at in script.points.items() if one == name}
            assert dict(zip(found.steps, zip(found.values, found.lines, strict=True), strict=True)) == meant
        assert (told(log)["seed"], told(log)["eval_samples"], log.name) == (str(seed), "200", _title(seed, len(runs)))
        assert told(log)["lr_scheduler_type"] == "SchedulerType.LINEAR"


def _title(seed: int, runs: int) -> str:
    return f"out_{seed} part {seed + 1}" if runs > 1 else f"out_{seed}"


def test_a_test_set_evaluated_at_the_end_is_of_the_best_checkpoint() -> None:
    script = Script()
    trainer_run(script, [0.7, 0.8, 0.75, 0.79, 0.785], seed=1, best=2)
    script.say("***** Running Evaluation *****", "  Num examples = 2000", "  Batch size = 8")
    script.say("{'eval_loss': 0.5012, 'eval_accuracy': 0.7915, 'eval_runtime': 5.1, 'epoch': 5.0}")
    logs = logs_in_text(script.lines, "f", "f")
    assert [told(log)["eval_samples"] for log in logs] == ["200", "2000"]
    assert points(logs, "eval/accuracy")[1][1:] == ((450,), (0.7915,))
    assert len({log.name for log in logs}) == 1


def test_the_examples_of_an_evaluation_by_its_time_and_speed() -> None:
    speed = "'eval_runtime': 5.0312, 'eval_samples_per_second': 397.52"
    (log,) = logs_in_text([f"{{'eval_loss': 0.5, 'eval_accuracy': 0.8, {speed}, 'epoch': 1.0}}"], "f", "f")
    assert told(log)["eval_samples"] == "2000"


def test_a_later_evaluation_of_unknown_data_has_no_subset() -> None:
    lines = [
        "{'eval_loss': 0.6, 'eval_accuracy': 0.8, 'epoch': 1.0}",
        "{'train_runtime': 86.2, 'train_loss': 0.5, 'epoch': 1.0}",
        "{'eval_loss': 0.61, 'eval_accuracy': 0.7915, 'epoch': 1.0}",
    ]
    logs = logs_in_text(lines, "f", "f")
    assert points(logs, "eval/accuracy") == [(Subset.VALID, (1,), (0.8,)), (None, (1,), (0.7915,))]


def test_a_prediction_is_of_the_test_set() -> None:
    lines = ["***** test metrics *****", "  test_accuracy           =     0.7945", "  test_loss = 0.45", ""]
    assert points(logs_in_text(lines, "f", "f"), "test/accuracy") == [(Subset.TEST, (0,), (0.7945,))]


def test_evaluations_of_several_processes_are_several_logs() -> None:
    one = ["***** Running Evaluation *****", "  Num examples = 2000", "***** eval metrics *****"]
    lines = [
        line for value in (0.79, 0.80, 0.79) for line in (*one, f"  eval_accuracy = {value}", "  eval_samples = 2000")
    ]
    logs = logs_in_text(lines, "f", "f")
    assert [values for _, _, values in points(logs, "eval/accuracy")] == [(0.79,), (0.8,), (0.79,)]


def test_steps_of_logs_between_epochs() -> None:
    opening = ["***** Running training *****", "  Num examples = 1,800", "  Instantaneous batch size per device = 8"]
    lines = [*opening, "{'loss': 0.6, 'learning_rate': 9e-06, 'epoch': 1.11}", "{'loss': 0.5, 'epoch': 2.22}"]
    assert points(logs_in_text(lines, "f", "f"), "train/loss")[0][1] == (250, 500)


TABLE = """[1125/1125 03:20, Epoch 5/5]
Epoch\tTraining Loss\tValidation Loss\tAccuracy
1\tNo log\t0.6312\t0.640000
2\t0.612300\t0.5511\t0.735000
"""


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        TABLE.replace("\t", "  "),
        TABLE.replace("\t", " "),
        TABLE.replace("Epoch\t", "| Epoch\t").replace("\n1\t", "\n|---|---|---|---|\n| 1\t").replace("\t", " | "),
    ],
)
def test_the_progress_table_of_a_notebook(text: str) -> None:
    logs = logs_in_text(text.split("\n"), "f", "f", 2)
    assert points(logs, "eval/accuracy") == [(Subset.VALID, (225, 450), (0.64, 0.735))]
    assert points(logs, "train/loss") == [(Subset.TRAIN, (450,), (0.6123,))]


def test_a_dict_over_several_lines() -> None:
    lines = ["{'eval_loss': 0.4412,", " 'eval_accuracy': 0.8015,", " 'epoch': 5.0}"]
    assert points(logs_in_text(lines, "f", "f"), "eval/accuracy")[0][2] == (0.8015,)


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("INFO - Training new model from scratch", "trained_from_scratch", "True"),
        (
            "[INFO|modeling_utils.py:2513] 2023-11-16 >> loading weights file out/pytorch_model.bin",
            "loaded_weights",
            "out/pytorch_model.bin",
        ),
        (
            "Some weights of RobertaForSequenceClassification were not initialized from the model checkpoint at "
            "models/hf and are newly initialized: ['classifier.out_proj.bias']",
            "loaded_weights",
            "models/hf",
        ),
    ],
)
def test_the_weights_that_training_began_from(line: str, name: str, value: str) -> None:
    (log,) = logs_in_text([line, "{'loss': 0.6, 'learning_rate': 9e-06, 'epoch': 1.0}"], "f", "f")
    assert told(log)[name] == value


@pytest.mark.parametrize(
    "text", ["{'loss': 0.5}", "{'accuracy': 0.8}", "loss = 3", "***** eval metrics *****", "Epoch Training Loss"]
)
def test_other_texts_hold_no_run(text: str) -> None:
    assert logs_in_text([text, ""], "f", "f") == ()
