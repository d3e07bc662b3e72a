"""A zip archive as a tree of names."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Union

from grader.intake.litter import is_litter
from grader.intake.places import Contents, is_output, ordered
from grader.intake.submission import Refusal
from grader.intake.zip_table import Member, members, open_archive

Tree = dict[str, Union["Tree", None]]
"""Folders by name as trees, files by name as None."""


@dataclass(frozen=True)
class ZipFolder:
    """An archive (`inside` is empty), or a folder in it. See `Place`."""

    archive: Path
    tree: Tree
    inside: str = ""
    refused: tuple[Refusal, ...] = ()
    encrypted: bool = False

    @property
    def name(self) -> str:
        """See `Place`."""
        return self.inside.rsplit("/")[-1] if self.inside else self.archive.stem

    def contents(self) -> Contents:
        """See `Place`."""
        names = [name for name in self.tree if not is_litter(name)]
        folders = [name for name in names if self.tree[name] is not None and not is_output(self, name)]
        return ordered(folders, [name for name in names if self.tree[name] is None], [])

    def enter(self, folder: str) -> "ZipFolder":
        """See `Place`."""
        return ZipFolder(self.archive, self.tree[folder] or {}, self._inside(folder), self.refused, self.encrypted)

    def locate(self, child: str) -> tuple[Path, str]:
        """See `Place`."""
        return self.archive, self._inside(child)

    def _inside(self, child: str) -> str:
        return "/".join(part for part in (self.inside, child) if part)


def zip_folder(path: Path) -> ZipFolder:
    """The names in a zip archive. Raises NotLetInError when it cannot be opened."""
    with open_archive(path) as archive:
        found, refused = members(archive)
    files = [member for member in found if not member.is_folder]
    encrypted = bool(files) and all(member.is_encrypted for member in files)
    return ZipFolder(path, _tree(found), refused=refused, encrypted=encrypted)


def _tree(found: Iterable[Member]) -> Tree:
    top: Tree = {}
    for member in found:
        *folders, name = member.path.split("/")
        here = top
        for folder in (*folders, name) if member.is_folder else folders:
            here = _folder(here, folder)
        if not member.is_folder:
            here.setdefault(name, None)
    return top


def _folder(tree: Tree, name: str) -> Tree:
    """The folder of that name, made where it is missing; a folder takes the place of a file."""
    below = tree.get(name)
    if below is None:
        below = {}
        tree[name] = below
    return below
