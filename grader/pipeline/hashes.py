"""Hashes of values, files, folders, hand-ins and of the grader's own code, the same on every machine."""

import hashlib
import json
import platform
import struct
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import date
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple
from zipfile import ZipInfo

import grader
from grader.intake import NotLetInError
from grader.intake.archive import DEFAULT_LIMITS, Member, members, open_archive
from grader.intake.places import DiskFolder
from grader.intake.store import Listing
from grader.intake.submission import Part, Refusal, Source
from grader.report.resources import templates_folder


def hash_of(value: Any) -> str:
    """SHA-256 of a value made of mappings, sequences, sets, numbers, text and days; of models, their `model_dump`."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=_plain).encode()).hexdigest()


def hash_of_file(path: Path) -> str:
    """SHA-256 of a file's content, read in pieces. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_of_folder(folder: Path, suffixes: Iterable[str] = ()) -> str:
    """SHA-256 over the paths and contents of all files below a folder; only those with one of the suffixes, if there
    are any. Raises OSError."""
    wanted = frozenset(suffixes)
    paths = (path for path in sorted(folder.rglob("*")) if not wanted or path.suffix in wanted)
    return hash_of([(path.relative_to(folder).as_posix(), hash_of_file(path)) for path in paths if path.is_file()])


def _plain(value: Any) -> Any:
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, date):  # and times
        return value.isoformat()
    return str(value)


LIBRARIES: Final = (
    *("babel", "cssselect2", "google-crc32c", "jinja2", "markupsafe", "numpy", "pillow", "pydantic", "pypdfium2"),
    *("pystemmer", "pyyaml", "tinycss2", "weasyprint"),
)
"""Those that grading and its reports import: another version may read, decide or draw another thing."""

_CODE: Final = (".py", ".mo", ".toml", ".json")
_CHECKS: Final = "lab_grader.checks"
_LENGTH: Final = 12


@cache
def grader_identity() -> str:
    """The version, and a hash of code, templates, libraries and installed checks, such as `0.1.0+3f0c12ab9d04`: a
    developer's change counts too, for processes that begin after it. Raises OSError."""
    parts = [
        hash_of_folder(Path(grader.__file__).parent, _CODE),
        hash_of_folder(templates_folder()),
        library_versions(),
        [(point.name, point.value, *_code(point)) for point in entry_points(group=_CHECKS)],
    ]
    return f"{grader.__version__}+{hash_of(parts)[:_LENGTH]}"


@cache
def library_versions() -> dict[str, str]:
    """The versions of Python and of the libraries that read hand-ins and make reports; empty where one is not there."""
    return {"python": platform.python_version(), **{name: _version(name) for name in LIBRARIES}}


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""


def _code(point: EntryPoint) -> Iterator[str]:
    """The version and the hashed code of a check's package, which may be under development."""
    yield point.dist.version if point.dist else ""
    package = point.module.partition(".")[0]
    for place in map(Path, dict.fromkeys(sys.path)):
        if (place / package).is_dir():
            yield hash_of_folder(place / package, _CODE)
        elif (place / f"{package}.py").is_file():
            yield hash_of_file(place / f"{package}.py")


UNKNOWN: Final = ""
"""The hash of what could not be read: it equals none."""

_LARGEST: Final = DEFAULT_LIMITS.file_bytes
_CHUNK: Final = 2**20
_HEADER: Final = struct.Struct("<26xHH")
"""The fixed part of an entry's own header: at its end the lengths of its name and extra field."""

_Line = Sequence[object]


class _Archive(NamedTuple):
    """An open archive; `places` are those of its members by their paths, in the order of these."""

    path: Path
    file: BinaryIO
    found: tuple[Member, ...]
    refused: tuple[Refusal, ...]
    places: tuple[tuple[str, int], ...]

    def members_below(self, inside: str) -> list[Member]:
        """A file, or all that lies in a folder, in the order of the archive."""
        after = f"{inside}{chr(ord('/') + 1)}"
        ranges = (((inside, -1), (f"{inside}\0", -1)), ((f"{inside}/", -1), (after, -1)))
        slices = (
            self.places[bisect_left(self.places, prefix) : bisect_left(self.places, end)] for prefix, end in ranges
        )
        return [self.found[place] for place in sorted(place for some in slices for _, place in some)]


def source_hashes(sources: Sequence[Source], listings: Sequence[Listing] = ()) -> list[str]:
    """The hash of each hand-in: of every file's name and content, of an archive's bytes, and of a hand-in within an
    archive the names, bytes and attributes of its entries. Times of files and the path to the hand-in do not count.

    `UNKNOWN` stands for a hand-in that cannot be read, or that holds more than is read of one; it is graded each time.
    Of a file that is too large to be let in, the size counts, not the content; of one in a store, what the store says
    of its content in its listing.
    """
    with ExitStack() as stack:
        archives = {
            path: _archive(path, stack)
            for path in dict.fromkeys(part.path for source in sources for part in _parts(source) if part.inside)
        }
        return [_hash(source, listings, archives) for source in sources]


def _parts(source: Source) -> tuple[Part, ...]:
    return source.parts or (Part(path=source.path, inside=source.inside),)


def _hash(source: Source, listings: Sequence[Listing], archives: dict[Path, _Archive | None]) -> str:
    """Return the hash of a hand-in's parts: those that are folders or files of their own, and those within archives."""
    outside, inside = [], []
    try:
        for part in _parts(source):
            if not part.inside:
                outside.append([part.name, *_lines(part.path, listings)])
            elif archive := archives[part.path]:
                inside.append([part.inside, part.name, *_in_archive(part.inside, archive)])
            else:
                return UNKNOWN
    except OSError:
        return UNKNOWN
    return hash_of([hash_of(outside), inside])


def _lines(path: Path, listings: Sequence[Listing]) -> Iterator[_Line]:
    for listing in listings:
        if (found := listing.files_below(path)) is not None:
            return iter(found)
    return _on_disk(path)


def _on_disk(path: Path) -> Iterator[_Line]:
    """Raises OSError also where there is more than a hand-in may hold; then no file is opened."""
    if not path.is_dir():
        yield path.name, _file_hash(path, DEFAULT_LIMITS.total_bytes)
        return
    lines = list(_listed(path))
    sizes = [size for *_, file in lines if isinstance(file, Path) if (size := file.stat().st_size) <= _LARGEST]
    if len(sizes) > DEFAULT_LIMITS.files or sum(sizes) > DEFAULT_LIMITS.total_bytes:
        raise OSError("more than a submission may hold")
    for *line, last in lines:
        yield *line, _file_hash(last, _LARGEST) if isinstance(last, Path) else last


def _listed(path: Path) -> Iterator[_Line]:
    """Yield the entries of a folder; a file's entry ends with its path, to be hashed."""
    waiting = [(DiskFolder(path), "")]
    while waiting:
        folder, prefix = waiting.pop()
        contents = folder.contents()
        yield from ((prefix, refusal.path, refusal.reason) for refusal in contents.refused)
        yield from ((prefix, name, folder.path / name) for name in contents.files)
        yield from ((prefix, name) for name in contents.folders)
        waiting.extend((folder.enter(name), f"{prefix}{name}/") for name in contents.folders)


def _file_hash(path: Path, largest: int) -> str:
    """Return the hash of a file's content, or a text with its size if it is larger than `largest`. Raises OSError."""
    size = path.stat().st_size
    return hash_of_file(path) if size <= largest else f"not let in: {size} bytes"


def _archive(path: Path, stack: ExitStack) -> _Archive | None:
    try:
        with open_archive(path) as archive:
            table = members(archive)
        found, refused = table
        places = tuple(sorted((member.path, place) for place, member in enumerate(found)))
        return _Archive(path, stack.enter_context(path.open("rb")), found, refused, places)
    except (NotLetInError, OSError):
        return None


def _in_archive(inside: str, archive: _Archive) -> Iterator[_Line]:
    start = f"{inside}/"
    entries = archive.members_below(inside)
    yield from ((refusal.path, refusal.reason) for refusal in archive.refused if refusal.path.startswith(start))
    for member in entries:
        entry = member.entry
        packed = (entry.compress_type, entry.flag_bits, entry.CRC, entry.compress_size, entry.file_size)
        yield (member.path, entry.orig_filename, *packed, entry.external_attr)
    if sum(member.entry.compress_size for member in entries) > archive.path.stat().st_size:
        raise OSError("entries that overlap")
    else:
        yield from ((_packed_hash(archive.file, member.entry),) for member in entries)


def _packed_hash(file: BinaryIO, entry: ZipInfo) -> str:
    """Return the hash of an entry's own name and its bytes as they are packed."""
    digest = hashlib.sha256()
    file.seek(entry.header_offset)
    header = file.read(_HEADER.size)
    name, extra = _HEADER.unpack(header) if len(header) == _HEADER.size else (0, 0)
    digest.update(file.read(name))
    file.seek(extra, 1)
    left = entry.compress_size
    while left > 0 and (chunk := file.read(min(left, _CHUNK))):
        digest.update(chunk)
        left -= len(chunk)
    return digest.hexdigest()
