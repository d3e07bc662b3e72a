"""Word's equations (OMML) as LaTeX. Element names are those of ECMA-376, part 1, section 22.1."""

from collections.abc import Callable, Iterator
from typing import Final

from grader.reading.latex_out import LARGE, accented, fraction, matrix, over, root, row, scripted, symbols, under, words
from grader.reading.tree import Node

_PROPERTIES: Final = "Pr"


def equation_lines(node: Node) -> list[str]:
    """An equation as LaTeX, one text for each line that it is written on."""
    arrays = [child for child in node.nodes() if child.name == "m:eqArr"]
    if arrays and all(child.name == "m:eqArr" or child.name.endswith(_PROPERTIES) for child in node.nodes()):
        lines = [_within(entry) for array in arrays for entry in array.nodes() if entry.name == "m:e"]
    else:
        lines = _within(node).split("\n")
    return [text for line in lines if (text := " ".join(line.replace(r"\&", "").split()))]


def _within(node: Node | None) -> str:
    return row(_latex(child) for child in node.nodes()) if node else ""


def _latex(node: Node) -> str:
    if node.name.endswith(_PROPERTIES):
        return ""
    return _WRITERS.get(node.name, _within)(node)


def _part(node: Node, name: str) -> str:
    return _within(node.child(f"m:{name}"))


def _property(node: Node, name: str, default: str = "") -> str:
    """A value among the properties of an element; an empty one counts."""
    properties = node.child(f"{node.name}Pr")
    found = properties.child(f"m:{name}") if properties else None
    return found.attributes.get("m:val", default) if found else default


def _run(node: Node) -> str:
    properties = node.child("m:rPr")
    is_words = properties is not None and (properties.child("m:nor") is not None)
    text = "".join(_characters(node))
    return words(text) if is_words else symbols(text)


def _characters(node: Node) -> Iterator[str]:
    for child in node.nodes():
        if child.name in ("m:t", "w:t"):
            yield child.text()
        elif child.name in ("w:br", "w:cr"):
            yield "\n"
        elif child.name == "w:tab":
            yield " "


def _fraction(node: Node) -> str:
    look = _property(node, "type")
    above, below = _part(node, "num"), _part(node, "den")
    if look == "lin":
        return f"{above}/{below}"
    return fraction(above, below, "binom" if look == "noBar" else "frac")


def _scripts(node: Node) -> str:
    return scripted(_part(node, "e"), _part(node, "sub"), _part(node, "sup"))


def _scripts_before(node: Node) -> str:
    return scripted("{}", _part(node, "sub"), _part(node, "sup")) + _part(node, "e")


def _root(node: Node) -> str:
    hidden = _property(node, "degHide", "0") not in ("0", "off", "false")
    return root(_part(node, "e"), "" if hidden else _part(node, "deg"))


def _large(node: Node) -> str:
    sign = _property(node, "chr", "∫") or "∫"
    return row([scripted(LARGE.get(sign, sign), _part(node, "sub"), _part(node, "sup")), " ", _part(node, "e")])


def _delimited(node: Node) -> str:
    opening, closing = _property(node, "begChr", "("), _property(node, "endChr", ")")
    inner = [_within(child) for child in node.nodes() if child.name == "m:e"]
    return row([symbols(opening), _property(node, "sepChr", "|").join(inner), symbols(closing)])


def _function(node: Node) -> str:
    return row([_part(node, "fName"), " ", _part(node, "e")])


def _accent(node: Node) -> str:
    return accented(_part(node, "e"), _property(node, "chr", "\u0302"))


def _bar(node: Node) -> str:
    command = "overline" if _property(node, "pos") == "top" else "underline"
    return rf"\{command}{{{_part(node, 'e')}}}"


def _grouped(node: Node) -> str:
    sign = _property(node, "chr", "⏟")
    command = {"⏟": "underbrace", "⏞": "overbrace"}.get(sign)
    return rf"\{command}{{{_part(node, 'e')}}}" if command else _part(node, "e")


def _below(node: Node) -> str:
    return under(_part(node, "e"), _part(node, "lim"))


def _above(node: Node) -> str:
    return over(_part(node, "e"), _part(node, "lim"))


def _matrix(node: Node) -> str:
    rows = [child for child in node.nodes() if child.name == "m:mr"]
    return matrix([_within(entry) for entry in one.nodes() if entry.name == "m:e"] for one in rows)


def _array(node: Node) -> str:
    return r" \\ ".join(_within(entry).strip() for entry in node.nodes() if entry.name == "m:e")


def _deleted(_: Node) -> str:
    return ""


_WRITERS: Final[dict[str, Callable[[Node], str]]] = {
    "m:r": _run, "m:f": _fraction, "m:sSup": _scripts, "m:sSub": _scripts, "m:sSubSup": _scripts,
    "m:sPre": _scripts_before, "m:rad": _root, "m:nary": _large, "m:d": _delimited, "m:func": _function,
    "m:acc": _accent, "m:bar": _bar, "m:groupChr": _grouped, "m:limLow": _below, "m:limUpp": _above, "m:m": _matrix,
    "m:eqArr": _array, "w:del": _deleted, "w:moveFrom": _deleted,
}  # fmt: skip
