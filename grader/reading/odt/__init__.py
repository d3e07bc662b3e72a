"""OpenDocument texts (.odt) as documents."""

from grader.reading.odt.file import read_odt

__all__ = ["read_odt"]
