"""From one path to one source per student, by names alone: no submitted file is opened but the archive of a class."""

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

from grader.intake.attempts import attempts_within, with_attempts
from grader.intake.descent import descend, hand_in_of, open_place
from grader.intake.errors import IntakeError
from grader.intake.lms.recognise import downloaded
from grader.intake.names import printable, shown
from grader.intake.order import natural
from grader.intake.places import Place
from grader.intake.recognition import Kinds, generic_parts, is_class, kinds, stem
from grader.intake.refusals import condensed
from grader.intake.roles import role_of
from grader.intake.student_ids import safe_id, unique_ids
from grader.intake.submission import Refusal, Role, Source
from grader.intake.zip_table import ENCRYPTED
from grader.message import say

_DOCUMENTS: Final = frozenset({Role.REPORT, Role.NOTEBOOK})
_BESIDE: Final = say(
    "it lies beside the hand-ins and is none; if it should be one, put it in a folder named after the student"
)


class Layout(StrEnum):
    """How a path is to be understood: as it looks, as a class, or as one student's hand-in."""

    AUTO = "auto"
    CLASS = "class"
    STUDENT = "student"


Sources = tuple[tuple[Source, ...], tuple[Refusal, ...]]
"""One source per student, and what was left aside."""


def find_sources(path: Path, layout: Layout = Layout.AUTO) -> Sources:
    """The hand-ins at a path in natural order of their names, and what lies beside them and is none, with the reason.

    The path may be a folder, a zip archive (of either: a class or one hand-in), a download of Moodle, Canvas or
    Gradescope, unpacked or not, or a single report or notebook. Raises IntakeError when there is nothing at the path,
    nothing in it, or when an archive cannot be opened.
    """
    if not path.exists():
        raise IntakeError(f"{path}: there is no such file or folder; check the path.")
    if path.is_file() and _is_document(path.name):
        return (_source(path.stem, path, ""),), ()
    try:
        return _sources(open_place(path), layout)
    except OSError as error:
        raise IntakeError(f"{path}: it cannot be read ({error.strerror}); check its permissions.") from error


def _sources(place: Place, layout: Layout) -> Sources:
    if not any(place.contents()) and not place.refused:
        raise IntakeError(f"{place.locate('')[0]}: it holds no files; name a folder or an archive with hand-ins.")
    if layout is Layout.STUDENT:
        return (_source(place.name, *place.locate("")),), ()
    way = descend(place)
    download = downloaded(way)
    if download is not None and not place.encrypted:
        return download
    attempts = with_attempts(attempts_within(way[-1], _source(*hand_in_of(way))))
    if len(attempts) > 1:
        return attempts, ()
    if is_class(way[-1]):
        return _students(way[-1], generic_parts(kinds(way[-1].contents())) if layout is Layout.AUTO else frozenset())
    if layout is Layout.CLASS:
        return _students(place, frozenset())
    return (_source(*hand_in_of(way)),), ()


def _students(place: Place, generic: frozenset[str]) -> Sources:
    """A student for every folder and archive that is not `generic`; where there is none, for every document."""
    contents, where = place.contents(), place.locate("")[0]
    found = kinds(contents)
    names = [name for name in (*found.folders, *found.archives) if name not in generic] or _loose(found)
    if not names:
        raise IntakeError(f"{where}: it holds nothing that could be a hand-in; name a folder or an archive that does.")
    if place.encrypted:
        raise IntakeError(f"{where}: {ENCRYPTED}.")
    sources = with_attempts(_named(place, names, frozenset(found.folders)))
    beside = {*contents.folders, *contents.files} - set(names)
    refused = (*contents.refused, *(Refusal(path=shown(name), reason=_BESIDE) for name in beside))
    return sources, condensed((*refused, *_outside(place.refused, sources)))


def _loose(found: Kinds) -> list[str]:
    return [*found.documents, *(name for name in found.others if _is_document(name))]


def _is_document(name: str) -> bool:
    return role_of(name, b"") in _DOCUMENTS or stem(name).casefold() == "readme"


def _named(place: Place, names: list[str], folders: frozenset[str]) -> tuple[Source, ...]:
    """The sources in order. A file is called by its stem, and in full only where that leaves a doubt."""
    bare = {name: name if name in folders else stem(name) for name in names}
    uses = Counter(short.casefold() for short in bare.values())
    called = {name: short if uses[short.casefold()] == 1 else name for name, short in bare.items()}
    in_order = sorted(names, key=lambda name: (natural(called[name]), name))
    ids = unique_ids(called[name] for name in in_order)
    sources = ((name, _source(called[name], *place.locate(name), id_)) for name, id_ in zip(in_order, ids, strict=True))
    return tuple(one for name, source in sources for one in _attempts(place, name, source, is_folder=name in folders))


def _attempts(place: Place, name: str, source: Source, *, is_folder: bool) -> tuple[Source, ...]:
    try:
        return attempts_within(place.enter(name), source) if is_folder else (source,)
    except OSError:  # told when the hand-in is opened
        return (source,)


def _source(name: str, path: Path, inside: str, id_: str | None = None) -> Source:
    return Source(student_id=id_ or safe_id(name), student_name=printable(name), path=path, inside=inside)


def _outside(refused: Iterable[Refusal], sources: tuple[Source, ...]) -> Iterator[Refusal]:
    """Entries of a class's archive with refused names, but for those that will be reported with a student's files."""
    folders = tuple(f"{source.inside}/" for source in sources)
    return (refusal for refusal in refused if not refusal.path.startswith(folders))
