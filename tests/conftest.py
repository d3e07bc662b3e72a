"""What several rooms' tests share."""

import subprocess
import sys
from pathlib import Path

import pytest

from grader.result import Result

ROOT = Path(__file__).parents[1]


def run_grade(*arguments: object, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """The `grade` command as a user runs it."""
    import os

    return subprocess.run(
        [sys.executable, "-m", "grader", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def results_in(folder: Path) -> dict[str, Result]:
    """All results in an output folder, by student."""
    results = (Result.from_json(path.read_bytes()) for path in sorted(folder.glob("*/result.json")))
    return {result.student.id: result for result in results}


@pytest.fixture(scope="session")
def graded_samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample class, graded once without reports."""
    out = tmp_path_factory.mktemp("samples") / "graded"
    done = run_grade("submissions", "--out", out, "--no-reports")
    assert done.returncode == 0, done.stderr
    return out
