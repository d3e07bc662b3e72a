"""The conclusion of a check, and the effect of the lab's stored decisions of persons on it. It says what is so, never
how many points that is worth."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from pydantic import Field

from grader.frozen import Frozen, remembered
from grader.lab.definition import Lab
from grader.lab.short_answers import Decisions
from grader.message import Message, Words, joined, say
from grader.reading.document import Evidence
from grader.risk import lower_bound


class Status(StrEnum):
    """The state of one rubric item, the best first."""

    CORRECT = "correct"
    PARTIAL = "partial"
    INCORRECT = "incorrect"
    MISSING = "missing"
    REVIEW = "review"
    NOT_RUN = "not_run"
    ERROR = "error"


STATUS_WORDS: Final[Mapping[Status, Message]] = {
    Status.CORRECT: say("correct"),
    Status.PARTIAL: say("partly correct"),
    Status.INCORRECT: say("incorrect"),
    Status.MISSING: say("missing"),
    Status.REVIEW: say("for review"),
    Status.NOT_RUN: say("not assessed"),
    Status.ERROR: say("grader error"),
}
"""The name of each state wherever people read it."""

HAND_IN: Final = "hand-in:"
"""Begins the group of all findings of one hand-in; a decision about it is stored by a hash of what was read."""

UNREADABLE: Final = "unreadable:"
"""Begins the group of a hand-in of which nothing could be read. Its decision cannot be stored: nothing tells it from
another one."""

UNDECIDED = (Status.REVIEW, Status.ERROR)
"""The states in which a person must decide."""


class Expected(Frozen):
    """The right answer, in words for the student, and the ids of the truths it comes from."""

    text: Words
    truths: tuple[str, ...] = ()


class Diagnosis(Frozen):
    """A named explanation of what was found, in one sentence for the student."""

    id: str
    text: Words


class Finding(Frozen):
    """The conclusion of a check about one rubric item.

    `found` is the answer as read. `feedback` is for the student, `note` for staff. `suggestion` is the status that a
    person who reviews the item might choose. Findings of one `group` are about like
    answers, so that one decision settles them; `tags` say what was recognised in it, and `decided_by` which person
    decided. `share` says how much of what was asked a partial answer holds, where the check can tell; else the item's
    own share holds. `confidence` is between 0 and 1. `decided_tags` are those that stay where a person decided about
    the group in the lab's stored decisions; None where no stored decision is about it.
    """

    item: str
    status: Status
    found: Words | None = None
    expected: Expected | None = None
    diagnoses: tuple[Diagnosis, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    feedback: Words = ""
    note: Words = ""
    suggestion: Status | None = None
    group: str = ""
    tags: tuple[str, ...] = ()
    decided_by: Words = ""
    share: Decimal | None = Field(default=None, ge=0, le=1)
    confidence: float = Field(default=1.0, ge=0, le=1)
    decided_tags: tuple[str, ...] | None = None

    def changed(self, **changes: Any) -> "Finding":
        """This finding with some fields changed."""
        return Finding.model_validate({**dict(self), **changes})


def best_of(findings: Iterable[Finding | None]) -> Finding | None:
    """The finding with the best state, of several the first; None where there is none."""
    return min(filter(None, findings), key=lambda finding: list(Status).index(finding.status), default=None)


class Severity(StrEnum):
    """The importance of a flag."""

    INFO = "info"
    WARNING = "warning"


class Flag(Frozen):
    """Something worth a look. It never costs points by itself."""

    id: str
    severity: Severity
    message: Words
    evidence: tuple[Evidence, ...] = ()


class Doubt(Frozen):
    """Findings with one of these statuses go to a person, for a reason that holds for the hand-in as a whole. Where it
    `is_whole`, one decision about the hand-in settles them all."""

    statuses: tuple[Status, ...]
    reason: Words
    is_whole: bool = False


class ItemGaps(Frozen):
    """The parts of a hand-in that could not be read and may hold the answer to an item."""

    item: str
    gaps: tuple[Words, ...]


class Conclusions(Frozen):
    """The conclusions of checks and watches about one answer before any decision of a person: a finding for every item
    in the lab's order, and flags. The `gaps`, by item, and the `doubts` are not yet in the findings; `whole` is the
    group of all items that await a person if the hand-in as a whole is in doubt."""

    findings: tuple[Finding, ...]
    flags: tuple[Flag, ...]
    gaps: tuple[ItemGaps, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    whole: str = ""


class Findings(Frozen):
    """The conclusions of the checks about one answer: a finding for every item in the lab's order, and flags."""

    findings: tuple[Finding, ...]
    flags: tuple[Flag, ...]


AUTOMATIC: Final = "automatic:"
"""Begins the tag of a verdict that the model gave; the label follows."""
OVERRULED: Final = "overruled"
"""The tag of a verdict of the model that does not count, since people overruled too many on its question."""


@remembered
def undecided(lab: Lab) -> Lab:
    """The lab without stored decisions, as checks and watches see it."""
    return lab.model_copy(update={"decisions": Decisions()}) if lab.decisions.decisions else lab


def in_force(found: Conclusions, lab: Lab) -> Findings:
    """The findings with the lab's stored decisions, and with what their hand-in as a whole leaves in doubt."""
    gaps = {gap.item: gap.gaps for gap in found.gaps}
    findings = tuple(doubted(decided_text(finding, lab), gaps.get(finding.item, ())) for finding in found.findings)
    for doubt in found.doubts:
        findings = tuple(withheld(finding, doubt) for finding in findings)
    return Findings(findings=as_one(findings, found.whole, lab.decisions), flags=found.flags)


def as_one(findings: Sequence[Finding], whole: str, decisions: Decisions) -> tuple[Finding, ...]:
    """The findings; where the hand-in as a whole is in doubt, or nothing of it could be read, with all that await a
    person in one group, `whole`. A stored decision settles them: `incorrect` says that it is no answer to the lab,
    anything else that it is one, so that what was decided before stands."""
    if not whole:
        return tuple(findings)
    decision = decisions.of(whole)
    if decision is None:
        return tuple(
            finding.changed(group=whole) if finding.status is Status.REVIEW else finding for finding in findings
        )
    is_none = decision.label == Status.INCORRECT.value
    return tuple(
        _settled(finding.changed(group=whole), decision.signature, is_none=is_none)
        if finding.status is Status.REVIEW
        else finding
        for finding in findings
    )


def _settled(finding: Finding, signature: str, *, is_none: bool) -> Finding:
    """A finding for review as a person decided about the whole hand-in."""
    if is_none:
        text = say("A person decided that this submission is no answer to this lab.")
        return finding.changed(status=Status.INCORRECT, suggestion=None, feedback=text, decided_by=signature)
    if finding.suggestion is None:
        return finding
    note = joined(
        " ",
        [
            candidate
            for candidate in (finding.note, say("A person decided that it is an answer to this lab."))
            if candidate
        ],
    )
    return finding.changed(status=finding.suggestion, suggestion=None, note=note, decided_by=signature)


def withheld(finding: Finding, doubt: Doubt) -> Finding:
    """A finding that goes to a person for a doubt about the hand-in as a whole."""
    if finding.status not in doubt.statuses:
        return finding
    decided = say("Decided as {status} before: {reason}", status=STATUS_WORDS[finding.status], reason=doubt.reason)
    return finding.changed(
        status=Status.REVIEW,
        suggestion=None if finding.status is Status.MISSING else finding.status,
        feedback=say("{feedback} {reason} A person decides.", feedback=finding.feedback, reason=doubt.reason),
        note=joined(" ", (sentence for sentence in (finding.note, decided) if sentence)),
    )


def doubted(finding: Finding, gaps: Sequence[str]) -> Finding:
    """No points are withheld for certain unless everything was read: otherwise a person looks into what was not."""
    if not gaps or finding.status not in (Status.MISSING, Status.INCORRECT):
        return finding
    return finding.changed(
        status=Status.REVIEW,
        suggestion=None if finding.status is Status.MISSING else finding.status,
        feedback=say(
            "{feedback} Some of the submission could not be read; a person decides.", feedback=finding.feedback
        ),
        note=say("Not read: {problems}", problems=joined(say("; "), gaps)),
    )


def decided_text(finding: Finding, lab: Lab) -> Finding:
    """The finding as the lab's stored decisions leave it: with that about its own text, or to a person where those
    about its question overruled too many automatic verdicts."""
    if finding.decided_tags is None:
        return finding
    decision = lab.decisions.of(finding.group)
    if decision is not None:
        return Finding(
            item=finding.item,
            status=Status(decision.label),
            found=finding.found,
            expected=finding.expected,
            evidence=finding.evidence,
            feedback=say("A person decided about this text: {why}", why=decision.why),
            group=finding.group,
            tags=finding.decided_tags,
            decided_by=decision.signature,
            decided_tags=finding.decided_tags,
        )
    if not is_automatic(finding.tags) or not is_withdrawn(lab, finding.group.partition(":")[0]):
        return finding
    doubt = say("Markers overruled too many automatic verdicts on this question, so a person decides all its answers.")
    return finding.changed(
        status=Status.REVIEW,
        suggestion=finding.status,
        tags=(OVERRULED,),
        feedback="",
        note=joined(" ", (doubt, finding.note)),
        confidence=1.0,
    )


def is_automatic(tags: Iterable[str]) -> bool:
    """Whether the tags are those of a verdict that the model gave."""
    return any(tag.startswith(AUTOMATIC) for tag in tags)


@remembered
def is_withdrawn(lab: Lab, topic: str) -> bool:
    """Whether the audits of a question found more errors than the lab's risk allows."""
    audits = [
        decision
        for decision in lab.decisions.decisions
        if decision.group.startswith(f"{topic}:") and decision.automatic
    ]
    wrong = sum(audit.automatic != audit.label for audit in audits)
    return lab.short_answers is not None and lower_bound(wrong, len(audits)) > lab.short_answers.risk
