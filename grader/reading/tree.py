"""Marked-up text as a tree of elements: what the readers of web pages and office documents work on."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

TEXT: Final = "#text"
"""The name of a text that has a line of its own."""


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
        return next((node for node in self.nodes() if node.name == name), None)

    def every(self, *names: str) -> "Iterator[Node]":
        """All elements of some names below this one, in reading order."""
        waiting = list(self.nodes())[::-1]
        while waiting:
            node = waiting.pop()
            if node.name in names:
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
