"""The files of a hand-in that trackers of experiments keep: the folders that are a run each, the files that belong to
the trackers alone, and the runs of trackers that are not read."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Set
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.intake.submission import Role, SubmittedFile
from grader.reading.trackers.databases import MAGIC as DATABASE
from grader.reading.trackers.weights_and_biases import MAGIC as WANDB

MLFLOW, DVCLIVE, SACRED, LIGHTNING, ULTRALYTICS = "MLflow", "DVCLive", "sacred", "Lightning", "Ultralytics"

_MLFLOW_PARTS: Final = ("metrics", "params", "tags")
_MLFLOW_ID: Final = 32
_HEX: Final = frozenset("0123456789abcdef")
_CURVES: Final = ("plots", "metrics")
_OF_SACRED: Final = frozenset({"run.json", "config.json"})
_OF_LIGHTNING: Final = frozenset({"metrics.csv", "hparams.yaml"})
_OF_ULTRALYTICS: Final = frozenset({"results.csv", "args.yaml"})
_SETS: Final = (
    (SACRED, _OF_SACRED, (*_OF_SACRED, "metrics.json")),
    (LIGHTNING, _OF_LIGHTNING, _OF_LIGHTNING),
    (ULTRALYTICS, _OF_ULTRALYTICS, _OF_ULTRALYTICS),
)
"""Trackers, the files that stand beside each other in the folder of a run, and those that tell of it."""
_PRINTED: Final = "cout.txt"
_UNREAD: Final = {
    ".aim": "Aim",
    ".neptune": "Neptune",
    ".cometml-runs": "Comet",
    ".clearml": "ClearML",
    "swanlog": "SwanLab",
}
"""Folders of trackers that are not read."""
_UNREAD_SETS: Final = (
    (frozenset({"metrics.jsonl", "task.json"}).issubset, "ClearML"),
    (frozenset({"messages.json", "experiment.json"}).issubset, "Comet"),
    (lambda names: any(name.endswith(".swanlab") for name in names), "SwanLab"),
)
"""How the names of the files in a folder tell such a tracker."""
_DATABASES: Final = (".db", ".sqlite", ".sqlite3")
_WANDB: Final = ".wandb"
_TEXTS: Final = (Role.REPORT, Role.NOTEBOOK, Role.CODE)


class RunFolder(NamedTuple):
    """A folder that holds one run of a tracker, with the files in it that tell of the run."""

    tracker: str
    path: str
    files: tuple[SubmittedFile, ...]


class TrackerFiles(NamedTuple):
    """The files that trackers keep in a hand-in: its run `folders` by the path of their first file, the first file of
    the folder that each other `part` of one belongs to, the `roles` of other files that trackers keep, and the `unread`
    files of trackers that are not read and their `unread_folders`, each with the tracker's title."""

    folders: Mapping[str, RunFolder]
    parts: Mapping[str, str]
    roles: Mapping[str, Role]
    unread: Mapping[str, str]
    unread_folders: Mapping[str, str]


def kept_by_trackers(files: Collection[SubmittedFile]) -> TrackerFiles:
    """Return the files that trackers keep among the files of a hand-in."""
    names: defaultdict[str, set[str]] = defaultdict(set)
    for file in files:
        names[_folder(file.path)].add(_name(file.path))
    curved = frozenset(map(_root_of_curves, names)) - {None}
    runs: defaultdict[tuple[str, str], list[SubmittedFile]] = defaultdict(list)
    roles: dict[str, Role] = {}
    unread: dict[str, str] = {}
    missed = {folder: _unread(folder, inside) for folder, inside in names.items()}
    for file in sorted(files, key=lambda candidate: candidate.path):
        folder = _folder(file.path)
        tracker = missed[folder]
        run = _run_of(file.path, names[folder], curved)
        if tracker:
            unread[file.path] = tracker[1]
        elif run:
            runs[run].append(file)
        elif _is_log(file, names[folder]):
            roles[file.path] = Role.LOG
        elif _is_own(file, folder, curved):
            roles[file.path] = Role.OTHER
    folders = {inside[0].path: RunFolder(*key, tuple(inside)) for key, inside in runs.items()}
    parts = {candidate.path: first for first, run in folders.items() for candidate in run.files[1:]}
    roles |= dict.fromkeys((*folders, *parts), Role.LOG) | dict.fromkeys(unread, Role.OTHER)
    return TrackerFiles(folders, parts, roles, unread, dict(filter(None, missed.values())))


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _unread(folder: str, names: Set[str]) -> tuple[str, str] | None:
    """The folder and the title of a tracker whose runs are not read."""
    parts = folder.split("/")
    at = next((place for place, part in enumerate(parts) if part.lower() in _UNREAD), None)
    if at is not None:
        return "/".join(parts[: at + 1]), _UNREAD[parts[at].lower()]
    title = next((title for is_of, title in _UNREAD_SETS if is_of(names)), None)
    return (folder, title) if title else None


def _root_of_curves(folder: str) -> str | None:
    """The folder of DVCLive in which a folder holds curves."""
    parts = folder.split("/")
    at = next((place for place in range(len(parts) - 1) if tuple(parts[place : place + 2]) == _CURVES), None)
    return None if at is None else "/".join(parts[:at])


def _run_of(path: str, beside: Set[str], curved: Collection[str | None]) -> tuple[str, str] | None:
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
    for tracker, needed, run_files in _SETS:
        if needed <= beside and name in run_files:
            return tracker, folder
    return None


def _is_log(file: SubmittedFile, beside: Set[str]) -> bool:
    """Whether a single file holds runs or what one printed: by its first bytes, where its name allows it."""
    if beside >= _OF_SACRED and _name(file.path) == _PRINTED:
        return True
    wanted = {_WANDB: WANDB, **dict.fromkeys(_DATABASES, DATABASE)}.get(PurePosixPath(file.path).suffix.lower())
    if wanted is None:
        return False
    try:
        with file.location.open("rb") as opened:
            return opened.read(len(wanted)) == wanted
    except OSError:
        return False


def _is_own(file: SubmittedFile, folder: str, curved: Collection[str | None]) -> bool:
    """Whether a text is a tracker's own: pages that it makes, copies, descriptions of the machine."""
    parts = folder.lower().split("/")
    is_made = "wandb" in parts or "mlruns" in parts or (folder != "" and folder in curved)
    return is_made and file.role in _TEXTS and not file.path.endswith((".pdf", ".ipynb", ".py"))
