"""What a text says about how a checkpoint was chosen: by validation, by test, or as the last one."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from grader.claims.normal import normalise
from grader.claims.passage import Passage
from grader.claims.results.vocabulary import Kind, Mention, mentions
from grader.claims.statements import statements
from grader.lab.definition import Lab
from grader.reading.document import BlockKind
from grader.reading.evidence import Evidence

_SUPERLATIVE: Final = re.compile(
    r"\b(?:best|highest|higher|greatest|biggest|largest|(?:arg|idx)?max\w*|min(?:imum|imal)?|lowest|top"
    r"|peak\w*|optim\w+|meilleure?s?|(?:la|le|les) plus (?:haute?s?|[ée]lev[ée]e?s?|grande?s?)"
    r"|most|improv\w+|liked?|won|wins)\b",
    re.IGNORECASE,
)
_CHOICE: Final = re.compile(
    r"\b(?:cho[so]\w*|choice|select\w*|pick\w*|ke(?:ep|pt)\w*|retain\w*|stor(?:e|ed|es)|tak(?:e|es|en|ing)|took|sav(?:e|es|ed|ing)|load\w*|decid\w*|conserv\w*"
    r"|checkpoint_best|load_best_model\w*|early stopping|choisi\w*|s[ée]lecti\w+|reten\w*|gard\w*|pr(?:is"
    r"|end|enons)\w*|best[_ ](?:model|checkpoint))\b",
    re.IGNORECASE,
)
_LAST: Final = re.compile(
    r"\b(?:last|final|derni[èe]re?)\s+(?:\w+\s+)?(?:epochs?|[ée]poques?|steps?|checkpoints?|updates?|it[ée]rations?|models?|mod[èe]les?)\b"
    r"|\bcheckpoint_last\b|\b(?:at|by) the end of (?:the )?training\b|\b[àa] la fin de l['’]entra[îi]nement\b"
    r"|\bafter (?:the )?(?:all )?(?:\d+|five|three) (?:epochs|steps|updates)\b"
    r"|\bat (?:step|update|epoch) \d+ (?:for (?:all|every|each)|everywhere|in (?:all|every))\b",
    re.IGNORECASE,
)
_TAKEN_LAST: Final = re.compile(
    r"\b(?:use[ds]?|took|takes?|taken|kept|keep|evaluat\w+"
    r"|read)\s+(?:\w+\s+){0,2}(?:the )?(?:end of (?:the )?training|last|final)\b",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:not|never|no|jamais|pas|without|sans|instead of|plut[ôo]t que)\b[^.;:,]{0,30}$", re.IGNORECASE
)
_CAPTION: Final = re.compile(r"\W*(?:fig\w*\.?)\s*\d", re.IGNORECASE)


class Choice(StrEnum):
    """By what a checkpoint is chosen."""

    VALIDATION = "valid"
    TEST = "test"
    LAST = "last"


class SaidChoice(NamedTuple):
    """A way of choosing that a text states, and where."""

    by: Choice
    evidence: Evidence


def choices(passages: Sequence[Passage], experiment: str, lab: Lab) -> Iterator[SaidChoice]:
    """Every statement on how the checkpoints of an experiment are chosen: in sentences, then in rows of a table that
    are one cell. Statements that name only other experiments, or stand under the heading of one, are of those."""
    for passage in passages:
        under: set[str] = set()
        for statement in statements(passage):
            named = {one.value for one in mentions(statement.text, lab) if one.kind is Kind.EXPERIMENT}
            if passage.block_at(statement.start).kind is BlockKind.HEADING:
                under = named
                continue
            about = named or under
            by = choice_in(statement.text, lab) if not about or experiment in about else None
            if by:
                yield SaidChoice(by, passage.evidence(statement.start, statement.end))
        for index, block in enumerate(passage.blocks):
            cells = {cell for cell in block.cells if cell}
            by = choice_in(normalise(cells.pop()).text, lab) if len(cells) == 1 else None
            if by:
                start = passage.offset_of(index)
                yield SaidChoice(by, passage.evidence(start, start + max(1, len(block.text))))


def spoken_of(passages: Sequence[Passage], lab: Lab) -> Evidence | None:
    """Where a sentence speaks of validation, or of which checkpoint or epoch was taken, understood or not."""
    for passage in passages:
        for statement in statements(passage):
            text = statement.text
            if passage.block_at(statement.start).kind is BlockKind.HEADING or _CAPTION.match(text):
                continue
            valid = any(one.value == Choice.VALIDATION for one in mentions(text, lab) if one.kind is Kind.SPLIT)
            taken = _CHECKPOINT.search(text) and (_CHOICE.search(text) or _SUPERLATIVE.search(text))
            if valid or taken:
                return passage.evidence(statement.start, statement.end)
    return None


_CHECKPOINT: Final = re.compile(
    r"\b(?:checkpoints?|ckpts?|epochs?|[ée]poques?|points? de contr[ôo]le)\b", re.IGNORECASE
)


def choice_in(text: str, lab: Lab) -> Choice | None:
    """How a sentence says that a checkpoint is chosen; None where it does not."""
    last = _TAKEN_LAST.search(text) or _LAST.search(text)
    found = [one for one in mentions(text, lab) if one.kind is Kind.SPLIT and not _DENIED.search(text[: one.start])]
    is_choice, is_best = bool(_CHOICE.search(text)), bool(_SUPERLATIVE.search(text))
    by = {one.value for one in found}
    if Choice.VALIDATION in by and (is_choice or (is_best and not _CAPTION.match(text))):
        is_last = last and (_CONCEDED.search(text) or last.re is _TAKEN_LAST or last.group().startswith("after"))
        return Choice.LAST if is_last else Choice.VALIDATION
    if re.search(r"\bcheckpoint_best\b|\bload_best_model", text):
        return Choice.VALIDATION
    if by == {Choice.TEST.value} and is_best and (_next_to_superlative(text, found) or _best_of_all(text, found)):
        return Choice.TEST
    return Choice.LAST if last and not _DENIED.search(text[: last.start()]) else None


_CONCEDED: Final = re.compile(
    r"\b(?:even (?:though|if)|although|though|despite|instead|rather than|bien que|m[êe]me si|alors que"
    r"|plut[ôo]t que|malgr[ée])\b",
    re.IGNORECASE,
)


def _best_of_all(text: str, found: Sequence[Mention]) -> bool:
    """Whether every checkpoint is measured on test and then the best one is reported."""
    every = re.search(
        r"\b(?:all|each|every|tous|toutes|chaque)\b[^.;]*\b(?:checkpoints?|epochs?|[ée]poques?|models?)\b",
        text,
        re.IGNORECASE,
    )
    return bool(every) and any(match.start() > one.end for one in found for match in _SUPERLATIVE.finditer(text))


def _next_to_superlative(text: str, found: Sequence[Mention]) -> bool:
    """Whether the superlative is of the split's own accuracy: `the checkpoint with the best test accuracy`."""
    return any(
        0 <= one.start - match.end() < 16 or 0 <= match.start() - one.end < 30
        for one in found
        for match in _SUPERLATIVE.finditer(text)
    ) and bool(
        re.search(
            r"checkpoint|epoch|[ée]poque|model|mod[èe]le|step|we (?:took|take|keep|kept)|cho[so]|select",
            text,
            re.IGNORECASE,
        )
    )
