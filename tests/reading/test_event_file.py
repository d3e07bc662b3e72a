"""Event files: series, texts, restarts, and what is no event file."""

import gzip
import math
import struct
from pathlib import Path

import pytest

from grader.intake.submission import Role
from grader.reading import events as event_file
from grader.reading.events import read_event_file
from grader.reading.log import Log, LoggedText, Origin, Subset
from tests.reading.making import event, event_records, record, scalar, submitted, tensor, text_summary

POINTS = [("accuracy", 225, 67.5), ("loss", 225, 0.75), ("accuracy", 450, 74.0), ("loss", 450, math.nan)]


def read(folder: Path, content: bytes, path: str = "run/valid/events.out.tfevents.1.host.2.3") -> Log:
    return read_event_file(submitted(folder, path, content, Role.LOG))


@pytest.mark.parametrize("tensors", [False, True])
def test_series_are_read_by_tag(tmp_path: Path, tensors: bool) -> None:
    log = read(tmp_path, b"".join(event_records(POINTS, tensors)))
    accuracy, loss = log.series
    assert (accuracy.tag, accuracy.steps, accuracy.values) == ("accuracy", (225, 450), (67.5, 74.0))
    assert loss.values[0] == 0.75
    assert math.isnan(loss.values[1])
    assert (log.name, accuracy.subset, log.problems) == ("run", Subset.VALID, ())
    assert log.origin == Origin(started_at=1.0, host="host", pid=2, number=3)


def test_each_point_has_its_wall_time(tmp_path: Path) -> None:
    records = [event(step, scalar("a", step), wall_time=1.7e9 + step) for step in (1, 2, 3)]
    assert read(tmp_path, b"".join(records)).series[0].wall_times == (1.7e9 + 1, 1.7e9 + 2, 1.7e9 + 3)


def test_wall_times_are_told_for_all_points_or_for_none(tmp_path: Path) -> None:
    records = [event(1, scalar("a", 1), wall_time=5.0), event(2, scalar("a", 2), wall_time=0.0)]
    series = read(tmp_path, b"".join(records)).series[0]
    assert (series.steps, series.wall_times) == ((1, 2), ())


@pytest.mark.parametrize("step", [-1, 0, 1, 127, 128, 16383, 16384, 2**21 - 1, 2**21, 2**35, 2**63 - 1])
def test_steps_of_any_size(tmp_path: Path, step: int) -> None:
    records = [event(-5, scalar("a", 1.0)), event(step, scalar("a", 2.0))]
    assert read(tmp_path, b"".join(records)).series[0].steps == (-5, step)


def test_of_a_repeated_step_the_last_value_counts(tmp_path: Path) -> None:
    points = [("a", 1, 1.0), ("a", 2, 2.0), ("a", 3, 3.0), ("a", 2, 20.0), ("a", 3, 30.0), ("b", 1, 1.0)]
    log = read(tmp_path, b"".join(event_records(points)))
    assert log.series[0].steps == (1, 2, 3)
    assert log.series[0].values == (1.0, 20.0, 30.0)
    assert log.problems == (
        "2 values were logged again for the same step (a restart?): of each step the last value counts",
    )


def test_equal_values_for_one_step_are_no_restart(tmp_path: Path) -> None:
    points = [("epoch", 1, 1.0), ("epoch", 1, 1.0), ("loss", 2, math.nan), ("loss", 2, math.nan), ("epoch", 2, 2.0)]
    log = read(tmp_path, b"".join(event_records(points)))
    assert ([series.steps for series in log.series], log.problems) == ([(1, 2), (2,)], ())


def test_steps_out_of_order_are_sorted_and_no_problem(tmp_path: Path) -> None:
    log = read(tmp_path, b"".join(event_records([("a", 3, 3.0), ("a", 1, 1.0), ("a", 2, 2.0)])))
    assert (log.series[0].steps, log.series[0].values) == ((1, 2, 3), (1.0, 2.0, 3.0))
    assert log.problems == ()


def test_texts_are_read(tmp_path: Path) -> None:
    """fairseq logs its command line and the Trainer its arguments; a longer list of strings is one text."""
    records = [
        event(0, text_summary("sys.argv", "train.py --seed 0 --max-update 1125 « é »")),
        event(7, text_summary("args", "one", "two"), scalar("loss", 1.0)),
    ]
    log = read(tmp_path, b"".join(records))
    assert log.texts == (
        LoggedText(tag="sys.argv", step=0, text="train.py --seed 0 --max-update 1125 « é »"),
        LoggedText(tag="args", step=7, text="one\ntwo"),
    )
    assert [series.tag for series in log.series] == ["loss"]
    assert log.problems == ()


def test_a_text_is_known_by_its_tag_s_first_plugin(tmp_path: Path) -> None:
    """TensorFlow may tell the plugin with the first value of a tag only. Images are strings too, but no texts."""
    first, image = text_summary("notes", "first"), text_summary("image", "png")
    image.metadata.plugin_data.plugin_name = "images"
    later = text_summary("notes", "later")
    later.ClearField("metadata")
    log = read(tmp_path, b"".join([event(1, first, image), event(2, later)]))
    assert [text.text for text in log.texts] == ["first", "later"]


def test_other_summaries_are_passed_over(tmp_path: Path) -> None:
    from tensorboard.compat.proto import summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2

    image = summary_pb2.Summary.Value(tag="picture", image=summary_pb2.Summary.Image(encoded_image_string=b"x" * 9999))
    shape = tensor_shape_pb2.TensorShapeProto(dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=1)])
    vector = tensor_pb2.TensorProto(dtype=types_pb2.DT_FLOAT, tensor_shape=shape, float_val=[1.0])
    log = read(tmp_path, event(1, image, tensor("vector", vector), scalar("a", 1.0)))
    assert [series.tag for series in log.series] == ["a"]
    assert log.problems == ()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (gzip.compress(b"events", mtime=0), "compressed; unpack it"),
        (b"PK\x03\x04" + bytes(60), "compressed; unpack it"),
        (b"\n<!DOCTYPE html><html><body>404</body></html>", "web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "git lfs pull"),
        (b"Wall time,Step,Value\n1700000000,225,67.5\n", "no TensorBoard event file"),
        (bytes(5000), "zero bytes"),
        (b"\x80\x04\x95\x10\0\0\0\0\0\0\0", "no TensorBoard event file, or damaged throughout"),
    ],
)
def test_what_is_no_event_file_says_what_it_is(tmp_path: Path, content: bytes, reason: str) -> None:
    log = read(tmp_path, content)
    assert log.series == ()
    assert len(log.problems) == 1
    assert reason in log.problems[0]


def test_a_file_without_scalars_is_no_damage(tmp_path: Path) -> None:
    assert read(tmp_path, b"".join(event_records([]))).problems == ()


def test_a_record_that_is_no_event_costs_itself(tmp_path: Path) -> None:
    records = event_records(POINTS)
    log = read(tmp_path, b"".join([*records[:2], record(b"\x0a\xff"), *records[2:]]))
    assert [series.steps for series in log.series] == [(225, 450), (225, 450)]
    at = len(records[0]) + len(records[1])
    assert log.problems == (f"1 of 6 events cannot be understood wholly, from byte {at} on",)


def test_a_tag_that_is_no_unicode_is_still_a_tag(tmp_path: Path) -> None:
    damaged = record(event(1, scalar("abcd", 1.0))[12:-4].replace(b"abcd", b"ab\xffd"))
    assert read(tmp_path, damaged * 2).series[0].tag == "ab�d"


def test_of_a_large_file_the_beginning_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"".join(event_records(POINTS))
    monkeypatch.setattr(event_file, "MOST_BYTES", len(content) - 1)
    log = read(tmp_path, content)
    assert [series.steps for series in log.series] == [(225, 450), (225,)]
    assert len(log.problems) == 1
    assert "only its beginning is read" in log.problems[0]


def test_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    file = submitted(tmp_path, "events.out.tfevents.1.host", b"x", Role.LOG)
    file.location.unlink()
    assert "cannot be opened" in read_event_file(file).problems[0]


def as_tensor(form: str, value: float, first: bool) -> dict[str, object]:
    """A number as some writer puts it into a tensor: TensorFlow 2 writes its bytes, with a shape and metadata."""
    from tensorboard.compat.proto import summary_pb2, tensor_pb2, types_pb2

    plugin = summary_pb2.SummaryMetadata.PluginData(plugin_name="scalars")
    metadata = summary_pb2.SummaryMetadata(plugin_data=plugin, data_class=summary_pb2.DATA_CLASS_SCALAR)
    tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_FLOAT, tensor_content=struct.pack("<f", value))
    if form == "list":
        tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_FLOAT, float_val=[value])
    elif form == "double":
        tensor = tensor_pb2.TensorProto(dtype=types_pb2.DT_DOUBLE, tensor_content=struct.pack("<d", value))
    tensor.tensor_shape.SetInParent()
    return {"tensor": tensor} if form == "metadata once" and not first else {"tensor": tensor, "metadata": metadata}


@pytest.mark.parametrize("form", ["bytes", "list", "double", "metadata once"])
def test_tensors_are_read_in_any_form(tmp_path: Path, form: str) -> None:
    from tensorboard.compat.proto.summary_pb2 import Summary

    tags = "epoch_loss", "epoch_accuracy"
    values = [0.0, 0.375, *(n / 128 for n in range(300)), math.inf, -1.5]
    records = [
        event(step, Summary.Value(tag=tag, **as_tensor(form, value, step == 0)))
        for step, value in enumerate(values)
        for tag in tags
    ]
    log = read(tmp_path, b"".join(records))
    assert {one.tag: one.values for one in log.series} == dict.fromkeys(tags, tuple(values))
    assert (log.problems, {one.steps for one in log.series}) == ((), {tuple(range(len(values)))})


def test_an_event_is_known_by_the_bytes_behind_its_number_too(tmp_path: Path) -> None:
    """The last value of an event's message counts: here it stands where the others have their metadata."""
    from tensorboard.compat.proto.summary_pb2 import Summary

    known = [event(step, Summary.Value(tag="a", **as_tensor("bytes", step, True))) for step in range(1, 9)]
    payload = known[-1][12:-4]
    metadata = len(payload) - payload.rindex(b"\x4a\x0d")
    other = payload[:-metadata] + 3 * (b"\x15" + struct.pack("<f", 7.5))
    assert (metadata, len(other)) == (15, len(payload))
    log = read(tmp_path, b"".join([*known, record(other)]))
    assert log.series[0].values == (*range(1, 8), 7.5)
