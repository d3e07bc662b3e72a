"""The rows of a page's table, and the numbers in its tags."""

from collections.abc import Iterator
from typing import Final

from grader.reading.tree import Node

_GROUPS: Final = ("thead", "tbody", "tfoot")


def rows_of(table: Node) -> Iterator[Node]:
    """The rows, head first and foot last as they are shown."""
    groups = {name: [node for node in table.nodes() if node.name == name] for name in _GROUPS}
    yield from (row for group in groups["thead"] for row in group.nodes() if row.name == "tr")
    for node in table.nodes():
        if node.name == "tr":
            yield node
        elif node.name == "tbody":
            yield from (row for row in node.nodes() if row.name == "tr")
    yield from (row for group in groups["tfoot"] for row in group.nodes() if row.name == "tr")


def span(node: Node, name: str) -> int:
    """The value of `colspan` or `rowspan`; 1 where it is no sensible number."""
    written = node.attributes.get(name, "").strip()
    return int(written) if written.isascii() and written.isdigit() and 0 < len(written) <= 4 else 1
