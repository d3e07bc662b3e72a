"""Tags put together to a tree, as a browser would repair them, within limits."""

from typing import Final, NamedTuple

from grader.reading.html.elements import CLOSING_PARAGRAPHS, CONTAINERS, ROW_GROUPS, VOID
from grader.reading.html.tokens import Token, TokenKind, tokens
from grader.reading.tree import TEXT, Node

MOST_NODES: Final = 300_000
MOST_DEPTH: Final = 100
"""What lies deeper stays, but as if it lay at this depth."""

_CLOSES: Final[dict[str, tuple[frozenset[str], frozenset[str]]]] = {
    "li": (frozenset({"li"}), frozenset({"ul", "ol", "menu", "dir"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "td": (frozenset({"td", "th"}), frozenset({"table", "tr"})),
    "th": (frozenset({"td", "th"}), frozenset({"table", "tr"})),
    "tr": (frozenset({"tr", "caption", "colgroup"}), frozenset({"table"})),
    **{rows: (ROW_GROUPS | {"caption", "colgroup"}, frozenset({"table"})) for rows in ROW_GROUPS},
    "option": (frozenset({"option"}), frozenset({"select"})),
}
"""What a start tag closes, and the elements that this does not reach beyond."""


class Tree(NamedTuple):
    """The root with all that was read. `cut`: there was more than the limit lets in; `broken_off`: the page ends within
    a tag or a comment."""

    root: Node
    cut: bool = False
    broken_off: bool = False


def parse(source: str, most_nodes: int = MOST_NODES) -> Tree:
    """The tree of a page. Every text is a page; nothing raises."""
    builder = _Builder(most_nodes)
    for token in tokens(source):
        if token.kind is TokenKind.BROKEN_OFF:
            return Tree(builder.root, broken_off=True)
        builder.take(token)
        if builder.left <= 0:
            return Tree(builder.root, cut=True)
    return Tree(builder.root)


class _Builder:
    """Puts a tree together; one use only."""

    def __init__(self, most_nodes: int) -> None:
        self.root = Node("", {}, [], 1)
        self.open = [self.root]
        self.left = most_nodes
        self.flattened = 0

    def take(self, token: Token) -> None:
        self.left -= 1
        if token.kind is TokenKind.TEXT:
            self.open[-1].children.append(Node(TEXT, {}, [token.text], token.line))
        elif token.kind is TokenKind.START:
            self._start(token)
        else:
            self._end(token.text)

    def _start(self, token: Token) -> None:
        name = token.text
        if name in _CLOSES:
            self._close(*_CLOSES[name])
        if name in CLOSING_PARAGRAPHS:
            self._close(frozenset({"p"}), CONTAINERS)
        if len(self.open) >= MOST_DEPTH and name not in VOID and not token.closed:
            self.flattened += 1
            return
        node = Node(name, token.attributes, [], token.line)
        self.open[-1].children.append(node)
        if name not in VOID and not token.closed:
            self.open.append(node)

    def _close(self, names: frozenset[str], beyond: frozenset[str]) -> None:
        """Close the innermost open element of some names, unless another one of `beyond` is met first."""
        for depth in range(len(self.open) - 1, 0, -1):
            name = self.open[depth].name
            if name in names:
                del self.open[depth:]
                return
            if name in beyond:
                return

    def _end(self, name: str) -> None:
        if self.flattened and len(self.open) >= MOST_DEPTH:
            self.flattened -= 1
            return
        within = (
            frozenset() if name in ("table", "tr", "body", "html", *ROW_GROUPS) else frozenset({"td", "th", "table"})
        )
        self._close(frozenset({name}), within - {name})
