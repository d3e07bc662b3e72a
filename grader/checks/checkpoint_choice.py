"""What a text says about how a checkpoint was chosen: by validation, by test, as the last one, or in another way."""

from collections.abc import Iterable, Iterator, Sequence, Set
from enum import StrEnum
from typing import Final, NamedTuple

from grader.claims.meaning.model import NOTHING, Topic, together, topics
from grader.claims.meaning.tokens import choice_tokens
from grader.claims.passage import Passage
from grader.claims.results.vocabulary import Kind, abbreviations_in, mentions
from grader.claims.statements import all_statements
from grader.lab.definition import Lab
from grader.reading.document import BlockKind
from grader.reading.evidence import Evidence

TOLD: Final = 0.8
"""From which trust on a statement is taken for what it seems to say."""
_HEARD: Final = 0.4
"""A statement that is so likely to say something about the choice keeps the matter open."""
_AGAINST: Final = 0.6
"""What is said so likely stands against something else that is told."""


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


def said_together(heard: Sequence[SaidChoice]) -> dict[Choice, tuple[SaidChoice, ...]]:
    """The ways of choosing that a text tells, each with the statements that do, the surest first: empty where none is
    sure. Beside one that is sure, another one that is likely is told, too."""
    surest = sorted(heard, key=lambda one: -one.sure)
    by = {choice: tuple(one for one in surest if one.by is choice) for choice in Choice}
    sure = {choice: together(one.sure for one in own) for choice, own in by.items()}
    if max(sure.values()) < TOLD:
        return {}
    return {choice: own for choice, own in by.items() if own and (own[0].sure >= _AGAINST or sure[choice] >= TOLD)}


def choices(passages: Iterable[tuple[Passage, bool]], experiment: str, lab: Lab) -> Iterator[SaidChoice]:
    """Every statement that may tell how the checkpoints of an experiment are chosen, in order. Statements that name
    only other experiments, or follow one that does, or stand under the heading of one, are of those. In passages that
    answer another question (False) only those count that name the experiment, or come after it was named last."""
    topic = topics()["choice"]
    for passage, is_own in passages:
        abbreviations = abbreviations_in(passage.text, lab)
        under: Set[str] = frozenset()
        before = _Before()
        last: Set[str] = frozenset()
        for statement in all_statements(passage):
            found = mentions(statement.text, lab, abbreviations)
            named = {one.value for one in found if one.kind is Kind.EXPERIMENT}
            splits = {one.value for one in found if one.kind is Kind.SPLIT}
            if passage.block_at(statement.start).kind is BlockKind.HEADING:
                under, before = named, _Before()
                continue
            follows = 0 <= statement.start - before.end <= _NEXT
            last = named or last
            about = last if not is_own else named or (before.named if follows else frozenset()) or under
            if experiment in about or (is_own and not about):
                said = topic.read(choice_tokens(statement.text, found)).probabilities
                by = max(Choice, key=lambda one: said[one.value])
                sure = said[by.value]
                if by is Choice.TEST and follows and Choice.VALIDATION in before.splits:
                    sure = min(sure, _with_before(before, statement.text, topic, lab))
                if by is Choice.TEST and passage.block_at(statement.start).kind in (BlockKind.CODE, BlockKind.OUTPUT):
                    sure = min(sure, _HEARD)  # code that shows the test accuracies of some runs reads much like it
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
