"""MathML as LaTeX."""

from collections.abc import Callable
from itertools import chain, zip_longest
from typing import Final

from grader.reading.latex_out import LARGE, fraction, matrix, over, root, row, scripted, symbols, under, words
from grader.reading.tree import Node

_TEX: Final = ("application/x-tex", "tex", "latex", "application/x-latex")


def formula_lines(math: Node) -> list[str]:
    """The formula of a `math` element as LaTeX, one text for each line that it is written on. The TeX that it was made
    from is taken where it is kept beside it."""
    source = _tex(math)
    if source is not None:
        return [source]
    table = _only(math, "mtable")
    if table is None:
        return [text] if (text := _row(math).strip()) else []
    lines = (row(_latex(cell) for cell in cells.nodes()).strip() for cells in table.nodes())
    return [line for line in lines if line]


def marked_formula(math: Node) -> str:
    """The formula as it is marked in running text: `$…$`, or lines of `$$…$$` where it stands apart."""
    displayed = math.attributes.get("display") == "block"
    lines = formula_lines(math)
    return "".join(f"\n$${line}$$\n" if displayed else f"${line}$" for line in lines)


def local(node: Node) -> str:
    """An element's name without a prefix."""
    return node.name.rpartition(":")[2].lower()


def _tex(math: Node) -> str | None:
    for note in math.every("annotation", "math:annotation", "m:annotation"):
        if note.attributes.get("encoding", "").lower() in _TEX:
            return " ".join(note.text().split()) or None
    return None


def _only(node: Node, name: str) -> Node | None:
    """The element of a name that a formula consists of, through the wrappers around it."""
    while True:
        inner = [child for child in node.nodes() if not local(child).startswith("annotation")]
        if len(inner) != 1:
            return None
        node = inner[0]
        if local(node) == name:
            return node
        if local(node) not in ("mrow", "mstyle", "semantics", "mpadded"):
            return None


def _latex(node: Node) -> str:
    return _WRITERS.get(local(node), _row)(node)


def _row(node: Node) -> str:
    return row(
        _latex(child) if isinstance(child, Node) else symbols(" ".join(child.split())) for child in node.children
    )


def _token(node: Node) -> str:
    text = " ".join(node.text().split())
    return LARGE.get(text) or symbols(text)


def _words(node: Node) -> str:
    return words(node.text())


def _parts(node: Node, count: int) -> list[str]:
    """The first elements within; empty texts for those that are missing."""
    found = [_latex(child) for child in node.nodes()][:count]
    return found + [""] * (count - len(found))


def _fraction(node: Node) -> str:
    above, below = _parts(node, 2)
    flat = node.attributes.get("linethickness", "").strip() in ("0", "0px", "0pt", "0em")
    return fraction(above, below, "binom" if flat else "frac")


def _above(node: Node) -> str:
    base, above = _parts(node, 2)
    return scripted(base, above=above)


def _below(node: Node) -> str:
    base, below = _parts(node, 2)
    return scripted(base, below)


def _both(node: Node) -> str:
    return scripted(*_parts(node, 3))


def _over(node: Node) -> str:
    return over(*_parts(node, 2))


def _under(node: Node) -> str:
    return under(*_parts(node, 2))


def _root(node: Node) -> str:
    return root(*_parts(node, 2))


def _square_root(node: Node) -> str:
    return root(_row(node))


def _fenced(node: Node) -> str:
    signs = node.attributes.get("separators", ",").strip()
    inner = [_latex(child) for child in node.nodes()]
    between = [signs[min(index, len(signs) - 1)] if signs else "" for index in range(len(inner) - 1)]
    parts = chain.from_iterable(zip_longest(inner, between, fillvalue=""))
    opening, closing = node.attributes.get("open", "("), node.attributes.get("close", ")")
    return row([symbols(opening), *parts, symbols(closing)])


def _table(node: Node) -> str:
    return matrix([_latex(cell) for cell in cells.nodes()] for cells in node.nodes())


def _semantics(node: Node) -> str:
    first = next(node.nodes(), None)
    return _latex(first) if first else ""


def _nothing(_: Node) -> str:
    return ""


def _space(_: Node) -> str:
    return " "


_WRITERS: Final[dict[str, Callable[[Node], str]]] = {
    "mi": _token, "mn": _token, "mo": _token, "mtext": _words, "ms": _words, "mfrac": _fraction, "msup": _above,
    "msub": _below, "msubsup": _both, "munderover": _both, "mover": _over, "munder": _under, "msqrt": _square_root,
    "mroot": _root, "mfenced": _fenced, "mtable": _table, "semantics": _semantics, "annotation": _nothing,
    "annotation-xml": _nothing, "mphantom": _nothing, "mspace": _space,
}  # fmt: skip
