"""The parts that readers of several formats share: running text put together from pieces, titles, openings of list
items, cells of tables, and notes put where the text refers to them."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, groupby, pairwise
from string import ascii_lowercase
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind, ReadingDoubt

_LONGEST: Final = 100
_NUMBER: Final = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)(\.?)\s+(?=[^\W\d_])")
_TASK: Final = re.compile(
    r"(?:question|task|exercise|exercice|t[âa]che|problem|part|partie)s?\s*\d+"
    r"(?:\s*(?:&|,|and|et|-)\s*(?:question|task|exercise|part|q|t)?s?\s*\d+)*"
    r"\s*(?:$|[:.–—(\-].*)",
    re.IGNORECASE,
)
_LONG_NUMBER: Final = re.compile(r"\d[\d,.\s]{2,}\d")
_WORD: Final = re.compile(r"[^\W\d_]{2}")


def could_be_title(text: str) -> bool:
    """Whether a line that stands out by its type can be a title: short, with a word, no sum and no long number."""
    if len(text) > _LONGEST or "=" in text or text.endswith((".", ",", ";")):
        return False
    return bool(_WORD.search(text)) and not _LONG_NUMBER.search(text)


def names_task(text: str) -> bool:
    """Whether a line is the title of a numbered question or task, with or without a section number before it; a line
    with a sentence and the beginning of another one is text."""
    number = _NUMBER.match(text)
    task = _TASK.match(text, number.end() if number else 0)
    return could_be_title(text) and task is not None and not _GOES_ON.search(text)


_GOES_ON: Final = re.compile(r"[^\W\d_][.!?] (?:[^\W\d_]\S* ){4}")


def title_level(text: str) -> int | None:
    """The depth of a title that its own words give away (`1 Question 1`, `2.1 Data`, `Task 3: Results`), else None.

    `1. Data` is no title but an item of a list, unless a task or question is named.
    """
    if not could_be_title(text):
        return None
    number = _NUMBER.match(text)
    if number is None:
        return 1 if names_task(text) else None
    rest = text[number.end() :]
    depth = number[1].count(".") + 1
    listed = bool(number[2]) and depth == 1
    plausible = rest[0].isupper() and not listed and len(rest.split()) <= 12
    return depth if plausible or names_task(text) else None


_BULLET: Final = re.compile(r"[•·∙‣◦▪■●○◆➢➤✓✔⁃*–—-](?=\s)")
_COUNTER: Final = re.compile(r"\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)](?=\s)")


def has_bullet(text: str) -> bool:
    """Whether a line begins with a bullet."""
    return bool(_BULLET.match(text))


def begins_item(text: str) -> bool:
    """Whether a line begins with a bullet or a counter such as `1.`, `a)` or `(iv)`, and goes on."""
    return has_bullet(text) or bool(_COUNTER.match(text))


def is_marker(text: str) -> bool:
    """Whether a text is nothing but a bullet or a counter, so that an item's words must follow elsewhere."""
    return " " not in text and begins_item(text + " ")


_ROMAN: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_LARGEST_ROMAN: Final = 5_000


def in_style(style: str, value: int) -> str:
    """A number in LaTeX's style `arabic`, `alph`, `Alph`, `roman` or `Roman`; in digits where that cannot."""
    shown = ""
    if style.lower() == "alph" and 0 < value <= len(ascii_lowercase):
        shown = ascii_lowercase[value - 1]
    elif style.lower() == "roman" and 0 < value <= _LARGEST_ROMAN:
        rest = value
        for worth, letters in _ROMAN:
            shown += letters * (rest // worth)
            rest %= worth
    return (shown.upper() if style[0].isupper() else shown) or str(value)


MOST_COLUMNS: Final = 200
MOST_ROWS: Final = 20_000
_WIDEST: Final = 30
_LONGEST_LABEL: Final = 80

_LETTER: Final = re.compile(r"[^\W\d_]")
_FIGURE: Final = re.compile(r"\d[.,]\d|\d\s?%|\d{3}|±")


class SpannedCell(NamedTuple):
    """A cell's text and over how many columns and rows it reaches."""

    text: str
    columns: int = 1
    rows: int = 1


def plain_rows(rows: Sequence[Sequence[SpannedCell]]) -> list[tuple[str, ...]]:
    """The rows with a text for each column. A label stands in every column and row that its cell reaches over, so that
    it applies to what is beside and below; a figure stands in the first only, so that it counts once."""
    hanging: dict[int, tuple[int, str]] = {}
    found = [_laid_out(cells, hanging) for cells in rows[:MOST_ROWS]]
    width = max((len(row) for row in found), default=0)
    return [(*row, *[""] * (width - len(row))) for row in found]


def row_text(cells: Sequence[str]) -> str:
    """A row as one line of text."""
    return " | ".join(cells)


def _laid_out(cells: Sequence[SpannedCell], hanging: dict[int, tuple[int, str]]) -> list[str]:
    """One row; `hanging` maps columns to the rows still to come of a cell above, and the text it has there."""
    row: list[str] = []
    waiting = list(cells)[::-1]
    while len(row) < MOST_COLUMNS and (waiting or any(column >= len(row) for column in hanging)):
        if len(row) in hanging:
            left, text = hanging.pop(len(row))
            if left > 1:
                hanging[len(row)] = (left - 1, text)
            row.append(text)
            continue
        cell = waiting.pop() if waiting else SpannedCell("")
        repeated = cell.text if is_label(cell.text) else ""
        for number in range(min(max(cell.columns, 1), _WIDEST)):
            if cell.rows > 1:
                hanging[len(row)] = (min(cell.rows, MOST_ROWS) - 1, repeated)
            row.append(repeated if number else cell.text)
    return row


def is_label(text: str) -> bool:
    """Whether a cell names something and holds no figure."""
    return len(text) <= _LONGEST_LABEL and bool(_LETTER.search(text)) and not _FIGURE.search(text)


_MOST_IN_CELL: Final = 12
BOLD_LEVEL: Final = 6
"""The level of a line that only its bold type makes a title: below every title that is marked as one."""


class CellContent(NamedTuple):
    """The content of a cell, a group for each paragraph or table in it, and the numbers of columns and rows over which
    it reaches."""

    groups: list[list[Block]]
    columns: int
    rows: int

    def spanned_cell(self) -> SpannedCell:
        """The cell with its content as one text."""
        texts = (block.text for block in chain(*self.groups) if block.kind is not BlockKind.FIGURE)
        return SpannedCell(" ".join(text.replace("\t", " ") for text in texts if text), self.columns, self.rows)

    def figures(self) -> list[Block]:
        """The pictures in the cell."""
        return [block for block in chain(*self.groups) if block.kind is BlockKind.FIGURE]


def is_layout(rows: Sequence[Sequence[CellContent]], *, has_head: bool = False) -> bool:
    """Whether a table only arranges the page: it has one column, titles or long texts in cells, or, where no head names
    its columns, tables and code in cells that name their row or column."""
    if max(map(len, rows), default=0) <= 1 or any(_holds_a_part(cell) for row in rows for cell in row):
        return True
    names = [*(rows[0] if rows else ()), *(row[0] for row in rows if len(row) > 1 and not has_head)]
    return any(_holds_table_or_code(cell) for cell in names)


def _holds_a_part(cell: CellContent) -> bool:
    """Whether a cell holds a part of the text rather than a value."""
    blocks = list(chain(*cell.groups))
    return len(blocks) > _MOST_IN_CELL or any(
        block.kind is BlockKind.HEADING and (block.level or 0) < BOLD_LEVEL and len(blocks) > 1 for block in blocks
    )


def _holds_table_or_code(cell: CellContent) -> bool:
    """A line with tabs is one of words here, not a row; a line of code that stands alone is a name set as code."""
    blocks = [block for block in chain(*cell.groups) if "\t" not in block.text]
    code = [line for block in blocks if block.kind is BlockKind.CODE for line in block.text.split("\n")]
    return len(code) > 1 or any(block.cells or block.kind is BlockKind.ROW for block in blocks)


ORDINAL: Final = re.compile(r"(?:st|nd|rd|th|er|ère|re|e|ème|nde?)", re.IGNORECASE)
_SPACES: Final = re.compile(r"[ \r\f\v]+")
_AROUND_BREAK: Final = re.compile(r" ?([\n\t]) ?")
_LONGEST_SCRIPT: Final = 60
"""A raised or lowered text that is longer is set so for looks."""


class _Piece(NamedTuple):
    text: str
    script: str
    bold: bool


class Inline:
    """Collects the pieces of a paragraph in order; one use only. Line breaks are line feeds, and tabs stay tabs."""

    def __init__(self) -> None:
        self._pieces: list[_Piece] = []

    def add(self, text: str, script: str = "", *, bold: bool = False) -> None:
        """A piece of text; `script` is `^` for what is raised, `_` for what is lowered."""
        if text:
            self._pieces.append(_Piece(text, script, bold))

    def __len__(self) -> int:
        """Return how many pieces were added."""
        return len(self._pieces)

    def is_amid_words(self, places: Iterable[int]) -> list[bool]:
        """For each of some places, as numbers of pieces before them, whether words stand before and behind it."""
        words = [at for at, piece in enumerate(self._pieces) if any(map(str.isalnum, piece.text))]
        return [bool(words) and words[0] < place <= words[-1] for place in places]

    @property
    def is_empty(self) -> bool:
        """Whether nothing but space was added."""
        return all(not piece.text.strip() for piece in self._pieces)

    @property
    def is_bold(self) -> bool:
        """Whether all that can be seen is bold."""
        return not self.is_empty and all(piece.bold for piece in self._pieces if piece.text.strip(" \t\n\xa0:"))

    def text(self, *, spaced: bool = False) -> str:
        """The whole: raised text as `^{…}`, lowered as `_{…}`; runs of spaces become one unless `spaced`."""
        parts: list[str] = []
        for script, pieces in groupby(self._pieces, key=lambda piece: piece.script):
            part = "".join(piece.text for piece in pieces)
            parts.append(_scripted(part, script, parts[-1][-1:] if parts else "") if script else part)
        found = "".join(parts)
        return found if spaced else _AROUND_BREAK.sub(r"\1", _SPACES.sub(" ", found)).strip()


def _scripted(text: str, script: str, before: str) -> str:
    """A raised or lowered text in braces, with the spaces around it outside; `1st` and the like stay as they are."""
    inner = text.strip()
    plain = (
        not any(character.isalnum() for character in inner)
        or len(inner) > _LONGEST_SCRIPT
        or "\n" in inner
        or (script == "^" and before.isdigit() and ORDINAL.fullmatch(inner))
    )
    if plain or not inner:
        return text
    start = text.index(inner)
    return f"{text[:start]}{script}{{{inner}}}{text[start + len(inner) :]}"


_RAISED: Final = re.compile(r"\^\{(\d{1,2})\}\s*(?=[^\W\d_]{2}|[\"“«(]?\d)")
"""How a note at the foot of a page begins."""
_NUMBERED: Final = re.compile(r"(\d{1,2})\.\s+\S")
_RETURN: Final = re.compile("↩[\ufe0e\ufe0f]?\\s*$")
"""Signs that link a note at the end of a text back to its mark."""
_LONGEST_NOTE: Final = 12
"""Lines of a note."""
_APART: Final = 0.6
"""Of a line's height: so far the lines of two paragraphs are apart."""


class _Note(NamedTuple):
    """`blocks[start:end]` is the note with a number; `page` is where it must be referred to, if it stands at a foot."""

    number: str
    start: int
    end: int
    page: int | None = None


def with_notes_in_place(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with each recognised note moved behind the paragraph, list item or title that first refers to it."""
    notes = [*_at_the_end(blocks), *_at_feet(blocks)]
    within = {at for note in notes for at in range(note.start, note.end)}
    moved: dict[int, list[Block]] = {}
    taken: set[int] = set()
    for note in notes:
        mark = re.compile(rf"(?:[^\W\d_]{{2}}|[.,;:)!?»”\"%])\s?_?\^\{{{note.number}\}}")
        above = (at for at in range(note.start) if note.page in (None, blocks[at].page))
        place = next((at for at in above if mark.search(blocks[at].text)), None)
        if place is None:
            later = (at for at in range(note.end, len(blocks)) if blocks[at].page == note.page and at not in within)
            end = max(later, default=None) if note.page else None  # a text goes on in the next column
        else:
            end = None if place in taken else place
            while end is not None and end + 1 < note.start and not _is_apart(blocks[end], blocks[end + 1]):
                end += 1
        if end is None or end in taken:
            continue
        note_range = range(note.start, note.end)
        moved.setdefault(end, []).extend(entry for at in note_range for entry in (blocks[at], *moved.pop(at, ())))
        taken.update(note_range)
    if not taken:
        return list(blocks)
    kept = ((at, block) for at, block in enumerate(blocks) if at not in taken)
    return [entry for at, block in kept for entry in (block, *moved.get(at, ()))]


def _at_the_end(blocks: Sequence[Block]) -> Iterator[_Note]:
    """Numbered notes that end with the sign of return."""
    start: tuple[int, str] | None = None
    for at, block in enumerate(blocks):
        begins = _NUMBERED.match(block.text)
        if begins:
            start = at, begins[1]
        if start and _RETURN.search(block.text) and at - start[0] < _LONGEST_NOTE:
            yield _Note(start[1], start[0], at + 1)
            start = None


def _at_feet(blocks: Sequence[Block]) -> Iterator[_Note]:
    """Lines at the foot of a page or of one of its columns that begin with a raised number, to the next such line or
    the foot's end; a further paragraph shows that this is no foot."""
    first: dict[tuple[int, int], list[int]] = {}
    last: dict[tuple[int, int], int] = {}
    column = 0
    for at, block in enumerate(blocks):
        if block.page is not None:
            column += at > 0 and _begins_column(blocks[at - 1], block)
            last[block.page, column] = at
            if block.kind is BlockKind.LINE and _RAISED.match(block.text):
                first.setdefault((block.page, column), []).append(at)
    for (page, column), starts in first.items():
        end = last[page, column] + 1
        if any(block.kind is not BlockKind.LINE or block.page != page for block in blocks[starts[0] : end]):
            continue
        if any(at not in starts and _is_apart(blocks[at - 1], blocks[at]) for at in range(starts[0] + 1, end)):
            continue
        for start, after in zip(starts, [*starts[1:], end], strict=True):
            number = _RAISED.match(blocks[start].text)
            if number and after - start < _LONGEST_NOTE:
                yield _Note(number[1], start, after, page)


def _begins_column(above: Block, block: Block) -> bool:
    """Whether a block stands right of the one before it and higher up on the same page."""
    if above.box is None or block.box is None or above.page != block.page:
        return False
    return block.box[3] < above.box[1] and block.box[0] > above.box[0]


def _is_apart(above: Block, below: Block) -> bool:
    """Whether another paragraph begins: behind and before a title, more than a line's distance below; rows of a table
    stay together."""
    if below.kind is above.kind is BlockKind.ROW:
        return False
    if below.kind is not BlockKind.LINE or above.kind not in (BlockKind.LINE, BlockKind.LIST_ITEM):
        return True
    if above.box is None or below.box is None or above.page != below.page:
        return True
    return below.box[1] - above.box[3] > _APART * (above.box[3] - above.box[1])


_FEWEST_GAPS: Final = 3
_USUAL: Final = 0.4
"""Of all signs that end a part of a sentence: some writers put a space before each."""
_PROSE: Final = (BlockKind.LINE, BlockKind.LIST_ITEM)
_STOPS: Final = frozenset((".", ",", ")", ").", "),"))


def with_lost_formulas(blocks: Sequence[Block]) -> tuple[tuple[Block, ...], int]:
    """The blocks with a picture in the line behind each sentence from which a formula was lost, or else behind the last
    one of a section, and how many of the first there are.

    Some exports leave formulas out and tell nobody (`the two layers make .`). A sign that stands alone behind a word
    tells that, where several do and most others follow their word at once; a percent sign behind a word and two signs
    in a row, too; and lines that end in a colon one after the other, or as the last item of a list. Where formulas were
    lost, others may be missing without a trace, in any section.
    """
    ended = _ending_early(blocks)
    if not _lost_formulas(blocks, len(ended)):
        return tuple(blocks), 0
    gaps = {at for at, block in enumerate(blocks) if at in ended or _has_gap(block)}
    places = gaps.union(_last_of_sections(blocks, gaps))
    found: list[Block] = []
    for at, block in enumerate(blocks):
        found += (block, _place_behind(block)) if at in places else (block,)
    return tuple(found), len(gaps)


def _lost_formulas(blocks: Sequence[Block], ended: int) -> bool:
    """Whether gaps in the sentences of a text, of which so many are `ended` early, tell that it lost formulas."""
    prose = [block for block in blocks if block.kind in _PROSE]
    sure = sum(bool(_SURE_GAP.search(block.text)) for block in prose)
    # Listings on a page may stand with blanks between all their signs.
    counts = list(filter(None, (_gaps(block.text, _STOPS) for block in prose if block.page is None)))
    words = [word for block in prose for word in block.text.split()] if counts else []
    usual = _USUAL * sum(word.endswith((".", ",", ";")) for word in words)  # blanks alone tell nothing
    return sum(counts) <= usual and len(counts) + sure > 0 and len(counts) + sure + ended >= _FEWEST_GAPS


_SURE_GAP: Final = re.compile(r"(?<!\bin)(?<!\ben)(?<=[^\W\d_])\s+%\s*(?:[.,;(]|$)|[^\W\d_][:;]\s*,(?=\W)|,\s*,")
"""A percent sign behind a word, or a comma behind another sign."""


def _has_gap(block: Block) -> bool:
    text = block.text
    return block.kind in _PROSE and bool(_gaps(text, _STOPS | {"%", "%."}) or _SURE_GAP.search(text))


def _last_of_sections(blocks: Sequence[Block], gaps: Collection[int]) -> Iterator[int]:
    """The last block of prose in each section in which there is no gap."""
    section: list[int] = []
    for at, block in enumerate(blocks):
        if block.kind is BlockKind.HEADING:
            yield from section[-1:]
            section = []
        elif at in gaps:
            section = [-1]
        elif block.kind in _PROSE and section != [-1] and " " in block.text:
            section = [at]
    yield from section[-1:]


def _place_behind(block: Block) -> Block:
    """A picture where a formula was lost from a block."""
    lost = Block(
        kind=BlockKind.FIGURE, text="", line=block.line, cell=block.cell, in_line=True, unsure=ReadingDoubt.LOST
    )
    return lost.model_copy(update={"page": block.page, "box": block.box})


def _ending_early(blocks: Sequence[Block]) -> list[int]:
    """The places of lines that announce something in several words, where another such line or, behind an item of a
    list, a title or text follows."""
    filled = [(at, block) for at, block in enumerate(blocks) if block.text.strip() or block.kind is BlockKind.FIGURE]
    found = []
    for (at, block), (_, below) in pairwise(filled):
        ends_list = block.kind is BlockKind.LIST_ITEM and below.kind in (BlockKind.HEADING, BlockKind.LINE)
        if _announces(block) and (_announces(below) or (ends_list and block.page is None)):
            found.append(at)
    return found


def _announces(block: Block) -> bool:
    return block.kind in _PROSE and " " in block.text and block.text.rstrip().endswith(":")


_LABEL: Final = re.compile(r"\A\W*(?:[\w.-]+ ){1,3} +:\s+(?=\S)")
"""A label with blanks that set its colon below another one."""


def _gaps(text: str, signs: frozenset[str]) -> int:
    """The number of signs that stand alone behind a word, or behind the sign before a formula; dots that lead to a
    number are none."""
    text = _LABEL.sub("", text)
    words = text.split() if ". ." not in text else []
    apart = sum(text.count(f"  {sign}") for sign in ";:?")  # French sets a space before these, and never two
    return apart + sum(
        after in signs and (before[-1].isalpha() or before[-1] in ":(") for before, after in pairwise(words)
    )
