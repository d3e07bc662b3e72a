"""Tables of Word documents: their cells, where these are, and what the table's style says of each."""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain
from typing import Final, NamedTuple

from grader.reading.docx.styles import PLAIN, Style, Styles, measure, value, whole
from grader.reading.flow import filled
from grader.reading.office import Node
from grader.reading.paper import Paper, Span
from grader.reading.visibility import UNKNOWN, Visibility, of_extent

_WRAPPERS: Final = ("w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo")
_LOOKS: Final = {
    "firstRow": 0x20, "lastRow": 0x40, "firstColumn": 0x80, "lastColumn": 0x100, "noHBand": 0x200, "noVBand": 0x400,
}  # fmt: skip
"""Bits of the number that says which parts of a style a table uses."""
_LINE_HEIGHT: Final = 12.0
"""In points, the extent of a row, a frame or a column that fits its text."""
_TABLE_PLACES: Final = ("w:tblpX", "w:tblpY", "w:horzAnchor", "w:vertAnchor", "w:tblpXSpec", "w:tblpYSpec")
_FRAME_PLACES: Final = ("w:x", "w:y", "w:hAnchor", "w:vAnchor", "w:xAlign", "w:yAlign")
"""Attributes for the place of what floats: its offsets, what these count from, and what it is aligned with."""


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
    nodes = [row for row in _inside(table, "w:tr") if row.at("w:trPr").child("w:del") is None]
    found: list[tuple[Node, list[Cell]]] = []
    above: dict[int, tuple[int, int]] = {}
    for number, row in enumerate(nodes):
        cells: list[Cell] = []
        going_on: dict[int, tuple[int, int]] = {}
        for cell, continues in _cells(row, number):
            start, at = (above.get(cell.column) if continues else None) or (number, len(cells))
            if start == number:
                cells.append(cell)
            else:
                found[start][1][at] = found[start][1][at]._replace(rows=number - start + 1)
            going_on[cell.column] = start, at
        above = going_on
        found.append((row, cells))
    return found


def _cells(row: Node, number: int) -> Iterator[tuple[Cell, bool]]:
    """The cells of a row, each with whether it continues the one above."""
    column = _number(row.at("w:trPr"), "w:gridBefore", 0)
    if column:
        yield Cell(None, number, 0, column, 1), False
    for node in _inside(row, "w:tc"):
        columns = max(_number(node.at("w:tcPr"), "w:gridSpan", 1), 1)
        merge = node.at("w:tcPr").child("w:vMerge")
        yield (
            Cell(node, number, column, columns, 1),
            merge is not None and merge.attributes.get("w:val", "continue") == "continue",
        )
        column += columns


def _inside(node: Node, name: str) -> Iterator[Node]:
    """The children of a name, also where they are wrapped."""
    for child in node.nodes():
        if child.name == name:
            yield child
        elif child.name in _WRAPPERS:
            yield from _inside(child, name)


def _number(properties: Node, name: str, default: int) -> int:
    found = whole(value(properties, name))
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
        across = [name for name, is_on in (("firstColumn", before), ("lastColumn", after)) if is_on and uses[name]]
        down = [name for name, is_on in (("firstRow", above), ("lastRow", below)) if is_on and uses[name]]
        for edge in down:
            for side in across:
                yield f"{'n' if edge == 'firstRow' else 's'}{'w' if side == 'firstColumn' else 'e'}Cell"
        yield from (name.replace("Column", "Col") for name in across)
        yield from down


def table_look(properties: Node, styles: Styles, cells: list[list[Cell]]) -> TableLook:
    """The look of a table."""
    told = properties.child("w:tblLook")
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
    properties = table.at("w:tblPr")
    width = sum(measure(one.attributes.get("w:w"), 20) or 0.0 for one in table.at("w:tblGrid").nodes()) or _LINE_HEIGHT
    places = properties.child("w:tblpPr")
    if places is not None:
        return _floating(places.attributes, _TABLE_PLACES, (width, _LINE_HEIGHT), paper)
    moved = measure(properties.at("w:tblInd").attributes.get("w:w"), 20)
    if moved is None or value(properties, "w:jc") in ("center", "right", "end"):
        return Visibility.SHOWN
    return Span(paper.left + moved, paper.left + moved, width).within(paper.width)


def frame_shown(frame: Mapping[str, str], paper: Paper) -> Visibility:
    """Whether the frame that a paragraph stands in is on the page."""
    lengths = (frame.get("w:w"), frame.get("w:h") if frame.get("w:hRule") == "exact" else None)
    width, height = (_LINE_HEIGHT if (size := measure(one, 20)) is None else size for one in lengths)
    return _floating(frame, _FRAME_PLACES, (width, height), paper)


def _floating(written: Mapping[str, str], names: Sequence[str], size: tuple[float, float], paper: Paper) -> Visibility:
    """Whether a table or a frame that floats is on the page; one that is aligned with something is."""
    x, y = (measure(written.get(name), 20) or 0.0 for name in names[:2])
    x += 0.0 if written.get(names[2]) == "page" else paper.left
    top = {"page": 0.0, "margin": paper.top}.get(written.get(names[3], "text"))
    down = Span(y, y + paper.height, size[1]) if top is None else Span(top + y, top + y, size[1])
    return max(
        Visibility.SHOWN if names[4] in written else Span(x, x, size[0]).within(paper.width),
        Visibility.SHOWN if names[5] in written else down.within(paper.height),
    )


def row_height(row: Node) -> float | None:
    """The height of a row where it is fixed."""
    height = row.at("w:trPr", "w:trHeight").attributes
    return measure(height.get("w:val"), 20) if height.get("w:hRule") == "exact" else None


def row_shown(row: Node) -> Visibility:
    """Whether the cells of a row have the height to be seen. Programs differ in what they do with the mark of a hidden
    row, which is doubtful alone."""
    is_marked = row.at("w:trPr").child("w:hidden") is not None
    return max(of_extent(row_height(row)), Visibility.DOUBTFUL if is_marked else Visibility.SHOWN)


def cell_width(table: Node, cell: Node) -> float | None:
    """The width of a cell where the table does not fit it to its text."""
    layout, width = table.at("w:tblPr", "w:tblLayout").attributes, cell.at("w:tcPr", "w:tcW").attributes
    is_fixed = layout.get("w:type") == "fixed" and width.get("w:type", "dxa") == "dxa"
    return (measure(width.get("w:w"), 20) or None) if is_fixed else None
