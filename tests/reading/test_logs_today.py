"""Logs as the programs of today write them: lines and tables of real runs (docs/logs.md has the versions)."""

import json
import sqlite3
import zipfile
from pathlib import Path

import pytest

from grader.claims.logged import logged_runs
from grader.intake.opening import open_submission
from grader.intake.submission import Role, Source
from grader.reading.formats import read, read_path
from grader.reading.log import Run, Subset
from grader.reading.reading import FileState, Reading
from tests.claims.making import lab

STAMP = "2026-11-28 13:16:07 | INFO | "
SETTINGS = f"{STAMP}fairseq_cli.train | {{'_name': None, 'common': {{'seed': 1, 'log_interval': 100}}, {'x' * 11_000}}}"
MODEL = ["RobertaModel(", *["      (dropout): FairseqDropout()"] * 300, ")"]
NAMES = "best_checkpoint_metric='accuracy', maximize_best_checkpoint_metric=True, save_dir='ck/r1', max_epoch=2"


def epoch(number: int, valid: float, test: float) -> list[str]:
    at = 40 * number
    return [
        f'{STAMP}fairseq_cli.train | begin validation on "valid" subset',
        f"{STAMP}valid | epoch {number:03d} | valid on 'valid' subset | loss 0.9 | accuracy {valid} | num_updates {at}",
        f"{STAMP}test | epoch {number:03d} | valid on 'test' subset | loss 0.9 | accuracy {test} | num_updates {at}",
        f"{STAMP}fairseq.checkpoint_utils | Saved checkpoint ck/r1/checkpoint_best.pt (epoch {number} @ {at} "
        f"updates, score {valid}) (writing took 0.05 seconds)",
        f"{STAMP}train | epoch {number:03d} | loss 0.8 | accuracy 70 | wps 6846 | num_updates {at} | lr 0.0008",
    ]


def reading_of(folder: Path, **files: str | bytes) -> Reading:
    for name, content in files.items():
        path = folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read(open_submission(Source(student_id="ada", student_name="Ada", path=folder / "in"), folder / "work"))


def measured(run: Run, subset: Subset, name: str) -> dict[int, float]:
    return {
        step: value
        for log in run.logs
        for one in log.series
        if one.subset is subset and one.tag.rsplit("/", 1)[-1] == name
        for step, value in zip(one.steps, one.values, strict=True)
    }


@pytest.mark.parametrize("name", ["train.txt", "nohup.out", "out"])
def test_a_console_log_is_a_log_whatever_its_name(name: str, tmp_path: Path) -> None:
    text = "\n".join(["nohup: ignoring input", SETTINGS, *MODEL, *epoch(1, 52.5, 50), *epoch(2, 64.5, 66.2)])
    reading = reading_of(tmp_path, **{name: text, "report.md": "# Task 3\nThe accuracy is 66.2 %."})
    (run,) = reading.runs
    assert {file.path: file.role for file in reading.files} == {name: Role.LOG, "report.md": Role.REPORT}
    assert measured(run, Subset.TEST, "accuracy") == {40: 50, 80: 66.2}


def test_a_report_that_quotes_a_log_stays_a_report(tmp_path: Path) -> None:
    said = [f"Sentence number {n} says in plain words what we did and why we did it." for n in range(12)]
    bars = [f"Epoch {n}/40 - loss: 0.5 - val_accuracy: 0.7{n % 10}" for n in range(1, 30)]
    (file,) = reading_of(tmp_path, **{"report.txt": "\n".join([*said, *bars])}).files
    assert file.role is Role.REPORT


@pytest.mark.parametrize("is_json", [True, False])
def test_what_validate_prints_belongs_to_the_weights(is_json: bool, tmp_path: Path) -> None:
    told = '{"test_loss": "1.3", "test_accuracy": "67.25", "test_wps": "0"}'
    line = told if is_json else " | valid on 'test' subset | loss 1.3 | accuracy 67.25 | wps 0"
    training = f"{STAMP}fairseq_cli.train | Namespace({NAMES})"
    validate = [
        f"{STAMP}fairseq_cli.validate | loading model(s) from ck/r1/checkpoint_best.pt",
        f"{STAMP}fairseq_cli.validate | Namespace({NAMES})",
        f'{STAMP}fairseq.logging.progress_bar | {{"loss": 12.5, "ntokens": "328", "ncorrect": 4}}',
        f"{STAMP}test | {line}",
    ]
    logs = {"train.log": [training, *epoch(1, 64.5, 50), *epoch(2, 52.5, 66.2)], "validate.log": validate}
    (run,) = reading_of(tmp_path, **{name: "\n".join(lines) for name, lines in logs.items()}).runs
    assert [one.steps for log in run.logs for one in log.series if 67.25 in one.values] == [(40,)]


def test_scores_of_checkpoints_are_validation_values(tmp_path: Path) -> None:
    saved = [line for number in (1, 2) for line in epoch(number, 50 + number, 0)[3:4]]
    (run,) = reading_of(
        tmp_path, **{"none.log": "\n".join([f"{STAMP}fairseq_cli.train | Namespace({NAMES})", *saved])}
    ).runs
    assert measured(run, Subset.VALID, "accuracy") == {40: 51, 80: 52}


def test_of_an_option_given_twice_the_last_counts(tmp_path: Path) -> None:
    source = "!fairseq-train data --seed 1 --max-update 200 --seed 3"
    output = "\n".join([*epoch(1, 52.5, 50), *epoch(2, 64.5, 66.2)])
    (run,) = reading_of(tmp_path, **{"lab.ipynb": notebook((source, output))}).runs
    assert run.seed is not None
    assert (run.seed.value, run.problems) == ("3", ())


def notebook(*cells: tuple[str, str]) -> str:
    made = [
        {
            "cell_type": "code",
            "source": source,
            "metadata": {},
            "execution_count": 1,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": output}] if output else [],
        }
        for source, output in cells
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made})


ARGUMENTS = "TrainingArguments(output_dir=f'out/{{seed}}', {given}num_train_epochs=2, warmup_steps=0.06)"


def table(*values: float) -> str:
    rows = [f"{n} | 0.5 | 0.6 | {value}" for n, value in enumerate(values, start=1)]
    return "\n".join(["[80/80 00:09, Epoch 2/2]", "Epoch | Training Loss | Validation Loss | Accuracy", *rows, ""])


def evaluated(value: float) -> str:
    shown = f"Training Loss | Validation Loss | Epoch | Accuracy\n0.5 | 0.61 | 2 | {value:.6f}\n"
    return f"{shown}{{'eval_loss': 0.61, 'eval_accuracy': {value}}}\n"


def test_the_code_tells_seed_and_data_of_each_run_of_a_loop(tmp_path: Path) -> None:
    loop = (
        "for seed in [3, 4]:\n    set_seed(seed)\n"
        f"    args = {ARGUMENTS.format(given='')}\n"
        "    trainer = Trainer(model, args)\n    trainer.train()\n    print(trainer.evaluate(test_ds))"
    )
    printed = table(0.7, 0.75) + evaluated(0.72) + table(0.71, 0.76) + evaluated(0.73)
    runs = reading_of(tmp_path, **{"lab.ipynb": notebook((loop, printed))}).runs
    assert {run.seed.value: measured(run, Subset.TEST, "accuracy") for run in runs if run.seed} == {
        "3": {80: 0.72},
        "4": {80: 0.73},
    }
    assert [run.schedule and run.schedule.warmup_updates for run in runs] == [5, 5]


@pytest.mark.parametrize(
    ("data", "subset"), [("test_ds", Subset.TEST), ("ds['validation']", Subset.VALID), ("dev_set", Subset.VALID)]
)
def test_an_evaluation_in_a_cell_of_its_own_is_of_the_data_that_its_code_names(
    data: str, subset: Subset, tmp_path: Path
) -> None:
    train = f"seed = 5\nargs = {ARGUMENTS.format(given='seed=seed, ')}\nTrainer(m, args).train()"
    cells = notebook((train, table(0.7, 0.75)), (f"trainer.evaluate({data})", evaluated(0.72)))
    (run,) = reading_of(tmp_path, **{"lab.ipynb": cells}).runs
    assert run.seed is not None
    assert run.seed.value == "5"
    assert measured(run, subset, "accuracy")[80] in (0.72, 0.75)
    assert (0.72 in measured(run, Subset.TEST, "accuracy").values()) == (subset is Subset.TEST)


@pytest.mark.parametrize("told", ["", ", 'eval_runtime': 12.4, 'eval_samples_per_second': 161.3"])
@pytest.mark.parametrize("counted", ["Epoch", "Step"])
def test_a_dict_of_the_last_epoch_behind_a_table_is_an_evaluation_after_the_training(
    counted: str, told: str, tmp_path: Path
) -> None:
    loop = (
        "for seed in [3, 4]:\n"
        f"    args = {ARGUMENTS.format(given='seed=seed, ')}\n"
        "    trainer = Trainer(model, args)\n    trainer.train()\n    print(trainer.evaluate(test_ds))"
    )

    def printed(*values: float, test: float) -> str:
        shown = table(*values)
        if counted == "Step":
            shown = shown.replace("Epoch |", "Step |").replace("\n1 |", "\n40 |").replace("\n2 |", "\n80 |")
        return f"{shown}{{'eval_loss': 0.61, 'eval_accuracy': {test}{told}, 'epoch': 2.0}}\n"

    cells = notebook((loop, printed(0.7, 0.75, test=0.72) + printed(0.76, 0.71, test=0.73)))
    runs = reading_of(tmp_path, **{"lab.ipynb": cells}).runs
    assert {run.seed.value: measured(run, Subset.VALID, "accuracy") for run in runs if run.seed} == {
        "3": {40: 0.7, 80: 0.75},
        "4": {40: 0.76, 80: 0.71},
    }
    assert [list(measured(run, Subset.TEST, "accuracy").values()) for run in runs] == [[0.72], [0.73]]


def test_a_seed_that_the_code_does_not_settle_is_not_told(tmp_path: Path) -> None:
    code = (
        f"seed = 7\ndef train(seed):\n    args = {ARGUMENTS.format(given='seed=seed, ')}\n    Trainer(m, args).train()"
    )
    cells = notebook((code, ""), ("train(int(input()))", table(0.7, 0.75)))
    (run,) = reading_of(tmp_path, **{"lab.ipynb": cells}).runs
    assert run.seed is None


LIGHTNING = """Seed set to 3
┏━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
┃      Validate metric      ┃       DataLoader 0        ┃
┡━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━━┩
│          val_acc          │    0.9200000166893005     │
└───────────────────────────┴───────────────────────────┘
┏━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
┃        Test metric        ┃       DataLoader 0        ┃
┡━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━━┩
│         test_acc          │    0.9100000262260437     │
└───────────────────────────┴───────────────────────────┘
"""


def test_tables_of_lightning_are_read(tmp_path: Path) -> None:
    (run,) = reading_of(tmp_path, **{"lit.log": LIGHTNING}).runs
    assert run.seed is not None
    assert run.seed.value == "3"
    assert measured(run, Subset.VALID, "acc") == {0: 0.9200000166893005}
    assert measured(run, Subset.TEST, "acc") == {0: 0.9100000262260437}


def test_the_console_of_lightning_belongs_to_the_run_whose_last_values_it_shows(tmp_path: Path) -> None:
    tables = LIGHTNING.replace("└───────────────────────────┴", "│   LOSS   │    0.4100000262260437     │\n└────┴")
    console = tables.replace("LOSS", "val_loss", 1).replace("LOSS", "test_loss", 1)
    rows = "epoch,step,test_acc,test_loss,val_acc,val_loss\n0,9,,,0.5{n},0.7\n1,19,,,0.92,0.4{n}\n1,20,0.91,0.41,,\n"
    files = {f"lightning_logs/version_{n}/metrics.csv": rows.format(n=n) for n in (1, 2)}
    settings = {f"lightning_logs/version_{n}/hparams.yaml": "lr: 0.01\n" for n in (1, 2)}
    reading = reading_of(tmp_path, **{"lit.log": console, **files, **settings})
    seeds = {run.name: run.seed and run.seed.value for run in reading.runs}
    assert seeds == {"lightning_logs/version_1": "3", "lightning_logs/version_2": None}
    (run,) = (run for run in reading.runs if run.seed)
    assert measured(run, Subset.TEST, "acc") == {20: 0.91}


@pytest.mark.parametrize(
    ("above", "found"), [("Evaluate on test data", {3: 0.542}), ("Evaluating", {}), ("Training done", {})]
)
def test_an_evaluation_of_keras_below_a_line_that_names_the_test_set_is_read(
    above: str, found: dict[int, float], tmp_path: Path
) -> None:
    epochs = (
        f"Epoch {n}/3\n19/19 - 0s - 11ms/step - accuracy: 0.4{n} - loss: 0.9 - val_accuracy: 0.5{n} - val_loss: 0.8\n"
        for n in (1, 2, 3)
    )
    text = "".join((*epochs, above, "\n16/16 - 0s - 5ms/step - accuracy: 0.5420 - loss: 0.7746\n"))
    (run,) = reading_of(tmp_path, **{"keras.log": text}).runs
    assert measured(run, Subset.TEST, "accuracy") == found
    assert measured(run, Subset.VALID, "accuracy") == {1: 0.51, 2: 0.52, 3: 0.53}


def test_evaluations_that_tell_their_size_only_sometimes_are_one_series(tmp_path: Path) -> None:
    speeds = (("0.03", "6667"), ("2.007", "99.65"), ("2.102", "95.15"))  # the first is too short to tell 200 examples
    lines = (
        f"{{'eval_loss': '0.6', 'eval_accuracy': '0.7{n}5', 'eval_runtime': '{seconds}', "
        f"'eval_samples_per_second': '{speed}', 'epoch': '{n}'}}\n"
        for n, (seconds, speed) in enumerate(speeds, start=1)
    )
    (run,) = reading_of(tmp_path, **{"trainer.log": "".join(lines)}).runs
    accuracies = [one.steps for log in run.logs for one in log.series if one.tag == "eval/accuracy"]
    assert accuracies == [(1, 2, 3)]


def test_keras_counts_epochs_from_zero_and_they_are_told_from_one(tmp_path: Path) -> None:
    rows = "epoch,accuracy,loss,val_accuracy,val_loss\n0,0.58,0.67,0.35,0.81\n1,0.6,0.65,0.375,0.79\n"
    (run,) = reading_of(tmp_path, **{"training_seed7.csv": rows}).runs
    assert measured(run, Subset.VALID, "accuracy") == {1: 0.35, 2: 0.375}
    (logged,) = (one for one in logged_runs([run], lab()) if one.selecting)
    assert [str(point.moment) for point in logged.selecting] == ["epoch 1", "epoch 2"]


def test_a_write_ahead_log_is_told_and_keeps_a_run_open(tmp_path: Path) -> None:
    with zipfile.ZipFile(Path(__file__).parent / "trackers" / "trackio.zip") as archive:
        data = archive.read("trackio/lab4.db")
    reading = reading_of(tmp_path, **{"trackio/lab4.db": data, "trackio/lab4.db-wal": b"\0" * 4152})
    record = next(file for file in reading.files if file.path.endswith(".db"))
    assert (record.state, "lab4.db-wal" in str(record.reason)) == (FileState.PARTLY, True)
    assert reading.runs
    assert not any(run.is_whole for run in logged_runs(reading.runs, lab()))


def test_a_database_with_an_empty_write_ahead_log_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    sqlite3.connect(path).close()
    with zipfile.ZipFile(Path(__file__).parent / "trackers" / "trackio.zip") as archive:
        path.write_bytes(archive.read("trackio/lab4.db"))
    assert read_path(path).files[0].state is FileState.READ


def test_an_answer_like_a_terminal_that_quotes_the_courses_of_runs_stays_a_report(tmp_path: Path) -> None:
    products = [f"layer {n}  512 x 512 + 512   262656" for n in range(40)]
    course = [
        f"epoch {n:03} | valid on 'valid' subset | accuracy {70 + n} | num_updates {225 * n}" for n in range(1, 6)
    ]
    said = ["=== Q1 ===", *products, "=== T3 ===", *course, *course, *course]
    (file,) = reading_of(tmp_path, **{"report.txt": "\n".join(said)}).files
    assert file.role is Role.REPORT
