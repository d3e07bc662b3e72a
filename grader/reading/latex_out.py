"""Formulas put into LaTeX from their parts, and MathML as LaTeX."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from itertools import chain, zip_longest
from typing import Final

from grader.reading.office import Node

_ESCAPED: Final = re.compile(r"([%#&_{}])")
_STYLED: Final = re.compile("[\U0001d400-\U0001d7ff\u2102-\u2149]")
"""Letters in mathematical italics, bold and the like stand for the letters themselves."""

_INVISIBLE: Final = {"\u2061": "", "\u2062": r"\cdot ", "\u2063": ",", "\u2064": "+", "\u200b": ""}
_ATOM: Final = re.compile(r"[\w.,]+|\\[a-zA-Z]+|.|\([^()]*\)|\[[^\[\]]*\]", re.DOTALL)
_COMMAND_END: Final = re.compile(r"\\[a-zA-Z]+\Z")
LARGE: Final = {"∑": r"\sum", "∏": r"\prod", "∫": r"\int", "⋃": r"\bigcup", "⋂": r"\bigcap", "∐": r"\coprod"}
ACCENTS: Final = {
    "\u0302": "hat", "^": "hat", "ˆ": "hat", "\u0303": "tilde", "~": "tilde", "˜": "tilde", "\u0304": "bar",
    "\u0305": "bar", "¯": "bar", "‾": "bar", "_": "bar", "\u20d7": "vec", "→": "vec", "\u0307": "dot", "˙": "dot",
}  # fmt: skip
BRACES: Final = frozenset("⏞⏟︷︸")


def symbols(text: str) -> str:
    """The characters of a formula: plain letters for styled ones, and LaTeX's own signs escaped."""
    for sign, meaning in _INVISIBLE.items():
        text = text.replace(sign, f"\0{meaning}" if meaning else "")
    text = _STYLED.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    return _ESCAPED.sub(r"\\\1", text).replace("\0", "")


def words(text: str) -> str:
    """Words within a formula."""
    written = symbols(text)
    return rf"\text{{{written}}}" if " " in written.strip() else written


def row(parts: Iterable[str]) -> str:
    """Parts side by side; a command is kept apart from a letter that follows it."""
    found: list[str] = []
    for part in parts:
        if part:
            apart = found and part[0].isalpha() and _COMMAND_END.search(found[-1][-40:])
            found.append(f" {part}" if apart else part)
    return "".join(found)


def add_scripts(base: str, below: str = "", above: str = "") -> str:
    """A base with an index and an exponent."""
    base = base.strip()
    written = base if not base or _ATOM.fullmatch(base) else f"{{{base}}}"
    index = f"_{{{below.strip()}}}" if below.strip() else ""
    exponent = f"^{{{above.strip()}}}" if above.strip() else ""
    return f"{written}{index}{exponent}"


def fraction(above: str, below: str, command: str = "frac") -> str:
    """One over the other."""
    return rf"\{command}{{{above.strip()}}}{{{below.strip()}}}"


def root(radicand: str, degree: str = "") -> str:
    """A square root, or the root of a degree."""
    return rf"\sqrt[{degree}]{{{radicand.strip()}}}" if degree.strip() else rf"\sqrt{{{radicand.strip()}}}"


def add_accent(base: str, sign: str) -> str:
    """A base with a sign over it; a sign that is no accent stays beside it as an exponent."""
    command = ACCENTS.get(sign.strip())
    return rf"\{command}{{{base.strip()}}}" if command else add_scripts(base, above=sign)


def add_below(base: str, below: str) -> str:
    """A base with a brace or an index below it; a label below a brace stays the brace's."""
    if below.strip() in BRACES:
        return rf"\underbrace{{{base.strip()}}}"
    return f"{base.strip()}_{{{below.strip()}}}" if base.startswith(r"\underbrace{") else add_scripts(base, below)


def add_above(base: str, above: str) -> str:
    """A base with a brace, an accent or an exponent above it; a label above a brace stays the brace's."""
    if above.strip() in BRACES:
        return rf"\overbrace{{{base.strip()}}}"
    return f"{base.strip()}^{{{above.strip()}}}" if base.startswith(r"\overbrace{") else add_accent(base, above)


def matrix(rows: Iterable[Iterable[str]]) -> str:
    """Rows of entries."""
    inner = r" \\ ".join(" & ".join(entry.strip() for entry in entries) for entries in rows)
    return rf"\begin{{matrix}} {inner} \end{{matrix}}"


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
    """The formula of a `math` element as it is marked in running text."""
    return between_signs(formula_lines(math), math.attributes.get("display") == "block")


def between_signs(lines: Iterable[str], displayed: bool) -> str:
    """The lines of a formula as they are marked in running text: `$…$`, or `$$…$$` where they stand apart."""
    return "".join(f"\n$${line}$$\n" if displayed else f"${line}$" for line in lines)


def local(node: Node) -> str:
    """An element's name without a prefix."""
    return node.name.rpartition(":")[2].lower()


def _tex(math: Node) -> str | None:
    for note in math.descendants("annotation", "math:annotation", "m:annotation"):
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


def _parts(node: Node, count: int) -> list[str]:
    """The first elements within; empty texts for those that are missing."""
    found = [_latex(child) for child in node.nodes()][:count]
    return found + [""] * (count - len(found))


def _fraction(node: Node) -> str:
    above, below = _parts(node, 2)
    flat = node.attributes.get("linethickness", "").strip() in ("0", "0px", "0pt", "0em")
    return fraction(above, below, "binom" if flat else "frac")


def _raised(node: Node) -> str:
    base, above = _parts(node, 2)
    return add_scripts(base, above=above)


def _fenced(node: Node) -> str:
    signs = node.attributes.get("separators", ",").strip()
    inner = [_latex(child) for child in node.nodes()]
    between = [signs[min(index, len(signs) - 1)] if signs else "" for index in range(len(inner) - 1)]
    parts = chain.from_iterable(zip_longest(inner, between, fillvalue=""))
    opening, closing = node.attributes.get("open", "("), node.attributes.get("close", ")")
    return row([symbols(opening), *parts, symbols(closing)])


_WRITERS: Final[dict[str, Callable[[Node], str]]] = {
    **dict.fromkeys(("mi", "mn", "mo"), _token),
    **dict.fromkeys(("mtext", "ms"), lambda node: words(node.text())),
    "mfrac": _fraction,
    "msup": _raised,
    "msub": lambda node: add_scripts(*_parts(node, 2)),
    **dict.fromkeys(("msubsup", "munderover"), lambda node: add_scripts(*_parts(node, 3))),
    "mover": lambda node: add_above(*_parts(node, 2)),
    "munder": lambda node: add_below(*_parts(node, 2)),
    "msqrt": lambda node: root(_row(node)),
    "mroot": lambda node: root(*_parts(node, 2)),
    "mfenced": _fenced,
    "mtable": lambda node: matrix([_latex(cell) for cell in cells.nodes()] for cells in node.nodes()),
    "semantics": lambda node: _parts(node, 1)[0],
    **dict.fromkeys(("annotation", "annotation-xml", "mphantom"), lambda _: ""),
    "mspace": lambda _: " ",
}
