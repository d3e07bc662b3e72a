"""Documents and passages made from Markdown by the project's own reader, and the lab that ships."""

from functools import cache

from grader.claims.passage import Passage
from grader.lab.definition import Lab
from grader.lab.files import lab_folder, load_lab
from grader.reading.document import Document
from grader.reading.markdown import markdown_blocks


@cache
def lab() -> Lab:
    """The shipped lab."""
    return load_lab(lab_folder("nlp-frameworks"))


def document(markdown: str, file: str = "report.md", *, exact: bool = True) -> Document:
    """A Markdown text as a document."""
    return Document(file=file, exact=exact, blocks=tuple(markdown_blocks(markdown.split("\n"))))


def passage(markdown: str, *, exact: bool = True) -> Passage:
    """A Markdown text as one passage."""
    return Passage.from_document(document(markdown, exact=exact))
