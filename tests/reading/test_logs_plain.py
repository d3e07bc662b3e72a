"""Logs of scripts of one's own, of Keras and of CSV loggers."""

from pathlib import Path

import pytest

from grader.intake.submission import Role, role_of
from grader.reading.formats import read_path
from grader.reading.log import Log, Subset
from grader.reading.logs.files import read_log_file
from grader.reading.logs.text import logs_in_text
from grader.reading.reading import FileState
from tests.reading.making import submitted

PYTORCH = """device: cuda
Epoch 1/3 - train loss: 0.6931 - val loss: 0.60 - val acc: 61.5%
Epoch 2/3 - train loss: 0.5210 - val loss: 0.52 - val acc: 76.0%
  new best val acc 76.0%, saved
Epoch 3/3 - train loss: 0.4102 - val loss: 0.50 - val acc: 74.5%
Best val acc: 76.0%
Test accuracy: 75.35%"""
KERAS = """Epoch 1/2
225/225 [==============================] - 12s - loss: 0.69 - accuracy: 0.53 - val_loss: 0.60 - val_accuracy: 0.6150
Epoch 2/2
225/225 [==============================] - 11s - loss: 0.55 - accuracy: 0.72 - val_loss: 0.52 - val_accuracy: 0.7600"""
DICTS = """{'epoch': 1, 'train_loss': 0.69, 'val_acc': 0.615}
{'epoch': 2, 'train_loss': 0.52, 'val_acc': 0.76}"""
BARS = """Epoch 1: 100%|##########| 225/225 [00:12<00:00, 18.1it/s, loss=0.69, val_acc=0.615]
Epoch 2: 100%|##########| 225/225 [00:12<00:00, 18.0it/s, loss=0.52, val_acc=0.76]"""


def runs(text: str) -> tuple[Log, ...]:
    return logs_in_text(text.split("\n"), "train.log", "train")


def accuracy(log: Log, subset: Subset) -> list[float]:
    tags = (f"{subset.value}/accuracy", f"{subset.value}/acc")
    return [value for one in log.series if one.subset is subset and one.tag in tags for value in one.values]


@pytest.mark.parametrize(
    ("text", "values"),
    [(PYTORCH, [61.5, 76.0, 74.5]), (KERAS, [0.615, 0.76]), (DICTS, [0.615, 0.76]), (BARS, [0.615, 0.76])],
    ids=["pytorch", "keras", "dicts", "bars"],
)
def test_accuracies_are_read_by_epoch(text: str, values: list[float]) -> None:
    (log,) = runs(text)
    assert accuracy(log, Subset.VALID) == values


@pytest.mark.parametrize("behind", ["\n", ""])
def test_what_is_printed_of_an_epoch_replaces_the_last_states_of_its_bars(behind: str) -> None:
    text = "".join(
        f"Epoch {epoch} train: 100%|##########| 225/225 [00:12<00:00, 18.1it/s, loss=0.55]\n"
        f"Epoch {epoch} valid: 100%|##########| 25/25 [00:01<00:00, 18.1it/s, acc={printed - 0.05:.3f}]\n"
        f"epoch {epoch}: train loss {loss}, val acc {printed}\n{behind}"
        for epoch, (loss, printed) in enumerate(((0.51, 0.79), (0.42, 0.8), (0.33, 0.795)), start=1)
    )
    (log,) = runs(text)
    assert accuracy(log, Subset.VALID) == [0.79, 0.8, 0.795]
    assert [list(one.values) for one in log.series if one.tag == "train/loss"] == [[0.51, 0.42, 0.33]]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("epoch 1 train {'loss': 0.66, 'accuracy': 0.6} valid {'loss': 0.5, 'accuracy': 0.735}", [0.6, 0.735]),
        ("epoch 1 loss 0.66 val loss 0.5 acc 0.6 val acc 0.735", [0.6, 0.735]),
        ("epoch 1 train acc 0.6; [valid] loss 0.5, accuracy 73.5%", [0.6, 73.5]),
    ],
    ids=["dicts", "names by turns", "label in brackets"],
)
def test_a_measure_is_of_the_part_that_is_named_before_it(line: str, values: list[float]) -> None:
    (log,) = runs(f"{line}\n{line.replace('epoch 1', 'epoch 2')}")
    assert [accuracy(log, part)[0] for part in (Subset.TRAIN, Subset.VALID)] == values


def test_a_test_accuracy_behind_the_epochs_is_read_and_the_best_one_repeats_nothing() -> None:
    (log,) = runs(PYTORCH)
    assert accuracy(log, Subset.TEST) == [75.35]


def test_a_seed_begins_a_run() -> None:
    logs = runs(f"seed 1\n{BARS}\nseed 2\n{BARS}")
    seeds = [setting.value for log in logs for setting in log.settings if setting.name == "seed"]
    assert seeds == ["1", "2"]


@pytest.mark.parametrize(
    "text",
    [
        "In epoch 1 we saw a loss of attention.\nThe accuracy matters.",
        "Epoch 1: val acc 0.6",
        "accuracy: 0.9\naccuracy: 0.8",
    ],
)
def test_what_only_speaks_of_training_is_no_log(text: str) -> None:
    assert runs(text) == ()


def read(folder: Path, path: str, content: str) -> Log:
    (log,) = read_log_file(submitted(folder, path, content, Role.LOG))
    return log


def test_a_table_is_read_by_its_columns(tmp_path: Path) -> None:
    content = "epoch,accuracy,loss,val_accuracy,val_loss\n0,0.53,0.69,0.615,0.60\n1,0.72,0.55,0.760,0.52\n"
    log = read(tmp_path, "history.csv", content)
    assert {(one.tag, one.subset, one.values) for one in log.series} == {
        ("train/accuracy", Subset.TRAIN, (0.53, 0.72)),
        ("train/loss", Subset.TRAIN, (0.69, 0.55)),
        ("valid/accuracy", Subset.VALID, (0.615, 0.76)),
        ("valid/loss", Subset.VALID, (0.6, 0.52)),
    }


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("metrics.csv", "epoch;val_acc\n1;0,735\n2;0,795\n"),
        ("history.log", "epoch,train_loss,val_acc,time\n1,0.66,0.735,00:12\n2,0.46,0.795,00:12\n"),
        ("train.txt", "epoch  train_loss  valid_acc\n1      0.66        0.735\n2      0.46        0.795\n"),
    ],
    ids=["decimal commas", "commas in a log", "spaces in a text"],
)
def test_a_table_is_read_whatever_parts_its_columns(tmp_path: Path, path: str, text: str) -> None:
    assert accuracy(read(tmp_path, path, text), Subset.VALID) == [0.735, 0.795]


def test_cells_that_a_logger_leaves_blank_are_no_points(tmp_path: Path) -> None:
    content = "epoch,step,train_loss,val_acc,test_acc\n0,225,0.69,,\n0,225,,0.615,\n1,450,0.55,,\n1,450,,0.76,0.7535\n"
    log = read(tmp_path, "metrics.csv", content)
    found = {one.tag: (one.steps, one.values) for one in log.series}
    assert found["valid/acc"] == ((225, 450), (0.615, 0.76))
    assert found["test/acc"] == ((450,), (0.7535,))


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("step {0} of the epoch, the loss went down to n{0}", True),
        ("e{0} tl=0.{0}1 va=6{0}.5", True),
        ("[{0}, 225] 0.6{0} 0.5{0}5", True),
        ("kept {0} of 12 sentences", False),
        ("2023-11-20 10:1{0}:02.125 done", False),
    ],
)
def test_a_log_that_yields_nothing_says_so(tmp_path: Path, line: str, is_told: bool) -> None:
    (tmp_path / "train.log").write_text("\n".join(line.format(n) for n in range(5)))
    (record,) = read_path(tmp_path / "train.log").files
    told = "it looks like a training log, but no figures by step or epoch were recognised in it"
    assert (record.state, str(record.reason or "")) == ((FileState.PARTLY, told) if is_told else (FileState.READ, ""))


@pytest.mark.parametrize(
    ("path", "head", "role"),
    [
        ("history.csv", b"epoch,accuracy,val_accuracy\n0,0.5,0.6\n", Role.LOG),
        ("reviews.csv", b"text,label\nfine,1\n", Role.OTHER),
        ("train.txt", PYTORCH.encode(), Role.LOG),
    ],
)
def test_logs_are_known_by_what_they_hold(path: str, head: bytes, role: Role) -> None:
    assert role_of(path, head) is role
