"""From one path to one source per student, by names alone: no submitted file is opened but the archive of a class."""

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Final

from grader.intake.descent import descend, hand_in_of, open_place
from grader.intake.errors import IntakeError
from grader.intake.order import natural
from grader.intake.places import Place, ZipFolder
from grader.intake.recognition import Kinds, generic_parts, is_class, kinds, stem
from grader.intake.roles import role_of
from grader.intake.student_ids import unique_ids
from grader.intake.submission import Refusal, Role, Source

_DOCUMENTS: Final = frozenset({Role.REPORT, Role.NOTEBOOK})


class Layout(StrEnum):
    """How a path is to be understood: as it looks, as a class, or as one student's hand-in."""

    AUTO = "auto"
    CLASS = "class"
    STUDENT = "student"


Sources = tuple[tuple[Source, ...], tuple[Refusal, ...]]


def find_sources(path: Path, layout: Layout = Layout.AUTO) -> Sources:
    """The hand-ins at a path in natural order of their names, and what lies beside them and is none, with the reason.

    The path may be a folder, a zip archive (of either: a class or one hand-in), or a single report or notebook. Raises
    IntakeError when there is nothing at the path, nothing in it, or when an archive cannot be opened.
    """
    if not path.exists():
        raise IntakeError(f"{path}: there is no such file or folder; check the path.")
    if path.is_file() and _is_document(path.name):
        return (_source(path.stem, path),), ()
    try:
        return _sources(open_place(path), layout)
    except OSError as error:
        raise IntakeError(f"{path}: it cannot be read ({error.strerror}); check its permissions.") from error


def _sources(place: Place, layout: Layout) -> Sources:
    if _is_empty(place):
        raise IntakeError(f"{place.locate('')[0]}: it holds no files; name a folder or an archive with hand-ins.")
    if layout is Layout.STUDENT:
        return (_source(place.name, *place.locate("")),), ()
    way = descend(place)
    if is_class(way[-1]):
        return _students(way[-1], generic_parts(kinds(way[-1].contents())) if layout is Layout.AUTO else frozenset())
    if layout is Layout.CLASS:
        return _students(place, frozenset())
    return (_source(*hand_in_of(way)),), ()


def _students(place: Place, generic: frozenset[str]) -> Sources:
    """A student for every folder and archive that is not `generic`; where there is none, for every document."""
    contents = place.contents()
    found = kinds(contents)
    names = [name for name in (*found.folders, *found.archives) if name not in generic] or _loose(found)
    sources = _named(place, names, found)
    beside = [name for name in (*contents.folders, *contents.files) if name not in set(names)]
    refused = [*contents.refused, *(_beside(name) for name in beside), *_badly_named(place, sources)]
    return sources, tuple(sorted(refused, key=lambda refusal: natural(refusal.path)))


def _loose(found: Kinds) -> list[str]:
    return [*found.documents, *(name for name in found.others if _is_document(name))]


def _named(place: Place, names: Iterable[str], found: Kinds) -> tuple[Source, ...]:
    """The sources by name. A file is called by its stem, in full only where that leaves a doubt."""
    bare = {name: name if name in found.folders else stem(name) for name in names}
    folded = [short.casefold() for short in bare.values()]
    called = {name: short if folded.count(short.casefold()) == 1 else name for name, short in bare.items()}
    ordered = sorted(called, key=lambda name: (natural(called[name]), name))
    ids = unique_ids(called[name] for name in ordered)
    return tuple(
        _source(called[name], *place.locate(name), id_) for name, id_ in zip(ordered, ids, strict=True)
    )
