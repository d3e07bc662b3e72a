"""PDF files: characters with their places on the page, put back together to lines, tables and formulas."""

from grader.reading.pdf.file import read_pdf

__all__ = ["read_pdf"]
