"""On whole event files the series are those that tbparse reads, value by value."""

import math
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorboard.compat.proto import summary_pb2
from tensorboard.util import tensor_util

from grader.intake.submission import Role
from grader.reading.events import read_event_file
from tests.reading.making import event, event_records, scalar, submitted, tensor, text_summary

NAME = "events.out.tfevents.1700000000.host.1.0"
FLOATS = ("float32", "float64", "float16")
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "int64", "uint32", "uint64", "bool")
"""tbparse fails on most of these."""
Points = dict[str, dict[int, float]]


def tbparse_scalars(path: Path) -> Points:
    """Of a step logged twice the last value."""
    from tbparse import SummaryReader

    reader = SummaryReader(str(path), event_types={"scalars", "tensors"})
    points: Points = defaultdict(dict)
    for table in (reader.scalars, reader.tensors):
        for row in table.itertuples():
            if getattr(row.value, "shape", ()) == ():
                points[row.tag][int(row.step)] = float(row.value)
    return points


def our_scalars(path: Path) -> Points:
    log = read_event_file(submitted(path.parent, path.name, path.read_bytes(), Role.LOG))
    assert all(series.steps == tuple(sorted(set(series.steps))) for series in log.series)
    assert not [problem for problem in log.problems if "again" not in problem and "no scalars" not in problem]
    return {series.tag: dict(zip(series.steps, series.values, strict=True)) for series in log.series}


def same(ours: Points, theirs: Points) -> bool:
    return ours.keys() == theirs.keys() and all(
        ours[tag].keys() == theirs[tag].keys()
        and all(
            value == theirs[tag][step] or (math.isnan(value) and math.isnan(theirs[tag][step]))
            for step, value in ours[tag].items()
        )
        for tag in ours
    )


def number(tag: str, dtype: str, value: float) -> summary_pb2.Summary.Value:
    """A number as one framework or the other logs it."""
    import numpy

    if dtype == "simple":
        return scalar(tag, value)
    return tensor(tag, tensor_util.make_tensor_proto(numpy.array(value, dtype=dtype)))


tags = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200)
points = st.tuples(
    st.integers(0, 3),
    st.one_of(st.integers(0, 5), st.integers(0, 2**62)),
    st.floats(width=16) | st.floats(width=32),
    st.floats(1, 2e9),
)


@pytest.mark.filterwarnings("ignore")
@settings(deadline=None, max_examples=40)
@given(
    names=st.lists(tags, min_size=4, max_size=4, unique=True),
    kinds=st.lists(st.sampled_from(("simple", "simple", *FLOATS)), min_size=4, max_size=4),
    events=st.lists(st.lists(points, min_size=1, max_size=4), max_size=30),
)
def test_series_equal_tbparse_s(
    tmp_path_factory: pytest.TempPathFactory,
    names: list[str],
    kinds: list[str],
    events: list[list[tuple[int, int, float, float]]],
) -> None:
    records = [event_records([])[0], event(0, text_summary("sys.argv", "train"))]
    for logged in events:
        values = [number(names[which], kinds[which], value) for which, _, value, _ in logged]
        records.append(event(logged[0][1], *values, wall_time=logged[0][3]))
    path = tmp_path_factory.mktemp("events") / NAME
    path.write_bytes(b"".join(records))
    assert same(our_scalars(path), tbparse_scalars(path))


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("listed", [False, True], ids=["content", "list"])
def test_scalars_of_every_type(tmp_path: Path, dtype: str, listed: bool) -> None:
    """A number may stand in a list of its type or as raw content, and may be negative."""
    import numpy

    values = [1, 0] if dtype == "bool" or dtype.startswith("u") else [1, -3]
    arrays = [numpy.array(value, dtype=dtype) for value in values]
    protos = [tensor_util.make_tensor_proto(array) for array in arrays]
    if not listed:
        protos = [type(p)(dtype=p.dtype, tensor_content=a.tobytes()) for p, a in zip(protos, arrays, strict=True)]
    path = tmp_path / NAME
    path.write_bytes(b"".join(event(step, tensor("a", proto)) for step, proto in enumerate(protos)))
    assert our_scalars(path) == {"a": dict(enumerate(map(float, values)))}


def test_bfloat16(tmp_path: Path) -> None:
    from tensorboard.compat.proto.tensor_pb2 import TensorProto
    from tensorboard.compat.proto.types_pb2 import DT_BFLOAT16

    listed = TensorProto(dtype=DT_BFLOAT16, half_val=[0xBFC0])
    raw = TensorProto(dtype=DT_BFLOAT16, tensor_content=b"\xc0\x3f")
    path = tmp_path / NAME
    path.write_bytes(event(1, tensor("a", listed)) + event(2, tensor("a", raw)))
    assert our_scalars(path) == {"a": {1: -1.5, 2: 1.5}}


def test_texts_equal_tbparse_s(tmp_path: Path) -> None:
    from tbparse import SummaryReader

    said = [event(0, text_summary("sys.argv", "train.py --seed 0")), event(3, text_summary("args", "« {} »"))]
    path = tmp_path / NAME
    path.write_bytes(b"".join([event_records([])[0], *said]))
    log = read_event_file(submitted(tmp_path, NAME, path.read_bytes(), Role.LOG))
    rows = SummaryReader(str(path), event_types={"text"}).text
    assert {(text.tag, text.step, text.text) for text in log.texts} == set(
        zip(rows["tag"], rows["step"], rows["value"], strict=True)
    )
