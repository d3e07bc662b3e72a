"""What to call the runs of a text."""

from collections.abc import Iterable, Sequence
from typing import Final

from grader.reading.log import Log, Setting
from grader.reading.logs.draft import Draft
from grader.reading.run_names import run_name

_FOLDERS: Final = ("tensorboard_logdir", "save_dir", "output_dir")
TELLS_NOTHING: Final = frozenset({"checkpoints", ".", "out", "output", "outputs", "results", "tmp"})
"""Folders that any run may have, such as fairseq's default."""


def named(drafts: Sequence[Draft], name: str) -> tuple[Log, ...]:
    """The logs of some drafts. Their names are different for different runs, and tell the folder where it is known."""
    found: list[Log] = []
    for part, draft in enumerate(drafts, start=1):
        logs = list(draft.logs(name))
        folder = run_folder(setting for log in logs for setting in log.settings)
        place = "" if draft.place.cell is None else f" cell {draft.place.cell}"
        which = f" part {part}" if len(drafts) > 1 else ""
        title = f"{folder or name}{place}{which}"
        seed = run_name(f"{folder}/log").seed if folder else None
        found += [log.model_copy(update={"name": title, "seed": seed}) for log in logs]
    return tuple(found)


def run_folder(settings: Iterable[Setting]) -> str | None:
    """The folder that a run's settings say it wrote to, if its name is the run's own."""
    told = {setting.name: setting.value for setting in reversed(list(settings))}
    folders = (told.get(name, "").strip().rstrip("/") for name in _FOLDERS)
    return next((folder for folder in folders if folder and folder.lower().strip("/") not in TELLS_NOTHING), None)
