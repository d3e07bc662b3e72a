"""Findings, the conclusions of checks, and how a marker's stored decisions change them.

A finding says whether an answer is right, never how many points it is worth (`grader/scoring.py`).
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from pydantic import Field

from grader.checks.feedback import NOT_READ_WHOLE, left_to_person
from grader.frozen import Frozen, memoise
from grader.lab.definition import Lab
from grader.lab.short_answers import Decisions
from grader.message import Message, Words, join_messages, say
from grader.reading.document import Evidence
from grader.risk import lower_bound


class Status(StrEnum):
    """The state of one item, the best first. The values are explained in docs/architecture.md."""

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
"""The name of each status for readers."""

HAND_IN: Final = "hand-in:"
"""The prefix of the group of all findings of one submission. The rest is a hash of what was read."""

UNREADABLE: Final = "unreadable:"
"""The prefix of the group of an unreadable submission. Its decision cannot be stored, because such submissions cannot
be told apart."""

UNDECIDED = (Status.REVIEW, Status.ERROR)
"""The statuses that a marker must decide."""


class ExpectedAnswer(Frozen):
    """The right answer in words for the student, and the ids of the truths that it comes from."""

    text: Words
    truths: tuple[str, ...] = ()


class Diagnosis(Frozen):
    """A named explanation of what was found, in one sentence for the student."""

    id: str
    text: Words


class Finding(Frozen):
    """The conclusion of a check about one item."""

    item: str
    status: Status
    found: Words | None = None
    """The answer as it was read."""
    expected: ExpectedAnswer | None = None
    diagnoses: tuple[Diagnosis, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    feedback: Words = ""
    """The message for the student."""
    note: Words = ""
    """The message for staff."""
    suggestion: Status | None = None
    """The status that a marker who reviews the item might choose."""
    group: str = ""
    """The group of similar answers, which one decision settles."""
    tags: tuple[str, ...] = ()
    """The elements that were recognised in the answer."""
    decided_by: Words = ""
    """The marker who decided."""
    share: Decimal | None = Field(default=None, ge=0, le=1)
    """The share of the item's points that a partial answer earns. None stands for the item's own share."""
    confidence: float = Field(default=1.0, ge=0, le=1)
    """The confidence in the status, from 0 to 1."""
    decided_tags: tuple[str, ...] | None = None
    """The tags that the finding keeps if a stored decision settles its group; None if no stored decision can."""

    def with_changes(self, **changes: Any) -> "Finding":
        """Return this finding with some fields changed. Raises ValidationError for an invalid value."""
        return Finding.model_validate({**dict(self), **changes})


def best_of(findings: Iterable[Finding | None]) -> Finding | None:
    """Return the finding with the best status, the first of several; None without findings."""
    return min(filter(None, findings), key=lambda finding: list(Status).index(finding.status), default=None)


class Severity(StrEnum):
    """The importance of a flag."""

    INFO = "info"
    WARNING = "warning"


class Flag(Frozen):
    """A remark for staff or students. It never costs points by itself."""

    id: str
    severity: Severity
    message: Words
    evidence: tuple[Evidence, ...] = ()


class Doubt(Frozen):
    """A reason that concerns a whole submission and sends findings with certain statuses to review.

    If `is_whole`, one decision about the submission settles all of them.
    """

    statuses: tuple[Status, ...]
    reason: Words
    is_whole: bool = False


class ItemGaps(Frozen):
    """The parts of a submission that could not be read and may contain the answer to an item."""

    item: str
    gaps: tuple[Words, ...]


class Conclusions(Frozen):
    """The conclusions of all checks and watches about one submission, before any stored decision.

    There is one finding per item, in the lab's order.
    """

    findings: tuple[Finding, ...]
    flags: tuple[Flag, ...]
    gaps: tuple[ItemGaps, ...] = ()
    """The unreadable parts, by item. The findings do not take them into account yet."""
    doubts: tuple[Doubt, ...] = ()
    """The reasons that send findings to review. The findings do not take them into account yet."""
    whole: str = ""
    """The group of all findings that are pending, if the submission as a whole is in doubt."""


class Findings(Frozen):
    """The final findings, one per item in the lab's order, and the flags."""

    findings: tuple[Finding, ...]
    flags: tuple[Flag, ...]


AUTOMATIC: Final = "automatic:"
"""The prefix of the tag of a verdict by the model. The label follows."""
OVERRULED: Final = "overruled"
"""The tag of a verdict by the model that does not count because markers overruled too many on its question."""


@memoise
def without_decisions(lab: Lab) -> Lab:
    """Return the lab without stored decisions, as checks and watches see it."""
    return lab.model_copy(update={"decisions": Decisions()}) if lab.decisions.decisions else lab


def in_force(found: Conclusions, lab: Lab) -> Findings:
    """Apply the lab's stored decisions, the gaps and the doubts of a submission to its findings."""
    gaps = {gap.item: gap.gaps for gap in found.gaps}
    findings = tuple(
        review_if_unread(decided_text(finding, lab), gaps.get(finding.item, ())) for finding in found.findings
    )
    for doubt in found.doubts:
        findings = tuple(withheld(finding, doubt) for finding in findings)
    return Findings(findings=as_one(findings, found.whole, lab.decisions), flags=found.flags)


def as_one(findings: Sequence[Finding], whole: str, decisions: Decisions) -> tuple[Finding, ...]:
    """Put all pending findings into the group `whole` and apply the stored decision about it.

    An empty `whole` changes nothing. The decision `incorrect` says that the submission is no answer to this lab. Any
    other decision says that it is an answer, and the suggestions become the verdicts.
    """
    if not whole:
        return tuple(findings)
    decision = decisions.decision_for(whole)
    if decision is None:
        return tuple(
            finding.with_changes(group=whole) if finding.status is Status.REVIEW else finding for finding in findings
        )
    is_none = decision.label == Status.INCORRECT.value
    return tuple(
        _settled(finding.with_changes(group=whole), decision.signature, is_none=is_none)
        if finding.status is Status.REVIEW
        else finding
        for finding in findings
    )


def _settled(finding: Finding, signature: str, *, is_none: bool) -> Finding:
    """Return a finding for review after a marker decided about the whole submission."""
    if is_none:
        text = say("A person decided that this submission is no answer to this lab.")
        return finding.with_changes(status=Status.INCORRECT, suggestion=None, feedback=text, decided_by=signature)
    if finding.suggestion is None:
        return finding
    note = join_messages(
        " ",
        [
            candidate
            for candidate in (finding.note, say("A person decided that it is an answer to this lab."))
            if candidate
        ],
    )
    return finding.with_changes(status=finding.suggestion, suggestion=None, note=note, decided_by=signature)


def withheld(finding: Finding, doubt: Doubt) -> Finding:
    """Return a finding for review if a doubt about the whole submission concerns its status."""
    if finding.status not in doubt.statuses:
        return finding
    verdict = STATUS_WORDS[finding.status]
    decided = say("{reason} Without this doubt, the verdict is: {status}.", reason=doubt.reason, status=verdict)
    return finding.with_changes(
        status=Status.REVIEW,
        suggestion=None if finding.status is Status.MISSING else finding.status,
        feedback=left_to_person(finding.feedback, doubt.reason),
        note=join_messages(" ", (sentence for sentence in (finding.note, decided) if sentence)),
    )


def review_if_unread(finding: Finding, gaps: Sequence[str]) -> Finding:
    """Return the finding for review if it withholds points although parts of the submission were not read."""
    if not gaps or finding.status not in (Status.MISSING, Status.INCORRECT):
        return finding
    return finding.with_changes(
        status=Status.REVIEW,
        suggestion=None if finding.status is Status.MISSING else finding.status,
        feedback=left_to_person(finding.feedback, NOT_READ_WHOLE),
        note=say("Not read: {problems}", problems=join_messages(say("; "), gaps)),
    )


def decided_text(finding: Finding, lab: Lab) -> Finding:
    """Return the finding after the lab's stored decisions on short answers.

    A stored decision about the same text replaces the verdict. If markers overruled too many automatic verdicts on a
    question, its automatic verdicts go to review.
    """
    if finding.decided_tags is None:
        return finding
    decision = lab.decisions.decision_for(finding.group)
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
    return finding.with_changes(
        status=Status.REVIEW,
        suggestion=finding.status,
        tags=(OVERRULED,),
        feedback="",
        note=join_messages(" ", (doubt, finding.note)),
        confidence=1.0,
    )


def is_automatic(tags: Iterable[str]) -> bool:
    """Whether the model gave the verdict that has these tags."""
    return any(tag.startswith(AUTOMATIC) for tag in tags)


@memoise
def is_withdrawn(lab: Lab, topic: str) -> bool:
    """Whether audits found more wrong automatic verdicts on a question than the lab's risk allows."""
    audits = [
        decision
        for decision in lab.decisions.decisions
        if decision.group.startswith(f"{topic}:") and decision.automatic
    ]
    wrong = sum(audit.automatic != audit.label for audit in audits)
    return lab.short_answers is not None and lower_bound(wrong, len(audits)) > lab.short_answers.risk
