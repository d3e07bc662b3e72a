"""What the checks find in a hand-in with the help of a reader's answer."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from grader.checks.finding import Finding, Flag, Severity
from grader.checks.runner import Findings
from grader.claims.answer import Answer
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.message import say
from grader.reader.answer import NoAnswerError
from grader.reader.card import SNIPPETS
from grader.reader.facts import Found, found_again
from grader.reader.record import Record
from grader.reader.weighing import all_flags, is_reliable, weighed

Check = Callable[[Answer, Lab], Findings]
"""Runs the checks of a lab over claims."""


class ReaderUsed(Frozen):
    """That a reader was asked. Of its `stated` facts, `lost` do not stand in the hand-in and count for nothing;
    `malformed` statements had another form than asked for. `reliable`: it errs so little in this hand-in that its word
    may count. `failure` says why it gave no answer."""

    reader: str
    stated: int = 0
    lost: int = 0
    malformed: int = 0
    reliable: bool = False
    failure: str = ""


class Consulted(NamedTuple):
    """Findings and flags with the reader's part in them."""

    findings: Sequence[Finding]
    flags: Sequence[Flag]
    used: ReaderUsed


def consulted(record: Record, answer: Answer, by_rules: Findings, lab: Lab, check: Check) -> Consulted:
    """The findings of the rules weighed against those of the reader's facts. Whatever is wrong with its answer, the
    findings are then those without it."""
    try:
        read = record.read()
    except NoAnswerError as error:
        used = ReaderUsed(reader=record.reader, failure=str(error))
        return Consulted(by_rules.findings, by_rules.flags, used)
    found = found_again(read, answer, lab, record.earned)
    reread = check(found.answer, lab)
    by_reader = dict(_by_item(reread, found, lab, check))
    reliable = is_reliable(answer, found)
    used = ReaderUsed(
        reader=record.reader, stated=found.stated, lost=found.lost, malformed=read.malformed, reliable=reliable
    )
    findings = weighed(by_rules.findings, by_reader, found, record.earned, lab, reliable=reliable)
    flags = all_flags(by_rules.flags, reread.flags) if reliable else by_rules.flags
    return Consulted(findings, (*flags, *_speaking(found)), used)


def _speaking(found: Found) -> Iterator[Flag]:
    """A flag where a hand-in speaks to the reader; it changes nothing."""
    if found.addressed:
        message = say("The text speaks to whoever reads it for the grader, or imitates an answer of a reader.")
        yield Flag(id="speaks-to-reader", severity=Severity.WARNING, message=message, evidence=found.addressed)


def _by_item(reread: Findings, found: Found, lab: Lab, check: Check) -> Iterator[tuple[str, Finding]]:
    """The findings that rest on what a reader states, by item: where it points at a place, on that place alone."""
    yield from ((one.item, one) for one in reread.findings)
    asked = {SNIPPETS[kind] for kind in found.shown}
    alone = _only(lab, asked)
    if alone.questions:
        yield from ((one.item, one) for one in check(found.pointed, alone).findings)


def _only(lab: Lab, checks: Collection[str]) -> Lab:
    """The lab with nothing but the items that some checks decide."""
    questions = []
    for question in lab.questions:
        items = tuple(one.model_copy(update={"needs": ()}) for one in question.items if one.check in checks)
        if items:
            questions.append(question.model_copy(update={"items": items}))
    return lab.model_copy(update={"questions": tuple(questions), "watches": ()})
