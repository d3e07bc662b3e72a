"""Formulas that a page shows twice are read once: browsers and converters that do not know MathML or the styles of
KaTeX print a formula and its annotation, its source in TeX, one behind the other: `2×512=1,0242 \\times 512 = 1{,}024`.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, combinations, repeat
from typing import Final, NamedTuple

from grader.reading.document import Block, BlockKind, Repair

_WORDS: Final = (BlockKind.LINE, BlockKind.LIST_ITEM, BlockKind.HEADING, BlockKind.ROW)
_RELATIONS: Final = "=±×≈"
_MOST_LINES: Final = 4
"""Lines on which one formula stands twice."""
_MOST_RELATIONS: Final = 20
_SHORTEST, _LONGEST = 3, 150
"""Signs of a formula, without its commas and braces."""
_SIGN: Final = re.compile(r"\\\n?[A-Za-z]+|[^\W_]|[-=±×·⋅≈+*/<>−–()]")
_FRACTION: Final = ")/("
_OF_FRACTIONS: Final = str.maketrans("", "", "()/")
_NAMED: Final = {"times": "×", "pm": "±", "cdot": "·", "approx": "≈", "div": "/"}
_ALIKE: Final = str.maketrans("−–⋅", "--·")


class _Sign(NamedTuple):
    """A sign of a formula in any notation, and the line and place at which it is written."""

    sign: str
    line: int
    start: int
    end: int


class _Twice(NamedTuple):
    """A formula that stands twice: where each begins, and where the second one ends."""

    first: _Sign
    second: _Sign
    before: _Sign
    last: _Sign


def repairs_within(block: Block, start: int, end: int, by: int) -> tuple[Repair, ...]:
    """The repairs of a part of a block's text, moved along with it."""
    return tuple(
        Repair(kind=repair.kind, start=repair.start + by, end=repair.end + by)
        for repair in block.repairs
        if start <= repair.start and repair.end <= end and (repair.start < end or end == len(block.text))
    )


def without_repeats(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, with each formula that stands twice in a row kept in the notation that shows its powers."""
    result = list(blocks)
    at = 0
    while at < len(result):
        lines = _lines(result, at)
        found = _twice([block.text for block in lines])
        if found is None:
            at += 1
            continue
        result[at : at + len(lines)] = _with_one(lines, found)
    return result


def _lines(blocks: Sequence[Block], at: int) -> list[Block]:
    """The lines of a page from one on that may hold a formula twice."""
    lines: list[Block] = []
    for block in blocks[at : at + _MOST_LINES]:
        if block.kind not in _WORDS or block.page != blocks[at].page:
            break
        lines.append(block)
    return lines


def _twice(texts: Sequence[str]) -> _Twice | None:
    """The formula that stands twice and begins on the first of some lines. The second one follows without a space; on a
    new line only where it is in another notation."""
    whole = "\n".join(texts)
    if not texts or max(map(whole.count, _RELATIONS)) + ("\\" in whole) < 2:
        return None
    written = _written_in(texts, whole)
    first = len(_written(texts[0]))
    flat = written.translate(_OF_FRACTIONS) if _FRACTION in whole else ""
    again = _begun(texts, written, _repeated(written, first), first)
    return again or (_begun(texts, flat, _rearranged(flat), first) if flat else None)


def _begun(texts: Sequence[str], signs: str, places: Iterable[tuple[int, int]], first: int) -> _Twice | None:
    """The formula that stands twice, of those that may repeat from a place on, by the step to the second one, and
    begin on the first line, among its `first` signs."""
    begun = [(start, step) for start, step in places if start < first]
    formula_signs = [sign for sign in _signs(texts) if sign.sign in signs] if begun else []
    pairs = (_Twice(*(formula_signs[start + at] for at in (0, step, step - 1, 2 * step - 1))) for start, step in begun)
    return next((pair for pair in pairs if pair.first.line == 0 and _follows(texts, pair)), None)


def _written_in(texts: Sequence[str], whole: str) -> str:
    """The signs of some lines; a command of TeX may go over two of them."""
    return _written(whole) if "\\" in whole else "".join(map(_written, texts))


@lru_cache(maxsize=2 * _MOST_LINES)
def _written(text: str) -> str:
    """The signs of a text; each line of a page is asked for with those around it."""
    return "".join(map(_as_sign, _SIGN.findall(text)) if "\\" in text else _SIGN.findall(text)).translate(_ALIKE)


def _as_sign(found: str) -> str:
    """A sign, or the one that a command of TeX stands for, if any."""
    return _NAMED.get(found.lstrip("\\\n"), "") if found.startswith("\\") else found


def _rearranged(written: str) -> Iterator[tuple[int, int]]:
    """The beginnings and lengths of signs that stand again behind each other in another order between the same
    relations: without its styles, a fraction of KaTeX is its denominator and then its numerator."""
    relations = [at for at, sign in enumerate(written) if sign in _RELATIONS]
    for relation, other in combinations(relations[:_MOST_RELATIONS], 2):
        step = other - relation
        if written[relation] == written[other] and _SHORTEST <= step <= _LONGEST:
            for start in range(max(relation - step + 1, 0), min(relation, len(written) - 2 * step) + 1):
                if sorted(written[start : start + step]) == sorted(written[start + step : start + 2 * step]):
                    yield start, step


def _repeated(written: str, first: int) -> Iterator[tuple[int, int]]:
    """The beginnings and lengths of signs with a relation among them that stand twice in a row; of those that begin
    behind the `first` ones, not all."""
    relations = [at for at, sign in enumerate(written) if sign in _RELATIONS]
    for relation, other in combinations(relations[:_MOST_RELATIONS], 2):
        step = other - relation
        if relation - step >= first or written[relation] != written[other] or not _SHORTEST <= step <= _LONGEST:
            continue
        low, high = relation, relation
        while low and written[low - 1] == written[low - 1 + step]:
            low -= 1
        while high + step < len(written) and written[high] == written[high + step]:
            high += 1
        yield from zip(range(low, high - step + 1), repeat(step), strict=False)


def _signs(texts: Sequence[str]) -> Iterator[_Sign]:
    """The signs of some lines; the end of a line may part a command of TeX from its backslash."""
    starts = [0, *accumulate(len(text) + 1 for text in texts)]
    for match in _SIGN.finditer("\n".join(texts)):
        if sign := _as_sign(match[0]).translate(_ALIKE):
            line = bisect_right(starts, match.start()) - 1
            yield _Sign(sign, line, match.start() - starts[line], match.end() - starts[line])


def _follows(texts: Sequence[str], found: _Twice) -> bool:
    """Whether nothing stands between a formula and its repetition, as no writer would put it, and both are whole."""
    first, second, before, last = found
    around = texts[first.line][: first.start][-1:] + texts[last.line][last.end :][:1]
    if any(map(str.isalnum, around)) or not (first.sign.isalnum() and before.sign.isalnum()):
        return False
    if before.line == second.line:
        between = texts[second.line][before.end : second.start]
        return not between.strip("}")
    formula, other = _between(texts, first, before), _between(texts, second, last)
    is_other = "\\" in other or formula.count("^") != other.count("^") or (_FRACTION in formula and "/" not in other)
    ends, begins = texts[before.line][before.end :], texts[second.line][: second.start]
    return is_other and second.line == before.line + 1 and not ends.strip(" }%") and not begins.strip()


def _between(texts: Sequence[str], first: _Sign, last: _Sign) -> str:
    """The text from one sign to another."""
    return " ".join(text[start:end].strip() for text, start, end in _parts(texts, first, last)).replace("\\ ", "\\")


def _parts(texts: Sequence[str], first: _Sign, last: _Sign) -> Iterator[tuple[str, int, int]]:
    for line in range(first.line, last.line + 1):
        text = texts[line]
        start = first.start if line == first.line else 0
        yield text, start, last.end if line == last.line else len(text)


def _with_one(lines: Sequence[Block], found: _Twice) -> list[Block]:
    """The lines with the better one of the two formulas, as a whole on the first line."""
    texts = [block.text for block in lines]
    first, second, before, last = found
    formula, other = _between(texts, first, before), _between(texts, second, last)
    kept = other if other.count("^") > formula.count("^") else formula
    head, tail = lines[0], lines[last.line]
    end = last.end
    while tail.text[end : end + 1] == "}":
        end += 1
    text = head.text[: first.start] + kept
    by = len(text) - end
    repairs = [
        *repairs_within(head, 0, first.start, 0),
        *(repairs_within(head, first.start, before.end, 0) if kept is formula else ()),
    ]
    rest: list[Block] = []
    if last.line == 0:
        repairs += repairs_within(head, end, len(head.text), by)
        text += head.text[end:]
    elif not any(map(str.isalnum, after := tail.text[end:].lstrip())):
        text += after
    else:
        gone = len(tail.text) - len(after)
        moved = repairs_within(tail, gone, len(tail.text), -gone)
        rest = [tail.model_copy(update={"text": after, "repairs": moved, "kind": BlockKind.LINE})]
    whole = head.model_copy(update={"text": text, "repairs": tuple(repairs)})
    return [whole, *rest, *lines[last.line + 1 :]]
