"""What the path of a log tells about its run: folder, part of the data, seed."""

import re
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.reading.log import Subset

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
_WORDS: Final = re.compile(r"[a-z]+")
_SEED: Final = re.compile(r"(?:seed[\s_\-=.:]*|(?:^|[^a-z0-9])s)(\d{1,6})(?![0-9])")


class RunName(NamedTuple):
    """The run's folder, without a last part that only names the subset; subset and seed where the path tells."""

    folder: str
    subset: Subset | None
    seed: int | None


def run_name(path: str) -> RunName:
    """Read the path of a log file. fairseq writes `<run>/<subset>/events…`, the Trainer `runs/<date_host>/events…`."""
    folders = PurePosixPath(path).parts[:-1]
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
