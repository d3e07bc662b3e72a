"""Texts in formats that only pandoc reads: Typst, reStructuredText, Org, RTF, EPUB.

`pandoc.py` runs pandoc, which makes a web page of the file; that is read like any other. pandoc keeps no colours and
sizes of rich text (RTF), so what a reader of the page cannot see is taken out before: words of control are those of
the RTF specification 1.9.1.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.intake.submission import SubmittedFile
from grader.message import Words, say, say_number
from grader.reading.bytes_in import decode_text, lines_of, read_bytes
from grader.reading.document import Block, BlockKind, Document
from grader.reading.docx.styles import equation_lines
from grader.reading.html import page_document
from grader.reading.latex_out import between_signs
from grader.reading.office import AS_PDF, Node, embedded_formulas
from grader.reading.pandoc import MOST_BYTES, Failure, format_of, web_page
from grader.reading.visibility import BLACK, UNKNOWN, Colour, Ink, LeftOut, Visibility

_TOKEN: Final = re.compile(
    rb"[{}]|\\([a-zA-Z]{1,32})(-?[0-9]{1,10})? ?|\\'[0-9a-fA-F]{2}|\\[^a-zA-Z]|[^\\{}]+", re.DOTALL
)
_COLOUR: Final = re.compile(rb"\\(red|green|blue)([0-9]{1,3})|;")
_DESTINATIONS: Final = frozenset((
    b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"object", b"header", b"footer", b"headerl", b"headerr",
    b"headerf", b"footerl", b"footerr", b"footerf", b"listtable", b"listoverridetable", b"fldinst", b"generator",
    b"themedata", b"colorschememapping", b"latentstyles", b"datastore", b"xmlnstbl", b"rsidtbl", b"mmathPr",
))  # fmt: skip
"""Groups whose content is no text of the page."""
_ON_GROUNDS: Final = (b"clcbpat", b"cbpat", b"trcbpat", b"clcfpat", b"clshdng", b"shading", b"shp", b"background")
"""Words after which the ground of a paragraph, a cell or a box is not known."""
_PRIMARIES: Final = (b"red", b"green", b"blue")
_WITHOUT_NUMBER: Final = {b"fs": 24, b"charscalex": 100, b"deleted": 1}


_FORMULA: Final = re.compile(rb"\{\s*(?:\\\*\s*)?\\mmath(?![a-zA-Z])")
_EMBEDDED: Final = re.compile(rb"\\objclass\s+(?:Equation|MathType)", re.IGNORECASE)
_DEEPEST: Final = 60
_UNICODE: Final = 1 << 16


def with_formulas(rtf: bytes) -> bytes:
    """Rich text with its formulas as LaTeX between dollar signs: pandoc leaves them out. They are those of Word, each
    element a word of control (`msSup` for `m:sSup`)."""
    pieces: list[bytes] = []
    done = 0
    for found in _FORMULA.finditer(rtf):
        if found.start() < done:
            continue
        math, end = _math_of(rtf, found.start())
        lines = equation_lines(next(math.descendants("m:oMath"), math))
        written = "".join(
            f"\\{sign}" if sign in "\\{}" else sign if sign.isascii() else f"\\u{_signed(ord(sign))} "
            for sign in between_signs(lines, displayed=False)
        )
        pieces += [rtf[done : found.start()], b"{\\uc0 " + written.encode("ascii") + b"}"]
        done = end
    return b"".join((*pieces, rtf[done:]))


def _signed(code: int) -> int:
    """A character's number as rich text writes it."""
    code = min(code, _UNICODE - 1)
    return code - _UNICODE if 2 * code >= _UNICODE else code


def _math_of(rtf: bytes, start: int) -> tuple[Node, int]:
    """The elements of the group that begins at an offset, and where it ends."""
    stack = [Node("", {}, [])]
    for sign, text, end in _signs(rtf, start):
        if sign == "{":
            stack.append(Node("", {}, []))
        elif sign == "\\":
            if text.startswith("m") and not stack[-1].name:
                stack[-1] = stack[-1]._replace(name=f"m:{text[1:]}")
        elif not sign:
            stack[-1].children.append(text)
        elif len(stack) > 1:
            group = stack.pop()
            words = group.text()
            if group.name == "m:r":
                group = group._replace(children=[Node("m:t", {}, [words])])
            is_kept = len(stack) <= _DEEPEST
            stack[-1].children.append(group._replace(attributes={"m:val": words.strip()}) if is_kept else words)
            if len(stack) == 1:
                return stack[0], end
    return stack[0], len(rtf)


def _signs(rtf: bytes, start: int) -> Iterator[tuple[str, str, int]]:
    """The braces, the words of control behind a backslash, and the texts of rich text from an offset on, each with
    where it ends. What old programs show instead of a character is left out."""
    fallbacks, skipped = 1, 0
    for token in _TOKEN.finditer(rtf, start):
        piece, word, end = token[0], (token[1] or b"").decode(), token.end()
        if piece in b"{}":
            yield piece.decode(), "", end
        elif word == "u":
            yield "", chr(int(token[2] or 0) % _UNICODE), end
            skipped = fallbacks
        elif word:
            fallbacks = int(token[2] or 1) if word == "uc" else fallbacks
            yield "\\", word, end
        elif piece != b"\\*":
            is_code = piece.startswith(b"\\'")
            text = (bytes.fromhex(piece[2:].decode()) if is_code else piece).decode("cp1252", "replace")
            yield "", text.lstrip("\\").strip("\r\n")[skipped:], end
            skipped = max(skipped - len(text), 0)


class _State(NamedTuple):
    """The state within a group: the numbers of the colours in the table of colours, 0 for the automatic one."""

    colour: int = 0
    ground: int = 0
    size: float = 12.0
    scale: float = 1.0
    deleted: bool = False
    skipped: bool = False


def without_unseen(rtf: bytes) -> tuple[bytes, LeftOut]:
    """Rich text without the text whose colour and size hide it, and that text. Light text is doubtful where the
    document has grounds of paragraphs or cells. Deletions that are tracked are left out without a trace, as in other
    formats; text that is marked as hidden is left to pandoc, which leaves it out."""
    colours = _colours(rtf)
    page = UNKNOWN if any(b"\\" + word in rtf for word in _ON_GROUNDS) else None
    kept: list[bytes] = []
    left_out: dict[Visibility, list[bytes]] = {Visibility.HIDDEN: [], Visibility.DOUBTFUL: []}
    state, outer = _State(), list[_State]()
    for token in _TOKEN.finditer(rtf):
        piece, word = token[0], token[1]
        if piece == b"{":
            outer.append(state)
        elif piece == b"}":
            state = outer.pop() if outer else state
        elif (word and word != b"u") or piece == b"\\*":
            state = _changed(state, word or b"*", token[2])
        elif state.deleted:
            continue
        elif not state.skipped and (seen := _visibility(state, colours, page)) is not Visibility.SHOWN:
            left_out[seen].append(piece)
            continue
        kept.append(piece)
    texts = [b"".join(pieces).decode("cp1252", "replace") for pieces in left_out.values()]
    unseen = LeftOut()
    unseen.add(None, *(text if any(map(str.isalnum, text)) else "" for text in texts))
    return b"".join(kept), unseen


def _changed(state: _State, word: bytes, number: bytes | None) -> _State:
    value = int(number) if number else _WITHOUT_NUMBER.get(word, 0)
    if word in _DESTINATIONS or word == b"*":
        return state._replace(skipped=True)
    match word:
        case b"cf":
            return state._replace(colour=value)
        case b"highlight" | b"chcbpat" | b"cb":
            return state._replace(ground=value)
        case b"fs":
            return state._replace(size=value / 2)
        case b"charscalex":
            return state._replace(scale=value / 100)
        case b"deleted":
            return state._replace(deleted=value != 0)
        case b"plain":
            return _State(skipped=state.skipped)
        case _:
            return state


def _visibility(state: _State, colours: tuple[Colour | None, ...], page: Colour | None) -> Visibility:
    colour, ground = (
        colours[number] if 0 <= number < len(colours) else None for number in (state.colour, state.ground)
    )
    return Ink(colour, page if ground is None else ground, state.size * min(state.scale, 1.0)).visibility


def _colours(rtf: bytes) -> tuple[Colour | None, ...]:
    """The table of colours; None for the automatic one."""
    start = rtf.find(b"{\\colortbl")
    table = rtf[start : rtf.find(b"}", start)] if start >= 0 else b""
    found: list[Colour | None] = []
    parts: dict[bytes, int] = {}
    for match in _COLOUR.finditer(table):
        if match[1]:
            parts[match[1]] = min(int(match[2]), 255)
            continue
        red, green, blue = (parts.get(name, default) for name, default in zip(_PRIMARIES, BLACK, strict=True))
        found.append((red, green, blue) if parts else None)
        parts = {}
    return tuple(found)


_WITHOUT_LINES: Final = frozenset({".epub", ".rtf"})
_MOST_LINES: Final = 20_000
_WORD: Final = re.compile(r"[^\W_]+")
_TYPST_FORMULA: Final = re.compile(r"(?<!\\)\$(?:[^$\\]|\\.)+\$", re.DOTALL)
_NO_TYPST: Final = re.compile(r"```.*?```|`[^`\n]*`|(?<!:)//[^\n]*|/\*.*?\*/", re.DOTALL)
"""Code that is shown, and comments."""
_FEWEST_LETTERS: Final = 4
_LOOKED_AT: Final = 6
"""Number of words at the start of a block by which its line is found."""
_NEAR: Final = 10
"""Number of lines in which a better one is looked for."""

_RICH_TEXT: Final = re.compile(rb"[{}]|\\uc([0-9]{1,2})(?![0-9]) ?|(\\u-?[0-9]{1,5})(?![0-9]) ?|\\[^u]|\\u")
"""What bears on the signs that old programs show for a character, or could be taken for it."""
_SHOWN_INSTEAD: Final = re.compile(rb"[\r\n]*(?:\\'[0-9a-fA-F]{2}|\\[a-z]{1,32}(?:-?[0-9]{1,10})? ?|[^\\{}\r\n])")
"""One such sign."""


def read_converted(file: SubmittedFile) -> Document:
    """The blocks of a text as pandoc converts it, with their lines where the source is plain text and its words are
    found there. Never raises for any content."""
    suffix = PurePosixPath(file.path).suffix.lower()
    wanted = format_of(file) or ""
    data, trouble = read_bytes(file.location, MOST_BYTES)
    data = with_formulas(data) if wanted == "rtf" else data
    seen, left_out = without_unseen(data) if wanted == "rtf" else (data, LeftOut())
    converted = web_page(_without_fallbacks(seen) if wanted == "rtf" else data, wanted)
    if isinstance(converted, Failure):
        return Document(file=file.path, exact=True, problems=(*trouble, _reason(converted, wanted)))
    document = page_document(file.path, converted.decode("utf-8", "replace"))
    text, problems = ("", ()) if suffix in _WITHOUT_LINES else decode_text(data)
    blocks = tuple(_placed(document.blocks, lines_of(text)[:_MOST_LINES]))
    lost: tuple[Words, ...] = tuple(_lost_formulas(text, converted)) if wanted == "typst" else ()
    embedded = len(_EMBEDDED.findall(data)) if wanted == "rtf" else 0
    lost += (embedded_formulas(embedded),) if embedded else ()
    hidden = (*document.hidden, *left_out.hidden)
    all_problems: tuple[Words, ...] = (*trouble, *problems, *document.problems, *lost, *left_out.problems())
    return document.model_copy(update={"blocks": blocks, "hidden": hidden, "problems": all_problems})


def _reason(failure: Failure, wanted: str) -> Words:
    if failure is Failure.UNKNOWN:
        return say(
            "{format} needs the program pandoc, which is missing here or too old: {remedy}",
            format=wanted,
            remedy=AS_PDF,
        )
    return say(
        "it could not be converted with pandoc (it is damaged, incomplete, or too complex): {remedy}",
        remedy=AS_PDF,
    )


def _without_fallbacks(rtf: bytes) -> bytes:
    """RTF without the signs that old programs show instead of a character. pandoc takes one sign too many for them:
    `512\\u215?64` would be 512 × 4."""
    pieces: list[bytes] = []
    numbers = [1]
    done = 0
    for found in _RICH_TEXT.finditer(rtf):
        if found.start() < done:
            continue
        pieces.append(rtf[done : found.start()])
        done = found.end()
        if found[2]:
            pieces.append(rb"\uc0" + found[2] + b" ")
            for _ in range(numbers[-1]):
                sign = _SHOWN_INSTEAD.match(rtf, done)
                done = sign.end() if sign else done
        elif found[1]:
            numbers[-1] = int(found[1])
            pieces.append(rb"\uc0 ")
        else:
            pieces.append(found[0])
            if found[0] == b"{":
                numbers.append(numbers[-1])
            elif found[0] == b"}" and len(numbers) > 1:
                numbers.pop()
    return b"".join((*pieces, rtf[done:]))


def _lost_formulas(source: str, page: bytes) -> Iterator[Words]:
    """A problem where the page has fewer formulas than the Typst source: pandoc leaves out what it cannot show."""
    lost = len(_TYPST_FORMULA.findall(_NO_TYPST.sub("", source))) - page.count(b'class="math ')
    if lost > 0:
        yield say_number(
            "pandoc lost {number} formula of the file: {remedy}",
            "pandoc lost {number} formulas of the file: {remedy}",
            lost,
            remedy=AS_PDF,
        )


def _placed(blocks: Sequence[Block], lines: Sequence[str]) -> Iterator[Block]:
    """The blocks with the source line of their first words, searched forward from the last line found. A caption, which
    a page shows above its table, may stand below it in the source, and a note before the text that follows it."""
    words = [{word.casefold() for word in _WORD.findall(line)} for line in lines]
    last = 0
    for block in blocks:
        wanted = (word for word in _WORD.findall(block.text) if len(word) >= _FEWEST_LETTERS or word.isdigit())
        first = {word.casefold() for word in islice(wanted, _LOOKED_AT)}
        found = _line_with(first, words, range(last, len(words)))
        if found is None:
            found = _line_with(first, words, range(last)) if len(first) == _LOOKED_AT else None
        elif block.kind is not BlockKind.CAPTION:
            last = found
        yield block.model_copy(update={"line": None if found is None else found + 1})


def _line_with(first: set[str], words: Sequence[set[str]], places: range) -> int | None:
    """The first of some lines that holds most of these words, or one that holds more of them shortly behind it."""
    found = next((n for n in places if first and len(first & words[n]) * 2 > len(first)), None)
    if found is None:
        return None
    return max(range(found, min(found + _NEAR, places.stop)), key=lambda n: len(first & words[n]))
