"""Code that a program has set in colours: Pandoc's and Pygments' commands around the parts of it."""

import re
from collections.abc import Iterator
from typing import Final

from grader.reading.latex.characters import SYMBOLS

_PYGMENTS: Final = {
    "PYZbs": "\\", "PYZus": "_", "PYZob": "{", "PYZcb": "}", "PYZca": "^", "PYZam": "&", "PYZlt": "<", "PYZgt": ">",
    "PYZsh": "#", "PYZpc": "%", "PYZdl": "$", "PYZhy": "-", "PYZsq": "'", "PYZdq": '"', "PYZti": "~", "PYZat": "@",
    "PYZlb": "[", "PYZrb": "]", "textquotedbl": '"', "textasciigrave": "`",
}  # fmt: skip
_KIND: Final = re.compile(r"\\[a-zA-Z]+\{[^{}\n]{0,60}\}(?=\{)")
"""A command with what kind of part follows, such as `\\PY{k}{return}`."""

_PART: Final = re.compile(r"\\(?P<name>[a-zA-Z]+)|\\(?P<sign>.)|(?P<brace>[{}])|(?P<text>[^\\{}]+)|\\", re.DOTALL)


def without_commands(code: str) -> str:
    """The code as it is shown, with its lines."""
    return "".join(_shown(_KIND.sub("", code)))


def _shown(code: str) -> Iterator[str]:
    for part in _PART.finditer(code):
        name = part["name"]
        if name:
            yield _PYGMENTS.get(name) or SYMBOLS.get(name, "")
        else:
            yield part["text"] or part["sign"] or ""
