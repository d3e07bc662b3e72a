"""A line of a page, on its way from characters to blocks."""

from typing import NamedTuple

from grader.reading.evidence import Box
from grader.reading.pdf.marks import Piece


class PageLine(NamedTuple):
    """A visual line: its page from 1, its box, its size in points, the texts between its wide gaps. `in_figure`: it is
    part of a drawing; `table`: its pieces are the cells of a row, on one line or several, of the table in this box;
    `is_caption`: it is a caption by where it stands."""

    page: int
    box: Box
    size: float
    pieces: tuple[Piece, ...]
    in_figure: bool = False
    table: Box | None = None
    is_caption: bool = False

    @property
    def text(self) -> str:
        """The whole line."""
        if len(self.pieces) == 1:
            return self.pieces[0].marked.text
        return " ".join([piece.marked.text for piece in self.pieces if piece.marked.text])

    @property
    def bold(self) -> bool:
        """Whether all of it is bold."""
        return all(piece.bold for piece in self.pieces)
