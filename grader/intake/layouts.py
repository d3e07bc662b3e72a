"""From paths to one source per student with all attempts, by names alone: the only submitted file that is opened is the
archive of a class.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Final

from grader.intake import IntakeError
from grader.intake.archive import ENCRYPTED
from grader.intake.lms import downloaded
from grader.intake.names import natural, printable, safe_id, shown, unique_ids
from grader.intake.opening import condensed
from grader.intake.places import Place, StoreFolder
from grader.intake.recognition import Kinds, descend, generic_parts, hand_in_of, is_class, kinds, open_place, stem
from grader.intake.submission import Refusal, Role, Source, role_of
from grader.message import say

_WORD: Final = "(?:attempt|essai|tentative)"
_MARK: Final = r"(?P<mark>\d{4}-\d\d-\d\d(?:[-_T ]\d\d[-_.:h]?\d\d(?:[-_.:m]?\d\d)?)?|\d{1,3})"
_ALONE: Final = re.compile(rf"{_WORD}[ _.#-]{{0,3}}{_MARK}", re.IGNORECASE)
_AFTER: Final = re.compile(
    rf"(?P<who>[^ _.()-].*?)[ _.(-]{{1,3}}{_WORD}[ _.#-]{{0,3}}{_MARK}\)?", re.IGNORECASE | re.DOTALL
)


def attempts_within(place: Place, source: Source) -> tuple[Source, ...]:
    """A source for each folder that is an attempt, if a student's folder holds nothing else; else the one source.

    Raises OSError when the folder cannot be listed.
    """
    contents = place.contents()
    found = [(folder, match["mark"]) for folder in contents.folders if (match := _ALONE.fullmatch(folder))]
    if contents.files or len(contents.folders) < 2 or len(found) < len(contents.folders):
        return (source,)
    return tuple(_attempt(place, source, folder, mark) for folder, mark in found)


def _attempt(place: Place, source: Source, folder: str, mark: str) -> Source:
    path, inside = place.locate(folder)
    return replace(
        source,
        student_id=f"{source.student_id} attempt {mark}",
        student_name=f"{source.student_name} attempt {mark}",
        path=path,
        inside=inside,
    )


def with_attempts(sources: Sequence[Source]) -> tuple[Source, ...]:
    """The sources; those whose names differ only by an attempt number are marked as attempts of one student."""
    found = [_AFTER.fullmatch(source.student_name) for source in sources]
    series: dict[str, int] = defaultdict(int)
    for match in found:
        if match:
            series[match["who"]] += 1
    return tuple(
        replace(source, attempt=match["mark"], series=f"name {match['who']}")
        if match and series[match["who"]] > 1
        else source
        for source, match in zip(sources, found, strict=True)
    )


def base_id(series: Iterable[Source]) -> str:
    """The id of a student without the attempt's number."""
    ordered = sorted(series, key=lambda source: (len(source.student_id), source.student_id))
    match = _AFTER.fullmatch(ordered[0].student_name)
    return safe_id(match["who"]) if match and ordered[0].series.startswith("name ") else ordered[0].student_id


def base_name(source: Source) -> str:
    """The name of a student without the attempt's number."""
    match = _AFTER.fullmatch(source.student_name) if source.series.startswith("name ") else None
    return match["who"] if match else source.student_name


_DOCUMENTS: Final = frozenset({Role.REPORT, Role.NOTEBOOK})
_BESIDE: Final = say(
    "it lies beside the hand-ins and is none; if it should be one, put it in a folder named after the student"
)


class Layout(StrEnum):
    """What a path holds: a class, one student's hand-in, or to be detected."""

    AUTO = "auto"
    CLASS = "class"
    STUDENT = "student"


Sources = tuple[tuple[Source, ...], tuple[Refusal, ...]]
"""One source per student, and the refusals."""


def find_sources(path: Path | StoreFolder, layout: Layout = Layout.AUTO) -> Sources:
    """The hand-ins at a path in natural order of their names, and refusals with reasons for everything else there.

    The path may be a folder, a zip archive (of either: a class or one hand-in), a download of Moodle, Canvas or
    Gradescope, unpacked or not, or a single report or notebook. Raises IntakeError when there is nothing at the path,
    nothing in it, or when an archive cannot be opened.
    """
    if isinstance(path, StoreFolder):
        return _sources(path, layout)
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
    """One student for every folder and archive that is not `generic`; if there is none, for every document."""
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
    """The sources in order. A file's student is named by its stem, or by the full name where stems are ambiguous."""
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
    except OSError:  # reported when the hand-in is opened
        return (source,)


def _source(name: str, path: Path, inside: str, id_: str | None = None) -> Source:
    return Source(student_id=id_ or safe_id(name), student_name=printable(name), path=path, inside=inside)


def _outside(refused: Iterable[Refusal], sources: tuple[Source, ...]) -> Iterator[Refusal]:
    """Entries of a class's archive with refused names, except those that are reported with a student's files."""
    folders = tuple(f"{source.inside}/" for source in sources)
    return (refusal for refusal in refused if not refusal.path.startswith(folders))


def find_all_sources(paths: Iterable[Path | StoreFolder], layout: Layout = Layout.AUTO) -> Sources:
    """The hand-ins at several paths, in order; ids that occur at two paths are numbered. Raises IntakeError."""
    found = [find_sources(path, layout) for path in paths]
    sources = tuple(chain.from_iterable(sources for sources, _ in found))
    refused = tuple(chain.from_iterable(refused for _, refused in found))
    ids = unique_ids(source.student_id for source in sources)
    renamed = (
        source if source.student_id == id_ else replace(source, student_id=id_)
        for source, id_ in zip(sources, ids, strict=True)
    )
    return tuple(renamed), refused
