"""Join consecutive lines of a document into one normalised text, with the way back to page, box and line.

LaTeX, Markdown and typography are reduced to plain characters, so that later stages match one form only. Every
character keeps its offset in the original, so evidence quotes what the student wrote.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

from grader.frozen import Frozen
from grader.reading.document import Block, BlockKind, Box, Document, Evidence, RepairKind

_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_WRAPPERS = (
    "text|textbf|textit|texttt|textrm|textsc|textsf|mathrm|mathbf|mathit|mathtt|mathsf|mbox|fbox|boxed|underline"
    "|operatorname|emph|boldsymbol"
)

_Template = tuple[str | int, ...]
"""A replacement: literal strings, and the numbers of groups whose text is kept."""

_SPELLINGS: tuple[tuple[str, _Template], ...] = (
    (r"\{,\}", (",",)),
    (rf"\\(?:{_WRAPPERS})\s*\{{([^{{}}]*)\}}", (1,)),
    (rf"\\(?:{_WRAPPERS})\s*\{{([^{{}}]*)\}}", (1,)),
    (r"\\(?:under|over)set\s*\{[^{}]*\}\s*\{((?:[^{}]|\{[^{}]*\})*)\}", (1,)),
    (r"\\underbrace\s*\{((?:[^{}]|\{[^{}]*\})*)\}(?:_\{[^{}]*\})?", (1,)),
    (r"\\(?:left|right|[bB]igg?|displaystyle|mathop)(?![a-zA-Z])", ()),
    (r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", ("((", 1, ")/(", 2, "))")),
    (r"(?<![\w)\]*])\*\*(?=[^\s*])([^*\n]+)(?<=\S)\*\*(?!\*)", (1,)),
    (r"(?<=[\d)])[^\S\n]?\*\*[^\S\n]?(?=[\d(])|(?<=\w)\*\*(?=\d(?![\d*]))", ("^",)),
    (r"\*\*|`|\$", ()),
    (r"(?m)^([^\S\n]*)(?:\*|·(?=[^\S\n]+[^\W\d])|\+(?=[^\n=]*[a-zA-Z]{2}[^\n=]*$))(?=\s)", (1, "•")),
    (r"(?<![\w*])\*(?=[^\s*])([^*\n]+)(?<=\S)\*(?![\w*])", (1,)),
    (r"(?<=[\d%)\]])[^\S\n]?\*(?=[^\S\n]*(?:\Z|[|,;)]))", ("★",)),
    (r"\\(?:times|cdot|ast)(?![a-zA-Z])\s?|[·⋅∗✕✖*]", ("×",)),
    (r"÷|\\div(?![a-zA-Z])\s?", ("/",)),
    (r"\\mu(?![a-zA-Z])", ("μ",)),
    (r"\\(?:bar|overline)\s*\{\s*([a-zA-Z])\s*\}", (1, "¯")),
    (r"\\(?:bar|overline)\s+([a-zA-Z])(?![a-zA-Z])", (1, "¯")),
    (r"\\sigma(?![a-zA-Z])", ("σ",)),
    (r"\\pm(?![a-zA-Z])|\+\s?/\s?-|\+-", ("±",)),
    (r"\\(?:approx|simeq|sim)(?![a-zA-Z])|[≃∼]", ("≈",)),
    (r"\\(?:quad|qquad)(?![a-zA-Z])|(?<=\d)\\[,;:!] (?=\d)|\\[,;:! ]|~(?=\S)", (" ",)),
    (r"\\([%_#&])", (1,)),
    (r"(?<=%)[^\S\n]?,(?=\d)", (", ",)),  # as formula editors write lists
    (r"[−–—‑]", ("-",)),
    ("(?<![(\\[{\\d.,\u2006])((?:0|\\d\\d),)\u2006(?=\\d{1,2}(?![\\d,\u2006]))", (1,)),  # as pandoc writes 79{,}37
    (rf"[{_SPACES}]", (" ",)),
    ("[\u200b\u00ad\ufeff]", ()),
    *((f"⁻{digit}", (f"^-{value}",)) for value, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")),
    *((digit, (f"^{value}",)) for value, digit in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")),
    (r"(?<=\^-\d)\^(\d)", (1,)),
    (r"\^\{([^{}]*)\}", ("^", 1)),
    (r"_\{([^{}]*)\}", ("_", 1)),
    ("[“”„«»]", ('"',)),
    (r"[‘’]|(?<=\d)[′ʹ´](?=\d{3}(?!\d))", ("'",)),
)

_RULES = tuple((re.compile(pattern), template) for pattern, template in _SPELLINGS)


@dataclass(frozen=True)
class Normal:
    """A normalised text. `origin[i]` is the offset of its character i in the original."""

    text: str
    origin: tuple[int, ...]


@lru_cache(maxsize=2048)
def normalise(text: str) -> Normal:
    """Reduce LaTeX, Markdown and typographic variants to plain characters. The length may change."""
    normal = Normal(text, tuple(range(len(text))))
    for pattern, template in _RULES:
        normal = _replaced(normal, pattern, template)
    return normal


def _replaced(normal: Normal, pattern: re.Pattern[str], template: _Template) -> Normal:
    pieces: list[str] = []
    origin: list[int] = []
    done = 0
    for match in pattern.finditer(normal.text):
        pieces.append(normal.text[done : match.start()])
        origin.extend(normal.origin[done : match.start()])
        for part in template:
            if isinstance(part, int):
                pieces.append(match.group(part))
                origin.extend(normal.origin[match.start(part) : match.end(part)])
            else:
                pieces.append(part)
                origin.extend([max(normal.origin[match.start()], origin[-1] if origin else 0)] * len(part))
        done = match.end()
    if not done:
        return normal
    return Normal("".join(pieces) + normal.text[done:], (*origin, *normal.origin[done:]))


QUOTE_MARGIN = 90
"""The number of characters of a long line that are quoted on each side of a match."""
_BEGINNING = 200
"""The number of characters that show what an answer is."""


class Passage(Frozen):
    """A sequence of blocks of one document. Offsets refer to `text`, the normalised text of its lines."""

    file: str
    exact: bool
    blocks: tuple[Block, ...]

    @classmethod
    def from_document(cls, document: Document) -> "Passage":
        """Return a whole document as one passage."""
        return cls(file=document.file, exact=document.exact, blocks=document.blocks)

    def of_blocks(self, blocks: Sequence[Block]) -> "Passage":
        """Return the passage of other blocks of the same document, or itself if they are its own."""
        own_blocks = tuple(blocks)
        return self if own_blocks == self.blocks else Passage(file=self.file, exact=self.exact, blocks=own_blocks)

    @cached_property
    def _original(self) -> str:
        return "\n".join(block.text for block in self.blocks)

    @cached_property
    def _normal(self) -> Normal:
        return normalise(self._original)

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        """The start of each block in the original, and the end of the last one."""
        return tuple(accumulate((len(block.text) + 1 for block in self.blocks), initial=0))

    @property
    def text(self) -> str:
        """The normalised text."""
        return self._normal.text

    def block_at(self, offset: int) -> Block:
        """Return the block that contains the character at an offset of `text`."""
        return self.blocks[self.index_at(offset)]

    def holds(self, evidence: Evidence) -> bool:
        """Whether some evidence lies in this passage."""
        place, box = (evidence.page, evidence.line, evidence.cell), evidence.box
        return any(
            (block.file or self.file) == evidence.file
            and (block.page, block.line, block.cell) == place
            and (box is None or block.box is None or box[1] <= block.box[1] <= box[3])
            for block in self.blocks
        )

    def is_inferred(self, start: int, end: int, *kinds: RepairKind) -> bool:
        """Whether a part of `text[start:end]` was repaired in one of some ways: inferred from the page instead of
        read."""
        return any(
            self.offset_of(index, repair.start) < end
            and start < self.offset_of(index, max(repair.end, repair.start + 1))
            for index in self._indices(start, end)
            for repair in self.blocks[index].repairs
            if repair.kind in kinds
        )

    def offset_of(self, block_index: int, within: int = 0) -> int:
        """Return the offset in `text` of a character within a block, or of the block's beginning."""
        return bisect_right(self._normal.origin, self._starts[block_index] + within - 1)

    def end_of(self, block_index: int) -> int:
        """Return the offset in `text` of the end of a block."""
        return self.offset_of(block_index, len(self.blocks[block_index].text))

    def beginning(self, start: int, end: int | None = None) -> Evidence:
        """Return the place of the first words of `text[start:end]`."""
        return self.evidence(start, min(len(self.text) if end is None else end, start + _BEGINNING))

    def evidence(self, start: int, end: int | None = None) -> Evidence:
        """Return the place and original words of `text[start:end]`, with some context. Without `end`, return its
        beginning."""
        end = start if end is None else end
        covered = [self.blocks[index] for index in self._indices(start, end)]
        head = covered[0]
        return Evidence(
            file=head.file or self.file,
            page=head.page,
            box=_enclosing([block.box for block in covered if block.page == head.page]),
            line=head.line,
            cell=head.cell,
            quote=self._quote(start, end),
            recognised=any(block.recognised for block in covered),
        )

    def block_evidence(self, index: int, most: int | None = None) -> Evidence:
        """Return the place of a block, and the first `most` characters of its text, which may be empty."""
        return self.blocks[index].evidence(self.file, self.blocks[index].text[:most])

    def index_at(self, offset: int) -> int:
        """Return the index of the block that contains the character at an offset of `text`."""
        origin = self._normal.origin
        original = origin[min(offset, len(origin) - 1)] if origin else 0
        return bisect_right(self._starts, original) - 1

    def _indices(self, start: int, end: int) -> range:
        """Return the indices of the blocks that contain `text[start:end]`, or the character at `start`."""
        return range(self.index_at(start), self.index_at(max(start, end - 1)) + 1)

    def _quote(self, start: int, end: int) -> str:
        indices, origin = self._indices(start, end), self._normal.origin
        left, right = origin[start], origin[max(start, end - 1)] + 1
        before = self._original[self._starts[indices.start] : left]
        behind = self._original[right : self._starts[indices.stop] - 1]
        quote = before[-QUOTE_MARGIN:] + self._original[left:right] + behind[:QUOTE_MARGIN]
        opening, closing = before[:-QUOTE_MARGIN] and "…", behind[QUOTE_MARGIN:] and "…"
        return opening + " ".join(quote.split()) + closing


_OUTSIDE = 3.0
"""The distance, in points, from a bullet within which the words of an item may begin."""


def follows(previous: Block, block: Block) -> bool:
    """Whether a block is on the next line after another one, and on a page not left of the bullet of the item above
    it."""
    match previous, block:
        case Block(kind=BlockKind.LIST_ITEM, box=(mark, above, *_)), Block(box=(left, below, *_)) if above < below:
            return left >= mark - _OUTSIDE
    return previous.line is None or block.line == previous.line + 1


_SET_APART = 0.5
"""The distance of lines in different paragraphs, in line heights."""


def is_behind_formula(previous: Block, block: Block) -> bool:
    """Whether a block begins a sentence below a displayed formula, or on the page after it."""
    if not previous.box or not block.box or "=" not in previous.text or not block.text[:1].isupper():
        return False
    gap, height = block.box[1] - previous.box[3], block.box[3] - block.box[1]
    apart = gap > _SET_APART * height or previous.page != block.page
    return apart and not any(len(word) > 1 and word.isalpha() for word in previous.text.split())


def is_within(offset: int, spans: Iterable[tuple[int, int]]) -> bool:
    """Whether an offset lies in one of some parts of a text."""
    return any(start <= offset < end for start, end in spans)


def _enclosing(boxes: list[Box | None]) -> Box | None:
    """Return the smallest box around several, or None if a place is unknown."""
    known_boxes = [box for box in boxes if box is not None]
    if not known_boxes:
        return None
    lefts, tops, rights, bottoms = zip(*known_boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
