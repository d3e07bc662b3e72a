"""The small files that training leaves: state, results, settings, tables from TensorBoard."""

import json
from pathlib import Path

import pytest

from grader.intake.submission import Role
from grader.reading.log import Log, Subset
from grader.reading.logs.files import read_log_file
from tests.reading.making import submitted
from tests.reading.test_logs_fairseq import told

STATE = {
    "best_metric": 0.835,
    "best_model_checkpoint": "out/checkpoint-450",
    "global_step": 675,
    "max_steps": 1125,
    "num_train_epochs": 5,
    "log_history": [
        {"epoch": 1.0, "learning_rate": 8.5e-06, "loss": 0.61, "step": 225},
        {"epoch": 1.0, "eval_accuracy": 0.64, "eval_loss": 0.6, "eval_runtime": 0.5, "step": 225},
        {"epoch": 2.0, "eval_accuracy": 0.835, "eval_loss": 0.5, "eval_runtime": 0.5, "step": 450},
        {"epoch": 3.0, "train_runtime": 86.0, "train_loss": 0.5, "step": 675},
        {
            "epoch": 3.0,
            "eval_accuracy": 0.79,
            "eval_loss": 0.45,
            "eval_runtime": 5.0,
            "eval_samples": 2000,
            "step": 675,
        },
        "no entry",
    ],
}


def read(folder: Path, path: str, content: str) -> tuple[Log, ...]:
    return read_log_file(submitted(folder, path, content, Role.LOG))


def curves(log: Log, tag: str) -> list[tuple[Subset | None, tuple[int, ...], tuple[float, ...]]]:
    return [(one.subset, one.steps, one.values) for one in log.series if one.tag == tag]


def test_the_state_of_the_trainer(tmp_path: Path) -> None:
    (log,) = read(tmp_path, "code/out_seed3/checkpoint-675/trainer_state.json", json.dumps(STATE))
    assert (log.name, log.seed, log.problems) == ("code/out_seed3", 3, ())
    assert curves(log, "eval/accuracy") == [(Subset.VALID, (225, 450), (0.64, 0.835))]
    assert curves(log, "train/learning_rate") == [(Subset.TRAIN, (225,), (8.5e-06,))]
    assert told(log)["total_optimization_steps"] == "1125"


def test_results(tmp_path: Path) -> None:
    content = {"epoch": 5.0, "eval_accuracy": 0.8, "eval_samples": 200, "train_loss": 0.5, "train_samples": 1800}
    (log,) = read(tmp_path, "out/all_results.json", json.dumps(content))
    assert curves(log, "eval/accuracy")[0][2] == (0.8,)


def test_arguments_of_a_script(tmp_path: Path) -> None:
    (log,) = read(tmp_path, "out/args.json", json.dumps({"seed": 4, "optim": {"lr": [1e-05]}, "flag": True, "x": None}))
    assert told(log) == {"seed": "4", "lr": "1e-05", "flag": "True"}


def test_settings_of_hydra(tmp_path: Path) -> None:
    content = "common:\n  seed: 7  \noptimization:\n  lr:\n  - 1e-05\n  max_update: 1125\nmodel: null\n# a: b\n"
    (log,) = read(tmp_path, "run/.hydra/config.yaml", content)
    assert (log.name, told(log)) == ("run", {"seed": "7", "lr": "1e-05", "max_update": "1125"})
    (log,) = read(tmp_path, "run/.hydra/overrides.yaml", "- common.seed=3\n- checkpoint.restore_file=model.pt\n")
    assert told(log) == {"seed": "3", "restore_file": "model.pt"}
    assert log.settings[0].evidence.line == 1


@pytest.mark.parametrize(
    ("path", "name", "subset", "seed", "tag"),
    [
        ("tb/run-pretrained_seed1_valid-tag-accuracy.csv", "tb/pretrained_seed1", Subset.VALID, 1, "accuracy"),
        ("run-random_seed0_train_inner-tag-lr.csv", "random_seed0", Subset.TRAIN, 0, "lr"),
        ("run-out_runs_Nov16-tag-eval_accuracy.csv", "out_runs_Nov16", Subset.VALID, None, "eval/accuracy"),
        ("csv/test/accuracy/random_s2.csv", "csv/test/accuracy/random_s2", Subset.TEST, 2, "accuracy"),
        ("latest.csv", "latest", None, None, "value"),
    ],
)
def test_tables_from_tensorboard(
    path: str, name: str, subset: Subset | None, seed: int | None, tag: str, tmp_path: Path
) -> None:
    content = "Wall time,Step,Value\n1700000002.5,450,81.5\n1700000001.5,225,64.0\nbroken\n"
    (log,) = read(tmp_path, path, content)
    (one,) = log.series
    assert (log.name, one.subset, log.seed, one.tag) == (name, subset, seed, tag)
    assert (one.steps, one.values, one.lines) == ((225, 450), (64.0, 81.5), (3, 2))
    assert one.wall_times == (1700000001.5, 1700000002.5)
    assert log.problems == ("1 line is not of the form Wall time,Step,Value",)


def test_a_line_of_json_for_each_step(tmp_path: Path) -> None:
    lines = [json.dumps({"epoch": n, "step": 225 * n, "valid_accuracy": 60 + n, "train_loss": 0.5}) for n in (1, 2)]
    (log,) = read(tmp_path, "out/log.json", "\n".join(lines))
    assert curves(log, "accuracy") == [(Subset.VALID, (225, 450), (61.0, 62.0))]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("trainer_state.json", "["),
        ("trainer_state.json", "[" * 100_000),
        ("trainer_state.json", '{"log_history": [' + '{"a": ' * 50_000),
        ("all_results.json", "{" + '"a": {' * 10_000 + "}" * 10_001),
        ("all_results.json", "9" * 10_000),
        ("args.json", "[1, 2]"),
        ("a.csv", ""),
        ("config.yaml", "\0\1\2"),
        ("train.log", "nothing"),
    ],
)
def test_broken_files_give_a_log_that_says_so(path: str, content: str, tmp_path: Path) -> None:
    (log,) = read(tmp_path, path, content)
    assert log.series == ()
    assert log.problems or path in ("args.json", "train.log", "config.yaml")
