"""Tables of Word documents: their cells, where these are, and what the table's style says of each."""

from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import chain
from typing import Final, NamedTuple

from grader.reading.docx.styles import PLAIN, Style, Styles, measure, value, whole
from grader.reading.flow import filled
from grader.reading.office import Node
from grader.reading.paper import Paper, Span, of_extent
from grader.reading.visibility import UNKNOWN, Visibility

_WRAPPERS: Final = ("w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo")
_LOOKS: Final = {
    "firstRow": 0x20, "lastRow": 0x40, "firstColumn": 0x80, "lastColumn": 0x100, "noHBand": 0x200, "noVBand": 0x400,
}  # fmt: skip
"""Bits of the number that says which parts of a style a table uses."""
_ROW_HEIGHT: Final = 12.0


class _Placed(NamedTuple):
    node: Node | None
    column: int
    columns: int
    continues: bool


class Cell(NamedTuple):
    """A cell with the row and column in which it begins and those that it spans. It has no node where a row leaves
    columns empty."""

    node: Node | None
    row: int
    column: int
    columns: int
    rows: int


def table_rows(table: Node) -> list[tuple[Node, list[Cell]]]:
    """The rows of a table with their cells, without those that continue a cell above."""
    every = ((row, row.child("w:trPr")) for row in _inside(table, "w:tr"))
    nodes = [row for row, properties in every if not (properties and properties.child("w:del"))]
    rows = [_placed(row) for row in nodes]
    reach = _reach(rows)
    return [
        (
            node,
            [
                Cell(cell.node, number, cell.column, cell.columns, reach.get((number, cell.column), 1))
                for cell in row
                if not cell.continues or (number, cell.column) in reach
            ],
        )
        for number, (node, row) in enumerate(zip(nodes, rows, strict=True))
    ]


def _reach(rows: list[list[_Placed]]) -> dict[tuple[int, int], int]:
    """The row span of each cell, by the row and column in which it begins."""
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
    column = _number(row.child("w:trPr"), "w:gridBefore", 0)
    found = [_Placed(None, 0, column, continues=False)] if column else []
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


def _number(properties: Node | None, name: str, default: int) -> int:
    node = properties.child(name) if properties else None
    found = whole(node.attributes.get("w:val")) if node else None
    return default if found is None else min(found, 200)


class TableLook(NamedTuple):
    """What a table's style says of its cells by their places."""

    parts: Mapping[str, Style]
    uses: Mapping[str, bool]
    is_told: bool
    bands: tuple[int, int]
    rows: int
    columns: int

    def style(self, cell: Cell) -> Style:
        """The style of a cell. Where the table does not say which parts of its style it uses, the ground of a cell in
        such a part is unknown."""
        names = list(self._names(cell))
        found = reduce(filled, (self.parts.get(name, PLAIN) for name in names), PLAIN)
        special = (self.parts.get(name, PLAIN).cell for name in self._edges(cell, everything=True))
        if not self.is_told and any(one is not None for one in special):
            return found._replace(cell=UNKNOWN)
        return found

    def _names(self, cell: Cell) -> Iterator[str]:
        """The parts of the style that a cell belongs to, the strongest first."""
        yield from self._edges(cell, everything=False)
        for name, place, size, edge in (
            ("Horz", cell.row, self.bands[0], "firstRow"),
            ("Vert", cell.column, self.bands[1], "firstColumn"),
        ):
            if not self.uses[f"no{name[0]}Band"]:
                yield f"band{(place - self.uses[edge]) // size % 2 + 1}{name}"
        yield "wholeTable"

    def _edges(self, cell: Cell, *, everything: bool) -> Iterator[str]:
        uses = dict.fromkeys(self.uses, True) if everything else self.uses
        above, below = cell.row == 0, cell.row + cell.rows >= self.rows
        before, after = cell.column == 0, cell.column + cell.columns >= self.columns
        across = [
            name for name, is_there in (("firstColumn", before), ("lastColumn", after)) if is_there and uses[name]
        ]
        down = [name for name, is_there in (("firstRow", above), ("lastRow", below)) if is_there and uses[name]]
        for edge in down:
            for side in across:
                yield f"{'n' if edge == 'firstRow' else 's'}{'w' if side == 'firstColumn' else 'e'}Cell"
        yield from (name.replace("Column", "Col") for name in across)
        yield from down


def table_look(properties: Node | None, styles: Styles, cells: list[list[Cell]]) -> TableLook:
    """The look of a table."""
    told = properties.child("w:tblLook") if properties else None
    written = told.attributes if told else {}
    try:
        bits = int(written.get("w:val", "0"), 16)
    except ValueError:
        bits = 0
    uses = {
        name: written.get(f"w:{name}", "1" if bits & bit else "0") in ("1", "true", "on")
        for name, bit in _LOOKS.items()
    }
    sizes = (whole(value(properties, f"w:tblStyle{name}BandSize")) or 1 for name in ("Row", "Col"))
    columns = max((cell.column + cell.columns for cell in chain(*cells)), default=0)
    parts = styles.tables.get(value(properties, "w:tblStyle") or "", {})
    return TableLook(parts, uses, told is not None, (next(sizes), next(sizes)), len(cells), columns)


def table_shown(table: Node, paper: Paper) -> Visibility:
    """Whether a table is on the page."""
    properties, grid = table.child("w:tblPr"), table.child("w:tblGrid")
    places = properties.child("w:tblpPr") if properties else None
    columns = (measure(one.attributes.get("w:w"), 20) or 0.0 for one in (grid.nodes() if grid else ()))
    width = sum(columns) or _ROW_HEIGHT
    if places is not None:
        x, y = (measure(places.attributes.get(name), 20) or 0.0 for name in ("w:tblpX", "w:tblpY"))
        left = 0.0 if places.attributes.get("w:horzAnchor") == "page" else paper.left
        top = {"page": 0.0, "margin": paper.top}.get(places.attributes.get("w:vertAnchor", "text"))
        down = Span(y, y + paper.height, _ROW_HEIGHT) if top is None else Span(top + y, top + y, _ROW_HEIGHT)
        is_aligned = "w:tblpXSpec" in places.attributes, "w:tblpYSpec" in places.attributes
        across = Span(left + x, left + x, width)
        return max(
            Visibility.SHOWN if is_aligned[0] else across.within(paper.width),
            Visibility.SHOWN if is_aligned[1] else down.within(paper.height),
        )
    indent = properties.child("w:tblInd") if properties else None
    moved = measure(indent.attributes.get("w:w"), 20) if indent else None
    if moved is None or value(properties, "w:jc") in ("center", "right", "end"):
        return Visibility.SHOWN
    return Span(paper.left + moved, paper.left + moved, width).within(paper.width)


def row_height(row: Node) -> float | None:
    """The height of a row where it is fixed."""
    properties = row.child("w:trPr")
    height = properties.child("w:trHeight") if properties else None
    if height is None or height.attributes.get("w:hRule") != "exact":
        return None
    return measure(height.attributes.get("w:val"), 20)


def row_shown(row: Node) -> Visibility:
    """Whether the cells of a row have the height to be seen. Programs differ in what they do with the mark of a hidden
    row, which is doubtful alone."""
    height, properties = row_height(row), row.child("w:trPr")
    is_marked = properties is not None and properties.child("w:hidden") is not None
    return max(
        Visibility.SHOWN if height is None else of_extent(height),
        Visibility.DOUBTFUL if is_marked else Visibility.SHOWN,
    )


def cell_width(table: Node, cell: Node) -> float | None:
    """The width of a cell where the table does not fit it to its text."""
    properties, own = table.child("w:tblPr"), cell.child("w:tcPr")
    layout = properties.child("w:tblLayout") if properties else None
    width = own.child("w:tcW") if own else None
    is_fixed = layout is not None and layout.attributes.get("w:type") == "fixed"
    if not is_fixed or width is None or width.attributes.get("w:type", "dxa") != "dxa":
        return None
    return measure(width.attributes.get("w:w"), 20) or None
