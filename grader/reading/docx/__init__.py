"""Word documents (.docx) as documents of blocks."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from grader.intake.submission import SubmittedFile
from grader.message import say
from grader.reading.document import Block, Document
from grader.reading.docx.body import Body, State
from grader.reading.docx.styles import Counter, read_lists, read_styles, run_style, toggle
from grader.reading.flow import MOST_BLOCKS, apart, tables_by_tabs
from grader.reading.office import AS_PDF, Node, PartReader, Parts, office_parts
from grader.reading.visibility import HIDDEN_TEXT, MOST_HIDDEN, colour_of

_MUCH_MONOSPACED: Final = 0.6


def read_docx(file: SubmittedFile) -> Document:
    """The blocks of a Word document. A block's line is the number of its paragraph from 1, blank ones not counted; a
    table counts as one. Formulas become LaTeX; insertions that are tracked count, deletions do not; notes stand behind
    the paragraph that refers to them, headers and footers among the furniture. Never raises for any content."""
    parts = office_parts(file.location, folders=("word/", "_rels/"))
    main = _main_part(parts)
    if main is None:
        problems = parts.problems or (say("it holds no Word document: {remedy}", remedy=AS_PDF),)
        return Document(file=file.path, exact=True, problems=problems)
    folder = main.rpartition("/")[0]
    reader = PartReader(parts.content)
    root = reader.root(main)
    state = State(
        styles=read_styles(reader.root(f"{folder}/styles.xml")),
        counter=Counter(read_lists(reader.root(f"{folder}/numbering.xml"))),
        notes=dict(_notes(reader, folder)),
        code_by_font=root is not None and not _is_mostly_monospaced(root),
    )
    ground, settings = root.child("w:background") if root else None, reader.root(f"{folder}/settings.xml")
    is_shown = ground is not None and settings is not None and toggle(settings, "w:displayBackgroundShape")
    body = Body(state, ground=colour_of(ground.attributes.get("w:color")) if ground and is_shown else None)
    if root is not None:
        body.walk(root)
    blocks = tuple(islice(apart(tables_by_tabs(body.groups)), MOST_BLOCKS))
    furniture = (*state.furniture, *_furniture(reader, folder, state))
    problems = (*parts.problems, *reader.problems, *_losses(state))
    return Document(
        file=file.path,
        exact=True,
        blocks=blocks,
        furniture=furniture,
        hidden=tuple(state.hidden[:MOST_HIDDEN]),
        problems=problems,
    )


def _notes(reader: PartReader, folder: str) -> Iterator[tuple[tuple[str, str], Node]]:
    """The notes by their kinds and ids, without the separator lines."""
    for kind in ("footnote", "endnote"):
        root = reader.root(f"{folder}/{kind}s.xml")
        for node in root.nodes() if root else ():
            if node.attributes.get("w:type", "normal") == "normal":
                yield (kind, node.attributes.get("w:id", "")), node


def _main_part(parts: Parts) -> str | None:
    """The name of the part with the text, from the package's relations, else the usual name."""
    relations = PartReader(parts.content).root("_rels/.rels")
    for node in relations.nodes() if relations else ():
        target = node.attributes.get("Target", "").lstrip("/")
        if node.attributes.get("Type", "").endswith("/officeDocument") and target in parts.content:
            return target
    usual = (name for name in sorted(parts.content) if name.startswith("word/document") and name.endswith(".xml"))
    return next(usual, None)


def _furniture(reader: PartReader, folder: str, state: State) -> list[Block]:
    """Headers and footers, each text once."""
    found: dict[str, Block] = {}
    for name in sorted(reader.content):
        if name.startswith((f"{folder}/header", f"{folder}/footer")):
            root = reader.root(name)
            body = Body(State(styles=state.styles, counter=Counter({})))
            if root is not None:
                body.walk(root)
            for block in (block for group in body.groups for block in group if block.text):
                found.setdefault(block.text, block.model_copy(update={"line": None}))
    return list(found.values())


def _is_mostly_monospaced(root: Node) -> bool:
    """Whether most of a document is in a monospaced font, so that the font does not indicate code."""
    whole = code = 0
    for run in root.every("w:r"):
        length = sum(len(part.text()) for part in run.nodes() if part.name == "w:t")
        whole += length
        code += length if run_style(run.child("w:rPr")).monospaced else 0
    return code > _MUCH_MONOSPACED * whole


def _losses(state: State) -> Iterator[str]:
    if state.hidden:
        yield HIDDEN_TEXT
    if state.lost:
        yield say(
            "formulas that are embedded objects (MathType, Equation 3.0) cannot be read ({count} of them): {remedy} "
            "as well",
            count=state.lost,
            remedy=AS_PDF,
        )
    if state.embedded:
        yield say(
            "embedded files are not read ({count} of them): {remedy} as well", count=state.embedded, remedy=AS_PDF
        )
