"""Divide a passage into statements: sentences, list items and equations, across wrapped lines but not across tables.

`speaks_of` finds words in a text, and `polarity` says whether a sentence states or denies them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from typing import Final

from grader.claims.numerals import Firmness, Quantity, quantities
from grader.claims.passage import Passage, follows, is_behind_formula, normalise
from grader.claims.voice import comment
from grader.frozen import Frozen, memoise
from grader.language import lexicon
from grader.language.folding import fold_text
from grader.language.shapes import DIGIT, LONG_WORD, UNSPACED, WORD
from grader.reading.document import Block, BlockKind, Box, Evidence, Voice

_PAUSE: Final = re.compile(r"([.!?;])\s+(?=([^\W\d_]|[\"(]))")
_LAST_WORD: Final = re.compile(r"[^\s(]+\Z")
_NUMBERED: Final = re.compile(r"(?:\A|[:;,])\s*\(?\d{1,2}\.\Z")
_VALUE = re.compile(r"\s*[(≈~]?\s*\d")
_WIDTH_OF_VALUE = 30.0
"""The width of a value in points, with the space before it."""
_LONG = 50
"""A line with at least this many characters may have been wrapped."""

_LEFT_OUT = (BlockKind.ROW, BlockKind.CODE, BlockKind.OUTPUT)


class Statement(Frozen):
    """A sentence, list item or equation, `passage.text[start:end]`, with spaces for line breaks.

    `is_lead`: it introduces the following text, as a heading or by a colon at its end.
    """

    text: str
    start: int
    end: int
    is_lead: bool


@memoise
def statements(passage: Passage) -> tuple[Statement, ...]:
    """Return the statements of a passage in order."""
    return tuple(_statements(passage))


def _statements(passage: Passage) -> Iterator[Statement]:
    for first, after in _paragraphs(passage.blocks):
        start = passage.offset_of(first)
        end = passage.offset_of(after)
        text = passage.text[start:end].replace("\n", " ").rstrip()
        for left, right in pairwise(_cuts(text)):
            piece = text[left:right].rstrip()
            if piece.strip():
                is_lead = piece.endswith(":") or passage.blocks[first].kind is BlockKind.HEADING
                begin = start + left
                yield Statement(text=piece, start=begin, end=begin + len(piece), is_lead=is_lead)


def _cuts(text: str) -> list[int]:
    """Return the starts of a text's sentences, and its end. A sentence may begin with a small letter: `It gains 12
    points. fairseq is slower.`"""
    return [0, *(match.end() for match in _PAUSE.finditer(text) if _is_end(text, match)), len(text)]


def _is_end(text: str, pause: re.Match[str]) -> bool:
    """Whether a sentence ends before a pause. A dot before a small letter may end an abbreviation or a number."""
    sign, following = pause.groups()
    if sign in "!?" or not following.islower():
        return True
    word = _LAST_WORD.search(text, 0, pause.end(1))
    if sign == ";" or word is None or _NUMBERED.search(text, 0, pause.end(1)):
        return False
    parts = word.group().removesuffix(".").lower()
    is_letters = all(len(letter) == 1 and letter.isalpha() for letter in parts.split("."))
    return not is_letters and parts not in lexicon.words("abbreviation")


def _paragraphs(blocks: tuple[Block, ...]) -> Iterator[tuple[int, int]]:
    """Yield ranges of blocks that belong together: the wrapped lines of a paragraph or list item."""
    rights = _rights(blocks)
    boxes: dict[int | None, list[Box]] = {}
    for block in blocks:
        boxes.setdefault(block.page, []).extend([block.box] if block.box else ())
    named = [block.kind is BlockKind.LINE and _NAMED_FIGURE.fullmatch(block.text) is not None for block in blocks]
    labelled = [block.kind is BlockKind.LINE and _is_labelled(block.text) for block in blocks]
    listed = {at + side for at, pair in enumerate(pairwise(named)) for side in (0, 1, 2) if all(pair)}
    begun = (
        index
        for index, (candidate, two) in enumerate(pairwise(blocks), 1)
        if not candidate.text.strip()
        or index in listed
        or _ends_in_figure(candidate, two)
        or (labelled[index - 1] and labelled[index])
        or not _continues(candidate, two, rights)
        or _is_short(candidate, boxes[candidate.page])
    )
    for first, after in pairwise(sorted({0, *begun, len(blocks)})):
        if blocks[first].kind not in _LEFT_OUT and blocks[first].text.strip():
            yield first, after


_NAMED_FIGURE = re.compile(
    r"\s*[^\W\d](?:[\w.-]|\s(?=\S)){0,30}[\s:=]{1,20}\d{1,3}[.,]\d{1,17}\s?%?"
    r"(?:\s?(?:±|\+/?-|\()\s?\d{1,3}(?:[.,]\d{1,17})?\s?%?\)?)?\s*"
)
"""A line with a name and a number, perhaps with a deviation. Two such lines form no sentence."""


def _is_labelled(line: str) -> bool:
    """Whether a line begins with a label and a separate colon. Two such lines form no sentence."""
    return re.match(r"\s*[^\W\d][^:=.,;!?]{0,30}?\s:\s", line) is not None


_FIGURE_LAST = r"\d[.,]\d+\s?%?\)?\s*\Z"


def _ends_in_figure(line: Block, following: Block) -> bool:
    """Whether a line of a text file ends with a number and was not wrapped.

    The next line begins with a capital, or its first word would have fitted in this line.
    """
    if line.box is not None or len(line.text) >= _LONG or not re.search(_FIGURE_LAST, line.text):
        return False
    first = following.text.split()[:1]
    had_room = bool(first) and len(f"{line.text} {first[0]}") < len(following.text)
    return following.text.lstrip()[:1].isupper() or had_room or _ARROW.match(line.text) is not None


def _rights(blocks: tuple[Block, ...]) -> dict[int | None, float]:
    """Return the right edge of the text on each page."""
    rights: dict[int | None, float] = {}
    for block in blocks:
        if block.box and block.kind in (BlockKind.LINE, BlockKind.LIST_ITEM):
            rights[block.page] = max(rights.get(block.page, 0.0), block.box[2])
    return rights


_FULL = 0.7
"""A wrapped line extends at least over this share of the width of lines with the same beginning."""
_SAME_LEFT = 24.0
"""Lines whose beginnings differ by at most this many points belong to one column."""
_NARROWEST, _SAME_RIGHT, _MOST_BY_CHANCE = 150.0, 2.0, 5
"""At least this many lines of at least the width `_NARROWEST`, in points, whose ends differ by at most `_SAME_RIGHT`,
form a justified column. Wider lines extend across columns."""


def _is_short(line: Block, boxes: Sequence[Box]) -> bool:
    """Whether a line is too short for its page to have been wrapped. `boxes` are those of the page."""
    if line.box is None:
        return False
    left, _, right, _ = line.box
    edges = [box[2] for box in boxes if abs(box[0] - left) <= _SAME_LEFT]
    is_full = right - left >= _NARROWEST and sum(abs(edge - right) <= _SAME_RIGHT for edge in edges) >= _MOST_BY_CHANCE
    return not is_full and right - left < _FULL * (max(edges) - left)


def _continues(previous: Block, block: Block, rights: dict[int | None, float]) -> bool:
    """Whether a block continues the paragraph, caption or heading before it."""
    if block.kind is previous.kind is BlockKind.CAPTION:
        return block.page == previous.page and not lexicon.match(r"\s*<figure|table>\.?\s*\d", block.text)
    if block.kind is previous.kind is BlockKind.HEADING:
        return previous.text.rstrip().endswith("-")
    if block.kind is not BlockKind.LINE or previous.kind not in (BlockKind.LINE, BlockKind.LIST_ITEM):
        return False
    if not block.text.strip() or not follows(previous, block) or _ARROW.match(block.text):
        return False
    if _PROMPT.match(block.text) or _PROMPT.match(previous.text):
        return False
    if block.text.startswith("# ") != previous.text.startswith("# "):  # a comment begins or ends
        return False
    if previous.text.rstrip().endswith(":"):
        return _breaks_before_value(previous, block, rights)
    if previous.text.rstrip().endswith((".", ";", "!", "?", "$$")) or is_behind_formula(previous, block):
        return False
    return not block.starts_paragraph or block.text[:1].islower()


_ARROW = re.compile(r"\s*(?:[=-]+>|[→⇒➔➜])")
"""A sign at the start of a line that draws a conclusion from the lines above."""
_PROMPT = re.compile(r"\s*(?:>>>|(?:In|Out)\s?\[\d*\])")
"""The text that an interpreter prints before a command or its output."""


def _breaks_before_value(previous: Block, block: Block, rights: dict[int | None, float]) -> bool:
    """Whether a full line ends with a colon and its value begins the next line: `seed 2:`."""
    if not _VALUE.match(block.text):
        return False
    if not (previous.box and block.box):
        return len(previous.text) >= _LONG and previous.line is not None
    return rights[previous.page] - previous.box[2] < _WIDTH_OF_VALUE


_COMMENT = re.compile(r"\s*(?:#+|//|--(?![A-Za-z])|%|\"\"\"|\^)\s*(?=\S)")
_NO_PROSE = re.compile(r"=|^\W*\w+\s?:")
"""A comment that contains an equals sign or begins with a label."""
_FEWEST_WORDS = 4


def all_statements(passage: Passage) -> Iterator[Statement]:
    """Yield the statements of a passage, then those in code, output and table cells.

    A comment over several lines is one text. Cells count if they are sentences.
    """
    yield from statements(passage)
    blocks = passage.blocks
    index = top = 0
    while index < len(blocks):
        block, first = blocks[index], index
        index += 1
        if block.kind is BlockKind.ROW:
            yield from _cells(passage, first, blocks[top])
            continue
        if block.kind in _LEFT_OUT:
            index = end_of_comment(blocks, first)
            start, end = passage.offset_of(first), passage.end_of(index - 1)
            lines = [] if block.voice is Voice.FIGURES else passage.text[start:end].split("\n")
            # A report quotes a listing on purpose. In a notebook's code, only comments are text.
            is_cell = bool(block.voice and block.voice.is_code) and block.cell is not None
            lines = [comment(line) or "" for line in lines] if is_cell else lines
            text = " ".join(_COMMENT.sub("", line) for line in lines).strip()
            for piece in (text[left:right].strip() for left, right in pairwise(_cuts(text))):
                if len(LONG_WORD.findall(piece)) > 1:
                    yield Statement(text=piece, start=start, end=end, is_lead=False)
        top = index  # a table may begin after any block that is no row


def end_of_comment(blocks: Sequence[Block], first: int) -> int:
    """Return the index after the last line of a comment that begins in a line of code, or after this line."""
    index = first + 1
    while index < len(blocks) and _goes_on(blocks[index - 1], blocks[index]):
        index += 1
    return index


def sentences_of_comment(passage: Passage, first: int, after: int) -> Iterator[tuple[str, int]]:
    """Yield the sentences of a comment over several lines, with their offsets."""
    start = passage.offset_of(first)
    lines = passage.text[start : passage.offset_of(after)].split("\n")
    text = " ".join(_COMMENT.sub(lambda match: " " * len(match.group()), line) for line in lines)
    for left, right in pairwise(_cuts(text)):
        if piece := text[left:right].strip():
            yield piece, start + text.index(piece, left)


def _goes_on(line: Block, following: Block) -> bool:
    """Whether a comment continues in the next line."""
    rest = _COMMENT.match(following.text)
    if line.kind is not following.kind or not rest or not _COMMENT.match(line.text):
        return False
    if line.text.rstrip().endswith((".", "!", "?", ":")) or "=" in line.text or re.search(_FIGURE_LAST, line.text):
        return False
    return following.text[rest.end() :][:1].islower() and not _NO_PROSE.search(following.text)


def _cells(passage: Passage, index: int, top: Block) -> Iterator[Statement]:
    """Yield the cells of a row that are sentences, and short cells with their row and column labels.

    For example, `pretrained, checkpoint: best`.
    """
    block = passage.blocks[index]
    cells = [normalise(cell).text.strip() for cell in block.cells]
    label = cells[0] if cells and len(top.cells) == len(cells) and block is not top else ""
    found: dict[str, None] = {}
    for column, text in enumerate(cells):
        words = len(LONG_WORD.findall(text))
        if words >= _FEWEST_WORDS:
            found[text] = None
        elif words and text != label and LONG_WORD.search(label) and not DIGIT.search(text):
            found[f"{normalise(top.cells[column]).text.strip()}, {label}: {text}"] = None
    for text in found:
        yield Statement(text=text, start=passage.offset_of(index), end=passage.end_of(index), is_lead=False)


_OPEN: Final = r"\?|<possible|doubt>"
_CLAUSE: Final = r"[,;:()—]\s|\s<break>\s"


class Polarity(Enum):
    """Whether a sentence states something, denies it, or leaves it open.

    It is open in a question, or if the denial may refer to something else, as in `the loss on the validation set does
    not fall`.
    """

    STATED = "stated"
    DENIED = "denied"
    OPEN = "open"


class Saying(Frozen):
    """A sentence, list item or table row that contains some words; `start` is their offset in the passage.

    `is_plain`: it states a fact, without question or condition. `is_denied`: its clause contains a negation.
    """

    text: str
    evidence: Evidence
    start: int
    is_plain: bool = True
    is_denied: bool = False
    polarity: Polarity = Polarity.STATED


def is_of_cell(passage: Passage, statement: Statement) -> bool:
    """Whether a statement is a comment in a notebook's code, or printed by it. It is about the code unless it names
    something."""
    block = passage.block_at(statement.start)
    return block.cell is not None and block.voice is not None


def speaks_of(text: str, words: Sequence[str]) -> re.Match[str] | None:
    """Return the first place where a text contains one of some words, or None.

    Words are whole numbers or beginnings of words, compared without case and accents, with any space, hyphen or
    underscore between their parts. `*` stands for any ending, and `(s)` is optional.
    """
    return _matter_pattern(tuple(words)).search(fold_text(text)) if words else None


def sayings(passage: Passage, words: Sequence[str]) -> Iterator[Saying]:
    """Yield the sentences of a passage that contain some words, then the table rows that do."""
    for statement in statements(passage):
        if match := speaks_of(statement.text, words):
            start, end = (statement.start + at for at in match.span())
            heading = passage.block_at(start).kind is BlockKind.HEADING
            denied = _denies(_clause_of(statement.text, *match.span()))
            yield Saying(
                text=statement.text,
                evidence=passage.evidence(start, end),
                start=start,
                is_plain=not (heading or denied or lexicon.search(_OPEN, statement.text)),
                is_denied=denied,
                polarity=polarity(statement.text, *match.span()),
            )
    for index, block in enumerate(passage.blocks):
        if block.kind is BlockKind.ROW and (match := speaks_of(block.text, words)):
            start = passage.offset_of(index)
            place = passage.evidence(start, passage.end_of(index))
            yield Saying(
                text=block.text,
                evidence=place,
                start=start + match.start(),
                polarity=polarity(block.text, *match.span()),
            )


def plainest_saying(passages: Sequence[Passage], words: Sequence[str]) -> Saying | None:
    """Return the first plain saying about some words, or else the first one, or None."""
    every = [saying for passage in passages for saying in sayings(passage, words)]
    return next((example for example in every if example.is_plain), next(iter(every), None))


def _clause_of(text: str, start: int, end: int) -> str:
    """Return the clause around `text[start:end]`."""
    left, right = _clause_bounds(text, start, end)
    return text[left:right]


def _clause_bounds(text: str, start: int, end: int) -> tuple[int, int]:
    before = list(lexicon.find_all(_CLAUSE, text, 0, start))
    after = lexicon.search(_CLAUSE, text, end)
    return before[-1].end() if before else 0, after.start() if after else len(text)


_DENIAL: Final = r"(?!\bnon-[^\W\d_])<negation|failing>|n['’]t\b|\b(?:ne|n['’]\w+)\b.{0,40}?\bplus\b"
_DENIAL_UNSPACED: Final = "[不没沒非无無未否]|ない|ません|なく|なかっ|なし|ぬ|吗|嗎|か[。？?]"
"""Negations and question marks in Chinese and Japanese."""
_REACH: Final = 3
"""The most words between a negation and a word that it certainly denies."""


def polarity(sentence: str, start: int, end: int) -> Polarity:
    """Return the polarity of a sentence towards `sentence[start:end]`.

    A negation applies to the next words of its clause: `not underfitting but overfitting` denies the first and states
    the second. Words further away may be denied or not.
    """
    if sentence.rstrip().endswith(("?", "？")):
        return Polarity.OPEN
    if UNSPACED.search(sentence[start:end]):
        before, behind = re.split("[，。；：、]", sentence[:start])[-1], re.split("[，。；：、]", sentence[end:])[0]
        if re.search(_DENIAL_UNSPACED, f"{before} {behind}"):
            return Polarity.OPEN
    left = max((match.end() for match in lexicon.find_all(_CLAUSE, sentence, 0, start)), default=0)
    ends = lexicon.search(_CLAUSE, sentence, end)
    # A negation that is part of the words themselves, such as `not differentiable`, is no denial of them.
    spared = {at for match in lexicon.find_all("<no_negation>", sentence) for at in range(*match.span())} | {
        *range(start, end)
    }
    right = _before_second_verb(sentence, end, ends.start() if ends else len(sentence))
    found = lexicon.find_all(f"<instead_of>|{_DENIAL}", sentence, left, right)
    denials = [match for match in found if match.start() not in spared]
    if not denials:  # a prefix denies only its own word
        return (Polarity.STATED, Polarity.DENIED)[sentence[:start].lower().endswith("non-")]
    first = denials[0]
    is_certain = (
        len(denials) == 1,
        first.end() <= start,
        len(WORD.findall(sentence[first.end() : start])) <= _REACH,
        not lexicon.fullmatch("<failing>", first.group()),
    )
    return Polarity.DENIED if all(is_certain) else Polarity.OPEN


def _before_second_verb(sentence: str, start: int, end: int) -> int:
    """Return the place before a second verb that is denied alone, `it overfits and does not generalise`, or the end."""
    second = lexicon.search(r"\s<and>\s+(?:<auxiliary>\s+)?<negation>", sentence, start, end)
    return second.start() if second else end


def is_doubtful(sentence: str, start: int, end: int) -> bool:
    """Whether a sentence leaves `sentence[start:end]` open, denies it, or offers an alternative.

    Statements with `will` and `should` are no doubt, nor are those with `would` without a condition, or `the best that
    we could reach`.
    """
    left, right = _clause_bounds(sentence, start, end)
    forms = ["will_result"]
    forms += [] if lexicon.search("<unlike_expected>", sentence) else ["should_result"]
    forms += [] if lexicon.search("<supposed>", sentence) else ["would_result"]
    forms += [] if lexicon.search("<negation|only_if>", sentence) else ["could_result"]
    blanked_sentence = sentence
    for match in lexicon.find_all(f"<{'|'.join(forms)}>", sentence, left, right):
        blanked_sentence = (
            blanked_sentence[: match.start()] + " " * len(match.group()) + blanked_sentence[match.end() :]
        )
    is_open = lexicon.search(rf"{_OPEN}|<either|other_choice>|\bsoit\b.+\bsoit\b", blanked_sentence)
    return bool(is_open) or _denies(sentence[left:right])


def asserts(text: str, matter: str = "", place: tuple[int, int] | None = None) -> bool:
    """Whether a sentence asserts something.

    With `matter`, a pattern of the lexicon, a negation counts only in clauses that contain it or the place
    `text[start:end]`. `without the head` leaves something out and is no denial, unless it refers to the matter:
    `without running the notebook`.
    """
    if lexicon.search(_OPEN, text):
        return False
    edges = [0, *(match.end() for match in lexicon.find_all(_CLAUSE, text)), len(text)]
    left, right = place or (0, 0)
    clauses = [
        (start, end)
        for start, end in pairwise(edges)
        if not matter or (left < end and start < right) or lexicon.search(matter, text, start, end)
    ]
    return not any(_denies(_without_limits(text[start:end], matter)) for start, end in clauses)


_ARTICLE: Final = r"\W+<the|article>"
_LEAVING_OUT: Final = rf"<absent>(?:{_ARTICLE})*\W+(?P<head>\w+)|<negation>\W+<counted_in>(?!\W+<by_or_from>)"
_ACTION: Final = ("ing", "er", "ir", "re", "en")
"""The endings of a possible gerund or infinitive, whose object follows."""


def _without_limits(clause: str, matter: str) -> str:
    """Return a clause with phrases that only leave something out blanked: `without biases nor norms`."""
    for phrase in list(lexicon.find_all(_LEAVING_OUT, clause)):
        head = phrase["head"]
        # The phrase ends before the next article, pronoun or number: `without the head the notebook prints`.
        ends = lexicon.search(rf"{_ARTICLE}|\W<for_count>\W|\d", clause, phrase.end())
        is_action = head and head.lower().endswith(_ACTION) and not lexicon.fullmatch("<counted_in>", head)
        end = len(clause) if is_action or ends is None else ends.start()
        if head and matter and lexicon.search(rf"{matter}|<execution>", clause, phrase.start("head"), end):
            continue
        for start, stop in [
            phrase.span(),
            *(also.span() for also in lexicon.find_all("<nor>", clause, phrase.end(), end)),
        ]:
            clause = clause[:start] + " " * (stop - start) + clause[stop:]
    return clause


def _denies(clause: str) -> bool:
    clause = re.sub(r"--\w[\w-]*", "", clause)  # `--no-lm-head` is an option
    return bool(lexicon.search(_DENIAL, clause))


@lru_cache
def _matter_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    unspaced = [re.escape(fold_text(word)) for word in words if UNSPACED.match(word)]
    spaced = [_spelled(word) for word in words if not UNSPACED.match(word)]
    # Latin letters may directly follow a script without spaces.
    begins = rf"(?:(?<![^\W_])|(?<={UNSPACED.pattern}))(?:{'|'.join(spaced) or '(?!)'})"
    return re.compile("|".join([begins, *unspaced]))


def _spelled(word: str) -> str:
    """Return a pattern for the beginning of a word.

    A number at its end must be complete, and `conv2` does not match `conv2d`. In `Conv2d(1,16`, the comma ends the
    number.
    """
    parts = (re.escape(part) for part in re.split(r"[\s_-]+", fold_text(word)))
    parts = (part.replace(r"\(s\)", "s?").replace(r"\*", r"\w*") for part in parts)
    spelled = r"[\s_-]*".join(map(_lowered_digits, parts))
    if not word[-1:].isdigit():
        return spelled
    marks = "." if "(" in word else ".,"
    return rf"{spelled}(?![{marks}]?\d)" + (r"(?![^\W\d_])" if word[:1].isalpha() else "")


_LOW_DIGITS: Final = "₀₁₂₃₄₅₆₇₈₉"


def _lowered_digits(word: str) -> str:
    """Return a pattern for a name whose number may be a subscript: `a5`, `a₅`, `a_5`."""
    return re.sub(r"(?<=[^\W\d_])(\d)", lambda match: f"_?[{match[1]}{_LOW_DIGITS[int(match[1])]}]", word)


_DIGITS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def mention(text: str, words: Sequence[str], start: int, end: int | None = None) -> tuple[int, int] | None:
    """Return the first place between two offsets where a text names something. Names of one or two letters are whole
    words, unless a sign sets them."""
    end = len(text) if end is None else end
    long = tuple(word for word in words if len(word) > 2 or UNSPACED.match(word))
    found = [_short_name(word).search(text, start, end) for word in words if word not in long]
    found += [_matter_pattern(long).search(fold_text(text), start, end)] if long else []
    return min((match.span() for match in found if match), default=None)


@lru_cache
def _short_name(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{_raised(word)}(?![^\W_])|(?i:{_raised(word)})(?=\s?[=:]))")


def _raised(word: str) -> str:
    """Return a pattern for a short name whose digit may be a superscript or subscript: `R2`, `R²`, `R^2`, `a₂`,
    `a_2`."""
    word = re.escape(word.translate(_DIGITS))
    return re.sub(r"(?<=[^\W\d_])(\d)", lambda match: rf"(?:[\^_]?[{match[1]}{_LOW_DIGITS[int(match[1])]}])", word)


_MOST_TEXT: Final = 60_000


@memoise
def quantities_of(passage: Passage) -> tuple[Quantity, ...]:
    """Return the quantities of a passage. Only the beginning of a long passage is examined."""
    return tuple(quantities(passage.text[:_MOST_TEXT]))


def _quantities_in(passage: Passage, start: int, end: int) -> list[Quantity]:
    """Return the quantities that begin in `text[start:end]`."""
    return [quantity for quantity in quantities_of(passage) if start <= quantity.start < end]


def wrapped_end(passage: Passage, start: int, right: int) -> int:
    """Return the end of a sentence that continues in the next line if its line is empty after `start`."""
    if _quantities_in(passage, start, right):
        return right
    ends = (statement.end for statement in statements(passage) if statement.start <= start and right < statement.end)
    return next(ends, right)


_BEHIND: Final = r"\s*[^\W\d_]{0,12}\s*(?:\(|<of|for>\s+(?:<the>\s*)?)\Z"
"""The text between a number and a name after it: `54.03 (RMSE)`, `0.954 bits of entropy`."""


def number_in_front(passage: Passage, named: tuple[int, int]) -> Quantity | None:
    """Return the number directly before its name, in brackets or followed by `for`, or None. Operands do not count."""
    text = passage.text
    before = [quantity for quantity in quantities_of(passage) if quantity.end <= named[0]]
    last = before[-1] if before and before[-1].firmness is not Firmness.OPERAND else None
    if last is None or not lexicon.match(_BEHIND, text, last.end, named[0]):
        return None
    is_bracket = text[last.end : named[0]].rstrip().endswith("(")
    return last if not is_bracket or text[named[1] : named[1] + 1] == ")" else None


def respective_number(
    passage: Passage, sentence: tuple[int, int], words: Sequence[str], others: Sequence[str]
) -> Quantity | None:
    """Return the number of a name in a sentence that lists several names and then as many numbers, or the other way
    round.

    For example, `2 and 1 for the stride and the padding`. After `respectively`, numbers in brackets do not count.
    Return None if there is no such list.
    """
    left, right = sentence
    numbers = _quantities_in(passage, left, right)
    if order := lexicon.search(r"<in_order>\W{0,3}\d", passage.text, left, right):
        numbers = _less_in_brackets(passage.text, numbers, order.end() - 1)
    stated = [number for number in numbers if number.firmness is not Firmness.OPERAND]
    if len(stated) < 2 or len(stated) < len(numbers):
        return None
    names = _names_in(passage.text, (left, stated[0].start), words, others)
    if not names and lexicon.match(_FOR, passage.text, stated[-1].end):
        names = _names_in(passage.text, (stated[-1].end, right), words, others)
    return stated[names.index(True)] if len(names) == len(stated) and names.count(True) == 1 else None


def _less_in_brackets(text: str, numbers: Iterable[Quantity], start: int) -> list[Quantity]:
    """Return the numbers from an offset on that stand outside brackets."""
    return [
        number
        for number in numbers
        if number.start >= start and text.count("(", start, number.start) == text.count(")", start, number.start)
    ]


_FOR: Final = r"\s*,?\s*(?:<in_order>\W{1,3})?<for>\s"


def _names_in(text: str, span: tuple[int, int], words: Sequence[str], others: Sequence[str]) -> list[bool]:
    """Return for each name in a part of a text whether it is one of `words`, or one of the others."""
    names: list[bool] = []
    at = span[0]
    while (place := mention(text, (*words, *others), at, span[1])) is not None:
        names.append(mention(text, words, *place) is not None)
        at = place[1]
    return names


def is_joint(passage: Passage, left: int, start: int, others: Sequence[str]) -> bool:
    """Whether the words of another number stand before a mention without a number between, so that the next numbers
    belong to both."""
    rival = mention(passage.text, others, left, start) if others else None
    if rival is None or number_in_front(passage, rival) is not None:
        return False
    return not _quantities_in(passage, rival[1], start)


def is_operand_of(passage: Passage, left: int, start: int, others: Sequence[str]) -> bool:
    """Whether a name is part of the calculation of another number: `BLEU = BP × 0.438`."""
    rival = mention(passage.text, others, left, start) if others else None
    return rival is not None and bool(
        re.fullmatch(r"\s*=\s*(?:[\d.,×/^() +]*[×/+^]\s*)?\(?", passage.text[rival[1] : start])
    )
