"""Word documents (.docx) as documents."""

from grader.reading.docx.file import read_docx

__all__ = ["read_docx"]
