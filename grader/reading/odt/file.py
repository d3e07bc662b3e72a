"""An OpenDocument text as a document of blocks."""

from itertools import islice

from grader.intake.submission import SubmittedFile
from grader.message import say
from grader.reading.document import Document
from grader.reading.flow import MOST_BLOCKS, apart, tables_by_tabs
from grader.reading.mathml import local, marked_formula
from grader.reading.odt.body import Body
from grader.reading.odt.styles import read_styles
from grader.reading.office_zip import AS_PDF, office_parts
from grader.reading.tree import Node
from grader.reading.xml_in import read_xml


def read_odt(file: SubmittedFile) -> Document:
    """The blocks of an OpenDocument text. A block's line is the number of its paragraph from 1, blank ones not counted;
    a table counts as one. Formulas become LaTeX, deletions that are tracked do not count, notes and text boxes stand
    behind their paragraph. Never raises for any content."""
    parts = office_parts(file.location, folders=("",))
    if "content.xml" not in parts.content:
        problems = parts.problems or (say("it holds no OpenDocument text: {remedy}", remedy=AS_PDF),)
        return Document(file=file.path, exact=True, problems=problems)
    content = read_xml(parts.content["content.xml"])
    styles = read_xml(parts.content.get("styles.xml", b"<none/>"))

    named = (("content.xml", content), ("styles.xml", styles))

    def formula(name: str) -> str:
        """The formula in a folder of the archive; empty where it holds another kind of object."""
        xml = read_xml(parts.content.get(f"{name.removeprefix('./').rstrip('/')}/content.xml", b"<none/>"))
        return marked_formula(xml.root) if xml.root is not None and local(xml.root) == "math" else ""

    body = Body(read_styles(root for root in (styles.root, content.root) if root is not None), formula)
    for text in _texts(content.root):
        body.walk(text)
    damage = (
        say("in {part}: {problem}", part=name, problem=problem) for name, xml in named for problem in xml.problems
    )
    return Document(
        file=file.path,
        exact=True,
        blocks=tuple(islice(apart(tables_by_tabs(body.groups)), MOST_BLOCKS)),
        furniture=tuple(body.furniture),
        problems=(*parts.problems, *damage),
    )


def _texts(root: Node | None) -> list[Node]:
    return list(root.every("office:text")) if root is not None else []
