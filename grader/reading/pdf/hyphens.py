"""Words that a line's end parts: `para-` and `meters` become `parameters` on the upper line."""

import re
from typing import Final

from grader.reading.document import Block, BlockKind, Repair, RepairKind

_BROKEN: Final = re.compile(r"[(\[\"“«'‘]*((?:[^\W\d_]+-)*([^\W\d_]+))-")
_REST: Final = re.compile(r"([a-zß-öø-ÿœ]{2,})(?:-[^\W\d_]+)*[^\w\s-]*(?=\s|$)")
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")

_SUSPENDED: Final = frozenset(("and", "or", "to", "nor", "et", "ou", "und", "oder", "bis"))
"""In `pre- and post-training` the hyphen stands for a word left out."""

_FIRST_PARTS: Final = frozenset(
    """
    all anti auto bi case co cross cutting data down drop end ex feed fine fixed four full half hand hidden high
    hyper in inter intra layer left long low macro mean mid micro mini multi near non off on one open out over
    per post pre quasi rank re real right self semi short single state step sub super task test three time token
    top two ultra un under up well wide word zero
    """.split()  # noqa: SIM905 - a list of words reads better
)
"""What stands before a hyphen that belongs to the word, in this field's language; a break alone is likelier else."""


def with_hyphens_undone(blocks: list[Block]) -> list[Block]:
    """The blocks with each word that two neighbouring lines share put on the upper one.

    The hyphen goes where the whole document shows that the word has none, or where nothing speaks for one. That a word
    was put together is marked: as a hyphen left out, or as a join behind the hyphen that was kept.
    """
    ends = [index for index in range(len(blocks) - 1) if _parts_a_word(blocks[index], blocks[index + 1])]
    if not ends:
        return blocks
    words = _words(blocks, ends)
    result: list[Block] = list(blocks)
    for index in reversed(ends):
        result[index], result[index + 1] = _mended(result[index], result[index + 1], words)
    return [block for block in result if block.text or block.kind is BlockKind.FIGURE]


def _parts_a_word(upper: Block, lower: Block) -> bool:
    runs_on = (lower.kind is BlockKind.LINE and upper.kind in (BlockKind.LINE, BlockKind.LIST_ITEM)) or (
        lower.kind is upper.kind is BlockKind.CAPTION
    )
    if not runs_on or upper.page != lower.page or not upper.text.endswith("-"):
        return False
    rest = _REST.match(lower.text)
    return bool(rest and rest[1] not in _SUSPENDED and _broken(upper))


def _broken(upper: Block) -> re.Match[str] | None:
    """The word before the hyphen: whole in group 1, what follows its own hyphens in group 2."""
    return _BROKEN.fullmatch(upper.text.rsplit(maxsplit=1)[-1])


def _words(blocks: list[Block], ends: list[int]) -> frozenset[str]:
    """The words of the document in lower case, without those that the ends of these lines part."""
    upper, lower = set(ends), {index + 1 for index in ends}
    words: set[str] = set()
    for index, block in enumerate(blocks):
        found = _WORD.findall(block.text)
        words.update(word.casefold() for word in found[index in lower : len(found) - (index in upper)])
    return frozenset(words)


def _mended(upper: Block, lower: Block, words: frozenset[str]) -> tuple[Block, Block]:
    """Both lines with the lower one's first word moved up."""
    rest = _REST.match(lower.text)
    if rest is None:
        return upper, lower
    moved, end = rest[0], len(upper.text)
    keeps = _keeps_hyphen(upper, rest[1], words)
    place = end if keeps else end - 1
    repair = Repair(kind=RepairKind.JOINED if keeps else RepairKind.HYPHEN, start=place, end=place)
    gone = len(moved) + (rest.end() < len(lower.text))
    repairs = (*upper.repairs, repair, *within(lower, 0, len(moved), place))
    return (
        upper.model_copy(update={"text": upper.text[:place] + moved, "repairs": repairs}),
        lower.model_copy(update={"text": lower.text[gone:], "repairs": within(lower, gone, len(lower.text), -gone)}),
    )


def within(block: Block, start: int, end: int, by: int) -> tuple[Repair, ...]:
    """The repairs of a part of a block's text, moved along with it."""
    return tuple(
        Repair(kind=repair.kind, start=repair.start + by, end=repair.end + by)
        for repair in block.repairs
        if start <= repair.start and repair.end <= end and (repair.start < end or end == len(block.text))
    )


def _keeps_hyphen(upper: Block, rest: str, words: frozenset[str]) -> bool:
    broken = _broken(upper)
    if broken is None:
        return True
    whole, last = broken[1].casefold(), broken[2].casefold()
    if {f"{whole}-{rest}", f"{last}-{rest}"} & words:
        return True
    if {whole + rest, last + rest} & words:
        return False
    return last in _FIRST_PARTS or len(last) == 1 or {last, rest} <= words
