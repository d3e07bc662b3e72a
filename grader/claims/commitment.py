"""Decide how far a text commits to a statement or number.

It may assert it, or only guess it, ask it, attribute it to somebody else, give it as a bound or an alternative, or deny
it. A statement that is not asserted earns no points without review, and is not wrong either. The words are in
`grader/language`; this module decides how far each of them applies.
"""

import re
from bisect import bisect_right
from enum import Enum
from typing import Final, NamedTuple

from grader.claims.numerals import Numeral, numerals
from grader.claims.passage import Passage
from grader.claims.statements import Statement, statements
from grader.frozen import memoise
from grader.language.folding import lower_text
from grader.language.lexicon import pattern as _pattern
from grader.language.lexicon import search as _first
from grader.message import Message, say
from grader.reading.document import Block, BlockKind


class Stance(Enum):
    """The stance of a text towards one of its numbers or statements."""

    ASSERTED = "asserted"
    HEDGED = "hedged"
    ASKED = "asked"
    ATTRIBUTED = "attributed"
    BOUNDED = "bounded"
    ALTERNATIVE = "alternative"
    DENIED = "denied"

    @property
    def is_committed(self) -> bool:
        """Whether the text asserts it."""
        return self is Stance.ASSERTED

    @property
    def reason(self) -> Message:
        """The reason why an answer with this stance goes to review."""
        return _REASONS[self]


_DOUBTED: Final = say("The text leaves it in doubt whether this is the answer.")
_ONE_OF_SEVERAL: Final = say("The text gives it as a bound or as one of several values.")
_REASONS: Final = {
    Stance.ASSERTED: say("It is stated."),
    Stance.HEDGED: _DOUBTED,
    Stance.ASKED: _DOUBTED,
    Stance.ATTRIBUTED: say("The text attributes it to somebody else."),
    Stance.BOUNDED: _ONE_OF_SEVERAL,
    Stance.ALTERNATIVE: _ONE_OF_SEVERAL,
    Stance.DENIED: _DOUBTED,
}


_DOUBT: Final = r"(?:<doubt>|<modal>(?!\s+<participle>)|(?:\A|[:,])\W*<doubt_opening>)"
_IGNORANCE: Final = (
    r"(?:(?:\b(?:i|we|i'm|im|we're|i've|am|are)\s+(?:\w+\s+){0,2}?|\A\W*|[(,;:.–—-]\s*|<break>\s+)<ignorance>"
    r"|<own_ignorance>)"
)


_DENIED: Final = r"<denial>(?!.*\b(?:and|et)\W+<author>)"
_DENIED_BEFORE: Final = r"<denial_of_number>\W+(?:(?:<roughly>|<article>)\s+)*\Z"
_NOT_REACHED: Final = (
    r"(?:<verb_denial>|n['’]t)\W+(?:\w+\W+)?<reaching>\W+(?:\w{1,5}\W+){0,2}\Z"
    r"|<reaching>\W+<verb_denial>\W+(?:\w{1,5}\W+){0,2}\Z"
)
"""Words before a number that was not reached: `does not get to 70 %`, `n'atteint pas les 100 %`."""
_FROM_OTHERS: Final = (
    r"(?:<source>\W+(?:\w+\W+){0,3}?<other_people>|<by_or_from>\W+(?:<article>\W+){0,2}<other_people>)"
)


_OPENING: Final = 7
"""The words at the beginning of a sentence where a word of doubt applies to the whole sentence."""
_REACH: Final = 300
"""The number of characters before and after a number that are examined."""
_LONGEST: Final = 1_500
"""The number of characters of a sentence that are examined."""
_ANSWER: Final = 40
"""The number of characters of the next sentence in which the author may agree."""
_SHORT: Final = 9
"""A sentence of ignorance with at most this many words refers to the sentences beside it."""
_MOST_ITEMS: Final = 40
"""The most items of a list to which its introduction applies."""


@memoise
def stance(passage: Passage, start: int, end: int) -> Stance:
    """Return the stance of a passage towards the number `text[start:end]`."""
    block = passage.block_at(start)
    found, number = statements(passage), None
    if block.kind is BlockKind.OUTPUT:
        return Stance.ASSERTED
    index = bisect_right([statement.start for statement in found], start) - 1
    if index >= 0 and start < found[index].end:
        number, left, text = index, found[index].start, found[index].text
    else:
        left, text = _line(passage, block, start)
    own_stance = of_number(text, start - left, end - left)
    return own_stance if number is None else _in_context(passage, found, number, own_stance, is_number=True)


def _line(passage: Passage, block: Block, offset: int) -> tuple[int, str]:
    """Return the line or cell at an offset, with its own offset. Of code, only the comment is returned."""
    text = passage.text
    left = text.rfind("\n", 0, offset) + 1
    right = text.find("\n", offset)
    if block.kind is BlockKind.ROW:
        left = max(left, *(text.rfind(sign, left, offset) + 1 for sign in "|\t"))
        right = min((at for sign in "|\t\n" if (at := text.find(sign, offset)) >= 0), default=len(text))
    if block.kind is BlockKind.CODE:
        left = max(left, text.rfind("#", left, offset))
        if text[left : left + 1] != "#":
            return offset, text[offset : offset + 1]
    return left, text[left : right if right >= 0 else len(text)]


_WORDLESS: Final = "0123456789.,; \t\n\r\xa0\u2009\u202f"


def of_number(text: str, start: int, end: int) -> Stance:
    """Return the stance of a single sentence towards its number `text[start:end]`."""
    plain = lower_text(text)
    before, behind = plain[max(0, start - _REACH) : start], plain[end : end + _REACH]
    if not (before + behind).strip(_WORDLESS):  # there are only numbers, in which a search for words would be slow
        return Stance.ASSERTED
    if _is_bound(before, behind):
        return Stance.BOUNDED
    if _first(_DENIED, _clause(before)) or _first(_DENIED_BEFORE, before) or is_not_reached(before):
        return Stance.DENIED
    if _agrees(before) or _agrees(behind):
        return Stance.ASSERTED
    if _is_asked(before, behind):
        return Stance.ASKED
    if _is_attributed(before) or (not _first(r"<author>", before) and _is_attributed_behind(behind)):
        return Stance.ATTRIBUTED
    if _is_doubted(before, behind):
        return Stance.HEDGED
    return Stance.ALTERNATIVE if _is_alternative(text, plain, start, end) else Stance.ASSERTED


def is_not_reached(before: str) -> bool:
    """Whether a text says that the following number was not reached, so that it is nobody's result."""
    return bool(_first(_NOT_REACHED, _clause(before)))


def of_sentence(text: str) -> Stance:
    """Return the stance of a single sentence towards its content."""
    plain = lower_text(text).strip()[:_LONGEST]
    if _agrees(plain):
        return Stance.ASSERTED
    if _pattern(r"\?[\W\d]*\Z").search(plain) and not _pattern(r"\A\W*<granted>").search(plain):
        return Stance.ASKED
    if _is_attributed(plain) or _pattern(r"[(\[–—-]\s*(?:<source>\W+)?(?:\w+\W+){0,2}?<other_people>\W*\Z").search(
        plain
    ):
        return Stance.ATTRIBUTED
    opening = " ".join(re.findall(r"\S+", plain)[:_OPENING])
    if _first(r"<denial>", opening) and not _first(r"<break>|;", plain):
        return Stance.DENIED
    is_open = _first(rf"{_DOUBT}(?!\W+<reason_of_doubt>|\Z)", opening) or _first(r"(?:\A|[,(])\W*<doubt>\W*\Z", plain)
    is_open = is_open or _first(r"(?:[;:]\s|<break>\s)\W*<doubt>(?!\W+<reason_of_doubt>)", plain)
    is_open = is_open or _pattern(r"\A\W*(?:[\w`]+\W+){0,2}?<supposition>").search(plain)
    if is_open or _first(rf"{_IGNORANCE}(?!\s*<granted>)", plain):
        return Stance.HEDGED
    is_choice = _first(r"<either>(?!\W*[\"'`]|\s+(?:none|all|true|false)\b)", opening)
    is_choice = is_choice and _first(r"<other_choice>", plain)
    is_choice = is_choice or _first(r"\bsoit\b(?!\W*[\"'`])[^.;]{3,200}\bsoit\b", plain)
    return Stance.ALTERNATIVE if is_choice else Stance.ASSERTED


@memoise
def of_statement(passage: Passage, statement: Statement) -> Stance:
    """Return the stance of a passage towards one of its statements."""
    found = statements(passage)
    own_stance = of_sentence(statement.text)
    index = bisect_right([candidate.start for candidate in found], statement.start) - 1
    return (
        _in_context(passage, found, index, own_stance)
        if index >= 0 and found[index].start == statement.start
        else own_stance
    )


@memoise
def open_parts(passage: Passage, start: int, end: int) -> tuple[tuple[int, int, Stance], ...]:
    """Return the sentences and rows in a part of a text that the text does not assert, in order."""
    found = [(statement.start, statement.end, of_statement(passage, statement)) for statement in statements(passage)]
    rows = (index for index, block in enumerate(passage.blocks) if block.kind is BlockKind.ROW)
    for left, right in ((passage.offset_of(index), passage.end_of(index)) for index in rows):
        left, right = max(left, start), min(right, end)
        if left < right:
            found.append((left, right, of_sentence(passage.text[left:right].strip(" |"))))
    return tuple(sorted(part for part in found if part[0] < end and start < part[1] and not part[2].is_committed))


def _agrees(plain: str) -> bool:
    """Whether the author agrees with somebody's statement, or with a question."""
    return _first(r"(?<!not )<agreement>", plain) is not None


def _is_bound(before: str, behind: str) -> bool:
    """Whether a number is a bound. A sign between two numbers compares them."""
    has_sign = re.search(r"(?<![-=<>\d%)])\s*(?:[<>]=?|[≤≥≲≳])\s*~?\Z", before)
    return bool(
        _first(r"<bound>\s*[\"~≈(]?\s*(?:<roughly>\s+){0,3}[\"~≈(]?\Z", before)
        or (has_sign and not re.search(r"\d\W*\Z", before[:-1].rstrip(" <>=≤≥≲≳~")))
        or _pattern(r"[\s%)]{0,3}(?:\w+\s)?[,(]?\s?<bound_behind>(?!\W*\d)").match(behind)
        or _first(r"<hesitation>\s+<between>\s*\Z|\A\W*<between>\s*\Z", before)
        or _first(r"(?:<hesitation>\s+|\A\W*)<between>\s[\d.,\s%]+(?:and|et|to|a)\s\Z", before)
    )


def _is_asked(before: str, behind: str) -> bool:
    """Whether the question mark at the end of a sentence applies to its number.

    Brackets and text after a colon are separate questions, and `why` or `how` takes the number for granted.
    """
    asked = re.match(r"[^.!;(:?]*(?:\(\s*)?\?", behind)
    return asked is not None and not _first(r"\A\W*(?:\w+\W+){0,2}?<granted>", before)


def _clause(before: str) -> str:
    """Return the last clause of a text before a number."""
    return str(re.split(_pattern(r"[;]|:\s(?=.*\w)|,\s(?!\d)|\.\s|<break>"), before)[-1])


def _is_attributed(before: str) -> bool:
    """Whether somebody else says the following text, without a return to the author in between."""
    found = list(_pattern(
        rf"<other_people>(?!\s+(?:and|et)\s+(?:i|me|moi|my)\b)(?:\W+\w+){{0,5}}?\W+<speaks>|{_FROM_OTHERS}|<rumour>"
        r"|<speaks>\W+(?:\w+\W+){0,2}?<other_people>"
    ).finditer(before))  # fmt: skip
    if not found:
        return False
    rest = before[found[-1].end() :]
    return _first(r"(?:[,;:(]|\b(?:and|et)\b|<break>)[^,;:(]{0,20}<author>", rest) is None


def _is_attributed_behind(behind: str) -> bool:
    """Whether the words directly after it attribute it to somebody else."""
    return _pattern(
        rf"[^\d.;!?]{{0,30}}?(?:{_FROM_OTHERS}|[(\[–—-]\s*(?:\w+\W+){{0,2}}?<other_people>|<speaks>\W+(?:\w+\W+){{0,2}}?<other_people>"
        r"|<other_people>(?:\W+\w+){0,2}?\W+<speaks>\W*\Z|<rumour>)"
    ).match(behind) is not None  # fmt: skip


def _is_doubted(before: str, behind: str) -> bool:
    """Whether a number is guessed: a word of doubt stands before it in its clause or directly after it.

    `I do not know` counts unless it refers to something else: `I do not know why, but it is 79.3`.
    """
    doubt_behind = r"[\s%)]{0,3}(?:\w+\s){0,2}?[\s,(–—-]{0,3}(?:<doubt>|<doubt_opening>|<doubt_behind>)\W*(?:\Z|[.,;)])"
    if (
        _first(rf"{_DOUBT}\W*\Z", before)
        or _first(_DOUBT, _clause(before))
        or _first(r"\A\W*(?:\w+\W+)?<supposition>", re.split(_pattern("[;:]|<break>"), before)[-1])
        or _pattern(doubt_behind).match(behind)
        or re.match(r"\s*%?\s*(?:\w+\s)?\(\s*\?", behind)
    ):
        return True
    for found in _pattern(_IGNORANCE).finditer(f"{before} \0 {behind}"):
        rest = f"{before} \0 {behind}"[found.end() :]
        if not _pattern(r"\s*<about>").match(rest):
            return True
        if not _pattern(r"\s*<granted>").match(rest) and "\0" in re.split(_pattern(r"[;.]|<break>"), rest)[0]:
            return True
    return False


def _is_alternative(text: str, plain: str, start: int, end: int) -> bool:
    """Whether another number of the same size follows `or`, without a condition for each."""
    if len(text) > _LONGEST or not _first(r"<other_choice>|<one_of>|\bsoit\b", plain):
        return False
    found = numerals(text)
    own_number = next((number for number in found if number.start == start), None)
    others = [number for number in found if own_number and number is not own_number and _are_rivals(own_number, number)]
    others = [other for other in others if not _pattern(r"\s*[+×/^=]").match(text, other.end)]
    if others and _first(
        r"(?:<one_of>\W*(?:<listing>\W+){0,2}|\bsoit\b(?=[^.;]{3,60}\bsoit\b)\W*)\d[\d.,\s]{2}", plain
    ):
        return True
    edges = ((end, other.start, other.end) if other.start > end else (other.end, start, end) for other in others)
    if any(
        _pattern(r"[^.;]{0,30}?<other_choice>[^.;\d]{0,30}").fullmatch(plain, *edge[:2])
        for edge in edges
        if edge[0] <= edge[1]
    ):
        first, last = min(start, *(other.start for other in others)), max(end, *(other.end for other in others))
        is_told = _first(r"<case>", plain[first:last]) or _pattern(r"[\s%)(]{0,4}(?:\w+\s){0,3}<case>").match(
            plain, last
        )
        return not is_told and not _pattern(r"\A\W*<case>").search(plain)
    # `A, B or C`
    return len(others) > 1 and bool(_first(r"\d\W*<other_choice>\W*(?:<doubt>\W*)?\d", plain))


def _are_rivals(number: Numeral, other: Numeral) -> bool:
    """Whether two numbers are different but of similar size. `22,807,552 (22.8 M)` are not different."""
    apart = abs(number.value - other.value)
    return number.value < 2 * other.value < 4 * number.value and apart >= max(number.resolution, other.resolution)


def _is_answered(passage: Passage, asked: Statement, following: Statement | None, *, is_number: bool) -> bool:
    """Whether the next sentence answers a question.

    It says yes, or gives the answer to a question that introduces it: `which biases are trained? none`.
    """
    if following is None:
        return False
    answer = lower_text(following.text)
    if _pattern(r"\A\W*<yes>").search(answer):
        return True
    opening = " ".join(lower_text(asked.text).split()[: 2 * _OPENING])
    leads_on = _first(r"<asking>", opening) or _pattern(r"\A\W*(?:\w+\W+){0,4}?<no>").search(answer)
    is_told = not is_number and leads_on and _are_together(passage, asked, following)
    return bool(is_told) and of_sentence(following.text).is_committed


def _in_context(
    passage: Passage, found: tuple[Statement, ...], index: int, own_stance: Stance, *, is_number: bool = False
) -> Stance:
    """Return the stance of a statement given its context.

    The context may answer its question, say `I do not know`, introduce its list, or declare a stance for the whole
    section.
    """
    following = found[index + 1] if index + 1 < len(found) else None
    if own_stance is Stance.ASKED and _is_answered(passage, found[index], following, is_number=is_number):
        return Stance.ASSERTED
    if following and _agrees(lower_text(following.text[:_ANSWER])):
        return Stance.ASSERTED
    if not own_stance.is_committed:
        return own_stance
    for at in (index - 1, index + 1):
        first, then = sorted((at, index))
        if first < 0 or then >= len(found) or not _is_ignorance(found[at].text):
            continue
        if _are_together(passage, found[first], found[then]):
            return Stance.HEDGED
    announced, start = _announced(passage, found, index), found[index].start
    if not announced.is_committed:
        return announced
    return next(
        (declared.stance for declared in _declared(passage) if declared.start <= start < declared.end), Stance.ASSERTED
    )


def _is_ignorance(text: str) -> bool:
    """Whether a sentence says only that its author does not know."""
    plain = lower_text(text)
    found = _first(_IGNORANCE, plain)
    if found is None or len(text.split()) > _SHORT:
        return False
    return not _pattern(r"\s*<about>(?!.*<this>)").match(plain, found.end())


def _are_together(passage: Passage, statement: Statement, other: Statement) -> bool:
    """Whether a statement continues the paragraph of the one before."""
    first, then = passage.index_at(statement.end - 1), passage.index_at(other.start)
    return first == then or (passage.blocks[then].kind is BlockKind.LINE and not _is_apart(passage, first, then))


def _is_apart(passage: Passage, first: int, then: int) -> bool:
    """Whether a block begins a new paragraph after another one."""
    first_block, other = passage.blocks[first], passage.blocks[then]
    is_gap = first_block.line is not None and other.line is not None and other.line > first_block.line + then - first
    return other.starts_paragraph or is_gap or any(not block.text.strip() for block in passage.blocks[first:then])


def _announced(passage: Passage, found: tuple[Statement, ...], index: int) -> Stance:
    """Return the stance that an introduction gives to the following list or paragraph, such as `According to my
    friend:`."""
    for at in range(index - 1, max(index - _MOST_ITEMS, 0) - 1, -1):
        statement, then = found[at], found[at + 1]
        first, last = passage.index_at(statement.end - 1), passage.index_at(then.start)
        if statement.is_lead:
            plain = lower_text(statement.text)
            if passage.block_at(statement.start).kind is BlockKind.HEADING:
                break
            if _is_attributed(plain):
                return Stance.ATTRIBUTED
            return Stance.HEDGED if _first(rf"{_DOUBT}|{_IGNORANCE}|<one_of>", plain) else Stance.ASSERTED
        if passage.blocks[last].kind is not BlockKind.LIST_ITEM and first != last and _is_apart(passage, first, last):
            break
    return Stance.ASSERTED


@memoise
def is_bare(passage: Passage, start: int) -> bool:
    """Whether the line or sentence of a number says nothing that distinguishes it from other numbers."""
    block = passage.block_at(start)
    if block.kind not in (BlockKind.LINE, BlockKind.LIST_ITEM):
        return False
    _, text = _line(passage, block, start)
    words = re.findall(r"[^\W\d_]{2,}", lower_text(text)) if len(text) <= _LONGEST else ["long"]
    return all(_pattern("<plain>").fullmatch(word) for word in words)


class _Declared(NamedTuple):
    """A stance that applies to all statements between two headings."""

    start: int
    end: int
    stance: Stance


@memoise
def _declared(passage: Passage) -> tuple[_Declared, ...]:
    """Return the declared stances: sentences that say of the whole section that it was copied or is not known."""
    heads = [head.start for head in statements(passage) if passage.block_at(head.start).kind is BlockKind.HEADING]
    edges = [0, *heads, len(passage.text) + 1]
    found = []
    for statement in statements(passage):
        plain = lower_text(statement.text)
        if not _first(r"<all_of_them>", plain):
            continue
        is_taken = _first(rf"<taken>\W+(?:\w+\W+){{0,3}}?{_FROM_OTHERS}", plain)
        is_unsure = _first(rf"{_IGNORANCE}\W+(?:\w+\W+){{0,2}}?<all_of_them>", plain)
        if is_taken or is_unsure:
            at = bisect_right(edges, statement.start)
            kind = Stance.ATTRIBUTED if is_taken else Stance.HEDGED
            found.append(_Declared(edges[at - 1], edges[at], kind))
    return tuple(found)
