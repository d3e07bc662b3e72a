"""The rows and cells of a Word table."""

from collections.abc import Iterator
from typing import NamedTuple

from grader.reading.docx.styles import whole
from grader.reading.tree import Node

_WRAPPERS = ("w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo")


class TableCell(NamedTuple):
    """A cell and over how many columns and rows it reaches; None stands for columns that a row leaves free."""

    node: Node | None
    columns: int
    rows: int = 1


class _Placed(NamedTuple):
    node: Node | None
    column: int
    columns: int
    continues: bool


def table_cells(table: Node) -> list[list[TableCell]]:
    """The cells of each row, less those that only continue a cell above them."""
    rows = [_placed(row) for row in _inside(table, "w:tr") if not _is_deleted(row)]
    reach = _reach(rows)
    return [
        [
            TableCell(cell.node, cell.columns, reach.get((number, cell.column), 1))
            for cell in row
            if not cell.continues or (number, cell.column) in reach
        ]
        for number, row in enumerate(rows)
    ]


def _reach(rows: list[list[_Placed]]) -> dict[tuple[int, int], int]:
    """By row and column of where a cell begins, over how many rows it reaches."""
    reach: dict[tuple[int, int], int] = {}
    open_at: dict[int, int] = {}
    for number, row in enumerate(rows):
        going_on: dict[int, int] = {}
        for cell in row:
            start = open_at.get(cell.column) if cell.continues else None
            start = number if start is None else start
            reach[start, cell.column] = number - start + 1
            going_on[cell.column] = start
        open_at = going_on
    return reach


def _placed(row: Node) -> list[_Placed]:
    found: list[_Placed] = []
    properties = row.child("w:trPr")
    column = _number(properties, "w:gridBefore", 0)
    if column:
        found.append(_Placed(None, 0, column, continues=False))
    for node in _inside(row, "w:tc"):
        inner = node.child("w:tcPr")
        columns = max(_number(inner, "w:gridSpan", 1), 1)
        merge = inner.child("w:vMerge") if inner else None
        continues = merge is not None and merge.attributes.get("w:val", "continue") == "continue"
        found.append(_Placed(node, column, columns, continues))
        column += columns
    return found


def _inside(node: Node, name: str) -> Iterator[Node]:
    """The children of a name, also where they are wrapped."""
    for child in node.nodes():
        if child.name == name:
            yield child
        elif child.name in _WRAPPERS:
            yield from _inside(child, name)


def _is_deleted(row: Node) -> bool:
    properties = row.child("w:trPr")
    return properties is not None and properties.child("w:del") is not None


def _number(properties: Node | None, name: str, default: int) -> int:
    node = properties.child(name) if properties else None
    found = whole(node.attributes.get("w:val")) if node else None
    return default if found is None else min(found, 200)
