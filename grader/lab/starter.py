"""A new lab from the one that ships as a beginning, under a name of its own."""

import re
import unicodedata
from pathlib import Path
from typing import Final

from grader.message import say

STARTER: Final = Path(__file__).parents[1] / "starter"
_CODE: Final = ".txt"
"""What the files with code end with here, so that they are data of the package and none of its modules."""
_LONGEST: Final = 40


class StarterError(Exception):
    """A lab cannot be begun in a folder; the message says why and what to do."""


def write_starter(folder: Path) -> int:
    """Write a lab into a new or empty folder; the number of files. Raises StarterError, and OSError when it cannot be
    written."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StarterError(
            say("{folder} is there and is not empty; name a new folder, nothing is overwritten.", folder=folder)
        )
    name = lab_id(folder.resolve().name)
    if not name:
        raise StarterError(
            f"The name {folder.name!r} has no letters that an id can be made of; name it such as my-lab."
        )
    files = [path for path in sorted(STARTER.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    for path in files:
        place = folder / _renamed(path.relative_to(STARTER).as_posix(), name).removesuffix(_CODE)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(_renamed(path.read_text(encoding="utf-8"), name), encoding="utf-8", newline="\n")
    return len(files)


def lab_id(name: str) -> str:
    """A lab's id from a folder's name: small letters without accents, digits, and hyphens between them. It begins with
    a letter, since the module of its checks is called so too; empty where nothing is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-").lstrip("0123456789-")[:_LONGEST].rstrip("-")


def _renamed(text: str, name: str) -> str:
    title = name.replace("-", " ").capitalize()
    return text.replace("my-lab", name).replace("my_lab", name.replace("-", "_")).replace("My lab", title)
