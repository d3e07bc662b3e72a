"""What the code of a hand-in does, read from its syntax tree and followed with bounded effort. Nothing is run."""

from grader.claims.code.cells import document_code, notebook_code
from grader.claims.code.model import Call, CodeCell, Command, Function, Gap, Text

__all__ = ["Call", "CodeCell", "Command", "Function", "Gap", "Text", "document_code", "notebook_code"]
