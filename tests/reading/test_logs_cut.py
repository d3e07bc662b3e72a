"""Logs of which a part is missing, and tables that a notebook holds twice."""

import json
from pathlib import Path

import pytest

from grader.claims.logged import logged_runs
from grader.intake.submission import Role, Submission, role_of
from grader.reading.formats import read
from grader.reading.log import Run
from grader.reading.logs.text import logs_in_text
from grader.reading.reading import FileState
from grader.reading.runs import runs_of
from tests.claims.making import lab
from tests.reading.making import submitted

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
EDITOR = "Output exceeds the [size limit](command:x). Open the full output data [in a text editor](command:y)"


@pytest.mark.parametrize(
    "lines",
    [
        [COLAB, *epochs(4, 5)],
        [COLAB, *epochs(5)],
        [*epochs(1, 2), BUFFER],
        [*epochs(1), EDITOR, *epochs(4, 5)],
        [*epochs(1), "[...]", *epochs(5)],
        epochs(3, 4, 5),
        epochs(1, 2, 5),
        epochs(1, 2, 3),
        epochs(5),
    ],
)
def test_a_run_of_which_a_part_is_missing_is_not_whole(lines: list[str]) -> None:
    found = logged_runs(runs(lines), lab())
    assert [run.is_whole for run in found] == [False] * len(found)
    assert {point.value for run in found for point in run.reported} <= set(TEST)


@pytest.mark.parametrize("source", [SOURCE, SOURCE.replace("--max-update 1125", "--max-update 9999"), "train()"])
def test_a_run_that_is_there_from_its_first_epoch_to_its_last_is_whole(source: str) -> None:
    (run,) = logged_runs(runs(epochs(1, 2, 3, 4, 5), source), lab())
    assert run.is_whole


def test_evaluations_by_steps_that_end_between_two_are_whole() -> None:
    steps = (500, 1000, 1125)
    lines = [
        f"12:00 | INFO | valid | epoch 001 | valid on 'valid' subset | accuracy 80.{at} | num_updates {step}"
        for at, step in enumerate(steps)
    ]
    assert [run.is_whole for run in logged_runs(runs(lines), lab())] == [True]


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
