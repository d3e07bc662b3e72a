"""Formulas of a page, in whichever way it holds them: MathML, TeX in scripts, KaTeX, MathJax, pictures with TeX."""

import re
from typing import Final, NamedTuple

from grader.reading.mathml import formula_lines, local
from grader.reading.tree import Node

_DRAWN: Final = frozenset(
    {"katex-html", "MathJax_Preview", "MathJax", "MathJax_Display", "MathJax_SVG", "MathJax_CHTML"}
)
"""Classes of what MathJax 2 and KaTeX draw; the source stands beside it."""

_DISPLAYED: Final = re.compile(r"\\\[((?:(?!\\[\[\]])[^$]){1,2000})\\\]")
_INLINE: Final = re.compile(r"\\\(((?:(?!\\[()])[^$]){1,2000})\\\)")
_TEX_PICTURE: Final = re.compile(r"\\[a-zA-Z]|[\^_]\{|\$")
_TEX_CLASSES: Final = frozenset({"latex", "tex", "texrender", "math", "mwe-math-fallback-image-inline", "equation"})


class Formula(NamedTuple):
    """The lines of a formula as LaTeX; `displayed` when it stands apart from the text. No lines: it is only drawn."""

    lines: tuple[str, ...]
    displayed: bool

    def written(self) -> str:
        """The formula between the signs that mark it in running text."""
        if self.displayed:
            return "".join(f"\n$${line}$$\n" for line in self.lines)
        return "".join(f"${line}$" for line in self.lines)


def formula(node: Node) -> Formula | None:
    """The formula that an element holds; None where it is none."""
    name = local(node)
    if name == "math":
        return Formula(tuple(formula_lines(node)), node.attributes.get("display") == "block")
    if name == "script":
        return _script(node)
    if name == "mjx-container":
        math = next(node.every("math"), None)
        lines = tuple(formula_lines(math)) if math else ()
        return Formula(lines, node.attributes.get("display") in ("true", "block"))
    if name == "img":
        return _picture(node)
    classes = node.attributes.get("class", "").split()
    if "katex-display" in classes or "katex" in classes:
        math = next(node.every("math"), None)
        lines = tuple(formula_lines(math)) if math else ()
        return Formula(lines, "katex-display" in classes)
    return None


def marked(text: str) -> str:
    """Running text in which the brackets that MathJax knows as marks of a formula are dollar signs."""
    text = _DISPLAYED.sub(r"\n$$\1$$\n", text) if r"\[" in text else text
    return _INLINE.sub(r"$\1$", text) if r"\(" in text else text


def is_drawing(node: Node) -> bool:
    """Whether an element only draws a formula whose source stands elsewhere on the page."""
    return not _DRAWN.isdisjoint(node.attributes.get("class", "").split()) and "math" not in local(node)


def _script(node: Node) -> Formula | None:
    kind, _, mode = node.attributes.get("type", "").partition(";")
    if kind.strip() != "math/tex":
        return None
    source = " ".join(node.text().removeprefix("% <![CDATA[").removesuffix("%]]>").split())
    return Formula((source,) if source else (), "mode=display" in mode.replace(" ", ""))


def _picture(node: Node) -> Formula | None:
    """A picture of a formula that says its TeX."""
    text = " ".join(node.attributes.get("alt", "").split())
    marked = not _TEX_CLASSES.isdisjoint(node.attributes.get("class", "").lower().split())
    if text and (marked or text.startswith("$")) and _TEX_PICTURE.search(text):
        return Formula((text.strip("$"),), displayed=text.startswith("$$"))
    return None
