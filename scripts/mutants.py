"""Mutation testing: small changes to the code, and how many of them the tests notice.

`python -m scripts.mutants [--sample 40] [--seed 0] [scoring checks claims]` prints for each part how many of a random
sample of changes are killed, and the changes that survive. It works on a copy of the project.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkItem, WorkResult

ROOT: Final = Path(__file__).parents[1]
_COPIED: Final = ("grader", "reference", "scripts", "tests", "submissions", "docs", "pyproject.toml", "README.md")
_SECONDS: Final = 300.0
"""A change that makes the tests run for longer is killed as well."""


class Part(NamedTuple):
    """A part of the project and the tests that must notice changes to it."""

    modules: str
    tests: tuple[str, ...]


PARTS: Final = {
    "scoring": Part("grader/scoring.py", ("tests/test_scoring.py",)),
    "checks": Part("grader/checks", ("tests/checks",)),
    "claims": Part("grader/claims", ("tests/claims",)),
}


class Score(NamedTuple):
    """How many changes were killed, and where the others are, with what was done."""

    killed: int
    survivors: tuple[str, ...]

    @property
    def rate(self) -> float:
        """The part that was killed."""
        return self.killed / max(self.killed + len(self.survivors), 1)


def main() -> None:
    """Prints the score of each part asked for."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    arguments.add_argument("--sample", type=int, default=40, help="changes to try in each part")
    arguments.add_argument("--seed", type=int, default=0, help="another seed tries other changes")
    given = arguments.parse_args()
    for name in given.parts:
        score = scored(PARTS[name], given.sample, given.seed)
        tried = score.killed + len(score.survivors)
        print(f"{name}: {score.killed} of {tried} changes killed ({score.rate:.0%})")
        for survivor in score.survivors:
            print(f"  survives: {survivor}")


def scored(part: Part, sample: int, seed: int) -> Score:
    """The score of a random sample of the changes to a part."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in _COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy / name)
        _write_settings(copy, part)
        _run(copy, "baseline", "mutants.toml")
        _run(copy, "init", "mutants.toml", "mutants.sqlite")
        with use_db(str(copy / "mutants.sqlite"), WorkDB.Mode.open) as database:
            _leave_out(database, sample, seed)
        _run(copy, "exec", "mutants.toml", "mutants.sqlite")
        with use_db(str(copy / "mutants.sqlite"), WorkDB.Mode.open) as database:
            return _score(database)


def _write_settings(copy: Path, part: Part) -> None:
    tests = " ".join(part.tests)
    command = f"{sys.executable} -m pytest -x -q -p no:cacheprovider {tests}"
    settings = (
        f'[cosmic-ray]\nmodule-path = "{part.modules}"\ntimeout = {_SECONDS}\nexcluded-modules = []\n'
        f'test-command = "{command}"\n\n[cosmic-ray.distributor]\nname = "local"\n'
    )
    (copy / "mutants.toml").write_text(settings, encoding="utf-8")


def _run(copy: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "cosmic_ray.cli", *arguments]
    subprocess.run(command, cwd=copy, check=True, capture_output=True)  # noqa: S603 - our own arguments


def _leave_out(database: WorkDB, sample: int, seed: int) -> None:
    """Marks all changes but the sample as skipped; those of `|` are left out, as most of them stand in annotations."""
    items: list[WorkItem] = sorted(database.work_items, key=_place)
    possible = [item for item in items if "_BitOr_" not in item.mutations[0].operator_name]
    chosen = {item.job_id for item in random.Random(seed).sample(possible, min(sample, len(possible)))}  # noqa: S311
    skipped = WorkResult(worker_outcome=WorkerOutcome.SKIPPED, output="not in the sample")
    database.set_multiple_results([item.job_id for item in items if item.job_id not in chosen], skipped)


def _place(item: WorkItem) -> tuple[str, tuple[int, int], str, int]:
    change = item.mutations[0]
    return str(change.module_path), change.start_pos, change.operator_name, change.occurrence


def _score(database: WorkDB) -> Score:
    items = {item.job_id: item for item in database.work_items}
    tried = [(items[job], result) for job, result in database.results if result.worker_outcome is WorkerOutcome.NORMAL]
    survivors = [item for item, result in tried if result.test_outcome is TestOutcome.SURVIVED]
    return Score(len(tried) - len(survivors), tuple(_told(survivors)))


def _told(survivors: list[WorkItem]) -> Iterator[str]:
    for item in sorted(survivors, key=_place):
        change = item.mutations[0]
        yield f"{change.module_path}:{change.start_pos[0]} {change.operator_name}"


if __name__ == "__main__":
    main()
