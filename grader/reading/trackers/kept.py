"""Which files of a hand-in trackers of experiments keep: the folders that are a run each, what belongs to the trackers
alone, and the runs of trackers that are not read.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.intake.submission import Role, SubmittedFile
from grader.reading.trackers.databases import MAGIC as DATABASE
from grader.reading.trackers.weights_and_biases import MAGIC as WANDB

MLFLOW, DVCLIVE, SACRED, LIGHTNING = "MLflow", "DVCLive", "sacred", "Lightning"

_MLFLOW_PARTS: Final = ("metrics", "params", "tags")
_MLFLOW_ID: Final = 32
_HEX: Final = frozenset("0123456789abcdef")
_CURVES: Final = ("plots", "metrics")
_OF_SACRED: Final = frozenset({"run.json", "config.json"})
_OF_LIGHTNING: Final = frozenset({"metrics.csv", "hparams.yaml"})
_PRINTED: Final = "cout.txt"
_UNREAD: Final = {
    ".aim": "Aim",
    ".neptune": "Neptune",
    ".cometml-runs": "Comet",
    ".clearml": "ClearML",
    "swanlog": "SwanLab",
}
"""Folders of trackers that are not read."""
_UNREAD_ENDS: Final = {".swanlab": "SwanLab"}
_LISTED_SETS: Final = (
    (frozenset({"metrics.jsonl", "task.json"}), "ClearML"),
    (frozenset({"messages.json", "experiment.json"}), "Comet"),
)
"""Files that stand beside each other in what a tracker packs."""
_DATABASES: Final = (".db", ".sqlite", ".sqlite3")
_WANDB: Final = ".wandb"
_TEXTS: Final = (Role.REPORT, Role.NOTEBOOK, Role.CODE)


class RunFolder(NamedTuple):
    """A folder that holds one run of a tracker, with the files in it that tell of the run."""

    tracker: str
    path: str
    files: tuple[SubmittedFile, ...]


class Kept(NamedTuple):
    """What trackers keep in a hand-in: its run `folders` by the path of their first file, the first file of the folder
    that each other `part` of one belongs to, single files that are `logs`, files that are a tracker's `own`, and the
    `unread` files of trackers that are not read and their `unread_folders`, each with the tracker's title."""

    folders: Mapping[str, RunFolder]
    parts: Mapping[str, str]
    logs: frozenset[str]
    own: frozenset[str]
    unread: Mapping[str, str]
    unread_folders: Mapping[str, str]


def kept_by_trackers(files: Iterable[SubmittedFile]) -> Kept:
    """What trackers keep among the files of a hand-in."""
    by_folder: defaultdict[str, list[SubmittedFile]] = defaultdict(list)
    for file in files:
        by_folder[_folder(file.path)].append(file)
    unread: dict[str, str] = {}
    unread_folders: dict[str, str] = {}
    runs: defaultdict[tuple[str, str], list[SubmittedFile]] = defaultdict(list)
    logs, own = set(), set()
    names = {folder: frozenset(_name(one.path) for one in inside) for folder, inside in by_folder.items()}
    curved = {root for folder in by_folder if (root := _root_of_curves(folder)) is not None}
    for folder, inside in by_folder.items():
        missed = _unread(folder, names[folder])
        if missed:
            unread_folders[missed[0]] = missed[1]
            unread |= dict.fromkeys((one.path for one in inside), missed[1])
            continue
        for file in inside:
            run = _run_of(file.path, names[folder], curved)
            if run:
                runs[run].append(file)
            elif _is_log(file) or (names[folder] >= _OF_SACRED and _name(file.path) == _PRINTED):
                logs.add(file.path)
            elif _is_own(file, folder, curved):
                own.add(file.path)
    folders = {inside[0].path: RunFolder(*key, tuple(inside)) for key, inside in runs.items()}
    parts = {one.path: first for first, run in folders.items() for one in run.files[1:]}
    return Kept(folders, parts, frozenset(logs), frozenset(own), unread, unread_folders)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _unread(folder: str, names: frozenset[str]) -> tuple[str, str] | None:
    """The folder and the title of a tracker whose runs are not read."""
    parts = folder.split("/")
    at = next((place for place, part in enumerate(parts) if part.lower() in _UNREAD), None)
    if at is not None:
        return "/".join(parts[: at + 1]), _UNREAD[parts[at].lower()]
    title = next((title for listed, title in _LISTED_SETS if listed <= names), None)
    title = title or next(
        (title for end, title in _UNREAD_ENDS.items() if any(one.endswith(end) for one in names)), None
    )
    return (folder, title) if title else None


def _root_of_curves(folder: str) -> str | None:
    """The folder of DVCLive in which a folder holds curves."""
    parts = folder.split("/")
    at = next((place for place in range(len(parts) - 1) if tuple(parts[place : place + 2]) == _CURVES), None)
    return None if at is None else "/".join(parts[:at])


def _run_of(path: str, beside: frozenset[str], curved: Iterable[str]) -> tuple[str, str] | None:
    """The tracker and the folder of the run that a file tells of, by its path and the names of the files beside it."""
    parts = path.split("/")
    for place, part in enumerate(parts[1:-1], start=1):
        if part in _MLFLOW_PARTS and len(parts[place - 1]) == _MLFLOW_ID and _HEX.issuperset(parts[place - 1]):
            return MLFLOW, "/".join(parts[:place])
    folder, name = _folder(path), _name(path)
    root = _root_of_curves(folder)
    if root is not None and name.endswith(".tsv"):
        return DVCLIVE, root
    if folder in curved and name in ("params.yaml", "metrics.json"):
        return DVCLIVE, folder
    if beside >= _OF_SACRED and name in (*_OF_SACRED, "metrics.json"):
        return SACRED, folder
    if beside >= _OF_LIGHTNING and name in _OF_LIGHTNING:
        return LIGHTNING, folder
    return None


def _is_log(file: SubmittedFile) -> bool:
    """Whether a single file holds runs: by its first bytes, where its name allows it."""
    wanted = {_WANDB: WANDB, **dict.fromkeys(_DATABASES, DATABASE)}.get(PurePosixPath(file.path).suffix.lower())
    if wanted is None:
        return False
    try:
        with file.location.open("rb") as opened:
            return opened.read(len(wanted)) == wanted
    except OSError:
        return False


def _is_own(file: SubmittedFile, folder: str, curved: Iterable[str]) -> bool:
    """Whether a text is a tracker's own: pages that it makes, copies, descriptions of the machine."""
    parts = folder.lower().split("/")
    is_made = "wandb" in parts or "mlruns" in parts or (folder != "" and folder in curved)
    return is_made and file.role in _TEXTS and not file.path.endswith((".pdf", ".ipynb", ".py"))
