"""Read and follow a submission's code on its syntax tree, with bounded effort. Nothing is executed."""

from grader.claims.code.cells import (
    ShownValue,
    document_code,
    notebook_code,
    returned_names,
    shown_functions,
    shown_values,
)
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
    "returned_names",
    "shown_functions",
    "shown_values",
]
