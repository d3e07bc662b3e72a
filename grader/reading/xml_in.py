"""XML of unknown origin as a tree: within limits, without document types or entities, and as far as it is whole."""

import re
from functools import lru_cache
from typing import Final, NamedTuple
from xml.parsers import expat

from grader.message import Message, Words, say
from grader.reading.tree import Node

MOST_ELEMENTS: Final = 500_000
"""A report of 20 pages has some ten thousand."""

MOST_DEPTH: Final = 120
"""What lies deeper is left out, so that walking the tree stays within Python's own limit."""

_MARK: Final = "\n"
_PREFIXES: Final = (
    (re.compile(r"/wordprocessingml/(?:\d+/)?main\Z"), "w"),
    (re.compile(r"/officeDocument/(?:\d+/)?math\Z"), "m"),
    (re.compile(r"/officeDocument/(?:\d+/)?relationships\Z"), "r"),
    (re.compile(r"/markup-compatibility/\d+\Z"), "mc"),
)
_OPEN_DOCUMENT: Final = re.compile(r"urn:oasis:names:tc:opendocument:xmlns:([a-z-]+):1\.0")


class Xml(NamedTuple):
    """The tree as far as it could be read; `problems` say what is missing."""

    root: Node | None
    problems: tuple[Words, ...] = ()


class _StopError(Exception):
    """The rest is not read; `why` says the reason."""

    def __init__(self, why: Message) -> None:
        super().__init__(why)
        self.why = why


def read_xml(data: bytes) -> Xml:
    """The tree of an XML file. Names get their usual prefix (`w:p`, `m:f`, `text:p`) whatever prefix the file gives
    them; other names have none. Never raises for any content."""
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
        problems.append(stop.why)
    except (expat.ExpatError, ValueError, LookupError) as error:
        problems.append(
            say("its XML is damaged ({error}); what comes before the damage is read", error=str(error)[:80])
        )
    if builder.too_deep:
        problems.append(say("its XML is nested too deeply; the innermost parts are not read"))
    return Xml(builder.root, tuple(problems))


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
            raise _StopError(
                say(
                    "its XML has more than {most_elements} elements; only the first are read",
                    most_elements=MOST_ELEMENTS,
                )
            )
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
def _known_prefix(uri: str) -> str:
    return next((prefix for pattern, prefix in _PREFIXES if pattern.search(uri)), "")


def _prefix(uri: str) -> str:
    open_document = _OPEN_DOCUMENT.fullmatch(uri)
    return open_document[1] if open_document else _known_prefix(uri)
