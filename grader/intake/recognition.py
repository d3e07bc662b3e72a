"""A class or one hand-in? Told from names alone."""

from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.intake.generic_names import generic_among
from grader.intake.names import is_archive
from grader.intake.places import Contents, Place
from grader.intake.roles import role_of
from grader.intake.submission import Role

_DEEP: Final = 3
"""How far down a student's folder a report is looked for."""

_IMAGES: Final = frozenset({".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp"})
_OF_A_HAND_IN: Final = frozenset({Role.REPORT, Role.NOTEBOOK, Role.LOG})


class Kinds(NamedTuple):
    """What lies directly in a folder, by what it may be."""

    folders: tuple[str, ...]
    archives: tuple[str, ...]
    documents: tuple[str, ...]
    others: tuple[str, ...]


def kinds(contents: Contents) -> Kinds:
    """The files told apart by their names. Documents are what may be a report."""
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

    Folders and archives with names of their own are students, unless signs of a single hand-in lie beside them: parts
    with generic names, loose reports, notebooks, logs or pictures. Then two of them must look like hand-ins themselves.
    A report with a generic name beside them settles it. Where there is nothing but documents, several names are several
    students.
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
    """The folders and archives whose names do not tell whose they are."""
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
