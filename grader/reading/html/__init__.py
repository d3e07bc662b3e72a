"""Web pages as documents, among them exported notebooks. Nothing is fetched and no script runs."""

from grader.reading.html.file import read_html

__all__ = ["read_html"]
