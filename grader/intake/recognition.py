"""Decides from names alone whether a path is a class or one hand-in, and which folder matters."""

import re
import tomllib
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from grader.intake import IntakeError, NotLetInError
from grader.intake.names import is_archive, is_zip
from grader.intake.places import Contents, DiskFolder, Place, ZipFolder, zip_folder
from grader.intake.submission import Role, role_of


def _vocabulary(name: str) -> frozenset[str]:
    """A list of `words.toml`."""
    text = Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)[name].split())


_PARTS: Final = _vocabulary("parts")
"""Names of parts of a hand-in."""

_WHOLES: Final = _vocabulary("wholes")
"""Names of a whole hand-in; with distinct numbers (`report-1`, `report-2`) they are several hand-ins."""

_CONTAINERS: Final = _vocabulary("containers")
"""Names of folders of hand-ins."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_DIGITS: Final = re.compile(r"\d+")


def is_part(name: str) -> bool:
    """Whether a name (without suffix) is one for a part of a hand-in."""
    words = _words(name)
    return words <= _PARTS | _WHOLES and bool(words & _PARTS)


def generic_among(names: Iterable[str]) -> frozenset[str]:
    """Of sibling names (without suffixes), those that do not identify a student."""
    distinct = frozenset(names)
    alike = Counter(_pattern(name) for name in distinct)
    return frozenset(name for name in distinct if is_part(name) or (_is_whole(name) and alike[_pattern(name)] == 1))


def names_nobody(name: str) -> bool:
    """Whether a name cannot be a student's: it is generic, or names a folder of hand-ins."""
    return _words(name) <= _PARTS | _WHOLES | _CONTAINERS and bool(_words(name))


def _is_whole(name: str) -> bool:
    words = _words(name)
    return bool(words) and words <= _WHOLES


def _pattern(name: str) -> str:
    """A key that is equal for names that differ only in their numbers."""
    return _DIGITS.sub("#", name)


def _words(name: str) -> frozenset[str]:
    plain = unicodedata.normalize("NFKD", _CAMEL.sub(" ", name))
    letters = "".join(character for character in plain if not unicodedata.combining(character))
    return frozenset(_WORD.findall(letters.casefold()))


_DEEP: Final = 3
"""Depth to which a student's folder is searched for a report."""

_IMAGES: Final = frozenset({".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp"})
_OF_A_HAND_IN: Final = frozenset({Role.REPORT, Role.NOTEBOOK, Role.LOG})


class Kinds(NamedTuple):
    """The direct contents of a folder by possible kind."""

    folders: tuple[str, ...]
    archives: tuple[str, ...]
    documents: tuple[str, ...]
    others: tuple[str, ...]


def kinds(contents: Contents) -> Kinds:
    """The contents sorted into kinds by name. Documents are files that may be a report."""
    documents = tuple(name for name in contents.files if role_of(name, b"") is Role.REPORT)
    archives = tuple(name for name in contents.files if is_archive(name))
    known = {*documents, *archives}
    return Kinds(contents.folders, archives, documents, tuple(name for name in contents.files if name not in known))


def stem(name: str) -> str:
    """A file's name without its suffix, for archives without both (`.tar.gz`)."""
    path = PurePosixPath(name)
    return PurePosixPath(path.stem).stem if path.stem.endswith(".tar") else path.stem


def is_class(place: Place) -> bool:
    """Whether a folder holds the hand-ins of several students. Raises OSError when it cannot be listed.

    Folders and archives with specific names are students, unless there are signs of a single hand-in beside them: parts
    with generic names, loose reports, notebooks, logs or pictures. Then at least two of them must look like hand-ins
    themselves. A report with a generic name beside them means one hand-in. If there are only documents, several names
    are several students.
    """
    found = kinds(place.contents())
    if generic_among(map(stem, found.documents)):
        return False
    generic = generic_parts(found)
    named = [name for name in (*found.folders, *found.archives) if name not in generic]
    if not named:
        return not generic and _is_flat(found)
    if not generic and not _has_signs(found):
        return len(named) > 1
    students = sum(name in found.archives or _holds_document(place.enter(name)) for name in named)
    return students > max(1, len(generic))


def generic_parts(found: Kinds) -> frozenset[str]:
    """The folders and archives whose names do not identify a student."""
    archives = {name: stem(name) for name in found.archives}
    generic = generic_among(archives.values())
    return generic_among(found.folders) | {name for name, bare in archives.items() if bare in generic}


def _is_flat(found: Kinds) -> bool:
    return len({stem(name) for name in found.documents}) > 1 and not _has_signs(found._replace(documents=()))


def _has_signs(found: Kinds) -> bool:
    loose = {role_of(name, b"") for name in (*found.documents, *found.others)}
    pictures = any(PurePosixPath(name).suffix.lower() in _IMAGES for name in found.others)
    return pictures or bool(loose & _OF_A_HAND_IN)


def _holds_document(place: Place, deep: int = _DEEP) -> bool:
    try:
        contents = place.contents()
    except OSError:
        return False
    if kinds(contents).documents:
        return True
    return deep > 0 and any(_holds_document(place.enter(folder), deep - 1) for folder in contents.folders)


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
    """The place and, nested in it, each folder or archive that is the only content of the one before. Raises OSError
    when one cannot be listed."""
    way = [place]
    while inner := _only_folder(way[-1]):
        way.append(inner)
    return tuple(way)


def hand_in_of(way: tuple[Place, ...]) -> HandIn:
    """The innermost of nested places as one hand-in, with the best name on the way.

    An archive's name was chosen by the student, so it has priority over the folders in it; on disk, inner folders have
    priority over outer ones. A name such as `submissions` or `lab4` is used only if there is no other.
    """
    archives = [_hand_in_at(place) for place in way if isinstance(place, ZipFolder)]
    folders = [_hand_in_at(place) for place in reversed(way) if isinstance(place, DiskFolder)]
    named = (one for one in (*archives, *_lone_archive(way[-1]), *folders) if not names_nobody(one[0]))
    return next(named, _hand_in_at(way[0]))


def _hand_in_at(place: Place) -> HandIn:
    return place.name, *place.locate("")


def _only_folder(place: Place) -> Place | None:
    contents = place.contents()
    match contents.folders, contents.files, contents.refused:
        case (folder,), (), () if not is_part(folder):
            return place.enter(folder)
        case (), (file,), () if is_zip(file) and isinstance(place, DiskFolder):
            return _opened(place.path / file)
    return None


def _opened(archive: Path) -> Place | None:
    """The archive as a place; None if it is damaged: then it is one student's hand-in, and the result gives the
    reason."""
    try:
        return zip_folder(archive)
    except NotLetInError:
        return None


def _lone_archive(place: Place) -> list[HandIn]:
    contents = place.contents()
    if contents.folders or len(contents.files) != 1 or not is_archive(contents.files[0]):
        return []
    return [(stem(contents.files[0]), *place.locate(contents.files[0]))]
