"""Blocks of running text: one for each source line of a paragraph."""

from typing import Final

from grader.reading.document import Block, BlockKind
from grader.reading.items import begins_item
from grader.reading.latex.line import Line
from grader.reading.latex.prose import Aside
from grader.reading.latex.tokens import Kind, Token
from grader.reading.titles import could_be_title, title_level

HEADED_BY_TYPE: Final = 6
"""A line in bold type alone is below every title that is marked as one."""

_VISIBLE: Final = (Kind.TEXT, Kind.COMMAND, Kind.MATH, Kind.VERB, Kind.BRACKET)


class Paragraphs:
    """Keeps the blocks so far and the line that is put together. `root` is the main file's path; `is_item` says that
    the line begins an item of a list, `is_fresh` that it begins its paragraph."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.blocks: list[Block] = []
        self.aside = Aside(root)
        self.line = Line()
        self.is_item = False
        self.is_fresh = True
        self.break_ahead = False

    def before(self, token: Token) -> None:
        """Where a source line began that follows directly on the block's, or another file, a block of its own begins.
        Where comments or formulas over several lines stand between, the block goes on, so that paragraphs stay
        whole."""
        if token.kind not in _VISIBLE:
            return
        begin = self.line.begin
        if begin is not None and token.file != begin.file:
            self.end_paragraph()
        elif self.break_ahead and begin is not None and token.line == begin.line + 1:
            self.flush(ends=False)
        elif self.break_ahead:
            self.line.space()
        self.break_ahead = False

    def flush(self, *, ends: bool) -> None:
        """The line so far as a block. `ends`: the paragraph, or a line set by hand, ends here."""
        line, self.line = self.line, Line()
        whole = self.is_fresh and ends
        if line.begin is not None and line.text.strip():
            self.blocks.append(self.block(line, whole=whole))
            self.is_item = False
            self.is_fresh = ends
        elif ends:
            self.is_fresh = True

    def block(self, line: Line, *, whole: bool) -> Block:
        """A line as a block; `whole`: it is all of its paragraph, so that it may be a title."""
        text = line.text
        if self.is_item:
            return line.block(BlockKind.LIST_ITEM, self.root)
        level = (HEADED_BY_TYPE if line.is_bold and could_be_title(text) else title_level(text)) if whole else None
        if level is not None:
            return line.block(BlockKind.HEADING, self.root, level)
        return line.block(BlockKind.LIST_ITEM if self.is_fresh and begins_item(text) else BlockKind.LINE, self.root)

    def end_line(self) -> None:
        """End the line, not the item that it belongs to."""
        self.flush(ends=True)
        self.break_ahead = False

    def end_paragraph(self) -> None:
        """End the paragraph; what stood aside follows."""
        self.end_line()
        self.is_item = False
        self.blocks += self.aside.taken()
