"""Preformatted text: code and printed output, line by line."""

from collections.abc import Iterator

from grader.reading.document import Block, BlockKind
from grader.reading.html.notebook_page import classes, is_decoration
from grader.reading.tree import TEXT, Node


def listing(node: Node, kind: BlockKind) -> list[Block]:
    """The lines of a `pre` element that are not blank, as blocks of one kind with their lines in the page."""
    lines = enumerate("".join(_shown(node)).split("\n"), start=node.line)
    return [Block(kind=kind, text=text.rstrip(), line=line) for line, text in lines if text.strip()]


def _shown(node: Node) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, str):
            yield child
        elif child.name == TEXT:
            yield child.text()
        elif child.name == "br":
            yield "\n"
        elif child.name not in ("script", "style", "button") and not is_decoration(classes(child)):
            yield from _shown(child)
