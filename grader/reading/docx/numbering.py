"""Numbers and bullets of a document's lists, counted as Word does."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from grader.reading.docx.styles import value, whole
from grader.reading.tree import Node

_PLACE: Final = re.compile(r"%([1-9])")
_ROMAN: Final = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_BULLET: Final = "•"


class Level(NamedTuple):
    """One level of a list: how its numbers look, the text around them (`%1.%2`), and the first number."""

    look: str
    pattern: str
    start: int


Lists = Mapping[str, Mapping[int, Level]]
"""Levels by the id of a list and their depth from 0."""


def read_lists(root: Node | None) -> Lists:
    """The lists of `word/numbering.xml`."""
    if root is None:
        return {}
    abstract = {
        node.attributes.get("w:abstractNumId", ""): _levels(node)
        for node in root.nodes()
        if node.name == "w:abstractNum"
    }
    found: dict[str, Mapping[int, Level]] = {}
    for node in root.nodes():
        if node.name == "w:num":
            found[node.attributes.get("w:numId", "")] = _overridden(
                node, abstract.get(value(node, "w:abstractNumId") or "", {})
            )
    return found


class Counter:
    """Counts the items of all lists while a document is read from its start; one use only."""

    def __init__(self, lists: Lists) -> None:
        self._lists = lists
        self._counts: dict[str, dict[int, int]] = {}

    def label(self, list_id: str, depth: int) -> str | None:
        """The bullet or number of the next item; None where it has none."""
        if list_id == "0":
            return None
        levels = self._lists.get(list_id)
        level = levels.get(depth) if levels else None
        if levels is None or level is None or level.look == "bullet":
            return _BULLET
        counts = self._counts.setdefault(list_id, {})
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [other for other in counts if other > depth]:
            del counts[deeper]
        return _PLACE.sub(lambda match: _number(levels, counts, int(match[1]) - 1), level.pattern) or None


def _number(levels: Mapping[int, Level], counts: Mapping[int, int], depth: int) -> str:
    level = levels.get(depth)
    if level is None:
        return ""
    count = counts.get(depth, level.start)
    if level.look in ("lowerLetter", "upperLetter") and 1 <= count <= 26:
        letter = chr(ord("a") + count - 1)
        return letter.upper() if level.look == "upperLetter" else letter
    if level.look in ("lowerRoman", "upperRoman") and 1 <= count <= 39:
        return _roman(count).upper() if level.look == "upperRoman" else _roman(count)
    return "" if level.look == "none" else str(count)


def _roman(count: int) -> str:
    written = ""
    for size, letters in _ROMAN:
        while count >= size:
            written, count = written + letters, count - size
    return written


def _levels(node: Node) -> dict[int, Level]:
    found = {}
    for level in node.nodes():
        depth = whole(level.attributes.get("w:ilvl"))
        if level.name == "w:lvl" and depth is not None:
            found[depth] = Level(
                look=value(level, "w:numFmt") or "decimal",
                pattern=(value(level, "w:lvlText") or "")[:60],
                start=_start(level, "w:start"),
            )
    return found


def _start(node: Node, name: str) -> int:
    start = whole(value(node, name))
    return 1 if start is None else start


def _overridden(node: Node, levels: Mapping[int, Level]) -> dict[int, Level]:
    """The levels of a list that changes some of those that it is made from."""
    found = dict(levels)
    for change in node.nodes():
        depth = whole(change.attributes.get("w:ilvl"))
        if change.name != "w:lvlOverride" or depth is None:
            continue
        found.update(_levels(change))
        if depth in found and value(change, "w:startOverride") is not None:
            found[depth] = found[depth]._replace(start=_start(change, "w:startOverride"))
    return found
