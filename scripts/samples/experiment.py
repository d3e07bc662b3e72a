"""The invented measurements of a hand-in: accuracies by seed and epoch, from which logs and event files are made."""

import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

STEPS_PER_EPOCH = 225
"""Optimiser updates in one pass over 1800 reviews in batches of 8."""


@dataclass(frozen=True)
class Run:
    """One training run. `valid` and `test` are accuracies in percent after each epoch; `pid` is that of its process."""

    experiment: str
    seed: int
    start: datetime
    pid: int
    valid: tuple[float, ...]
    test: tuple[float, ...]

    @property
    def best_epoch(self) -> int:
        """The epoch with the best validation accuracy, counted from 1; the first of several equal ones."""
        return self.valid.index(max(self.valid)) + 1

    @property
    def selected_test(self) -> float:
        """The test accuracy, in percent, of the checkpoint that validation selects."""
        return self.test[self.best_epoch - 1]

    @property
    def selected_valid(self) -> float:
        """The best validation accuracy, in percent."""
        return max(self.valid)


@dataclass(frozen=True)
class HandIn:
    """The declarations of a source folder. `archive` and `folder` are paths from the checkout's root, but `folder` is
    one within the archive where there is one. `event_files` is the folder of the logs in the hand-in, `host` the
    machine that they name, and `truncated` lists the PDFs to cut off."""

    source: Path
    folder: str
    archive: str | None
    host: str
    event_files: str | None
    truncated: tuple[str, ...]
    runs: tuple[Run, ...]

    def runs_of(self, experiment: str) -> tuple[Run, ...]:
        """The runs of one experiment: `pretrained`, `random` or `huggingface`."""
        return tuple(run for run in self.runs if run.experiment == experiment)


def read_hand_in(source: Path) -> HandIn:
    """The hand-in that `hand-in.toml` in a source folder declares. Raises KeyError when a key is missing."""
    declared = tomllib.loads((source / "hand-in.toml").read_text(encoding="utf-8"))
    return HandIn(
        source=source,
        folder=declared["folder"],
        archive=declared.get("archive"),
        host=declared.get("host", "lab-host"),
        event_files=declared.get("event_files"),
        truncated=tuple(declared.get("truncated", ())),
        runs=tuple(run for name, table in declared.get("experiments", {}).items() for run in _runs(name, table)),
    )


def _runs(experiment: str, table: dict[str, Any]) -> list[Run]:
    """The runs of one table. They follow each other on one machine, 104 seconds apart."""
    start = table["start"].replace(tzinfo=UTC)
    return [
        Run(
            experiment=experiment,
            seed=seed,
            start=start + timedelta(seconds=104 * index),
            pid=table["pid"] + 217 * index,
            valid=tuple(table["valid"][index]),
            test=tuple(table["test"][index]),
        )
        for index, seed in enumerate(table["seeds"])
    ]
