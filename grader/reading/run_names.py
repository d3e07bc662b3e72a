"""What the path of a log tells about its run: folder, part of the data, seed."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.reading.log import Log, Subset

_SUBSETS: Final = {
    "train": Subset.TRAIN,
    "training": Subset.TRAIN,
    "valid": Subset.VALID,
    "validation": Subset.VALID,
    "val": Subset.VALID,
    "eval": Subset.VALID,
    "dev": Subset.VALID,
    "test": Subset.TEST,
}
_INNER: Final = "train_inner"
_OF_A_RUN: Final = re.compile(r"checkpoint-\d+|\.hydra")
"""Folders within a run's own: the Trainer's checkpoints, hydra's settings."""

_WORDS: Final = re.compile(r"[a-z]+")
_SEED: Final = re.compile(r"(?:seed[\s_\-=.:]*|(?:^|[^a-z0-9])s)(\d{1,6})(?![0-9])")


class RunName(NamedTuple):
    """The run's folder, without a last part that only names the subset; subset and seed where the path tells."""

    folder: str
    subset: Subset | None
    seed: int | None


def run_name(path: str) -> RunName:
    """Read the path of a log file. fairseq writes `<run>/<subset>/events…`, the Trainer `runs/<date_host>/events…` and
    `checkpoint-<updates>/trainer_state.json`."""
    folders = PurePosixPath(path).parts[:-1]
    while folders and _OF_A_RUN.fullmatch(folders[-1]):
        folders = folders[:-1]
    last = folders[-1].lower() if folders else ""
    only_subset = last in _SUBSETS or last == _INNER
    run = folders[:-1] if only_subset else folders
    seeds = (_seed(part) for part in (*reversed(folders), PurePosixPath(path).name.split("tfevents")[0]))
    subsets = (_subset(part) for part in reversed(folders))
    return RunName(
        folder="/".join(run) or ".",
        subset=next((subset for subset in subsets if subset), None),
        seed=next((seed for seed in seeds if seed is not None), None),
    )


def _subset(folder: str) -> Subset | None:
    """The one part of the data that a folder's name speaks of; None when it speaks of none or of several."""
    words = _WORDS.findall(folder.lower())
    found = {_SUBSETS[word] for word in words if word in _SUBSETS}
    return found.pop() if len(found) == 1 else None


def _seed(name: str) -> int | None:
    found = _SEED.findall(name.lower())
    return int(found[-1]) if found else None


def subset_of_tag(tag: str) -> Subset | None:
    """The part of the data that the Trainer writes into a tag: `eval/accuracy`."""
    first, slash, _ = tag.partition("/")
    return _SUBSETS.get(first) if slash else None


def telling_name(name: str, logs: Sequence[Log]) -> str:
    """As much of a run's name as speaks of the run itself: a notebook holds many runs, so its own name is left out."""
    cells = any(series.cell is not None for log in logs for series in log.series)
    return name.removeprefix(logs[0].file) if cells and logs else name
