"""Damaged event files: it costs what it hit, every damage is told with its place, and nothing raises or hangs."""

import math
import random
import struct
import time
import tracemalloc
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.intake.submission import Role
from grader.reading import events as event_file
from grader.reading.events import Records, read_event_file, varint_of
from grader.reading.log import Log
from grader.reading.logs.written import CUT
from tests.reading.making import event, event_records, record, scalar, submitted, text_summary

POINTS = [("accuracy", 225, 67.5), ("loss", 225, 0.75), ("accuracy", 450, 74.0), ("loss", 450, math.inf)]


def read(folder: Path, content: bytes) -> Log:
    return read_event_file(submitted(folder, "run/events.out.tfevents.1.host", content, Role.LOG))


@cache
def whole_records() -> tuple[bytes, ...]:
    """A small run: a version, a command line, two scalars at 100 steps."""
    logged = [event(step, scalar("loss", 1 / step), wall_time=5.0 + step) for step in range(1, 51)]
    logged += [event(step, scalar("accuracy", step), scalar("lr", 0.1), wall_time=80.0) for step in range(1, 51)]
    return (event_records([])[0], event(0, text_summary("sys.argv", "train.py --seed 1")), *logged)


def without(records: tuple[bytes, ...], index: int) -> bytes:
    return b"".join(records[:index] + records[index + 1 :])


def said(log: Log) -> tuple[object, ...]:
    return (log.series, log.texts)


@pytest.mark.parametrize("kept", [1, 11, 12, 20])
def test_a_cut_end_costs_only_the_last_event(tmp_path: Path, kept: int) -> None:
    records = event_records(POINTS)
    whole = b"".join(records[:-1])
    log = read(tmp_path, whole + records[-1][:kept])
    assert [series.steps for series in log.series] == [(225, 450), (225,)]
    assert log.problems == (
        f"the file is cut off in the middle of an event: the last {kept} byte{'s' if kept > 1 else ''}, "
        f"from byte {len(whole)} on, are lost, after 4 events (was it copied while the training ran?)",
    )


def test_a_flipped_value_is_not_believed(tmp_path: Path) -> None:
    """One damaged record is left out and counted; what stands behind it is read."""
    records = event_records(POINTS)
    broken = bytearray(records[1])
    broken[-6] ^= 0x10
    log = read(tmp_path, b"".join([records[0], bytes(broken), *records[2:]]))
    assert [(series.tag, series.steps) for series in log.series] == [("accuracy", (450,)), ("loss", (225, 450))]
    where = f"from byte {len(records[0])} on"
    assert log.problems == (f"1 of 5 events is damaged and left out, {where} (a fresh copy of the file may be whole)",)


def test_a_flipped_length_costs_its_event_too(tmp_path: Path) -> None:
    records = event_records(POINTS)
    broken = bytes([records[3][0] ^ 1]) + records[3][1:]
    log = read(tmp_path, b"".join([*records[:3], broken, records[4]]))
    assert [series.steps for series in log.series] == [(225,), (225, 450)]
    at = sum(map(len, records[:3]))
    assert log.problems == (
        f"{len(broken)} bytes are damaged and left out, from byte {at} on; what follows is read again "
        "(a fresh copy of the file may be whole)",
    )


def test_damage_in_many_places_is_counted(tmp_path: Path) -> None:
    records = event_records([("a", step, step) for step in range(20)])
    broken = [r[:-5] + bytes([r[-5] ^ 1]) + r[-4:] if i % 4 == 3 else r for i, r in enumerate(records)]
    places = [sum(map(len, records[:i])) for i in (3, 7, 11)]
    log = read(tmp_path, b"".join(broken))
    assert len(log.series[0].steps) == 15
    where = ", ".join(map(str, places))
    assert log.problems[0].startswith(f"5 of 21 events are damaged and left out, from bytes {where} on, and 2 more")


def test_missing_bytes_cost_one_event(tmp_path: Path) -> None:
    """Behind a hole in a record the lengths no longer fit; the next record is searched from where the hole may be."""
    records = whole_records()
    hole = b"".join(records[:9]) + records[9][:15] + records[9][20:] + b"".join(records[10:])
    log = read(tmp_path, hole)
    assert said(log) == said(read(tmp_path, without(records, 9)))
    assert len(log.problems) == 1


def test_inserted_bytes_cost_nothing_else(tmp_path: Path) -> None:
    records = whole_records()
    log = read(tmp_path, b"".join(records[:9]) + b"\0\r\n" * 1000 + b"".join(records[9:]))
    assert said(log) == said(read(tmp_path, b"".join(records)))
    assert log.problems[0].startswith("3,000 bytes are damaged and left out")


def test_garbage_at_the_end_is_told(tmp_path: Path) -> None:
    records = event_records(POINTS)
    size = sum(map(len, records))
    log = read(tmp_path, b"".join(records) + bytes(4096))
    assert len(log.series) == 2
    assert log.problems == (
        f"the last 4,096 bytes, from byte {size} on, are damaged or no events, and left out, after 5 events "
        "(a fresh copy of the file may be whole)",
    )


def test_an_absurd_length_is_not_believed(tmp_path: Path) -> None:
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c

    length = struct.pack("<Q", 8 << 30)
    absurd = length + struct.pack("<I", masked_crc32c(length)) + b"x" * 100
    log = read(tmp_path, b"".join(event_records(POINTS)) + absurd)
    assert len(log.series) == 2
    assert "cut off" in log.problems[0]
    follows = read(tmp_path, absurd + b"".join(event_records(POINTS)))
    assert len(follows.series) == 2
    assert follows.problems[0].startswith("112 bytes are damaged")


def test_every_flipped_byte_costs_its_record_alone_and_is_told(tmp_path: Path) -> None:
    """Whether it hits a length, the data, or a checksum."""
    records = whole_records()[:2] + whole_records()[-4:]
    content = b"".join(records)
    owner = [index for index, data in enumerate(records) for _ in data]
    left = [said(read(tmp_path, without(records, index))) for index in range(len(records))]
    for at, index in enumerate(owner):
        broken = bytearray(content)
        broken[at] ^= 1 << at % 8
        log = read(tmp_path, bytes(broken))
        assert said(log) == left[index], at
        assert log.problems, at


mutation = st.one_of(
    st.tuples(st.just("flip"), st.floats(0, 1), st.integers(1, 255)),
    st.tuples(st.just("cut"), st.floats(0, 1), st.integers(1, 300)),
    st.tuples(st.just("insert"), st.floats(0, 1), st.binary(min_size=1, max_size=300)),
    st.tuples(st.just("zero"), st.floats(0, 1), st.integers(1, 300)),
    st.tuples(st.just("end"), st.floats(0, 1), st.none()),
)


def mutated(content: bytes, kind: str, place: float, detail: object) -> bytes:
    at = int(place * (len(content) - 1)) if content else 0
    match kind, detail:
        case "flip", int(mask):
            return content[:at] + bytes([content[at] ^ mask]) + content[at + 1 :] if content else b""
        case "cut", int(size):
            return content[:at] + content[at + size :]
        case "insert", bytes(data):
            return content[:at] + data + content[at:]
        case "zero", int(size):
            return content[:at] + bytes(min(size, len(content) - at)) + content[at + size :]
    return content[:at]


@settings(deadline=None, max_examples=60)
@given(mutations=st.lists(mutation, min_size=1, max_size=4), data=st.data())
def test_no_mutation_is_silent(
    tmp_path_factory: pytest.TempPathFactory, mutations: list[tuple[str, float, object]], data: st.DataObject
) -> None:
    """Whatever is read was written, and whatever was written and is not read is told, but for a clean cut."""
    records = whole_records()
    content = b"".join(records)
    for kind, place, detail in mutations:
        content = mutated(content, kind, place, detail)
    read_back = Records(content)
    found = [content[at : at + len(payload) + 16] for at, payload in read_back]
    assert set(found) <= set(records)
    lost = sum(damage.size for damage in read_back.damage.values())
    assert sum(map(len, found)) + lost == len(content), "every byte is read or counted as damaged"
    log = read(tmp_path_factory.mktemp("mutated"), content)
    assert bool(lost) <= bool(log.problems)


@settings(deadline=None, max_examples=80)
@given(payloads=st.lists(st.binary(max_size=80)), junk=st.binary(max_size=40))
def test_no_bytes_raise(tmp_path_factory: pytest.TempPathFactory, payloads: list[bytes], junk: bytes) -> None:
    log = read(tmp_path_factory.mktemp("bytes"), b"".join(map(record, payloads)) + junk)
    assert log.series or log.problems or payloads


@settings(deadline=None, max_examples=60)
@given(flips=st.lists(st.tuples(st.integers(0, 10_000), st.integers(1, 255)), min_size=1, max_size=6))
def test_no_event_with_a_right_checksum_raises(
    tmp_path_factory: pytest.TempPathFactory, flips: list[tuple[int, int]]
) -> None:
    payload = bytearray(event(300, scalar("loss", 0.5), text_summary("args", "a", "b"))[12:-4])
    for at, mask in flips:
        payload[at % len(payload)] ^= mask
    good = event(1, scalar("kept", 1.0))
    log = read(tmp_path_factory.mktemp("event"), good + record(bytes(payload)) + good)
    assert any(series.tag == "kept" for series in log.series)


def _header(length: int) -> bytes:
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c

    data = struct.pack("<Q", length)
    return data + struct.pack("<I", masked_crc32c(data))


SIZE = 20_000_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    [
        bytes(SIZE),
        b"\1\0\0\0\0" * (SIZE // 5),
        _header(10_000_000) * (SIZE // 12),
        (_header(SIZE // 2) + record(b"")) * (SIZE // 28),
        (_header(SIZE // 2) + record(b"\x10\x01")) * (SIZE // 30),
        (_header(1) + bytes(5)) * (SIZE // 17),
        random.Random(1).randbytes(SIZE),
    ],
    ids=["zeros", "near zeros", "long records", "long and empty", "long and short", "all damaged", "noise"],
)
def test_hostile_records_end_soon(tmp_path: Path, hostile: bytes) -> None:
    started = time.process_time()
    log = read(tmp_path, hostile)
    seconds = time.process_time() - started
    print(f"{seconds:.1f} s for 20 MB")
    assert log.problems
    assert seconds < 10


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + varint_of(len(content)) + content


def _tensor_event(tensor: bytes, plugin: bytes) -> bytes:
    value = _field(1, b"tag") + _field(8, tensor) + _field(9, _field(1, _field(1, plugin)))
    return _field(5, _field(1, value))


_SCALAR = _field(1, _field(1, b"t") + b"\x15\0\0\0\0")
_TEXT = b"\x08\x07" + _field(8, b"x")
_HOSTILE_EVENTS = {
    "many values": lambda: [_field(5, _SCALAR * 50_000), _field(5, _SCALAR[:-1] + b"\x40")],
    "too many values": lambda: [_field(5, _SCALAR * 110_000)],
    "many tags": lambda: [_field(5, _field(1, _field(1, b"%d" % n) + b"\x15\0\0\0\0")) for n in range(12_000)],
    "a long tag": lambda: [_field(5, _field(1, _field(1, b"t" * 1_000_000) + b"\x15\0\0\0\0"))],
    "many texts": lambda: [_tensor_event(_TEXT, b"text")] * 12_000,
    "a long text": lambda: [_tensor_event(b"\x08\x07" + _field(8, b"x" * 5_000_000), b"text")],
    "many strings": lambda: [_tensor_event(b"\x08\x07" + _field(8, b"") * 200_000, b"text")],
    "packed numbers": lambda: [_tensor_event(b"\x08\x01" + _field(5, bytes(4_000_000)), b"scalars")],
}


@pytest.mark.parametrize("hostile", _HOSTILE_EVENTS)
def test_hostile_events_take_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hostile: str) -> None:
    content = b"".join(_quick_record(payload) for payload in _HOSTILE_EVENTS[hostile]())
    monkeypatch.setattr(event_file, "MOST_BYTES", len(content))
    file = submitted(tmp_path, "events.out.tfevents.1.host", content, Role.LOG)
    tracemalloc.start()
    log = read_event_file(file)
    peak = tracemalloc.get_traced_memory()[1] / len(content)
    tracemalloc.stop()
    print(f"{peak:.1f} bytes for a byte of the file")
    assert log.problems
    assert peak < 80


def _quick_record(payload: bytes) -> bytes:
    """As `record`, with a checksum that is not computed in Python."""
    from google_crc32c import value as crc32c

    def masked(data: bytes) -> bytes:
        checksum = crc32c(data)
        return struct.pack("<I", ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    header = struct.pack("<Q", len(payload))
    return header + masked(header) + payload + masked(payload)


def test_a_file_that_was_made_to_be_slow_is_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing then contradicts nothing."""
    monkeypatch.setattr(event_file, "_SECONDS", -1)
    log = read(tmp_path, b"".join(event_records(POINTS)))
    assert log.problems == ("it is too long; only its beginning is read",)
    assert [setting.name for setting in log.settings] == [CUT]
