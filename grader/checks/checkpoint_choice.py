"""What a text says about how a checkpoint was chosen: by validation, by test, as the last one, or in another way."""

from collections.abc import Iterator, Sequence, Set
from enum import StrEnum
from typing import Final, NamedTuple

from grader.claims.meaning.model import NOTHING, Topic, topics
from grader.claims.meaning.tokens import choice_tokens
from grader.claims.passage import Passage
from grader.claims.results.vocabulary import Kind, abbreviations_in, mentions
from grader.claims.statements import all_statements
from grader.lab.definition import Lab
from grader.reading.document import BlockKind
from grader.reading.evidence import Evidence

TOLD: Final = 0.85
"""From which trust on a statement is taken for what it seems to say."""
_HEARD: Final = 0.5
"""A statement that is so likely to say something about the choice keeps the matter open."""


class Choice(StrEnum):
    """By what a checkpoint is chosen."""

    VALIDATION = "valid"
    TEST = "test"
    LAST = "last"
    OTHER = "other"


class SaidChoice(NamedTuple):
    """A way of choosing that a statement is likeliest to tell, how sure that is, and where it stands."""

    by: Choice
    sure: float
    evidence: Evidence

    @property
    def is_told(self) -> bool:
        """Whether the statement was understood."""
        return self.sure >= TOLD


def choices(passages: Sequence[Passage], experiment: str, lab: Lab) -> Iterator[SaidChoice]:
    """Every statement that may tell how the checkpoints of an experiment are chosen, in order. Statements that name
    only other experiments, or follow one that does, or stand under the heading of one, are of those."""
    topic = topics()["choice"]
    for passage in passages:
        abbreviations = abbreviations_in(passage.text, lab)
        under: Set[str] = frozenset()
        before = _Before()
        for statement in all_statements(passage):
            found = mentions(statement.text, lab, abbreviations)
            named = {one.value for one in found if one.kind is Kind.EXPERIMENT}
            splits = {one.value for one in found if one.kind is Kind.SPLIT}
            if passage.block_at(statement.start).kind is BlockKind.HEADING:
                under, before = named, _Before()
                continue
            follows = 0 <= statement.start - before.end <= _NEXT
            about = named or (before.named if follows else frozenset()) or under
            if not about or experiment in about:
                said = topic.read(choice_tokens(statement.text, found)).probabilities
                by = max(Choice, key=lambda one: said[one.value])
                sure = said[by.value]
                if by is Choice.TEST and follows and Choice.VALIDATION in before.splits:
                    sure = min(sure, _with_before(before, statement.text, topic, lab))
                if 1 - said[NOTHING] >= _HEARD:
                    yield SaidChoice(by, sure, passage.evidence(statement.start, statement.end))
            before = _Before(statement.text, statement.end, named, splits)


class _Before(NamedTuple):
    """The statement before: where it ends, and what it names."""

    text: str = ""
    end: int = -100
    named: Set[str] = frozenset()
    splits: Set[str] = frozenset()


def _with_before(before: _Before, text: str, topic: Topic, lab: Lab) -> float:
    """How sure a choice by test is where the statement before is read with it: `this value` may be that of
    validation."""
    both = f"{before.text} {text}"
    return topic.read(choice_tokens(both, mentions(both, lab))).probabilities[Choice.TEST]


_NEXT: Final = 2
"""Characters between statements of which one follows the other in the same paragraph."""
