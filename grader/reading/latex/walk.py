"""From the stream of tokens to blocks: lines of paragraphs, figures and tables with their captions."""

import re
from collections.abc import Callable
from typing import Final

from grader.reading.document import Block, BlockKind
from grader.reading.latex.arithmetic import LEVELS
from grader.reading.latex.expansion import Expansion
from grader.reading.latex.formulas import rows_of
from grader.reading.latex.prose import Aside, Line, Prose
from grader.reading.latex.tables import parted_captions, table_blocks
from grader.reading.latex.tokens import DISPLAYS, ENVIRONMENT_ARGUMENTS, FLOATS, RUN_IN, SECTIONS, TABLES, Kind, Token
from grader.reading.maths.formula import Formula
from grader.reading.maths.tokens import names
from grader.reading.structure import BOLD_LEVEL, begins_item, could_be_title, is_marker, names_task, title_level

_VISIBLE: Final = (Kind.TEXT, Kind.COMMAND, Kind.MATH, Kind.VERB, Kind.BRACKET)


def with_captions(blocks: list[Block]) -> list[Block]:
    """The blocks of one float: a caption tells what the picture shows, and stands before a table's rows, wherever it
    was written."""
    captions = [block for block in blocks if block.kind is BlockKind.CAPTION]
    pictures = [block for block in blocks if block.kind is BlockKind.FIGURE and not block.text]
    rows = [index for index, block in enumerate(blocks) if block.kind is BlockKind.ROW]
    if rows and len(captions) == 1:
        rest = [block for block in blocks if block is not captions[0]]
        first = next(index for index, block in enumerate(rest) if block.kind is BlockKind.ROW)
        return [*rest[:first], captions[0], *rest[first:]]
    if not rows and captions and len(captions) == len(pictures):
        told = {
            id(picture): caption.model_copy(update={"kind": BlockKind.FIGURE})
            for picture, caption in zip(pictures, captions, strict=True)
        }
        return [told.get(id(block), block) for block in blocks if block.kind is not BlockKind.CAPTION]
    return blocks


_COMMAND: Final = re.compile(r"\\[a-zA-Z]+")
_DEEPEST_FLOAT: Final = 8
LONGEST_DISPLAY: Final = 20_000
"""In tokens."""

_CAPTIONS: Final = ("caption", "captionof", "subcaption", "captionbox")
_PARAGRAPH_ENDS: Final = names("par newpage clearpage bigskip medskip smallskip vspace vskip")
_LINE_ENDS: Final = ("\\", "newline", "linebreak", "tabularnewline")
_NO_LABEL_END: Final = (".", ":", ",", ";", "=", ")", "]", "?", "!", "-", "–", "—")


def walk(stream: Expansion, root: str, *, in_body: bool) -> tuple[list[Block], list[tuple[str, Token]]]:
    """All blocks of a document in reading order, and the texts that something is drawn over, with their places. `root`
    is the main file's path; `in_body` says that no preamble comes first."""
    walk = _Walk(stream, root, in_body=in_body)
    return walk.run(), walk.aside.covered


class _Walk:
    """Reads a document; one use only. Keeps the blocks so far and the line that is put together; `is_item` says that
    the line begins an item of a list, `is_fresh` that it begins its paragraph."""

    def __init__(self, stream: Expansion, root: str, *, in_body: bool) -> None:
        self.stream = stream
        self.root = root
        self.in_body = in_body
        self.blocks: list[Block] = []
        self.aside = Aside(root)
        self.line = Line()
        self.is_item = False
        self.is_fresh = True
        self.break_ahead = False
        self.prose = Prose(stream, self.aside)
        self.title: list[Token] = []
        self.has_chapters = False
        self.floats: list[int] = []
        self.handlers: dict[str, Callable[[Token], None]] = {
            **dict.fromkeys((*SECTIONS, *RUN_IN), self.heading),
            **dict.fromkeys(_CAPTIONS, self.caption),
            **dict.fromkeys(_LINE_ENDS, self.break_line),
            "item": self.item,
            "[": lambda token: self.display(token, (Kind.COMMAND, "]")),
            "maketitle": lambda _: self.apart(self.title, BlockKind.HEADING, 1),
            "title": self.keep_title,
            "bibitem": self.source_entry,
        }

    def run(self) -> list[Block]:
        """All blocks in reading order."""
        while (token := self.stream.take()) is not None:
            self.step(token)
        self.end_paragraph()
        return self.blocks

    def step(self, token: Token) -> None:
        if not self.in_body:
            self.preamble(token)
        elif token.kind is Kind.NEWLINE:
            self.break_ahead = True
        elif token.kind is Kind.PARAGRAPH:
            self.end_paragraph()
        elif token.kind is Kind.BEGIN:
            self.begin(token)
        elif token.kind is Kind.END:
            self.end(token)
        elif token.kind is Kind.VERBATIM:
            self.code(token)
        elif token.kind is Kind.MATH and token.text == "$$":
            self.display(token, (Kind.MATH, "$$"))
        elif token.kind is not Kind.COMMAND or not self.structure(token):
            self.before(token)
            self.prose.put(token, self.line)

    def preamble(self, token: Token) -> None:
        if token.kind is Kind.BEGIN and token.text == "document":
            self.in_body = True
        elif token.kind is Kind.COMMAND and token.text == "title":
            self.keep_title(token)

    def structure(self, token: Token) -> bool:
        """Whether a command sets the text into parts, which is then done."""
        handler = self.handlers.get(token.text)
        if handler is not None:
            handler(token)
        elif token.text in _PARAGRAPH_ENDS:
            self.end_paragraph()
        return handler is not None

    def break_line(self, _token: Token) -> None:
        """The end of a line that is set by hand."""
        self.stream.starred()
        self.stream.close_option()
        self.end_line()

    def keep_title(self, _token: Token) -> None:
        self.stream.option()
        self.title = self.stream.argument()

    def source_entry(self, _token: Token) -> None:
        """An entry of the references."""
        self.end_paragraph()
        self.stream.option()
        self.stream.argument()

    def question(self, _token: Token) -> None:
        """A question of the class exam."""
        self.stream.option()
        self.numbered("question", "Question")

    def begin(self, token: Token) -> None:
        name = token.text.rstrip("*")
        theorem = self.stream.definitions.theorems.get(token.text)
        if name == "document":
            return
        if name == "math":
            self.prose.formula(token, self.line, (Kind.END, token.text))
            return
        if name in DISPLAYS:
            self.display(token, (Kind.END, token.text))
            return
        self.end_paragraph()
        if name in TABLES:
            self.table(token)
        elif theorem:
            name = self.prose.inline(self.stream.option() or []).text.strip()
            self.numbered(theorem.counter, theorem.title, f" ({name})" if name else "")
        else:
            self.plain_environment(name)

    def plain_environment(self, name: str) -> None:
        """An environment whose content is read as it stands."""
        if name in FLOATS and len(self.floats) < _DEEPEST_FLOAT:
            self.floats.append(len(self.blocks))
        if name == "questions":
            self.handlers["question"] = self.question
        self.stream.skip_arguments(ENVIRONMENT_ARGUMENTS.get(name, 0))
        if name == "thebibliography":
            self.blocks.append(Block(kind=BlockKind.HEADING, text="References", level=1))

    def end(self, token: Token) -> None:
        name = token.text.rstrip("*")
        self.end_paragraph()
        if name in FLOATS and self.floats:
            start = self.floats.pop()
            self.blocks[start:] = with_captions(self.blocks[start:])

    def code(self, token: Token) -> None:
        self.end_paragraph()
        file = token.file if token.file != self.root else None
        for number, line in enumerate(token.text.split("\n"), start=token.line):
            if line.strip():
                self.blocks.append(Block(kind=BlockKind.CODE, text=line.rstrip(), line=number, file=file))

    def display(self, token: Token, ending: tuple[Kind, str]) -> None:
        """A displayed formula up to its end, a block for each equation in it."""
        self.end_line()
        self.is_item = False
        if token.kind is Kind.BEGIN:
            for _ in range(ENVIRONMENT_ARGUMENTS.get(token.text.rstrip("*"), 0)):
                self.stream.argument()
        found = self.until(ending)
        for row in rows_of(found):
            file = row.file if row.file != self.root else None
            formulas = (Formula(start=0, end=len(row.source)),)
            self.blocks.append(Block(kind=BlockKind.MATH, text=row.source, line=row.line, formulas=formulas, file=file))

    def until(self, ending: tuple[Kind, str]) -> list[Token]:
        """The tokens up to the end of what is open. Where none comes, they are put back."""
        found: list[Token] = []
        depth = 0
        while len(found) < LONGEST_DISPLAY and (token := self.stream.take()) is not None:
            if depth == 0 and (token.kind, token.text) == ending:
                return found
            if ending[0] is not Kind.END and token.kind is Kind.PARAGRAPH:
                found.append(token)
                break
            nested = token.text == ending[1]
            depth += (token.kind is Kind.BEGIN and nested) - (token.kind is Kind.END and nested)
            found.append(token)
        self.stream.push(found)
        return []

    def table(self, token: Token) -> None:
        self.stream.skip_arguments(TABLES[token.text.rstrip("*")] + (token.text == "tabular*"))
        found = self.until((Kind.END, token.text))
        captions, rest = parted_captions(found)
        for caption in captions:
            self.stream.push(caption)
            self.caption(token._replace(text="caption"))
        self.blocks += table_blocks(rest, self.prose.inline, self.root)
        self.blocks += self.aside.taken()

    def caption(self, token: Token) -> None:
        self.end_paragraph()
        self.stream.starred()
        if token.text == "captionof":
            self.stream.argument()
        self.stream.option()
        self.apart(self.stream.argument(), BlockKind.CAPTION)

    def item(self, _token: Token) -> None:
        self.end_paragraph()
        self.is_item = True
        shown = self.prose.inline(self.stream.option() or [])
        if any(character.isalnum() for character in _COMMAND.sub("", shown.text)):
            self.begin_with(shown)

    def heading(self, token: Token) -> None:
        if not self.stream.starred() and token.text in LEVELS:
            self.stream.numbering.step(token.text)
        self.stream.option()
        title = self.stream.argument()
        if token.text in RUN_IN and self.runs_in(title):
            return
        self.has_chapters = self.has_chapters or token.text == "chapter"
        level = SECTIONS.get(token.text, RUN_IN.get(token.text, 0)) + self.has_chapters
        self.apart(title, BlockKind.HEADING, max(level, 1))

    def runs_in(self, title: list[Token]) -> bool:
        """Whether a title only begins its paragraph, such as a name that is explained behind it."""
        self.end_paragraph()
        shown = self.prose.inline(title)
        text = shown.text.strip()
        named = " " not in text and ("_" in text or "=" in text or text.islower())
        if names_task(text) or not (named or text.endswith(("=", ","))):
            return False
        self.begin_with(shown)
        return True

    def begin_with(self, label: Line) -> None:
        """Put a label before what follows, with a colon where no sign ends it."""
        self.line.append(label)
        if label.begin and not (is_marker(label.text.strip()) or label.text.strip().endswith(_NO_LABEL_END)):
            self.line.add(":", label.begin)
        self.line.space()

    def apart(self, tokens: list[Token], kind: BlockKind, level: int | None = None) -> None:
        """A title or a caption, with what stands aside in it behind it."""
        self.end_paragraph()
        line = self.prose.inline(tokens)
        if line.text.strip():
            self.blocks.append(line.block(kind, self.root, level))
        self.blocks += self.aside.taken()

    def numbered(self, counter: str, title: str, name: str = "") -> None:
        """The heading of a paragraph with a title, with its number as LaTeX would count it where it has a counter."""
        self.end_paragraph()
        if counter:
            self.stream.numbering.step(counter)
            title = f"{title} {self.stream.number_of(counter)}"
        text = f"{title}{name}".strip()
        self.blocks.append(Block(kind=BlockKind.HEADING, text=text, level=BOLD_LEVEL))

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
        level = (BOLD_LEVEL if line.is_bold and could_be_title(text) else title_level(text)) if whole else None
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
