"""Logs in forms that the lab describes."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from grader.claims.logged import logged_runs
from grader.intake.submission import Submission, SubmittedFile, role_of
from grader.lab.definition import LogFormat
from grader.lab.files import LABS, load_lab, write_starter
from grader.reading.formats import read
from grader.reading.reading import FileState, Reading

PRINTED = """Loading…
seed 0 epoch 1: validation accuracy 88.50 %
seed 0 epoch 2: validation accuracy 98.50 %
seed 0 epoch 3: validation accuracy 98.25 %
seed 0: best epoch 2, validation accuracy 98.50 %, test accuracy 96.80 %
seed 1 epoch 1: validation accuracy 85.50 %
seed 1 epoch 2: validation accuracy 97.00 %
seed 1: best epoch 2, validation accuracy 97.00 %, test accuracy 97.50 %
"""


def reading(folder: Path, path: str, content: str, *formats: LogFormat) -> Reading:
    location = folder / "stored"
    location.write_text(content, encoding="utf-8")
    data = content.encode()
    file = SubmittedFile(path=path, role=role_of(path, data), size=len(data), sha256="", location=location)
    return read(Submission(student_id="", student_name="", files=(file,), sha256=""), formats)


def shown(read_: Reading) -> dict[tuple[int | None, str], dict[int, float]]:
    """What was read, by seed and tag."""
    return {
        (int(run.seed.value) if run.seed else None, series.tag): dict(zip(series.steps, series.values, strict=True))
        for run in read_.runs
        for log in run.logs
        for series in log.series
    }


BY_EPOCH = {
    (0, "valid/accuracy"): {1: 88.5, 2: 98.5, 3: 98.25},
    (0, "test/accuracy"): {2: 96.8},
    (1, "valid/accuracy"): {1: 85.5, 2: 97.0},
    (1, "test/accuracy"): {2: 97.5},
}


@pytest.mark.parametrize("path", ["code/train.log", "lab.ipynb"])
def test_the_program_of_a_shipped_lab_is_read(tmp_path: Path, path: str) -> None:
    lab = load_lab(LABS / "small_gpt2")
    output = {"output_type": "stream", "name": "stdout", "text": PRINTED}
    cell = {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": "main()", "outputs": [output]}
    notebook = json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [cell]})
    found = reading(tmp_path, path, notebook if path.endswith("ipynb") else PRINTED, *lab.logs)
    assert shown(found) == BY_EPOCH
    runs = logged_runs(found.runs, lab)
    assert [(run.experiment, run.seed) for run in runs] == [("brackets", 0), ("brackets", 1)]
    assert [point.value for run in runs for point in run.at_best] == [96.8, 97.5]


def test_columns_that_the_lab_names_are_read_run_by_run(tmp_path: Path) -> None:
    write_starter(tmp_path / "my-lab")
    lab = load_lab(tmp_path / "my-lab")
    content = (
        "ep;run no.;Dev score;held-out score;minutes\n"
        "1;0;88.5;;3\n1;1;85.5;;3\n2;0;98.5;96.8;3\n2;1;97;97.5;3\n3;0;98.25;;3\n"
    )
    found = reading(tmp_path, "history-all.csv", content, *lab.logs)
    assert shown(found) == BY_EPOCH
    assert {run.experiment for run in logged_runs(found.runs, lab)} == {"baseline"}
    assert reading(tmp_path, "other.csv", content, *lab.logs).files[0].state is FileState.IGNORED


def test_a_file_that_the_lab_names_is_a_log_whatever_it_is_called(tmp_path: Path) -> None:
    one = LogFormat(
        files=("out/*.dat",),
        pattern=r"(?P<split>\w+) @ (?P<step>\d+): (?P<accuracy>\S+)",
        splits={"held-out": "test", "dev2": "valid"},
    )
    content = "dev2 @ 100: 71%\ndev2 @ 200: 75%\nout @ 300\n"
    assert shown(reading(tmp_path, "out/a.dat", content, one)) == {(None, "valid/accuracy"): {100: 71.0, 200: 75.0}}
    assert reading(tmp_path, "a.dat", content, one).runs == ()


def test_a_line_goes_on_with_what_was_named_last(tmp_path: Path) -> None:
    formats = (
        LogFormat(pattern=r"^== (?P<run>\w+), seed (?P<seed>\d+)"),
        LogFormat(pattern=r"^round (?P<epoch>\d+)"),
        LogFormat(pattern=r"^  score (?P<split>\w+) = (?P<accuracy>[\d.]+)"),
    )
    content = (
        "== random, seed 3\nround 1\n  score dev = 0.5\n  score test = 0.4\nround 2\n  score dev = 0.6\n"
        "== pretrained, seed 3\nround 1\n  score dev = 0.8\n"
    )
    found = reading(tmp_path, "a.log", content, *formats)
    assert [run.name for run in found.runs] == ["pretrained part 2", "random part 1"]
    assert [{one.tag: one.values for log in run.logs for one in log.series} for run in found.runs] == [
        {"valid/accuracy": (0.8,)},
        {"valid/accuracy": (0.5, 0.6), "test/accuracy": (0.4,)},
    ]


def test_results_after_training_need_no_epoch(tmp_path: Path) -> None:
    one = LogFormat(columns={"seed": "s", "test_accuracy": "acc"}, files=("final.csv",), final=True)
    found = reading(tmp_path, "final.csv", "s,acc\n0,79.3\n1,78.5 %\n", one)
    assert shown(found) == {(0, "test/accuracy"): {0: 79.3}, (1, "test/accuracy"): {0: 78.5}}


def test_what_no_format_fits_is_read_as_ever(tmp_path: Path) -> None:
    one = LogFormat(pattern=r"^nothing (?P<epoch>\d+) (?P<accuracy>\d+)")
    content = "Epoch 1 - val acc: 61.5%\nEpoch 2 - val acc: 76.0%\n"
    assert shown(reading(tmp_path, "a.log", content, one)) == {(None, "valid/accuracy"): {1: 61.5, 2: 76.0}}


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({}, "pattern or by columns"),
        ({"pattern": "(?P<epoch>a", "columns": {}}, "no regular expression"),
        ({"pattern": "epoch"}, "no named group"),
        ({"pattern": r"(?P<Epoch>\d)"}, "Epoch cannot be the name"),
        ({"columns": {"epoch": "ep"}}, "no column holds anything measured"),
        ({"columns": {"accuracy": "acc"}}, "no column counts"),
    ],
)
def test_what_cannot_be_read_is_told(values: dict[str, object], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        LogFormat.model_validate(values)
