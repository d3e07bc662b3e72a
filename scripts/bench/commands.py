"""Whole commands, in wall-clock seconds."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from scripts.bench.figure import Figure, median_seconds

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "tests" / "reference" / "configs" / "llama-2-70b.json"


def figures() -> Iterator[Figure]:
    """One for each command."""
    with tempfile.TemporaryDirectory() as out:
        commands: dict[str, tuple[object, ...]] = {
            "grade --help": ("--help",),
            "grade submissions, results only": ("submissions", "--out", out, "--no-reports"),
            "grade submissions, with reports": ("submissions", "--out", out),
            "grade truth count, 70 billion parameters": ("truth", "count", CONFIG),
            "grade truth verify": ("truth", "verify"),
        }
        for name, arguments in commands.items():
            command = [sys.executable, "-m", "grader", *map(str, arguments)]
            yield Figure(name, median_seconds(partial(_run, command), clock=time.perf_counter), "s")


def _run(command: list[str]) -> None:
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
