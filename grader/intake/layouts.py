"""Layouts of submissions: one source per student with all attempts, found by paths and names alone. A path is a class
or one hand-in, and the module decides which folder matters. The only submitted file that is opened is the archive of a
class."""

import re
import tomllib
import unicodedata
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from grader.intake import IntakeError, NotLetInError
from grader.intake.archive import ENCRYPTED
from grader.intake.lms import sources_of_download
from grader.intake.names import is_archive, is_zip, natural, origin_of, printable, printable_name, safe_id, unique_ids
from grader.intake.opening import condense_refusals
from grader.intake.places import Contents, DiskFolder, Place, StoreFolder, ZipFolder, zip_folder
from grader.intake.submission import HEAD_BYTES, Refusal, Role, Source, may_be_report, role_of
from grader.language.shapes import WORD
from grader.message import say


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

_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_DIGITS: Final = re.compile(r"\d+")


def is_part(name: str) -> bool:
    """Whether a name (without suffix) is one for a part of a hand-in."""
    words = _words(name)
    return words <= _PARTS | _WHOLES and bool(words & _PARTS)


def generic_among(names: Iterable[str]) -> frozenset[str]:
    """Return those of some sibling names (without suffixes) that do not identify a student."""
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
    return frozenset(WORD.findall(letters.casefold()))


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
    known_names = {*documents, *archives}
    return Kinds(
        contents.folders, archives, documents, tuple(name for name in contents.files if name not in known_names)
    )


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
        several = len({stem(name) for name in found.documents}) > 1
        return not generic and several and not _has_signs(found._replace(documents=()))
    if not generic and not _has_signs(found):
        return len(named) > 1
    students = sum(name in found.archives or _holds_document(place.enter(name)) for name in named)
    return students > max(1, len(generic))


def generic_parts(found: Kinds) -> frozenset[str]:
    """The folders and archives whose names do not identify a student."""
    archives = {name: stem(name) for name in found.archives}
    generic = generic_among(archives.values())
    return generic_among(found.folders) | {name for name, bare in archives.items() if bare in generic}


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
        raise IntakeError(f"{path}: it is no submission; name a folder, a zip archive, a report or a notebook.")
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
    named = (archive for archive in (*archives, *_lone_archive(way[-1]), *folders) if not names_nobody(archive[0]))
    return next(named, _hand_in_at(way[0]))


def _hand_in_at(place: Place) -> HandIn:
    return place.name, *place.locate("")


def _only_folder(place: Place) -> Place | None:
    contents = place.contents()
    match contents.folders, contents.files, contents.refused:
        case (folder,), (), () if not is_part(folder):
            return place.enter(folder)
        case (), (file,), () if is_zip(file) and isinstance(place, DiskFolder):
            # A damaged one is one student's hand-in, and the result gives the reason.
            with suppress(NotLetInError):
                return zip_folder(place.path / file)
    return None


def _lone_archive(place: Place) -> list[HandIn]:
    contents = place.contents()
    if contents.folders or len(contents.files) != 1 or not is_archive(contents.files[0]):
        return []
    return [(stem(contents.files[0]), *place.locate(contents.files[0]))]


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
    attempts = []
    for folder, mark in found:
        path, inside = place.locate(folder)
        id_, name = (f"{text} attempt {mark}" for text in (source.student_id, source.student_name))
        origin = f"{source.origin} attempt {mark}"
        attempts.append(replace(source, student_id=id_, student_name=name, path=path, inside=inside, origin=origin))
    return tuple(attempts)


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
    "it lies beside the submissions and is not one; if it should be, put it in a folder named after the student"
)


class Layout(StrEnum):
    """The kind of a path: a class, one student's hand-in, or to be detected."""

    AUTO = "auto"
    CLASS = "class"
    STUDENT = "student"


Sources = tuple[tuple[Source, ...], tuple[Refusal, ...]]
"""One source per student, and the refusals."""


def find_sources(path: Path | StoreFolder, layout: Layout = Layout.AUTO) -> Sources:
    """The hand-ins at a path in natural order of their names, and refusals with reasons for everything else there.

    The path may be a folder, a zip archive (of either: a class or one hand-in), a download of Moodle, Canvas or
    Gradescope, unpacked or not, or a single report or notebook. Behind a folder of nbgrader's, the name of one of its
    assignments may follow. Raises IntakeError when there is nothing at the path,
    nothing in it, or when an archive cannot be opened.
    """
    if isinstance(path, StoreFolder):
        return _sources(path, layout)
    if not path.exists():
        with suppress(OSError, IntakeError):
            if found := sources_of_download((open_place(path.parent),), path.name):
                return found
        raise IntakeError(f"{path}: there is no such file or folder; check the path.")
    try:
        if path.is_file() and (_is_document(path.name) or _is_document_within(path)):
            return (_source(path.stem, path, ""),), ()
        return _sources(open_place(path), layout)
    except OSError as error:
        raise IntakeError(f"{path}: it cannot be read ({error.strerror}); check its permissions.") from error


def _sources(place: Place, layout: Layout) -> Sources:
    if not any(place.contents()) and not place.refused:
        raise IntakeError(f"{place.locate('')[0]}: it holds no files; name a folder or an archive with submissions.")
    if layout is Layout.STUDENT:
        return (_source(place.name, *place.locate("")),), ()
    way = descend(place)
    download = sources_of_download(way)
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
    names = [name for name in (*found.folders, *found.archives) if name not in generic]
    names = names or [*found.documents, *(name for name in found.others if _is_document(name))]
    if not names:
        raise IntakeError(
            f"{where}: it holds nothing that could be a submission; name a folder or an archive that does."
        )
    if place.encrypted:
        raise IntakeError(f"{where}: {ENCRYPTED}.")
    sources = with_attempts(_named(place, names, frozenset(found.folders)))
    beside = {*contents.folders, *contents.files} - set(names)
    refused = (*contents.refused, *(Refusal(path=printable_name(name), reason=_BESIDE) for name in beside))
    return sources, condense_refusals((*refused, *_outside(place.refused, sources)))


def _is_document(name: str) -> bool:
    return role_of(name, b"") in _DOCUMENTS or stem(name).casefold() == "readme"


def _is_document_within(path: Path) -> bool:
    """Whether a file that somebody names is a report by its content, or a text without a suffix. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    is_text = may_be_report(path.name) and bool(head.strip()) and b"\0" not in head
    return is_text or role_of(path.name, head) in _DOCUMENTS


def _named(place: Place, names: list[str], folders: frozenset[str]) -> tuple[Source, ...]:
    """The sources in order. A file's student is named by its stem, or by the full name where stems are ambiguous."""
    bare = {name: name if name in folders else stem(name) for name in names}
    uses = Counter(short.casefold() for short in bare.values())
    called = {name: short if uses[short.casefold()] == 1 else name for name, short in bare.items()}
    in_order = sorted(names, key=lambda name: (natural(called[name]), name))
    ids = unique_ids(called[name] for name in in_order)
    sources: list[Source] = []
    for name, id_ in zip(in_order, ids, strict=True):
        source = replace(_source(called[name], *place.locate(name), id_), origin=origin_of(bare[name]))
        try:
            sources += attempts_within(place.enter(name), source) if name in folders else (source,)
        except OSError:  # reported when the hand-in is opened
            sources.append(source)
    return tuple(sources)


def _source(name: str, path: Path, inside: str, id_: str | None = None) -> Source:
    return Source(
        student_id=id_ or safe_id(name), student_name=printable(name), path=path, inside=inside, origin=origin_of(name)
    )


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
