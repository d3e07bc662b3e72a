"""Look for files that break a reader: `python -m scripts.fuzz --minutes 10`.

What is found is written to tests/reading/fuzz/found, where a test reads it from then on. Coverage leads the search when
atheris is installed (`pip install atheris`; Apache-2.0, needs Linux); without it, or with --blind, files are changed at
random.
"""

import argparse
import importlib.util
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.reading.fuzz.campaign import noted
from tests.reading.fuzz.case import FOUND, keep

ROOT: Final = Path(__file__).parents[1]
LONGEST_SILENCE: Final = 300.0
"""In seconds: how long one file may take before the process is ended. The readers' own limit is far lower, but code
that is not Python's cannot be interrupted by it."""


def main() -> int:
    """Fuzz for the time that the command line asks for; 1 when something was found."""
    parser = argparse.ArgumentParser(description="Look for files that break a reader.")
    parser.add_argument("--minutes", type=float, default=5.0, help="how long (default: 5)")
    parser.add_argument("--seed", type=int, default=0, help="of the random changes (default: 0)")
    parser.add_argument("--blind", action="store_true", help="do not be led by coverage")
    parser.add_argument("--found", type=Path, default=FOUND, help="where to keep what breaks a reader")
    given = parser.parse_args()
    if given.blind or importlib.util.find_spec("atheris") is None:
        mode = "campaign"
        if not given.blind:
            print("atheris is not installed (pip install atheris): files are changed at random, coverage unseen")
    else:
        mode = "guided"
    before = _files(given.found)
    _fuzz(mode, given.found.resolve(), until=time.monotonic() + 60 * given.minutes, seed=given.seed)
    new = sorted(_files(given.found) - before)
    print(f"{len(new)} new in {given.found}" + "".join(f"\n  {path}" for path in new))
    return 1 if new else 0


def _files(folder: Path) -> set[Path]:
    return {path for path in folder.glob("*/*") if path.is_file()}


def _fuzz(mode: str, found: Path, until: float, seed: int) -> None:
    """Campaigns one after the other: what kills the process ends one, and is kept."""
    while (left := int(until - time.monotonic())) > 0:
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            command = [sys.executable, "-m", f"tests.reading.fuzz.{mode}", folder, str(found), str(left), str(seed)]
            code = _watched(command, work)
            case = noted(work)
            if code != 0 and case is not None:
                print(f"the process ended ({_reason(code)}) while it read {case.name}: {keep(case, found)}", flush=True)
            elif code != 0:
                sys.exit(f"the campaign could not begin (exit code {code})")
        seed += 1


def _watched(command: list[str], work: Path) -> int:
    """The exit code of a campaign; it is ended when one file takes too long."""
    with subprocess.Popen(command, cwd=ROOT) as process:  # noqa: S603 - this project's own command
        while process.poll() is None:
            time.sleep(1)
            current = work / "current"
            if current.exists() and time.time() - current.stat().st_mtime > LONGEST_SILENCE:
                process.kill()
        return process.returncode


def _reason(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"


if __name__ == "__main__":
    sys.exit(main())
