"""Word documents (.docx) as documents of blocks."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from grader.intake.submission import SubmittedFile
from grader.message import say
from grader.reading.document import Block, Document
from grader.reading.docx.body import Body, Place, State
from grader.reading.docx.drawings import Drawings, has_filled_shapes, may_lie_behind
from grader.reading.docx.styles import Counter, Theme, measure, read_lists, read_styles, read_theme, run_style, toggle
from grader.reading.flow import MOST_BLOCKS, separate_groups, tables_by_tabs
from grader.reading.office import AS_PDF, Node, PartReader, Parts, embedded_formulas, office_parts
from grader.reading.visibility import MOST_HIDDEN, UNKNOWN, Paper

_MUCH_MONOSPACED: Final = 0.6


def read_docx(file: SubmittedFile) -> Document:
    """The blocks of a Word document. A block's line is the number of its paragraph from 1, blank ones not counted; a
    table counts as one. Formulas become LaTeX; insertions that are tracked count, deletions do not; notes stand behind
    the paragraph that refers to them, headers and footers among the furniture. Never raises for any content."""
    parts = office_parts(file.location, folders=("word/", "_rels/"))
    main = _main_part(parts)
    if main is None:
        problems = parts.problems or (say("it is damaged or not an office document: {remedy}", remedy=AS_PDF),)
        return Document(file=file.path, exact=True, problems=problems)
    folder = main.rpartition("/")[0]
    reader = PartReader(parts.content)
    root = reader.root(main)
    settings = reader.root(f"{folder}/settings.xml")
    theme = read_theme(reader.root(f"{folder}/theme/theme1.xml"), settings)
    # Pages are white where nothing is said, and of an unknown colour where they show a picture or a pattern.
    ground = root.child("w:background")
    if ground is None or not toggle(settings, "w:displayBackgroundShape"):
        page = None
    else:
        is_plain = next(ground.descendants("fill"), None) is None
        page = theme.attribute_colour(ground, "w:color") if is_plain else UNKNOWN
    heads = [
        reader.root(name)
        for name in sorted(reader.content)
        if name.startswith((f"{folder}/header", f"{folder}/footer"))
    ]
    state = State(
        styles=read_styles(reader.root(f"{folder}/styles.xml"), theme),
        counter=Counter(read_lists(reader.root(f"{folder}/numbering.xml"), theme)),
        drawings=Drawings(theme, _paper(root), page, stacked=has_filled_shapes(root)),
        notes=dict(_notes(reader, folder)),
        code_by_font=not _is_mostly_monospaced(root, theme),
    )
    body = Body(state, Place(UNKNOWN if any(map(may_lie_behind, (root, *heads))) else page))
    body.walk(root)
    return Document(
        file=file.path,
        exact=True,
        blocks=tuple(islice(separate_groups(tables_by_tabs(body.groups)), MOST_BLOCKS)),
        furniture=(*state.furniture, *_furniture(heads, state)),
        hidden=tuple(state.left_out.hidden[:MOST_HIDDEN]),
        problems=(*parts.problems, *reader.problems, *state.left_out.problems(), *_losses(state)),
    )


def _notes(reader: PartReader, folder: str) -> Iterator[tuple[tuple[str, str], Node]]:
    """The notes by their kinds and ids, without the separator lines."""
    for kind in ("footnote", "endnote"):
        for node in reader.root(f"{folder}/{kind}s.xml").nodes():
            if node.attributes.get("w:type", "normal") == "normal":
                yield (kind, node.attributes.get("w:id", "")), node


def _main_part(parts: Parts) -> str | None:
    """The name of the part with the text, from the package's relations, else the usual name."""
    for node in PartReader(parts.content).root("_rels/.rels").nodes():
        target = node.attributes.get("Target", "").lstrip("/")
        if node.attributes.get("Type", "").endswith("/officeDocument") and target in parts.content:
            return target
    usual = (name for name in sorted(parts.content) if name.startswith("word/document") and name.endswith(".xml"))
    return next(usual, None)


def _furniture(heads: Iterable[Node], state: State) -> list[Block]:
    """Headers and footers, each text once."""
    found: dict[str, Block] = {}
    for root in heads:
        body = Body(State(state.styles, Counter({}), state.drawings), Place())
        body.walk(root)
        for block in (block for group in body.groups for block in group if block.text):
            found.setdefault(block.text, block.model_copy(update={"line": None}))
    return list(found.values())


def _paper(root: Node) -> Paper:
    """The largest page of a document, with its margins."""
    found = []
    for section in root.descendants("w:sectPr"):
        size, margins = section.element_at("w:pgSz").attributes, section.element_at("w:pgMar").attributes
        width, height = (measure(size.get(name), 20) for name in ("w:w", "w:h"))
        sides = (measure(margins.get(f"w:{side}"), 20) or 72 for side in ("left", "right", "top", "bottom"))
        found.append(Paper(width or 612, height or 792, *sides))
    return max(found, key=lambda paper: paper.width * paper.height, default=Paper())


def _is_mostly_monospaced(root: Node, theme: Theme) -> bool:
    """Whether most of a document is in a monospaced font, so that the font does not indicate code."""
    whole = code = 0
    for run in root.descendants("w:r"):
        length = sum(len(part.text()) for part in run.nodes() if part.name == "w:t")
        whole += length
        code += length if run_style(run.element_at("w:rPr"), theme).monospaced else 0
    return code > _MUCH_MONOSPACED * whole


def _losses(state: State) -> Iterator[str]:
    if state.lost:
        yield embedded_formulas(state.lost)
    if state.embedded:
        yield say(
            "embedded files are not read ({count} of them): {remedy} as well", count=state.embedded, remedy=AS_PDF
        )
