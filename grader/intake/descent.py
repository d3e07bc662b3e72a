"""The way from a path that was given down to the folder that matters, past folders that only wrap another."""

import zipfile
from pathlib import Path

from grader.intake.errors import IntakeError, NotLetInError
from grader.intake.generic_names import is_part, names_nobody
from grader.intake.names import is_archive, is_zip
from grader.intake.places import DiskFolder, Place
from grader.intake.recognition import stem
from grader.intake.zip_folder import ZipFolder, zip_folder

HandIn = tuple[str, Path, str]
"""A name, a path on disk, and a path inside the archive there."""


def open_place(path: Path) -> Place:
    """The folder or zip archive at a path. Raises IntakeError where there is neither."""
    if path.is_dir():
        return DiskFolder(path)
    if not path.is_file() or not (is_archive(path.name) or zipfile.is_zipfile(path)):
        raise IntakeError(f"{path}: it is no hand-in; name a folder, a zip archive, a report or a notebook.")
    try:
        return zip_folder(path)
    except NotLetInError as reason:
        raise IntakeError(f"{path}: {reason}.") from reason


def descend(place: Place) -> tuple[Place, ...]:
    """The place and, one in the other, those that are all it holds. Raises OSError when one cannot be listed."""
    way = [place]
    while inner := _only(way[-1]):
        way.append(inner)
    return tuple(way)


def hand_in_of(way: tuple[Place, ...]) -> HandIn:
    """The hand-in at the end of a way, called by the best of the names on it.

    An archive was named by whoever handed it in, so its name goes before those of the folders in it; of folders on disk
    the inner ones go before the outer ones. A name such as `submissions` or `lab4` is good only if there is no other.
    """
    archives = [_whole(place) for place in way if isinstance(place, ZipFolder)]
    folders = [_whole(place) for place in reversed(way) if isinstance(place, DiskFolder)]
    named = (one for one in (*archives, *_only_archive(way[-1]), *folders) if not names_nobody(one[0]))
    return next(named, _whole(way[0]))


def _whole(place: Place) -> HandIn:
    return place.name, *place.locate("")


def _only(place: Place) -> Place | None:
    contents = place.contents()
    match contents.folders, contents.files, contents.refused:
        case (folder,), (), () if not is_part(folder):
            return place.enter(folder)
        case (), (file,), () if is_zip(file) and isinstance(place, DiskFolder):
            return _opened(place.path / file)
    return None


def _opened(archive: Path) -> Place | None:
    """None for a damaged archive: it is one student's hand-in, and the reason goes into the result."""
    try:
        return zip_folder(archive)
    except NotLetInError:
        return None


def _only_archive(place: Place) -> list[HandIn]:
    contents = place.contents()
    if contents.folders or len(contents.files) != 1 or not is_archive(contents.files[0]):
        return []
    return [(stem(contents.files[0]), *place.locate(contents.files[0]))]
