"""Time what has a bar, as whole processes: `python -m scripts.bench`. Medians of five runs after one to warm up."""

import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / "tests" / "reference" / "configs" / "llama-2-70b.json"
RUNS = 5


def measured(*arguments: object) -> tuple[float, float]:
    """CPU seconds and wall seconds of one `grade` command, children included."""
    import time

    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "grader", *map(str, arguments)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    after, ended = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, ended - started


def main() -> None:
    """Print a line for each command."""
    with tempfile.TemporaryDirectory() as out:
        commands: dict[str, tuple[object, ...]] = {
            "grade --help": ("--help",),
            "grade submissions, results only": ("submissions", "--out", out, "--no-reports"),
            "grade submissions, with reports": ("submissions", "--out", out),
            "grade truth count, 70 billion parameters": ("truth", "count", CONFIG),
            "grade truth verify": ("truth", "verify"),
        }
        print(f"{'command':44}{'CPU s':>8}{'wall s':>8}")
        for name, arguments in commands.items():
            measured(*arguments)
            runs = [measured(*arguments) for _ in range(RUNS)]
            cpu, wall = (statistics.median(column) for column in zip(*runs, strict=True))
            print(f"{name:44}{cpu:8.2f}{wall:8.2f}")


if __name__ == "__main__":
    main()
