"""What counts for a grade beside the hand-in itself, and how it enters a finding."""

import hashlib
import json

from pydantic import Field

from grader.checks.finding import STATUS_WORDS, Finding, Status
from grader.frozen import Frozen
from grader.lab.definition import Item
from grader.message import Words, joined, say
from grader.reader.record import Record
from grader.result import AppliedOverride, Lateness, LookedAgain, Override
from grader.scoring import decided_status

_LENGTH = 16


class Circumstances(Frozen):
    """A hand-in's lateness, what persons decided about its items, and what a reader says that it states."""

    lateness: Lateness | None = None
    overrides: dict[str, Override] = Field(default_factory=dict)
    answers: dict[str, tuple[LookedAgain, ...]] = Field(
        default_factory=dict, description="By item: the student's requests to look again that were answered."
    )
    blind: frozenset[str] | None = Field(
        default=None, description="For blind grading: the words of names that must not be seen."
    )
    reader: Record | None = Field(default=None, description="What a reader answered, where one was asked.")


ORDINARY = Circumstances()


def fingerprint(finding: Finding) -> str:
    """Stands for what was found, where and with which outcome; not for the words in which it is told."""
    told = {
        "item": finding.item,
        "status": finding.status,
        "share": str(finding.share),
        "found": finding.found,
        "expected": finding.expected.text if finding.expected else None,
        "diagnoses": [diagnosis.id for diagnosis in finding.diagnoses],
        "evidence": [one.model_dump(mode="json", exclude={"box"}) for one in finding.evidence],
    }
    text = json.dumps(told, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_LENGTH]


def applied(item: Item, finding: Finding, override: Override, score_before: object) -> AppliedOverride:
    """An override put in force on a finding."""
    fields = {**dict(override), "status": decided_status(item, override)}
    return AppliedOverride(
        **fields,
        before=finding.status,
        score_before=score_before,
        stale=bool(override.finding) and override.finding != fingerprint(finding),
    )


def staff_note(finding: Finding, put: AppliedOverride) -> Words:
    """The finding's note, after a warning where the override was decided on another finding."""
    if not put.stale:
        return finding.note
    warning = say(
        "The override by {author} of {date} was decided on another finding; since then the grader concludes "
        "'{status}'. Look again, then renew or remove the override.",
        author=put.author,
        date=put.date,
        status=STATUS_WORDS[put.before],
    )
    return joined(" ", (warning, finding.note)) if finding.note else warning


def status_of(finding: Finding, put: AppliedOverride | None) -> Status:
    """The status in force."""
    return put.status if put and put.status else finding.status
