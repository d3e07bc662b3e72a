"""The behaviour of a hand-in's code, read from its syntax tree and followed with bounded effort. Nothing is run."""

from grader.claims.code.cells import ShownValue, document_code, notebook_code, shown_functions, shown_values
from grader.claims.code.model import Call, CodeCell, Command, Function, Gap, Text

__all__ = [
    "Call",
    "CodeCell",
    "Command",
    "Function",
    "Gap",
    "ShownValue",
    "Text",
    "document_code",
    "notebook_code",
    "shown_functions",
    "shown_values",
]
