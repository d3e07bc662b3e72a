"""Folders on disk, within an archive or in a store; only names are inspected."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, Protocol, Union

from grader.intake.archive import members, open_archive
from grader.intake.names import is_litter, natural, printable_name
from grader.intake.submission import Refusal
from grader.message import say

OUTPUT: Final = "graded"
"""The default name of the folder of results."""
_RESULT: Final = "result.json"
_OF_RESULTS: Final = ("gradebook.sqlite", "class.json")
"""Files of a folder of results of any name, from the start of grading and from its end on."""


class Contents(NamedTuple):
    """The direct contents of a folder in natural order, without ignored files and our own results."""

    folders: tuple[str, ...]
    files: tuple[str, ...]
    refused: tuple[Refusal, ...] = ()


class Place(Protocol):
    """A folder that may be a class, a hand-in, or a part of one."""

    @property
    def refused(self) -> tuple[Refusal, ...]:
        """Entries anywhere in the enclosing archive whose names are refused."""

    @property
    def encrypted(self) -> bool:
        """Whether every file in the enclosing archive needs a password."""

    @property
    def name(self) -> str:
        """The folder's name; for a whole archive the archive's, without its suffix."""

    def contents(self) -> Contents:
        """The direct contents. Raises OSError when the folder cannot be listed."""

    def enter(self, folder: str) -> "Place":
        """One of its subfolders."""

    def locate(self, child: str) -> tuple[Path, str]:
        """The path on disk, and the path inside the archive there, of a child; of the place itself for ''."""


@dataclass(frozen=True)
class DiskFolder:
    """A folder on disk. Symbolic links and devices in it are refused, never followed."""

    path: Path
    refused: tuple[Refusal, ...] = ()
    encrypted: bool = False

    @property
    def name(self) -> str:
        """The folder's resolved name, as `.` has none of its own."""
        return self.path.name or self.path.absolute().name

    def contents(self) -> Contents:
        """See `Place`."""
        folders, files, refused = [], [], []
        with os.scandir(self.path) as entries:
            for entry in entries:
                if is_litter(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                elif entry.is_file(follow_symlinks=False):
                    files.append(entry.name)
                else:
                    refused.append(_no_file(entry))
        kept = [folder for folder in folders if not is_output(self, folder)]
        return ordered_contents(kept, files, refused)

    def enter(self, folder: str) -> "DiskFolder":
        """See `Place`."""
        return DiskFolder(self.path / folder)

    def locate(self, child: str) -> tuple[Path, str]:
        """See `Place`."""
        return self.path / child, ""


def is_output(place: Place, folder: str) -> bool:
    """Whether one of a place's folders holds results that this program wrote. Such a folder is no hand-in."""
    path, inside = place.locate(folder)
    if not inside and any((path / name).is_file() for name in _OF_RESULTS):
        return True
    if folder.casefold() != OUTPUT:
        return False
    results = place.enter(folder)
    try:
        return any(_RESULT in results.enter(student).contents().files for student in results.contents().folders)
    except OSError:
        return False


def ordered_contents(folders: list[str], files: list[str], refused: list[Refusal]) -> Contents:
    """Contents in natural order."""
    by_path = sorted(refused, key=lambda refusal: natural(refusal.path))
    return Contents(tuple(sorted(folders, key=natural)), tuple(sorted(files, key=natural)), tuple(by_path))


def _no_file(entry: os.DirEntry[str]) -> Refusal:
    if entry.is_symlink():
        reason = say("it is a symbolic link, which may point anywhere; put the file itself in its place")
    else:
        reason = say("it is neither a file nor a folder (a device, a pipe); leave it out")
    # A link without a suffix may lead to a folder; it is not followed to find out.
    return Refusal(
        path=printable_name(entry.name), reason=reason, is_many=entry.is_symlink() and not Path(entry.name).suffix
    )


Tree = dict[str, Union["Tree", None]]
"""Folders by name as trees, files by name as None."""


def _contents_by_names(place: Place, tree: Tree) -> Contents:
    names = [name for name in tree if not is_litter(name)]
    folders = [name for name in names if tree[name] is not None and not is_output(place, name)]
    return ordered_contents(folders, [name for name in names if tree[name] is None], [])


@dataclass(frozen=True)
class StoreFolder(DiskFolder):
    """A folder in a store, whose names were listed before. `path` stands for it; nothing need lie there."""

    tree: Tree = field(default_factory=dict)

    def contents(self) -> Contents:
        """See `Place`."""
        return _contents_by_names(self, self.tree)

    def enter(self, folder: str) -> "StoreFolder":
        """See `Place`."""
        return StoreFolder(self.path / folder, tree=self.tree[folder] or {})


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
        return _contents_by_names(self, self.tree)

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
    top: Tree = {}
    for member in found:
        *folders, name = member.path.split("/")
        here = top
        for folder in (*folders, name) if member.is_folder else folders:
            here = folder_in(here, folder)
        if not member.is_folder:
            here.setdefault(name, None)
    return ZipFolder(path, top, refused=refused, encrypted=encrypted)


def folder_in(tree: Tree, name: str) -> Tree:
    """The subfolder of that name, created if missing; a folder replaces a file of the same name."""
    below = tree[name] = tree.get(name) or {}
    return below
