"""Which versions of libraries a notebook says that it had: what installers and the code itself printed, and what
installing commands ask for.

The lines are those of pip (`Successfully installed`, `Requirement already satisfied`, `pip list`, `pip freeze`,
`pip show`), of uv and of conda.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from grader.reading.notebook import Cell, CellKind, LibraryVersion, OutputKind, VersionSource

MOST_VERSIONS: Final = 2_000
_LONGEST: Final = 20_000
_VERSION: Final = r"\d[\w.!+]{0,40}"
_NAME: Final = r"[A-Za-z0-9][\w.-]{0,80}"
_INSTALLED: Final = re.compile(rf"Successfully installed ([^\n]{{1,{_LONGEST}}})")
_PRESENT: Final = re.compile(
    rf"Requirement already satisfied: ({_NAME})[^\n]{{0,600}}?\(({_VERSION})\)[ \t]*$", re.MULTILINE
)
_ADDED: Final = re.compile(rf"^ ?\+ ({_NAME})==({_VERSION})", re.MULTILINE)
_CONDA: Final = re.compile(rf"\S{{1,60}}::({_NAME}?)-({_VERSION})-\w{{1,60}}(?=\s|$)")
_SHOWN: Final = re.compile(rf"^Name: ({_NAME})\nVersion: ({_VERSION})", re.MULTILINE)
_LISTED: Final = re.compile(rf"^({_NAME})(?:==|[ \t]{{1,60}})({_VERSION})[ \t]*$", re.MULTILINE)
_LISTS: Final = re.compile(r"\b(?:pip3?|conda|uv)\b[^\n]{0,40}\b(?:list|freeze)\b")
_COMMAND: Final = re.compile(r"\b(?:pip3?|uv|conda|mamba)\b[^\n;&|]{0,40}?\binstall\b([^\n;&|]{1,2000})")
_PINNED: Final = re.compile(rf"(?<![\w./-])({_NAME}?)(?:\[[\w, -]{{0,60}}\])?\s?={{1,3}}\s?({_VERSION})")
_TAGGED: Final = re.compile(rf"([\w-]{{1,60}}?)(?:\.git)?@v?({_VERSION})")
_PRINTS: Final = re.compile(rf"\b([A-Za-z_]\w{{0,60}})\.__version__|\bversion\(\s?['\"]({_NAME})['\"]\s?\)")
_ALIAS: Final = re.compile(r"\bimport (\w{1,60}) as (\w{1,60})")
_BARE: Final = re.compile(r"(?<![\w.])(\d{1,4}\.\d{1,6}(?:\.\w{1,20}){0,4}(?:\+\w{1,20})?)(?![\w.]\d)")


def versions_in(cells: Iterable[Cell]) -> tuple[LibraryVersion, ...]:
    """What the code cells say of versions, in order; names in the form of the package index, `-` between words."""
    found = (one for cell in cells if cell.kind is CellKind.CODE for one in _of_cell(cell))
    return tuple(dict.fromkeys(one for one, _ in zip(found, range(MOST_VERSIONS), strict=False)))


def normal_name(name: str) -> str:
    """A distribution's name as the package index compares it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _of_cell(cell: Cell) -> Iterator[LibraryVersion]:
    if "install" in cell.source:
        yield from _asked(cell)
    yield from _told(cell)
    if "version" in cell.source:
        yield from _printed(cell)


def _asked(cell: Cell) -> Iterator[LibraryVersion]:
    lines = (line for line in _logical(cell.source) if not line.lstrip().startswith("#"))
    for command in (match[1] for line in lines for match in _COMMAND.finditer(line)):
        words = command.partition(" #")[0].replace("'", " ").replace('"', " ")
        for pattern in (_PINNED, _TAGGED):
            yield from (_made(match[1], match[2], VersionSource.ASKED, cell) for match in pattern.finditer(words))


def _logical(source: str) -> list[str]:
    return source[:_LONGEST].replace("\\\n", " ").split("\n")


def _told(cell: Cell) -> Iterator[LibraryVersion]:
    """What an installer printed."""
    text = cell.output
    if "Requirement already satisfied" in text:
        yield from (_made(name, version, VersionSource.PRESENT, cell) for name, version in _PRESENT.findall(text))
    for match in _INSTALLED.finditer(text) if "Successfully installed" in text else ():
        for word in match[1].split():
            name, dash, version = word.rpartition("-")
            if dash and version[:1].isdigit() and len(word) < 100:
                yield _made(name, version, VersionSource.INSTALLED, cell)
    for mark, pattern in (("+ ", _ADDED), ("::", _CONDA), ("Name: ", _SHOWN)):
        if mark in text and (pattern is not _ADDED or "==" in text):
            installed = pattern.findall(text[:200_000])
            yield from (_made(name, version, VersionSource.INSTALLED, cell) for name, version in installed)
    if _LISTS.search(cell.source[:_LONGEST]):
        listed = _LISTED.findall(text[:200_000])
        yield from (_made(name, version, VersionSource.INSTALLED, cell) for name, version in listed)


def _printed(cell: Cell) -> Iterator[LibraryVersion]:
    """What the code printed of `library.__version__`, where it is clear which number is whose."""
    source = "\n".join(line.partition("#")[0] for line in cell.source[:_LONGEST].split("\n"))
    aliases = {short: name for name, short in _ALIAS.findall(source)}
    names = [str(match[1] or match[2]) for match in _PRINTS.finditer(source)]
    shown = (OutputKind.STDOUT, OutputKind.RESULT)
    lines = cell.output[:_LONGEST].split("\n")
    kept = [one for one in cell.outputs if one.kind in shown]
    said = [line for one in kept for line in lines[one.line - 1 : one.line - 1 + one.lines]] if cell.outputs else lines
    numbers = [number for line in said for number in _BARE.findall(line[:300])]
    names = list(dict.fromkeys(names)) if len(set(names)) == len(numbers) else names
    if len(names) == len(numbers):
        for name, number in zip(names, numbers, strict=True):
            yield _made(aliases.get(name, name), number, VersionSource.PRINTED, cell)


def _made(name: str, version: str, source: VersionSource, cell: Cell) -> LibraryVersion:
    return LibraryVersion(name=normal_name(name), version=version.rstrip("."), source=source, cell=cell.index)
