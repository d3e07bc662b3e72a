"""Hand-ins about which one decision is enough: blank, unreadable, or another lab's."""

import hashlib
from collections.abc import Sequence
from typing import Final

from grader.checks.doubt import Doubt
from grader.checks.finding import HAND_IN, UNREADABLE, Finding, Status
from grader.claims.answer import Answer
from grader.lab.definition import Lab
from grader.message import joined, say

_HASH_LENGTH: Final = 16


def as_one(findings: Sequence[Finding], answer: Answer, doubts: Sequence[Doubt], lab: Lab) -> tuple[Finding, ...]:
    """The findings, where a doubt holds for the whole hand-in or nothing of it could be read with all that await a
    person in one group. A stored decision settles them: `incorrect` says that it is no answer to the lab, anything else
    that it is one, so that what was decided before stands."""
    text = "\n".join((*(one.passage.text for one in answer.sections), *(one.source for one in answer.code)))
    if not text.strip() and answer.gaps:
        group = f"{UNREADABLE}{_hash(repr(answer.gaps))}"
    elif any(doubt.is_whole for doubt in doubts):
        group = f"{HAND_IN}{_hash(text)}"
    else:
        return tuple(findings)
    decision = lab.decisions.of(group)
    if decision is None:
        return tuple(one.but(group=group) if one.status is Status.REVIEW else one for one in findings)
    is_none = decision.label == Status.INCORRECT.value
    return tuple(
        _settled(one.but(group=group), decision.signature, is_none=is_none) if one.status is Status.REVIEW else one
        for one in findings
    )


def _settled(finding: Finding, signature: str, *, is_none: bool) -> Finding:
    if is_none:
        text = say("A person decided that this hand-in is no answer to this lab.")
        return finding.but(status=Status.INCORRECT, suggestion=None, feedback=text, decided_by=signature)
    if finding.suggestion is None:
        return finding
    note = joined(
        " ", [one for one in (finding.note, say("A person decided that it is an answer to this lab.")) if one]
    )
    return finding.but(status=finding.suggestion, suggestion=None, note=note, decided_by=signature)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_HASH_LENGTH]
