"""What several rooms' tests share."""

import contextlib
import gc
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from hypothesis import settings

from grader.cli import main
from grader.result import Result

ROOT = Path(__file__).parents[1]
STUDENTS = tuple(sorted(path.stem for path in (ROOT / "submissions").iterdir() if path.name != "README.md"))


settings.register_profile("suite", max_examples=40, deadline=None)
settings.load_profile("suite")

ALLOCATIONS = 100_000
"""Allocations between garbage collections. With Python's default of 700, a tenth of the suite's time goes to them."""


# Threads of libraries gain nothing beside other workers of the suite: they wait for each other, busily.
os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_configure() -> None:
    gc.set_threshold(ALLOCATIONS)


def pytest_collection_finish() -> None:
    """Thousands of collected tests live until the end: no collection looks through them."""
    gc.collect()
    gc.freeze()


class Ended(NamedTuple):
    """How a command ended, what it wrote on each of its outputs and, within this process, on both in their order."""

    returncode: int
    stdout: str
    stderr: str
    both: str = ""


def run_grade(*arguments: object, cwd: Path = ROOT, **environment: str) -> Ended:
    """The `grade` command as a user runs it: within this process, so that libraries and the server of workers are
    loaded once for many tests; with variables of the environment, in a process of its own."""
    command = [str(argument) for argument in arguments]
    if environment:
        return start_grade(*command, cwd=cwd, **environment)
    warm_server()
    before, sys.argv = sys.argv, ["grade", *command]
    threshold = gc.get_threshold()
    try:
        with contextlib.chdir(cwd), CliRunner().isolation() as written:
            with pytest.raises(SystemExit) as ended:
                main()
            sys.stdout.flush()
            sys.stderr.flush()
            code = ended.value.code if isinstance(ended.value.code, int) else int(ended.value.code is not None)
            return Ended(code, *(one.getvalue().decode() for one in written))
    finally:
        sys.argv = before
        gc.set_threshold(*threshold)


def start_grade(*arguments: object, cwd: Path = ROOT, **environment: str) -> Ended:
    """The `grade` command in a process of its own, which must end within five minutes."""
    done = subprocess.run(
        [sys.executable, "-m", "grader", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@cache
def warm_server() -> None:
    """Start the server that workers are forked from as a class starts it. It serves all tests of this process, and
    whichever graded first, a single hand-in perhaps, would have all others start from one that is not ready."""
    from grader.lab.files import lab_folder, load_lab, load_truth
    from grader.pipeline.classroom import warmth_of
    from grader.pipeline.isolation import run_isolated
    from grader.pipeline.order import Order

    shipped = lab_folder("nlp-frameworks")
    order = Order((), load_lab(shipped), load_truth(shipped))
    preload, warmth = ("grader.pipeline.warm",), warmth_of(order, STUDENTS, again=True)
    assert list(run_isolated(print, (), workers=1, preload=preload, warmth=warmth)) == []


@pytest.fixture(scope="session", autouse=True)
def _server_of_many_tests() -> None:
    """Where the whole suite runs; a single test that grades nothing needs none."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        warm_server()


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
