"""Event files: our reader beside tbparse, each in fresh processes, in CPU seconds and peak memory."""

import json
import random
import statistics
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from google_crc32c import value as crc32c

from scripts.bench.figure import Figure

if TYPE_CHECKING:
    from tensorboard.compat.proto.event_pb2 import Event

ROOT: Final = Path(__file__).parents[2]
SCALARS: Final = 200_000
MANY_SCALARS: Final = 1_000_000
FAIRSEQ: Final = (
    "loss",
    "nll_loss",
    "accuracy",
    "wps",
    "ups",
    "wpb",
    "bsz",
    "lr",
    "gnorm",
    "clip",
    "train_wall",
    "wall",
)
TRAINER: Final = ("train/loss", "train/grad_norm", "train/learning_rate", "train/epoch")

TENSORS: Final = "TensorFlow 2, scalars as tensors"
_BARS: Final = {TENSORS: 12}
_USUAL_BAR: Final = 10
"""How many times as fast as tbparse reading has to be."""

_OURS: Final = """
from pathlib import Path
from grader.intake.submission import Role, SubmittedFile
from grader.reading.events import read_event_file
def read(path):
    file = SubmittedFile(path=path, role=Role.LOG, size=0, sha256="", location=Path(path))
    return sum(len(series.values) for series in read_event_file(file).series)
"""
_TBPARSE: Final = """
from tbparse import SummaryReader
def read(path):
    reader = SummaryReader(path, event_types={"scalars", "tensors"})
    return len(reader.scalars) + len(reader.tensors)
"""
_COMPILED: Final = """
import struct
from google_crc32c import value as crc32c
from tensorboard.compat.proto.event_pb2 import Event
def read(path):
    columns, at = {}, 0
    with open(path, "rb") as file:
        data = file.read()
    while at < len(data):
        end = at + 12 + struct.unpack_from("<Q", data, at)[0]
        payload = data[at + 12 : end]
        checksum = crc32c(payload)
        assert ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF == struct.unpack_from("<I", data, end)[0]
        event = Event.FromString(payload)
        for value in event.summary.value:
            number = struct.unpack("<f", value.tensor.tensor_content)[0]
            columns.setdefault(value.tag, []).append((event.step, number, event.wall_time))
        at = end + 4
    return sum(map(len, columns.values()))
"""
"""A reader of tensors alone, with Protocol Buffers' compiled messages."""
_MEASURE: Final = """
import json, resource, sys, time
started = time.process_time()
count = read(sys.argv[1])
ended = time.process_time()
print(json.dumps([count, ended - started, ended, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
"""


class Cost(NamedTuple):
    """The cost of reading a file: CPU seconds for the reading and for its whole process, and the peak memory of that
    process in kB."""

    scalars: int
    reading: float
    process: float
    memory: int


def figures() -> Iterator[Figure]:
    """Yield how many times faster than tbparse the reader is, for each kind of file, and how much memory a million
    events take."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.out.tfevents.1700000000.host.1.0"
        for name, events in _kinds().items():
            _write(path, events)
            ours = _cost(_OURS, path, runs=5)
            yield from _faster(name, ours, _cost(_TBPARSE, path, runs=2))
            if name == TENSORS:
                compiled = _cost(_COMPILED, path, runs=3).reading / ours.reading
                yield Figure(f"{name}: times compiled messages, reading alone", compiled, "x", 1, at_least=True)
        _write(path, _events(MANY_SCALARS, FAIRSEQ))
        ours, theirs = _cost(_OURS, path), _cost(_TBPARSE, path)
        yield from _faster("a million events", ours, theirs)
        yield Figure("a million events: CPU time for each", ours.reading * 1e6 / MANY_SCALARS, "us")
        yield Figure("a million events: peak memory, ours / tbparse's", ours.memory / theirs.memory, "x", 0.65)
        yield Figure("a million events: peak memory", ours.memory / 1000, "MB")


def _faster(name: str, ours: Cost, theirs: Cost) -> Iterator[Figure]:
    if ours.scalars != theirs.scalars:
        raise ValueError(f"{name}: {ours.scalars} scalars are read, and by tbparse {theirs.scalars}")
    bar = _BARS.get(name, _USUAL_BAR)
    yield Figure(f"{name}: times tbparse, reading alone", theirs.reading / ours.reading, "x", bar, at_least=True)
    yield Figure(f"{name}: times tbparse, whole process", theirs.process / ours.process, "x", 5, at_least=True)


def _cost(reader: str, path: Path, runs: int = 1) -> Cost:
    """The median cost of some fresh processes; of an even number of them the lower one."""
    command = [sys.executable, "-W", "ignore", "-c", reader + _MEASURE, str(path)]
    outputs = (subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout for _ in range(runs))
    scalars, *costs = zip(*(json.loads(output) for output in outputs), strict=True)
    return Cost(scalars[0], *(statistics.median_low(cost) for cost in costs))


def _kinds() -> dict[str, Iterator["Event"]]:
    """Events for each kind of file."""
    return {
        "fairseq, a scalar an event": _events(SCALARS, FAIRSEQ),
        "Trainer, a scalar an event": _events(SCALARS, TRAINER),
        "12 scalars an event": _events(2 * SCALARS, FAIRSEQ, together=12),
        TENSORS: _events(SCALARS, FAIRSEQ, tensors=True),
    }


def _events(scalars: int, tags: tuple[str, ...], together: int = 1, tensors: bool = False) -> Iterator["Event"]:
    """So many scalars under these tags in turn, `together` of them in each event."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import DATA_CLASS_SCALAR
    from tensorboard.compat.proto.types_pb2 import DT_FLOAT

    draw = random.Random(0)  # noqa: S311 not for secrets
    yield Event(wall_time=1.7e9, file_version="brain.Event:2")
    for first in range(0, scalars, together):
        event = Event(wall_time=1.7e9 + first / 100, step=first // len(tags))
        for index in range(first, min(first + together, scalars)):
            value = event.summary.value.add(tag=tags[index % len(tags)])
            if tensors:
                value.metadata.plugin_data.plugin_name = "scalars"
                value.metadata.data_class = DATA_CLASS_SCALAR
                value.tensor.dtype = DT_FLOAT
                value.tensor.tensor_shape.SetInParent()
                value.tensor.tensor_content = struct.pack("<f", draw.random())
            else:
                value.simple_value = draw.random()
        yield event


def _write(path: Path, events: Iterable["Event"]) -> None:
    with path.open("wb") as file:
        for event in events:
            data = event.SerializeToString()
            header = struct.pack("<Q", len(data))
            file.write(header + _masked(header) + data + _masked(data))


def _masked(data: bytes) -> bytes:
    checksum = crc32c(data)
    return struct.pack("<I", ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF)
