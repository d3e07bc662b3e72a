"""Run a lab's checks on a submission and return exactly one finding for every item, whatever happens.

If a submission is blank, unreadable or made for another lab, one decision about the whole submission is enough.
"""

import hashlib
import time
from collections.abc import Iterable
from typing import Final

from grader.checks.absence import beside_drawn_words, cut_off, less_drawn
from grader.checks.addressed import addressed_flags
from grader.checks.check import Check, Conclusion
from grader.checks.committed import as_committed
from grader.checks.feedback import left_to_person
from grader.checks.finding import (
    HAND_IN,
    UNREADABLE,
    Conclusions,
    Doubt,
    Finding,
    Findings,
    Flag,
    ItemGaps,
    Severity,
    Status,
    in_force,
    review_if_unread,
    withheld,
    without_decisions,
)
from grader.checks.questions_found import no_question_found
from grader.checks.recognised import as_recognised, less_recognised
from grader.checks.registry import check_of, find_check
from grader.checks.runs_shown import no_run_shown, with_logs
from grader.claims.answer import Answer
from grader.lab.definition import Item, Lab, Watch
from grader.lab.files import LabError
from grader.lab.truth import GroundTruth
from grader.message import Words, say
from grader.time_limit import TooSlowError, limit_time

_HASH_LENGTH: Final = 16


def whole_group(answer: Answer, doubts: Iterable[Doubt]) -> str:
    """Return the group of a submission that is unreadable or in doubt as a whole, or an empty text."""
    text = "\n".join((*(section.passage.text for section in answer.sections), *(cell.source for cell in answer.code)))
    if not text.strip() and answer.gaps:
        return f"{UNREADABLE}{_hash(repr(answer.not_read))}"
    return f"{HAND_IN}{_hash(text)}" if any(doubt.is_whole for doubt in doubts) else ""


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_HASH_LENGTH]


SECONDS: Final = 2.0
"""The limit of CPU time for one check, in seconds. An ordinary check takes a fraction of it."""
_SECONDS_FOR_ALL: Final = 4.0
_LEAST_SECONDS: Final = 0.1
_SLOW: Final = say("It takes too long to judge this, because the submission is built in an uncommon way.")


def known_names(lab: Lab, truth: GroundTruth) -> dict[str, set[str]]:
    """Return the names that the lab and its truth define, by the option that may refer to them."""
    experiments = {experiment.id for experiment in lab.experiments}
    return {
        "experiment": experiments,
        "better": experiments,
        "worse": experiments,
        "model": {count.model for count in truth.counts},
        "truth_id": {count.id for count in truth.counts} | {value.id for value in truth.values},
        "parameter": {parameter.id for parameter in lab.parameters} & {value.parameter for value in truth.values},
        "follows": {item.id for item in lab.items},
    }


def verify(lab: Lab, truth: GroundTruth) -> None:
    """Raise LabError if an item is not usable.

    It must name a known check, give it only its options, and refer to experiments, models and parameters that the lab
    or its truth defines.
    """
    names_by_option = known_names(lab, truth)
    for parameter in lab.parameters:
        for fact in parameter.facts:
            if truth.fact(fact) is None:
                raise LabError(f"lab.toml: {parameter.id}: no fact named {fact!r} in truth.json; build it anew.")
    for watch in lab.watches:
        check_of(watch).bind_options(watch)
    above: set[str] = set()
    for item in lab.items:
        check_of(item).bind_options(item)
        names_by_option["follows"] = set(above)
        above.add(item.id)
        for name in names_by_option.keys() & item.options.keys():
            if item.options[name] not in names_by_option[name]:
                accepted = ", ".join(sorted(names_by_option[name])) or "none"
                raise LabError(f"lab.toml: item {item.id}: no {name} named {item.options[name]!r}. Known: {accepted}.")


def run_checks(answer: Answer, truth: GroundTruth, lab: Lab) -> Findings:
    """Decide every item of a lab, run the watches, and apply the stored decisions of markers.

    A check that fails yields an `error` finding for its item. The other items are not affected.
    """
    return in_force(draw_conclusions(answer, truth, without_decisions(lab)), lab)


def draw_conclusions(answer: Answer, truth: GroundTruth, lab: Lab) -> Conclusions:
    """Return the conclusions of checks and watches, before any stored decision."""
    findings: dict[str, Finding] = {}
    flags: list[Flag] = []
    started = time.process_time()
    read: dict[str, Finding] = {}
    gaps: dict[str, tuple[Words, ...]] = {}
    for item in lab.items:
        blocked = [need for need in item.needs if read[need].status in (Status.MISSING, Status.NOT_RUN)]
        if blocked:
            findings[item.id] = read[item.id] = _not_run(item, blocked)
            continue
        found = find_check(item.check)
        seen = answer.seen_for(found.kinds) if isinstance(found, Check) else answer
        gaps[item.id] = seen.not_read
        conclusions = _conclusions(item, seen, truth, lab, tuple(read.values()), _patience(started))
        flags += [conclusion for conclusion in conclusions if isinstance(conclusion, Flag)]
        finding = as_committed(_only_finding(item, conclusions), item.check, answer, truth)
        finding = beside_drawn_words(with_logs(finding, item, answer, lab), answer, lab)
        findings[item.id] = as_recognised(finding, item, answer, truth, lab)
        gaps[item.id] += tuple(text for text in cut_off(findings[item.id], answer, lab) if text not in gaps[item.id])
        read[item.id] = review_if_unread(findings[item.id], gaps[item.id])
    flags += [*no_question_found(answer, lab, findings.values()), *no_run_shown(answer, lab), *addressed_flags(answer)]
    watched = tuple(read.values())
    doubts: list[Doubt] = []
    for watch in lab.watches:
        for conclusion in _watched(watch, answer, truth, lab, watched, _patience(started)):
            if isinstance(conclusion, Flag):
                flags.append(conclusion)
            elif isinstance(conclusion, Doubt):
                doubts.append(conclusion)
                watched = tuple(withheld(finding, conclusion) for finding in watched)
    return Conclusions(
        findings=tuple(findings.values()),
        flags=tuple(dict.fromkeys(less_drawn(less_recognised(flags), answer))),
        gaps=tuple(ItemGaps(item=item, gaps=lost) for item, lost in gaps.items() if lost),
        doubts=tuple(doubts),
        whole=whole_group(answer, doubts),
    )


def _patience(started: float) -> float:
    """Return the CPU seconds that the next check may take. They decrease with the time that the checks before it
    took."""
    left = _SECONDS_FOR_ALL - (time.process_time() - started)
    return max(_LEAST_SECONDS, min(SECONDS, left))


def _watched(
    watch: Watch, answer: Answer, truth: GroundTruth, lab: Lab, findings: tuple[Finding, ...], seconds: float
) -> list[Conclusion]:
    """Return the conclusions of a watch, or a flag if it fails."""
    try:
        with limit_time(seconds):
            return list(check_of(watch).bind_options(watch)(answer=answer, truth=truth, lab=lab, findings=findings))
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


def _conclusions(
    item: Item, answer: Answer, truth: GroundTruth, lab: Lab, above: tuple[Finding, ...], seconds: float
) -> list[Conclusion]:
    """Return the conclusions of an item's check, or an `error` finding if it fails. `above` are the findings so far."""
    try:
        with limit_time(seconds):
            return list(check_of(item).bind_options(item)(answer=answer, truth=truth, lab=lab, findings=above))
    except TooSlowError:
        return [_failed(item, _SLOW)]
    except Exception as error:  # an error in a check must not affect other items
        return [_failed(item, f"{type(error).__name__}: {error}")]


def _failed(item: Item, note: Words) -> Finding:
    return Finding(
        item=item.id,
        status=Status.ERROR,
        feedback=left_to_person(say("The grader failed here.")),
        note=note,
    )


def _only_finding(item: Item, conclusions: Iterable[Conclusion]) -> Finding:
    found = [conclusion for conclusion in conclusions if isinstance(conclusion, Finding)]
    if len(found) == 1:
        return found[0]
    return _failed(
        item, say("The check {check} gave {count} findings instead of one.", check=item.check, count=len(found))
    )


def _not_run(item: Item, blocked: list[str]) -> Finding:
    return Finding(
        item=item.id,
        status=Status.NOT_RUN,
        feedback=say("This could not be judged, since {items} was not found.", items=", ".join(blocked)),
    )
