"""Event files: series, restarts, damage."""

import math
import struct
from pathlib import Path

import pytest

from grader.intake.submission import Role
from grader.reading.event_file import read_event_file
from grader.reading.log import Log, Subset
from tests.reading.making import event_records, submitted

POINTS = [("accuracy", 225, 67.5), ("loss", 225, 0.75), ("accuracy", 450, 74.0), ("loss", 450, math.nan)]


def read(folder: Path, content: bytes, path: str = "run/valid/events.out.tfevents.1.host") -> Log:
    return read_event_file(submitted(folder, path, content, Role.LOG))


@pytest.mark.parametrize("tensors", [False, True])
def test_series_are_read_by_tag(tmp_path: Path, tensors: bool) -> None:
    run = read(tmp_path, b"".join(event_records(POINTS, tensors)))
    accuracy, loss = run.series
    assert (accuracy.tag, accuracy.steps, accuracy.values) == ("accuracy", (225, 450), (67.5, 74.0))
    assert loss.values[0] == 0.75
    assert math.isnan(loss.values[1])
    assert (run.name, accuracy.subset, run.problems) == ("run", Subset.VALID, ())


def test_of_a_repeated_step_the_last_value_counts(tmp_path: Path) -> None:
    points = [("a", 1, 1.0), ("a", 2, 2.0), ("a", 3, 3.0), ("a", 2, 20.0), ("a", 3, 30.0)]
    run = read(tmp_path, b"".join(event_records(points)))
    assert run.series[0].steps == (1, 2, 3)
    assert run.series[0].values == (1.0, 20.0, 30.0)
    assert run.problems[0].startswith("2 values were logged again")


@pytest.mark.parametrize("kept", [1, 11, 12, 20])
def test_a_cut_end_costs_only_the_last_event(tmp_path: Path, kept: int) -> None:
    records = event_records(POINTS)
    run = read(tmp_path, b"".join(records[:-1]) + records[-1][:kept])
    assert [series.steps for series in run.series] == [(225, 450), (225,)]
    assert run.problems == ("the file ends in the middle of a record after 4 events",)


def test_a_flipped_value_is_not_believed(tmp_path: Path) -> None:
    """One damaged record is left out and counted; what stands behind it is read."""
    records = event_records(POINTS)
    broken = bytearray(records[1])
    broken[-6] ^= 0x10
    run = read(tmp_path, b"".join([records[0], bytes(broken), *records[2:]]))
    assert [(series.tag, series.steps) for series in run.series] == [("accuracy", (450,)), ("loss", (225, 450))]
    assert run.problems == ("1 of 5 records are damaged and left out",)


def test_a_flipped_length_ends_the_reading(tmp_path: Path) -> None:
    records = event_records(POINTS)
    broken = bytes([records[3][0] ^ 1]) + records[3][1:]
    run = read(tmp_path, b"".join([*records[:3], broken, records[4]]))
    assert [series.steps for series in run.series] == [(225,), (225,)]
    assert "after 3 events" in run.problems[0]


def test_an_absurd_length_is_not_believed(tmp_path: Path) -> None:
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c

    length = struct.pack("<Q", 1 << 62)
    absurd = length + struct.pack("<I", masked_crc32c(length)) + b"x" * 100
    run = read(tmp_path, b"".join(event_records(POINTS)) + absurd)
    assert len(run.series) == 2
    assert run.problems == ("the file ends in the middle of a record after 5 events",)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"\x1f\x8b\x08" + b"\0" * 50, "not a TensorBoard event file"),
        (b"short", "the file ends in the middle of a record after 0 events"),
    ],
)
def test_what_is_no_event_file_says_so(tmp_path: Path, content: bytes, reason: str) -> None:
    run = read(tmp_path, content)
    assert run.series == ()
    assert reason in run.problems[0]


def test_a_file_without_scalars_says_so(tmp_path: Path) -> None:
    assert read(tmp_path, b"".join(event_records([]))).problems == ("the file holds no scalars",)
