"""One file given to the reader, and what it must not do: raise, hang, swell, or lose its own record."""

import ctypes
import json
import os
import signal
import sys
import time
import traceback
import tracemalloc
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

from grader.intake.submission import Submission
from grader.reading.formats import read
from grader.reading.reading import FileState, Reading
from tests.reading.fuzz.case import Case, submission
from tests.reading.fuzz.timing import TooSlowError, within

SECONDS: Final = 3.0
SECONDS_PER_MB: Final = 20.0
"""Of processor time. A hand-in has 120 s on the clock, and files are rarely larger than a few MB."""

MEMORY: Final = 300e6
MEMORY_PER_BYTE: Final = 150
"""In bytes of resident memory above what was there before. A hand-in has 4 GiB of address space."""

DUMP: Final = 3e6
DUMP_PER_BYTE: Final = 100
"""In bytes of JSON."""

LONGEST_REASON: Final = 10_000
"""In characters: it is shown to the student."""

_HERE: Final = f"{os.sep}grader{os.sep}"
_CLEAR: Final = Path("/proc/self/clear_refs")
_STATUS: Final = Path("/proc/self/status")


class Failure(NamedTuple):
    """What went wrong and in which function, which tells one failure from another; `detail` is for people."""

    kind: str
    where: str
    detail: str

    @property
    def signature(self) -> str:
        """The same for all files that break the reader in the same way."""
        return f"{self.kind} in {self.where}"


def trial(case: Case, folder: Path, patience: float = 1.0, located: bool = True) -> Failure | None:
    """Read one file within limits; `patience` multiplies the limit on time. None where all is as it should be.

    Where memory went is looked for only if `located`, for it takes long.
    """
    handed_in = submission(case, folder)
    seconds = patience * (SECONDS + SECONDS_PER_MB * len(case.data) / 1e6)
    before = _resident()
    try:
        with within(seconds):
            reading = read(handed_in)
            dump = reading.model_dump_json()
    except TooSlowError as error:
        return Failure("too slow", _innermost(error).partition(":")[0], f"more than {seconds:.1f} s; {_stack(error)}")
    except Exception as error:
        return Failure(type(error).__name__, _innermost(error), f"{str(error)[:200]}; {_stack(error)}")
    used = _memory("VmHWM") - before
    if used > MEMORY + MEMORY_PER_BYTE * len(case.data):
        return Failure("too much memory", _hungriest(handed_in) if located else "", f"{used / 1e6:.0f} MB")
    return _misread(case, reading, folder) or _dumped(case, dump)


def _misread(case: Case, reading: Reading, folder: Path) -> Failure | None:
    """What is wrong with the file's record."""
    records = [record for record in reading.files if record.path == case.name]
    kind = case.role.value + Path(case.name).suffix
    if len(records) != 1:
        return Failure("no record", kind, str(reading.files)[:200])
    record = records[0]
    reason = record.reason or ""
    if "grader's fault" in reason:
        where, detail = _swallowed(case, folder)
        return Failure(reason.partition("(")[2].partition(")")[0], where, detail)
    if not reason and record.state is not FileState.READ:
        return Failure("no reason", kind, record.state.value)
    if len(reason) > LONGEST_REASON:
        return Failure("long reason", kind, f"{len(reason)} characters: {reason[:100]}")
    return None


def _dumped(case: Case, dump: str) -> Failure | None:
    """What is wrong with the reading as JSON."""
    json.loads(dump)
    dump.encode("utf-8")
    if len(dump) > DUMP + DUMP_PER_BYTE * len(case.data):
        detail = f"{len(case.data)} bytes became {len(dump) / 1e6:.1f} MB of JSON"
        return Failure("swollen", case.role.value + Path(case.name).suffix, detail)
    return None


def _resident() -> int:
    """Resident memory now, in bytes, with its peak brought down to it, as far as Linux lets us."""
    if _memory("VmRSS") > MEMORY:
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)  # what was freed would be used again unseen
    now = _memory("VmRSS")
    if _memory("VmHWM") > now + MEMORY / 10:
        with suppress(OSError):
            _CLEAR.write_text("5")  # costs milliseconds
    return now


def _memory(key: str) -> int:
    """Resident memory now (VmRSS) or at its peak (VmHWM), in bytes; 0 where Linux does not tell."""
    with suppress(OSError, StopIteration):
        line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(key))
        return int(line.split()[1]) * 1024
    return 0


def _hungriest(handed_in: Submission) -> str:
    """The function that holds most memory when most is held: read again, noting who asks for it."""
    best: list[tuple[int, str]] = [(0, "outside Python")]

    def look(frame: FrameType | None) -> None:
        held = tracemalloc.get_traced_memory()[0]
        while frame and _HERE not in frame.f_code.co_filename:
            frame = frame.f_back
        if time.process_time() > until:
            raise TooSlowError
        if held > 1.2 * best[0][0] and frame:
            best[0] = (held, f"{_short(frame.f_code.co_filename)}:{frame.f_code.co_name}")

    tracemalloc.start(1)
    until = time.process_time() + 10 * SECONDS
    before = signal.signal(signal.SIGPROF, lambda _signal, frame: look(frame))
    signal.setitimer(signal.ITIMER_PROF, 0.02, 0.02)
    try:
        with suppress(TooSlowError):
            read(handed_in)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        tracemalloc.stop()
    return best[0][1]


def _innermost(error: BaseException) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _HERE in frame.filename]
    return f"{_short(frames[-1].filename)}:{frames[-1].name}" if frames else "outside grader"


def _stack(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    return " < ".join(f"{_short(frame.filename)}:{frame.lineno}" for frame in reversed(frames))


def _short(filename: str) -> str:
    return filename.rpartition(_HERE)[2] if _HERE in filename else Path(filename).name


def _swallowed(case: Case, folder: Path) -> tuple[str, str]:
    """Where the exception came from that `read` made a reason of: read again, watching what is raised."""
    raised: list[tuple[str, str]] = []

    def watch(frame: FrameType, event: str, argument: Any) -> Any:
        if _HERE not in frame.f_code.co_filename:
            return None
        if event == "exception" and frame.f_code.co_filename.endswith("reader.py"):
            _, error, trace = argument
            error = error.with_traceback(trace) if isinstance(error, BaseException) else error
            raised.append((_innermost(error), f"{type(error).__name__}: {str(error)[:200]}; {_stack(error)}"))
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        read(submission(case, folder))
    finally:
        sys.settrace(before)
    return raised[-1] if raised else ("unknown", "the exception came but once")
