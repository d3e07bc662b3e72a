"""The XML parts of an office document, which is a zip archive, as trees of elements: within limits, without document
types or entities, and as far as they are whole.
"""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple
from xml.parsers import expat

from grader.intake import NotLetInError
from grader.intake.archive import BAD_ARCHIVE, ENCRYPTED, open_archive
from grader.message import Message, Words, label_text, say
from grader.reading.bytes_in import DAMAGED, TOO_DEEP, TOO_LONG, read_bytes

_HEADER: Final = struct.Struct("<4sHHHHHLLLHH")
_SIGNATURE: Final = re.compile(rb"PK\x03\x04")
_STORED, _DEFLATED = 0, 8
_ENCRYPTED: Final = 0x1
_MOST_FILES: Final = 2_000


def _inflated(data: bytes, start: int, limit: int) -> bytes:
    """As many bytes as can be unpacked from a place on, at most `limit`."""
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    found = bytearray()
    chunk = 65_536
    for position in range(start, len(data), chunk):
        try:
            found += inflate.decompress(data[position : position + chunk], limit - len(found))
        except zlib.error:
            break
        if inflate.eof or len(found) >= limit or inflate.unconsumed_tail:
            break
    return bytes(found)


MOST_BYTES: Final = 200_000_000
"""Of the file: pictures are kept inside."""

MOST_PART: Final = 40_000_000
"""Of one part, unpacked."""

_MOST_TOTAL: Final = 100_000_000
_MOST_PARTS: Final = 5_000
_CHUNK: Final = 1_048_576
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED: Final = "EncryptedPackage".encode("utf-16-le")
AS_PDF: Final = say("export the report as PDF and hand that in")
"""The advice that helps with most damaged office documents."""


def embedded_formulas(count: int) -> Message:
    """The problem of a document with formulas that only the program that made them can read."""
    return say("some formulas cannot be read (at least {count}): hand it in as PDF as well", count=count)


class Parts(NamedTuple):
    """The contents of the parts that were asked for, by name, and the names of all. `problems` say what is missing."""

    content: Mapping[str, bytes] = {}
    names: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()


def office_parts(path: Path, *, folders: tuple[str, ...]) -> Parts:
    """The XML parts at the top of an office document and in folders whose names begin as given. Never raises."""
    data, trouble = read_bytes(path, MOST_BYTES)
    refusal = _no_zip(data)
    if refusal:
        return Parts(problems=(*trouble, refusal))
    try:
        with open_archive(path, _MOST_PARTS) as archive:
            return _read(archive, folders)
    except (NotLetInError, *BAD_ARCHIVE):
        return _salvage(data, folders)


def _no_zip(data: bytes) -> str | None:
    """Return the reason why a file is no zip archive, in words for the student; None if it may be one."""
    if data.startswith(_OLE):
        if _LOCKED in data:
            return ENCRYPTED
        return say("documents in this format are not read: save it as .docx, or {remedy}", remedy=AS_PDF)
    if data.startswith(b"{\\rtf"):
        return say("documents in this format are not read: save it as .docx, or {remedy}", remedy=AS_PDF)
    if b"PK\x03\x04" not in data:
        if not data:
            return say("the file is empty")
        return say("it is damaged or not an office document: {remedy}", remedy=AS_PDF)
    return None


def _is_wanted(name: str, folders: tuple[str, ...]) -> bool:
    return name.endswith((".xml", ".rels")) and ("/" not in name or name.startswith(folders))


def _read(archive: zipfile.ZipFile, folders: tuple[str, ...]) -> Parts:
    content: dict[str, bytes] = {}
    problems: list[str] = []
    left = _MOST_TOTAL
    for entry in archive.infolist():
        if not _is_wanted(entry.filename, folders):
            continue
        data, problem = _unpacked(archive, entry, min(left, MOST_PART))
        left -= len(data)
        content[entry.filename] = data
        if problem:
            problems.append(problem)
    return Parts(content, frozenset(archive.namelist()), tuple(problems))


def _unpacked(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> tuple[bytes, str | None]:
    """A part's bytes as far as they can be unpacked, and what is wrong with it."""
    if entry.flag_bits & _ENCRYPTED:
        return b"", ENCRYPTED
    found = bytearray()
    try:
        with archive.open(entry) as part:
            while chunk := part.read(_CHUNK):
                found += chunk
                if len(found) > limit:
                    return bytes(found[:limit]), TOO_LONG
    except BAD_ARCHIVE:
        return bytes(found), DAMAGED
    return bytes(found), None


def _salvage(data: bytes, folders: tuple[str, ...]) -> Parts:
    """The parts that headers in these bytes announce, as far as they are whole."""
    content: dict[str, bytes] = {}
    names: set[str] = set()
    left = _MOST_TOTAL
    for match in islice(_SIGNATURE.finditer(data), _MOST_FILES):
        start = match.start() + _HEADER.size
        if start > len(data):
            break
        _, _, flags, method, _, _, _, packed, _, name_length, extra = _HEADER.unpack_from(data, match.start())
        if method not in (_STORED, _DEFLATED) or flags & _ENCRYPTED:
            continue
        name = data[start : start + name_length].decode("utf-8", "replace")
        names.add(name)
        if _is_wanted(name, folders) and name not in content and left > 0:
            start, limit = start + name_length + extra, min(left, MOST_PART)
            is_stored = method == _STORED
            content[name] = data[start : start + min(packed, limit)] if is_stored else _inflated(data, start, limit)
            left -= len(content[name])
    problem = say("it is damaged or not an office document: {remedy}", remedy=AS_PDF)
    return Parts(content, frozenset(names), (problem,))


TEXT: Final = "#text"
"""The node name of a text that has its own line number."""


class Node(NamedTuple):
    """An element with its children in order, texts among them. `line` is where it begins in its source, from 1."""

    name: str
    attributes: Mapping[str, str]
    children: "list[Node | str]"
    line: int = 0

    def nodes(self) -> "Iterator[Node]":
        """The children that are elements."""
        return (child for child in self.children if isinstance(child, Node) and child.name != TEXT)

    def child(self, name: str) -> "Node | None":
        """The first child of a name."""
        for child in self.children:
            if isinstance(child, Node) and child.name == name:
                return child
        return None

    def element_at(self, *names: str) -> "Node":
        """The element on a path of names from this one; an empty one where there is none."""
        node = self
        for name in names:
            node = node.child(name) or NOTHING
        return node

    def descendants(self, *names: str) -> "Iterator[Node]":
        """All elements below this one, or those of some names, in reading order."""
        waiting = list(self.nodes())[::-1]
        while waiting:
            node = waiting.pop()
            if not names or node.name in names:
                yield node
            waiting += list(node.nodes())[::-1]

    def text(self) -> str:
        """All text below, as it stands."""
        found: list[str] = []
        waiting: list[Node | str] = self.children[::-1]
        while waiting:
            item = waiting.pop()
            if isinstance(item, Node):
                waiting += item.children[::-1]
            else:
                found.append(item)
        return "".join(found)


NOTHING: Final = Node("", {}, [])
"""In place of an element that is not there."""

MOST_ELEMENTS: Final = 500_000
"""A report of 20 pages has some ten thousand."""

MOST_DEPTH: Final = 120
"""Deepest level; deeper elements are left out, so that recursion stays within Python's limit."""

_MARK: Final = "\n"
_PREFIXES: Final = (
    (re.compile(r"/wordprocessingml/(?:\d+/)?main\Z"), "w"),
    (re.compile(r"/officeDocument/(?:\d+/)?math\Z"), "m"),
    (re.compile(r"/officeDocument/(?:\d+/)?relationships\Z"), "r"),
    (re.compile(r"/markup-compatibility/\d+\Z"), "mc"),
)
_OPEN_DOCUMENT: Final = re.compile(r"urn:oasis:names:tc:opendocument:xmlns:([a-z-]+):1\.0")


class PartReader:
    """Reads parts of a package and collects problems; one use only."""

    def __init__(self, content: Mapping[str, bytes]) -> None:
        self.content = content
        self.problems: list[str] = []

    def root(self, name: str) -> Node:
        """The tree of a part; an empty one where there is none."""
        if name not in self.content:
            return NOTHING
        root, problems = read_xml(self.content[name])
        self.problems += [label_text(name, problem) for problem in problems]
        return root or NOTHING


class _StopError(Exception):
    """The rest is not read; its argument says the reason."""


def read_xml(data: bytes) -> tuple[Node | None, list[Words]]:
    """The tree of an XML file as far as it could be read, and what is missing. Names get their usual prefix (`w:p`,
    `m:f`, `text:p`) whatever prefix the file gives them; other names have none. Never raises for any content."""
    builder = _Builder()
    parser = expat.ParserCreate(namespace_separator=_MARK)
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    parser.StartDoctypeDeclHandler = _refuse
    problems: list[Words] = []
    try:
        parser.Parse(data, True)
    except _StopError as stop:
        problems.append(stop.args[0])
    except (expat.ExpatError, ValueError, LookupError):
        problems.append(DAMAGED)
    if builder.too_deep:
        problems.append(TOO_DEEP)
    return builder.root, problems


def _refuse(*_: object) -> None:
    raise _StopError(say("its XML declares a document type, which no word processor writes, and is not read"))


class _Builder:
    """Puts a tree together from a parser's events; one use only."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.open: list[Node] = []
        self.left = MOST_ELEMENTS
        self.unread = 0
        self.too_deep = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.left -= 1
        if self.left < 0:
            raise _StopError(TOO_LONG)
        if self.unread or len(self.open) >= MOST_DEPTH:
            self.unread += 1
            self.too_deep = True
            return
        node = Node(_short(name), {_short(key): value for key, value in attributes.items()}, [])
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        self.open.append(node)

    def end(self, _: str) -> None:
        if self.unread:
            self.unread -= 1
        else:
            self.open.pop()

    def characters(self, text: str) -> None:
        if self.open and not self.unread:
            self.open[-1].children.append(text)


def _short(name: str) -> str:
    uri, mark, local = name.rpartition(_MARK)
    prefix = _prefix(uri) if mark and len(uri) <= 200 else ""
    return f"{prefix}:{local}" if prefix else local


@lru_cache(maxsize=200)
def _prefix(uri: str) -> str:
    open_document = _OPEN_DOCUMENT.fullmatch(uri)
    if open_document:
        return open_document[1]
    return next((prefix for pattern, prefix in _PREFIXES if pattern.search(uri)), "")
