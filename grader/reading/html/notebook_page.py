"""Notebooks that were exported as a web page: which elements are cells, outputs and prompts."""

from typing import Final

from grader.reading.tree import Node

_CELL_TYPES: Final = frozenset({"code_cell", "text_cell"})
_OUTPUT: Final = frozenset({"jp-OutputArea", "jp-Cell-outputWrapper", "output_wrapper", "output_area", "cell-output"})
_DECORATION: Final = frozenset((
    "anchor-link", "anchorjs-link", "headerlink", "input_prompt", "jp-InputPrompt", "jp-OutputPrompt", "lineno",
    "linenodiv", "linenos", "out_prompt_overlay", "output_prompt", "prompt",
))  # fmt: skip


def classes(node: Node) -> frozenset[str]:
    """The classes of an element."""
    return frozenset(node.attributes.get("class", "").split())


def is_cell(names: frozenset[str]) -> bool:
    """Whether an element of these classes is a cell (nbconvert's templates, old and new)."""
    return "jp-Cell" in names or ("cell" in names and not _CELL_TYPES.isdisjoint(names))


def is_output(names: frozenset[str]) -> bool:
    """Whether it holds what a cell printed (nbconvert, Quarto)."""
    return not _OUTPUT.isdisjoint(names)


def is_decoration(names: frozenset[str]) -> bool:
    """Whether it is a prompt such as `In [3]:`, the sign of a link to a title, or the number of a line of code."""
    return not _DECORATION.isdisjoint(names)
