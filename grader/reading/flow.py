"""Turns the paragraphs and tables of Word, OpenDocument and web pages into blocks."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeVar

from grader.reading.document import Block, BlockKind
from grader.reading.markdown import plain_block
from grader.reading.structure import BOLD_LEVEL, SpannedCell, could_be_title, plain_rows, row_text

MOST_BLOCKS: Final = 200_000

_FORMULA_SIGNS: Final = (("$$", "$$"), ("\\[", "\\]"))
_RUN_TOGETHER: Final = {
    (BlockKind.LINE, BlockKind.LINE),
    (BlockKind.LIST_ITEM, BlockKind.LINE),
    (BlockKind.ROW, BlockKind.ROW),
    (BlockKind.CODE, BlockKind.CODE),
}


class Paragraph(NamedTuple):
    """A paragraph with the format's information. `text` may have line breaks; `label` is the bullet or number before
    it; `kind` is LINE where the format gives none, and then the words decide."""

    text: str
    line: int | None
    kind: BlockKind = BlockKind.LINE
    level: int | None = None
    label: str = ""
    bold: bool = False


def paragraph_blocks(paragraph: Paragraph) -> list[Block]:
    """The blocks of a paragraph: one for each line of it that is not blank."""
    kind, line = paragraph.kind, paragraph.line
    if kind in (BlockKind.CODE, BlockKind.OUTPUT):
        return [Block(kind=kind, text=text.rstrip(), line=line) for text in paragraph.text.split("\n") if text.strip()]
    if kind is BlockKind.HEADING:
        text = " ".join(f"{paragraph.label} {paragraph.text}".split())
        return [Block(kind=kind, text=text, level=paragraph.level or 1, line=line)] if text else []
    lines = [text.strip() for text in paragraph.text.split("\n") if text.strip()]
    return [_block(text, paragraph, first=not index) for index, text in enumerate(lines)]


def append_group(groups: list[list[Block]], blocks: list[Block]) -> None:
    """Append a group of blocks, if there are any; consecutive paragraphs of code become one listing."""
    if blocks and groups and all(block.kind is BlockKind.CODE for block in (groups[-1][-1], *blocks)):
        groups[-1] += blocks
    elif blocks:
        groups.append(blocks)


_Style = TypeVar("_Style", bound=NamedTuple)


def inherit_style(style: _Style, below: _Style) -> _Style:
    """A style with its unset properties, those that are None, taken from a base style."""
    missing = {name: getattr(below, name) for name in style._fields if getattr(style, name) is None}
    return style._replace(**missing) if missing else style


def table_blocks(rows: Sequence[Sequence[SpannedCell]], line: int | None) -> list[Block]:
    """The rows of a table that are not blank, each with the line on which the table begins."""
    found = (cells for cells in plain_rows(rows) if any(cells))
    return [Block(kind=BlockKind.ROW, text=row_text(cells), cells=cells, line=line) for cells in found]


def tables_by_tabs(groups: Iterable[Sequence[Block]]) -> Iterator[list[Block]]:
    """The groups, with consecutive paragraphs of equally many tabs as the rows of one table; a single paragraph with
    tabs stays a line."""
    table: list[Block] = []
    for group in groups:
        if _has_tabs(group) and (not table or len(group[0].cells) == len(table[-1].cells)):
            table += group
            continue
        if table:
            yield _by_tabs(table)
        table = list(group) if _has_tabs(group) else []
        if not table:
            yield list(group)
    if table:
        yield _by_tabs(table)


def _has_tabs(group: Sequence[Block]) -> bool:
    return len(group) == 1 and group[0].kind is BlockKind.ROW and "\t" in group[0].text


def _by_tabs(rows: list[Block]) -> list[Block]:
    return rows if len(rows) > 1 else [plain_block(rows[0].text.replace("\t", " "), rows[0].line or 1)]


def separate_groups(groups: Iterable[Sequence[Block]]) -> Iterator[Block]:
    """The blocks of paragraphs and tables in order, with a blank line between two groups where the second could be
    mistaken for a continuation of the first."""
    last: Block | None = None
    for group in groups:
        for index, block in enumerate(group):
            if last and not index and (last.kind, block.kind) in _RUN_TOGETHER:
                yield Block(kind=BlockKind.LINE, text="", line=block.line, cell=block.cell)
            yield block
            last = block


def _block(text: str, paragraph: Paragraph, *, first: bool) -> Block:
    kind, line = paragraph.kind, paragraph.line
    signs = next((pair for pair in _FORMULA_SIGNS if text.startswith(pair[0]) and text.endswith(pair[1])), None)
    if signs and len(text) > 4 and signs[1] not in text[2:-2]:  # one displayed formula
        return Block(kind=BlockKind.MATH, text=text, line=line)
    if kind is BlockKind.LIST_ITEM:
        text = text.replace("\t", " ")
        kind = kind if first else BlockKind.LINE
        return Block(kind=kind, text=f"{paragraph.label} {text}".strip() if first else text, line=line)
    if kind is not BlockKind.LINE:
        return Block(kind=kind, text=text.replace("\t", " "), line=line)
    if paragraph.bold and could_be_title(text):
        return Block(kind=BlockKind.HEADING, text=text, level=BOLD_LEVEL, line=line)
    block = plain_block(text, line or 1)
    return block.model_copy(update={"starts_paragraph": True}) if first and block.kind is BlockKind.LINE else block
