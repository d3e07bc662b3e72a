"""Events that are alike are read together, with the result of reading them one by one."""

import math
import random
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorboard.util import tensor_util

from grader.intake.submission import Role
from grader.reading import alike
from grader.reading import events as event_file
from grader.reading.events import read_event_file
from grader.reading.log import Log
from tests.reading.making import event, event_records, scalar, submitted, tensor, text_summary

EVENTS = 600


def read(folder: Path, content: bytes, together: bool) -> Log:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_file, "_FEW", 0 if together else sys.maxsize)
        patch.setattr(event_file, "_FEW_IN_A_ROW", 0)
        return read_event_file(submitted(folder, "run/events.out.tfevents.1.host", content, Role.LOG))


def logged(kind: str, number: int, draw: random.Random) -> bytes:
    """An event of a kind, as several programs write them."""
    step, value = number // 4, draw.choice((draw.random(), math.nan, math.inf, 1e38, -0.0, number))
    match kind:
        case "scalars":
            return event(step, scalar(draw.choice(("a", "b", "loss", "lost")), value), wall_time=draw.uniform(0, 2e9))
        case "tensors":
            return event(step, tensor("t", tensor_util.make_tensor_proto(value, dtype="float32")))
        case "doubles":
            return event(step, tensor("d", tensor_util.make_tensor_proto(value, dtype="float64")))
        case "several":
            return event(step, scalar("x", value), scalar("y", draw.random()), scalar("x", 2.0))
        case "signed":
            return event(draw.choice((-step, step << 40)), scalar("s", value))
    return event(step, text_summary("text", f"text {number}")) if draw.random() < 0.1 else event(step)


@settings(deadline=None, max_examples=25)
@given(
    kinds=st.lists(
        st.sampled_from(("scalars", "tensors", "doubles", "several", "signed", "texts")), min_size=1, max_size=4
    ),
    seed=st.integers(0, 1000),
    flips=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 7)), max_size=5),
)
def test_events_read_together_are_read_as_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, kinds: list[str], seed: int, flips: list[tuple[float, int]]
) -> None:
    """Also where the file is damaged, which is told at the same places."""
    draw = random.Random(seed)
    content = bytearray(
        b"".join((event_records([])[0], *(logged(draw.choice(kinds), number, draw) for number in range(EVENTS))))
    )
    for place, bit in flips:
        content[int(place * len(content))] ^= 1 << bit
    folder = tmp_path_factory.mktemp("alike")
    together, one_by_one = (read(folder, bytes(content), together) for together in (True, False))
    assert repr(together) == repr(one_by_one)  # NaN is not equal to itself


def test_a_value_in_a_place_where_texts_differ_is_no_scalar(tmp_path: Path) -> None:
    """Bytes that happen to be those of the number are not taken for it."""
    events = [event(step, scalar("1234" * (step % 2 + 1), 1.0)) for step in range(1, 100)]
    events += [event(step, scalar("\0\0\u20ac?", 1.0)) for step in range(1, 100)]
    assert read(tmp_path, b"".join(events), together=True) == read(tmp_path, b"".join(events), together=False)


def test_almost_all_events_of_a_long_run_are_read_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = event_records([("loss", step, step / 7) for step in range(1, 5000)])
    alone = []
    take = event_file.Collector._take_event
    monkeypatch.setattr(event_file.Collector, "_take_event", lambda *given: (alone.append(given[1]), take(*given)))
    log = read(tmp_path, b"".join(records), together=True)
    assert len(log.series[0].values) == 4999
    assert len(alone) < 20


@pytest.mark.parametrize("size", [1, 20, 300])
def test_a_checksum_is_the_sum_of_what_its_bytes_add(size: int) -> None:
    draw = random.Random(size)
    one, other = draw.randbytes(size), draw.randbytes(size)
    added = alike._added(512)
    told = alike.crc32c(one)
    for at, (before, after) in enumerate(zip(one, other, strict=True)):
        told ^= int(added[size - 1 - at][before ^ after])
    assert told == alike.crc32c(other)
