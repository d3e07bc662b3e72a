"""Run a lab's checks over an answer: exactly one finding for every item, whatever happens. About a hand-in that is
blank, unreadable or another lab's one decision is enough.
"""

import hashlib
import time
from collections.abc import Iterable, Sequence
from typing import Final

from grader.checks.check import Conclusion
from grader.checks.finding import HAND_IN, STATUS_WORDS, UNREADABLE, Doubt, Finding, Flag, Severity, Status
from grader.checks.registry import check_of
from grader.checks.short_answer import decided_text
from grader.claims.answer import Answer
from grader.frozen import Frozen, remembered
from grader.lab.definition import Item, Lab, Watch
from grader.lab.files import LabError
from grader.lab.short_answers import Decisions
from grader.lab.truth import GroundTruth
from grader.message import Words, joined, say
from grader.time_limit import TooSlowError, within

_HASH_LENGTH: Final = 16


def as_one(findings: Sequence[Finding], whole: str, decisions: Decisions) -> tuple[Finding, ...]:
    """The findings; where the hand-in as a whole is in doubt, or nothing of it could be read, with all that await a
    person in one group, `whole`. A stored decision settles them: `incorrect` says that it is no answer to the lab,
    anything else that it is one, so that what was decided before stands."""
    if not whole:
        return tuple(findings)
    decision = decisions.of(whole)
    if decision is None:
        return tuple(one.changed(group=whole) if one.status is Status.REVIEW else one for one in findings)
    is_none = decision.label == Status.INCORRECT.value
    return tuple(
        _settled(one.changed(group=whole), decision.signature, is_none=is_none) if one.status is Status.REVIEW else one
        for one in findings
    )


def whole_group(answer: Answer, doubts: Iterable[Doubt]) -> str:
    """The group of a hand-in of which nothing could be read, or that is in doubt as a whole; empty for any other."""
    text = "\n".join((*(one.passage.text for one in answer.sections), *(one.source for one in answer.code)))
    if not text.strip() and answer.gaps:
        return f"{UNREADABLE}{_hash(repr(answer.gaps))}"
    return f"{HAND_IN}{_hash(text)}" if any(doubt.is_whole for doubt in doubts) else ""


def _settled(finding: Finding, signature: str, *, is_none: bool) -> Finding:
    if is_none:
        text = say("A person decided that this hand-in is no answer to this lab.")
        return finding.changed(status=Status.INCORRECT, suggestion=None, feedback=text, decided_by=signature)
    if finding.suggestion is None:
        return finding
    note = joined(
        " ", [one for one in (finding.note, say("A person decided that it is an answer to this lab.")) if one]
    )
    return finding.changed(status=finding.suggestion, suggestion=None, note=note, decided_by=signature)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_HASH_LENGTH]


SECONDS: Final = 2.0
"""Of processor time, for one check; in good faith it takes a fraction of it."""
_SECONDS_FOR_ALL: Final = 4.0
_LEAST_SECONDS: Final = 0.1
_SLOW: Final = say("To judge this takes too long, as the hand-in is built in an uncommon way.")


class Conclusions(Frozen):
    """What checks and watches conclude about one answer before any decision of a person: a finding for every item in
    the lab's order, and flags. The `gaps`, what could not be read, and the `doubts` are not yet in the findings;
    `whole` is the group of all that awaits a person where the hand-in as a whole is in doubt."""

    findings: tuple[Finding, ...]
    flags: tuple[Flag, ...]
    gaps: tuple[Words, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    whole: str = ""


class Findings(Frozen):
    """What the checks conclude about one answer: a finding for every item in the lab's order, and flags."""

    findings: tuple[Finding, ...]
    flags: tuple[Flag, ...]


def known_names(lab: Lab, truth: GroundTruth) -> dict[str, set[str]]:
    """By the options that name something of the lab: the names that they may have."""
    experiments = {experiment.id for experiment in lab.experiments}
    return {
        "experiment": experiments,
        "better": experiments,
        "worse": experiments,
        "model": {count.model for count in truth.counts},
        "truth_id": {count.id for count in truth.counts} | {value.id for value in truth.values},
        "parameter": {parameter.id for parameter in lab.parameters} & {value.parameter for value in truth.values},
    }


def verify(lab: Lab, truth: GroundTruth) -> None:
    """Raise LabError when an item names an unknown check, gives it options that it does not take, or names an
    experiment, a model or a parameter that neither the lab nor its truth knows."""
    known = known_names(lab, truth)
    for parameter in lab.parameters:
        for fact in parameter.facts:
            if truth.fact(fact) is None:
                raise LabError(f"lab.toml: {parameter.id}: no fact named {fact!r} in truth.json; build it anew.")
    for watch in lab.watches:
        check_of(watch).bound(watch)
    for item in lab.items:
        check_of(item).bound(item)
        for name in known.keys() & item.options.keys():
            if item.options[name] not in known[name]:
                accepted = ", ".join(sorted(known[name])) or "none"
                raise LabError(f"lab.toml: item {item.id}: no {name} named {item.options[name]!r}. Known: {accepted}.")


def run_checks(answer: Answer, truth: GroundTruth, lab: Lab) -> Findings:
    """Decide every item of a lab, then watch the hand-in as a whole, then put in force what persons decided about the
    texts and about verdicts like these. A check that fails yields an `error` finding for its item and stops no
    other."""
    return in_force(checked(answer, truth, undecided(lab)), lab)


@remembered
def undecided(lab: Lab) -> Lab:
    """The lab without stored decisions, as checks and watches see it."""
    return lab.model_copy(update={"decisions": Decisions()}) if lab.decisions.decisions else lab


def checked(answer: Answer, truth: GroundTruth, lab: Lab) -> Conclusions:
    """What checks and watches conclude; they know nothing of what persons decided."""
    findings: dict[str, Finding] = {}
    flags: list[Flag] = []
    started = time.process_time()
    withheld: dict[str, Finding] = {}
    for item in lab.items:
        blocked = [need for need in item.needs if withheld[need].status in (Status.MISSING, Status.NOT_RUN)]
        if blocked:
            findings[item.id] = withheld[item.id] = _not_run(item, blocked)
            continue
        conclusions = _conclusions(item, answer, truth, lab, _patience(started))
        flags += [conclusion for conclusion in conclusions if isinstance(conclusion, Flag)]
        findings[item.id] = _only_finding(item, conclusions)
        withheld[item.id] = _doubted(findings[item.id], answer.gaps)
    watched = tuple(withheld.values())
    doubts: list[Doubt] = []
    for watch in lab.watches:
        for conclusion in _watched(watch, answer, truth, lab, watched, _patience(started)):
            if isinstance(conclusion, Flag):
                flags.append(conclusion)
            elif isinstance(conclusion, Doubt):
                doubts.append(conclusion)
                watched = tuple(_withheld(finding, conclusion) for finding in watched)
    return Conclusions(
        findings=tuple(findings.values()),
        flags=_merged(flags),
        gaps=answer.gaps,
        doubts=tuple(doubts),
        whole=whole_group(answer, doubts),
    )


def in_force(found: Conclusions, lab: Lab) -> Findings:
    """The findings with the lab's stored decisions, and with what their hand-in as a whole leaves in doubt."""
    findings = tuple(_doubted(decided_text(one, lab), found.gaps) for one in found.findings)
    for doubt in found.doubts:
        findings = tuple(_withheld(one, doubt) for one in findings)
    return Findings(findings=as_one(findings, found.whole, lab.decisions), flags=found.flags)


def _patience(started: float) -> float:
    """How long the next check may take: the less, the longer those before it took."""
    left = _SECONDS_FOR_ALL - (time.process_time() - started)
    return max(_LEAST_SECONDS, min(SECONDS, left))


def _watched(
    watch: Watch, answer: Answer, truth: GroundTruth, lab: Lab, findings: tuple[Finding, ...], seconds: float
) -> list[Conclusion]:
    try:
        with within(seconds):
            return list(check_of(watch).bound(watch)(answer=answer, truth=truth, lab=lab, findings=findings))
    except TooSlowError:
        return [Flag(id="grader-failed", severity=Severity.WARNING, message=_SLOW)]
    except Exception as error:  # a watch decides nothing, so its failure must not cost a grade
        message = say(
            "The grader failed in {check} ({kind}: {error}).",
            check=watch.check,
            kind=type(error).__name__,
            error=str(error),
        )
        return [Flag(id="grader-failed", severity=Severity.WARNING, message=message)]


def _withheld(finding: Finding, doubt: Doubt) -> Finding:
    """A finding that goes to a person for a doubt about the hand-in as a whole."""
    if finding.status not in doubt.statuses:
        return finding
    decided = say("Decided as {status} before: {reason}", status=STATUS_WORDS[finding.status], reason=doubt.reason)
    return finding.changed(
        status=Status.REVIEW,
        suggestion=None if finding.status is Status.MISSING else finding.status,
        feedback=say("{feedback} {reason} A person decides.", feedback=finding.feedback, reason=doubt.reason),
        note=joined(" ", (one for one in (finding.note, decided) if one)),
    )


def _conclusions(item: Item, answer: Answer, truth: GroundTruth, lab: Lab, seconds: float) -> list[Conclusion]:
    try:
        with within(seconds):
            return list(check_of(item).bound(item)(answer=answer, truth=truth, lab=lab))
    except TooSlowError:
        return [Finding(item=item.id, status=Status.ERROR, feedback=say("The grader failed on this item."), note=_SLOW)]
    except Exception as error:  # the fault is the checker's, and no other item may suffer from it
        return [
            Finding(
                item=item.id,
                status=Status.ERROR,
                feedback=say("The grader failed on this item."),
                note=f"{type(error).__name__}: {error}",
            )
        ]


def _only_finding(item: Item, conclusions: Iterable[Conclusion]) -> Finding:
    found = [conclusion for conclusion in conclusions if isinstance(conclusion, Finding)]
    if len(found) == 1:
        return found[0]
    note = say("The check {check} gave {count} findings instead of one.", check=item.check, count=len(found))
    return Finding(item=item.id, status=Status.ERROR, feedback=say("The grader failed on this item."), note=note)


def _not_run(item: Item, blocked: list[str]) -> Finding:
    return Finding(
        item=item.id,
        status=Status.NOT_RUN,
        feedback=say("This could not be judged, since {items} was not found.", items=", ".join(blocked)),
    )


def _doubted(finding: Finding, gaps: Sequence[str]) -> Finding:
    """No points are withheld for certain unless everything was read: otherwise a person looks into what was not."""
    if not gaps or finding.status not in (Status.MISSING, Status.INCORRECT):
        return finding
    return finding.changed(
        status=Status.REVIEW,
        suggestion=None if finding.status is Status.MISSING else finding.status,
        feedback=say(
            "{feedback} Some of what was handed in could not be read; a person looks there.", feedback=finding.feedback
        ),
        note=say("Not read: {problems}", problems=joined(say("; "), gaps)),
    )


def _merged(flags: list[Flag]) -> tuple[Flag, ...]:
    """Equal flags once, in their order."""
    return tuple(dict.fromkeys(flags))
