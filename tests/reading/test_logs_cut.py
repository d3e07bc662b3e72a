"""Logs of which a part is missing, and tables that a notebook holds twice."""

import json
import re
from pathlib import Path

import pytest

from grader.claims.logged import logged_runs
from grader.intake.submission import Role, Submission, role_of
from grader.reading.formats import read
from grader.reading.log import Run
from grader.reading.logs.text import logs_in_text
from grader.reading.reading import FileState
from grader.reading.runs import runs_of
from scripts.make_samples import ROOT
from tests.claims.making import lab
from tests.reading.making import submitted

SETTINGS = ROOT / "tests" / "reference" / "reruns" / "fairseq_console.txt"
"""A real log: its first line has all settings."""
VALID, TEST = [70.5, 74, 79, 82.5, 81.5], [70.2, 74.7, 78.1, 79.1, 78.9]
SOURCE = (
    "!fairseq-train data --restore-file model.pt --arch roberta --max-update 1125 --max-epoch 5 --seed 2 "
    "--save-dir pretrained_seed2"
)


_SAID = {"train": "", "valid": "valid on 'valid' subset | ", "test": "valid on 'test' subset | "}


def epochs(*numbers: int, valid: list[float] | None = None) -> list[str]:
    """The lines of some epochs of a run."""
    return [
        f"2026-11-14 17:02:45 | INFO | {split} | epoch {number:03d} | {_SAID[split]}loss 0.6 | "
        f"accuracy {values[number - 1]} | num_updates {225 * number}"
        for number in numbers
        for split, values in (("train", TEST), ("valid", valid or VALID), ("test", TEST))
    ]


def runs(lines: list[str], source: str = SOURCE) -> tuple[Run, ...]:
    return runs_of(logs_in_text(lines, "lab.ipynb", "lab.ipynb", 0, source.split("\n")))


COLAB = "Streaming output truncated to the last 5000 lines."
BUFFER = "Buffered data was truncated after reaching the output size limit."
VSCODE = "Output is truncated. View as a scrollable element or open in a text editor. Adjust cell output settings..."
DATABRICKS = "*** WARNING: max output size exceeded, skipping output. ***"
STOPPED = "slurmstepd: error: *** JOB 1003 ON gpu07 CANCELLED AT 2026-11-14T17:05:00 DUE TO TIME LIMIT ***"
EDITOR = "Output exceeds the [size limit](command:x). Open the full output data [in a text editor](command:y)"


@pytest.mark.parametrize(
    "lines",
    [
        [COLAB, *epochs(4, 5)],
        [COLAB, *epochs(5)],
        [*epochs(1, 2), BUFFER],
        [*epochs(1), EDITOR, *epochs(4, 5)],
        [*epochs(1), DATABRICKS, *epochs(5)],
        *([*epochs(1, 2), mark] for mark in (VSCODE, STOPPED, "KeyboardInterrupt")),
        [*epochs(1), "[...]", *epochs(5)],
        epochs(3, 4, 5),
        epochs(1, 2, 5),
        epochs(1, 2, 3),
        epochs(5),
        [*epochs(1, 2), "[... 120 lines omitted ...]", *epochs(5)],
        [*epochs(1, 2), "... (lines omitted) ...", *epochs(5)],
        epochs(1, 2, 4, 5),
    ],
)
def test_a_run_of_which_a_part_is_missing_is_not_whole(lines: list[str]) -> None:
    found = logged_runs(runs(lines), lab())
    assert [run.is_whole for run in found] == [False] * len(found)
    assert {point.value for run in found for point in run.reported} <= set(TEST)


def test_a_run_that_ends_before_the_epochs_that_were_asked_for_is_not_whole() -> None:
    """Also where no number of updates tells its end."""
    (run,) = logged_runs(runs(epochs(1, 2), SOURCE.replace("--max-update 1125 ", "")), lab())
    assert (len(run.selecting), run.is_whole) == (2, False)
    (run,) = logged_runs(runs(epochs(1, 2, 3, 4, 5), SOURCE.replace("--max-update 1125 ", "")), lab())
    assert run.is_whole


@pytest.mark.parametrize("source", [SOURCE, SOURCE.replace("--max-update 1125", "--max-update 9999"), "train()"])
def test_a_run_that_is_there_from_its_first_epoch_to_its_last_is_whole(source: str) -> None:
    (run,) = logged_runs(runs(epochs(1, 2, 3, 4, 5), source), lab())
    assert run.is_whole


INNER = [
    f"12:00 | INFO | train_inner | epoch 005:    {update:3d} / 225 loss=0.4, accuracy=81, num_updates={900 + update}"
    for update in (50, 100, 150, 200)
]
SAVED = "12:00 | INFO | fairseq.checkpoint_utils | Saved checkpoint c/x.pt (epoch 4 @ 900 updates, score 82.5) (w)"


@pytest.mark.parametrize("lines", [INNER, [SAVED, *INNER], INNER[2:], []])
def test_a_log_that_begins_with_the_last_epoch_is_not_whole_though_nothing_tells_how_many_there_are(
    lines: list[str],
) -> None:
    found = logged_runs(runs([*lines, *epochs(5)], ""), lab())
    assert found
    assert not any(run.is_whole for run in found)


def test_a_training_that_goes_on_in_another_cell_is_whole() -> None:
    source = SOURCE.split("\n")
    first = logs_in_text(epochs(1, 2), "lab.ipynb", "lab.ipynb", 0, source)
    second = logs_in_text(epochs(3, 4, 5), "lab.ipynb", "lab.ipynb", 1, source)
    (run,) = logged_runs(runs_of([*first, *second]), lab())
    assert (len(run.selecting), run.is_whole) == (5, True)


@pytest.mark.parametrize(
    ("steps", "is_whole"),
    [((10, 20, 30, 40), True), ((500, 1000), True), ((1000, 1100), False), ((1050, 1075, 1100), False)],
)
def test_one_evaluation_after_a_training_that_is_logged_from_its_beginning_is_whole(
    steps: tuple[int, ...], *, is_whole: bool
) -> None:
    lines = [f"{{'loss': 0.5, 'learning_rate': 1e-05, 'epoch': {step / 225}, 'step': {step}}}" for step in steps]
    lines.append("{'eval_loss': 0.6, 'eval_accuracy': 0.795, 'epoch': 5.0, 'step': 1125}")
    (run,) = logged_runs(runs(lines, ""), lab())
    assert run.is_whole is is_whole


def test_evaluations_by_steps_that_end_between_two_are_whole() -> None:
    steps = (500, 1000, 1125)
    lines = [
        f"12:00 | INFO | valid | epoch 001 | valid on 'valid' subset | accuracy 80.{at} | num_updates {step}"
        for at, step in enumerate(steps)
    ]
    assert [run.is_whole for run in logged_runs(runs(lines), lab())] == [True]


@pytest.mark.parametrize(("patience", "is_whole"), [(-1, False), (3, True)])
def test_a_run_that_may_stop_early_is_whole_at_its_last_epoch(patience: int, *, is_whole: bool) -> None:
    first = SETTINGS.read_text("utf-8").split("\n")[0]
    longer = re.sub(r"(max_update\W{1,3})200", r"\g<1>1125", first)
    settings = re.sub(r"(patience\W{1,3})-1", rf"\g<1>{patience}", longer)
    assert [run.is_whole for run in logged_runs(runs([settings, *epochs(1, 2, 3)]), lab())] == [is_whole]


@pytest.mark.parametrize(
    ("source", "is_whole"),
    [
        ("!grep 'valid on' logs/pretrained_seed2.log", True),
        ("!cat logs/pretrained_seed2.txt | grep -v INFO", True),
        ("!head -n 60 logs/pretrained_seed2.log", False),
        ("%%bash\nfor seed in 2; do\ncat logs/pretrained_seed$seed.log\ndone", True),
    ],
)
def test_a_log_that_a_command_shows_is_named_by_its_file(source: str, *, is_whole: bool) -> None:
    (run,) = logged_runs(runs(epochs(1, 2, 3, 4, 5), source), lab())
    assert (run.experiment, run.seed, run.is_whole) == ("pretrained", 2, is_whole)


def test_a_cut_never_joins_the_head_of_one_run_to_the_tail_of_another() -> None:
    loop = (
        SOURCE.replace("!fairseq", "for seed in [1, 2, 3]:\n  !fairseq")
        .replace("seed 2", "seed {seed}")
        .replace("seed2", "seed{seed}")
    )
    other = [60.5, 64, 69, 72.5, 71.5]
    found = runs([*epochs(1, 2), COLAB, *epochs(3, 4, 5, valid=other)], loop)
    courses = [
        [*series.values]
        for run in found
        for log in run.logs
        for series in log.series
        if (series.subset, series.tag) == ("valid", "accuracy")
    ]
    assert sorted(courses) == [other[2:], VALID[:2]]
    assert all("is missing" in str(run.problems) for run in found)


HEAD = ["Epoch | Training Loss | Validation Loss | Accuracy"]
ROWS = [f"{number} | 0.{60 - number} | 0.{65 - number} | {value / 100}" for number, value in enumerate(VALID, 1)]


def test_a_table_that_is_there_twice_counts_once() -> None:
    begun = ["[464/1125 01:02 < 01:10, 9.00 it/s, Epoch 2.06/5]", *HEAD, *ROWS[:2]]
    whole = ["[1125/1125 03:20, Epoch 5/5]", *HEAD, *ROWS]
    for lines in ([*begun, *whole], [*whole, *whole]):
        (run,) = runs(lines, "trainer.train()")
        (course,) = [series for log in run.logs for series in log.series if series.tag == "eval/accuracy"]
        assert (course.steps, run.problems) == ((225, 450, 675, 900, 1125), ())
        assert course.values == tuple(value / 100 for value in VALID)


def test_a_bar_that_is_not_full_tells_that_the_run_is_not_whole() -> None:
    begun = ["[464/1125 01:02 < 01:10, 9.00 it/s, Epoch 2.06/5]", *HEAD, *ROWS[:2]]
    assert "464/1125" in str(runs(begun, "trainer.train()")[0].problems)


def test_each_table_of_a_loop_has_the_totals_of_its_own_bar() -> None:
    bar = "[1125/1125 03:20, Epoch 5/5]"
    other = [row.replace("0.8", "0.7") for row in ROWS]
    found = runs([bar, *HEAD, *ROWS, bar, *HEAD, *other], "trainer.train()")
    assert [
        series.steps[-1] for run in found for log in run.logs for series in log.series if series.tag == "eval/loss"
    ] == [1125, 1125]


def test_an_evaluation_that_is_printed_below_a_table_is_none_of_its_epochs(tmp_path: Path) -> None:
    loop = (
        "for seed in [1, 2]:\n"
        "    args = TrainingArguments(output_dir=f'hf_seed{seed}', seed=seed, load_best_model_at_end=True,\n"
        "                             metric_for_best_model='accuracy')\n"
        "    trainer = Trainer(args=args, train_dataset=train, eval_dataset=valid)\n"
        "    trainer.train()\n    print(seed, trainer.evaluate(test))\n"
    )
    figures = "'eval_runtime': 5.0, 'eval_samples_per_second': 400.0, 'epoch': 5.0"
    printed = f"{{}} {{{{'eval_loss': 0.45, 'eval_accuracy': {{}}, {figures}}}}}"
    lines = ["[1125/1125 03:20, Epoch 5/5]", *HEAD, *ROWS]
    text = "\n".join([*lines, printed.format(1, 0.7925), *lines, printed.format(2, 0.8005)])
    cell = {"cell_type": "code", "source": loop, "metadata": {}, "execution_count": 1}
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": text}]
    book = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 0})
    file = submitted(tmp_path, "lab.ipynb", book, Role.NOTEBOOK)
    found = read(Submission(student_id="ada", student_name="", files=(file,), sha256=""))
    told = {run.seed: run for run in logged_runs(found.runs, lab())}
    assert {seed: [(one.step, one.value) for one in run.reported] for seed, run in told.items()} == {
        1: [(900, 79.25)],
        2: [(900, 80.05)],
    }
    assert all([one.value for one in run.selecting] == VALID for run in told.values())


@pytest.mark.parametrize("kept", [1.0, 0.6])
def test_a_log_that_a_host_keeps_as_json_is_what_was_printed(kept: float, tmp_path: Path) -> None:
    lines = [f"{line}\n" for line in epochs(1, 2, 3, 4, 5)]
    pieces = [{"stream_name": "stderr", "time": at / 10, "data": line} for at, line in enumerate(lines)]
    text = "[" + "\n,".join(json.dumps(piece, separators=(",", ":")) for piece in pieces) + "\n]"
    file = submitted(tmp_path, "pretrained_seed2.log", text[: int(kept * len(text))], Role.LOG)
    found = read(Submission(student_id="ada", student_name="", files=(file,), sha256=""))
    (course,) = (
        series
        for log in found.runs[0].logs
        for series in log.series
        if (series.tag, series.subset) == ("accuracy", "valid")
    )
    assert course.values == tuple(VALID[: int(kept * len(VALID))])
    assert all("stream_name" not in block.text for document in found.documents for block in document.blocks)


def test_a_notebook_that_no_reader_knows_is_told(tmp_path: Path) -> None:
    file = submitted(tmp_path, "lab.deepnote", "project:\n  notebooks: []\n", role_of("lab.deepnote", b""))
    (told,) = read(Submission(student_id="ada", student_name="", files=(file,), sha256="")).files
    assert (told.state, ".ipynb" in str(told.reason)) == (FileState.UNREADABLE, True)
