"""The duration of a command, however busy the machine is: `seconds(command)`.

Run as a program (`python -m scripts.measured COMMAND…`) it runs a command and waits for everything that the command
has started, also where that outlives it, so that its processor time is counted (Linux; elsewhere less is).
"""

import ctypes
import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
_PR_SET_CHILD_SUBREAPER: Final = 36
"""Of Linux's `prctl`: orphans become children of this process."""


class MeasuredCommand(NamedTuple):
    """A command that has ended, and its seconds: by the clock, which others on the machine make longer, and of
    processor time of all its processes, which is longer where two work side by side."""

    done: subprocess.CompletedProcess[str]
    clock: float
    processor: float

    @property
    def seconds(self) -> float:
        """At most how long it takes on a machine that does nothing else, if it does not wait for anything."""
        return min(self.clock, self.processor)


def measure_command(command: Sequence[str], cwd: Path = ROOT) -> MeasuredCommand:
    """Run a command to its end and measure it."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    start, before = time.perf_counter(), _processor()
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "scripts.measured", *command],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return MeasuredCommand(done, time.perf_counter() - start, _processor() - before)


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(command: list[str]) -> int:
    """Run a command; its exit status."""
    with suppress(AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    status = subprocess.call(command)  # noqa: S603
    with suppress(ChildProcessError):
        while True:
            os.wait()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
