"""Files that machines leave behind and nobody handed in."""

from pathlib import PurePosixPath
from typing import Final

_NAMES: Final = frozenset(
    {
        *("__macosx", ".ds_store", ".appledouble", ".spotlight-v100", ".fseventsd", ".trashes", "icon\r"),
        *("thumbs.db", "ehthumbs.db", "desktop.ini", "$recycle.bin", "system volume information"),
        *(".directory", "lost+found", ".git", ".gitignore", ".gitattributes", ".gitkeep", ".svn", ".hg"),
        *(".ipynb_checkpoints", "__pycache__", ".venv", "node_modules", ".idea", ".vscode"),
    }
)
_BEGINNINGS: Final = ("._", "~$", ".~lock.")


def is_litter(path: str) -> bool:
    """Whether a relative path names such a file, or lies in such a folder."""
    return any(_is_litter(part.casefold()) for part in PurePosixPath(path).parts)


def _is_litter(name: str) -> bool:
    return name in _NAMES or name.startswith(_BEGINNINGS)
