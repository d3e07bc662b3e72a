"""What the checks find in a hand-in with the help of a reader's answer."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from grader.checks.finding import Finding, Flag
from grader.checks.runner import Findings
from grader.claims.answer import Answer
from grader.frozen import Frozen
from grader.lab.definition import Lab
from grader.reader.answer import NoAnswerError
from grader.reader.facts import found_again
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
    reliable = is_reliable(answer, found)
    used = ReaderUsed(
        reader=record.reader, stated=found.stated, lost=found.lost, malformed=read.malformed, reliable=reliable
    )
    findings = weighed(by_rules.findings, reread.findings, found, record.earned, lab, reliable=reliable)
    flags = all_flags(by_rules.flags, reread.flags) if reliable else by_rules.flags
    return Consulted(findings, flags, used)
