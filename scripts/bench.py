"""Time what has a bar, as whole processes: `python -m scripts.bench`. Medians of five runs after one to warm up."""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / "tests" / "reference" / "configs" / "llama-2-70b.json"
RUNS = 5


def seconds(*arguments: object) -> float:
    """The wall-clock seconds of one `grade` command."""
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "grader", *map(str, arguments)], cwd=ROOT, capture_output=True, check=True)
    return time.perf_counter() - started


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
        for name, arguments in commands.items():
            seconds(*arguments)
            median = statistics.median(seconds(*arguments) for _ in range(RUNS))
            print(f"{name:44}{median:7.2f} s")


if __name__ == "__main__":
    main()
