"""What the checks find in a hand-in with the help of a reader's answer: what rules and reader agree on stands, what
differs goes to a person, and what only the reader finds stands where it is verified or earned.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from grader.checks.addressed import FLAG as ADDRESSED
from grader.checks.addressed import addressed_flag
from grader.checks.experiment import report_of, values
from grader.checks.finding import STATUS_WORDS, UNDECIDED, Finding, Findings, Flag, Severity, Status
from grader.claims.answer import Answer
from grader.claims.results.claimed import mean_fits, std_fits
from grader.lab.definition import Item, Lab
from grader.message import joined, say
from grader.reader.answer import NoAnswerError, ReaderUsed, Record
from grader.reader.card import COMPARISON, DEFINITIONS, RESULTS, SELECTION, SNIPPETS, TOTAL, VALUES, Earned
from grader.reader.facts import Found, Tally, found_again

SAME, ALONE, OTHER, SUGGESTS = "reader:same", "reader:alone", "reader:other", "reader:suggests"
"""The tags of findings that a reader has part in: it finds the same; it alone finds it; it finds something else; it may
only suggest."""

_RESTS_ON: Final = {
    "seeds-reported": (RESULTS,),
    "seed-statistics": (RESULTS,),
    "expected-band": (RESULTS,),
    "checkpoint-selection": (RESULTS, SELECTION),
    "comparison": (RESULTS, COMPARISON),
    "short-answer": (DEFINITIONS,),
    "parameter-count": (TOTAL,),
    "count-derivation": (TOTAL,),
    "parameter-values": (VALUES,),
    **{check: (kind,) for kind, check in SNIPPETS.items()},
}
"""The kinds of a reader's facts that a check's verdict rests on."""

_MOST_LOST: Final = 0.1
"""A reader that errs in a larger share of what it states of a hand-in is not believed in anything about it that
nothing confirms."""
_ABSENT: Final = (Status.MISSING, Status.NOT_RUN)
_RANK: Final = (Status.CORRECT, Status.PARTIAL, Status.INCORRECT, Status.MISSING, Status.NOT_RUN)
_NOTHING: Final = (Status.MISSING, Status.INCORRECT, Status.NOT_RUN)


def weighed(
    by_rules: Sequence[Finding],
    by_reader: Mapping[str, Finding],
    found: Found,
    earned: Earned,
    lab: Lab,
    *,
    reliable: bool,
) -> tuple[Finding, ...]:
    """One finding for each item, in the lab's order."""
    items = {item.id: item for item in lab.items}
    return tuple(
        _both(one, by_reader[one.item], items[one.item], found, earned, lab, reliable=reliable) for one in by_rules
    )


def contradicted(rules: Answer, read: Answer) -> list[str]:
    """Figures that both found in one place and say to be of different experiments or splits."""
    own = {(claim.evidence, claim.value): claim for claim in rules.results.seeds}
    return [
        f"{claim.value}"
        for claim in read.results.seeds
        if (same := own.get((claim.evidence, claim.value)))
        and any(
            None not in pair and pair[0] != pair[1]
            for pair in ((same.experiment, claim.experiment), (same.split, claim.split))
        )
    ]


def _both(rules: Finding, read: Finding, item: Item, found: Found, earned: Earned, lab: Lab, reliable: bool) -> Finding:
    if item.check not in _RESTS_ON or Status.ERROR in (rules.status, read.status):
        return rules
    pointed = _RESTS_ON[item.check][0] in found.shown
    if pointed and read.status in _NOTHING:
        return rules  # the place alone may be too little to be understood
    if rules.status not in UNDECIDED:
        return _beside_verdict(rules, read, item, found, earned, pointed=pointed)
    if read.status in UNDECIDED:
        return rules if rules.suggestion or not read.suggestion else _suggested(rules, read.suggestion, read)
    rests = _RESTS_ON[item.check]
    if read.status in _ABSENT:
        # What it rests on first of all counts here, but not where rules found a sentence that may be a comparison.
        is_earned = rests[0] in earned.absences and not (COMPARISON in rests and rules.found is not None)
        note = say("Only the reader says so: it states nothing of this, and it has been measured to pass over little.")
    else:
        is_earned = earned.facts.issuperset(rests)
        note = say("Only the reader found this; its words stand in the hand-in, and the checks decided on them.")
    if not (reliable and is_earned) and not _is_verified(read, item, found, lab):
        return _suggested(rules, read.status, read)
    return read.changed(note=_with(read.note, note), tags=(*read.tags, ALONE))


def _beside_verdict(
    rules: Finding, read: Finding, item: Item, found: Found, earned: Earned, *, pointed: bool
) -> Finding:
    """What becomes of a verdict of the rules beside what a reader states."""
    # The label that a reader gives the answer to an item, as far as that has weight.
    labels = (one.opinion for one in found.answer.definitions if one.parameter == item.options.get("topic"))
    opinion = next(labels, "")
    if opinion and opinion != _meant(rules):
        return _differing(rules, read)
    if read.status in UNDECIDED:
        return _differing(rules, read) if not opinion and _leaves_open(rules, read, item, found, earned) else rules
    if read.status in _ABSENT and _RESTS_ON[item.check][0] not in earned.absences:
        return rules  # that it states nothing says nothing
    if pointed and _RANK.index(rules.status) < _RANK.index(read.status) and not _share_places(rules, read):
        return rules  # of several places the best counts, and a reader points at one
    if rules.status is read.status or {rules.status, read.status} <= set(_NOTHING):
        return rules.changed(tags=(*rules.tags, SAME), confidence=max(rules.confidence, 0.99))
    return _differing(rules, read)


def _leaves_open(rules: Finding, read: Finding, item: Item, found: Found, earned: Earned) -> bool:
    """Whether full points that rules give are in doubt by what a reader states of the same matter, or by its stating
    nothing where that has weight."""
    tallies = {kind: found.tallies.get(kind, Tally()) for kind in _RESTS_ON[item.check]}
    is_heard = all(
        one.stated > one.lost or (not one.stated and kind in earned.absences) for kind, one in tallies.items()
    )
    return is_heard and rules.status is Status.CORRECT and read.suggestion is not rules.status


def _share_places(rules: Finding, read: Finding) -> bool:
    """Whether both rest on the same words."""
    return any(
        one.file == other.file and one.page == other.page and (one.quote in other.quote or other.quote in one.quote)
        for one in rules.evidence
        for other in read.evidence
        if one.quote and other.quote
    )


def _meant(finding: Finding) -> Status:
    """The label of an answer in words, before a wrong value beside it was counted."""
    by_value = any(one.id == "wrong-value" for one in finding.diagnoses) and finding.status is Status.PARTIAL
    return Status.CORRECT if by_value else finding.status


def _differing(rules: Finding, read: Finding) -> Finding:
    """Both shown to a person. What was found without the reader is not worth more than what it found, nor less."""
    note = say(
        "Without the reader: {first} ({why}) With the reader: {second} ({other})",
        first=STATUS_WORDS[rules.status],
        why=rules.feedback,
        second=STATUS_WORDS[read.status],
        other=read.feedback,
    )
    return rules.changed(
        status=Status.REVIEW,
        suggestion=None if rules.status in _NOTHING else rules.status,
        evidence=tuple(dict.fromkeys((*rules.evidence, *read.evidence))),
        feedback=say("Two ways of reading this come to different conclusions. A person decides."),
        note=_with(rules.note, note),
        tags=(*(tag for tag in rules.tags if not tag.startswith("automatic:")), OTHER),
        confidence=min(rules.confidence, read.confidence),
    )


def _suggested(rules: Finding, status: Status, read: Finding) -> Finding:
    """What rules left open, with what the reader's facts suggest. Having found nothing is no evidence."""
    if status is Status.MISSING or status is Status.NOT_RUN or not read.evidence:
        return rules
    note = say("The reader's facts suggest: {status} ({why})", status=STATUS_WORDS[status], why=read.feedback)
    return rules.changed(
        suggestion=rules.suggestion or status,
        evidence=tuple(dict.fromkeys((*rules.evidence, *read.evidence))),
        note=_with(rules.note, note),
        tags=(*rules.tags, SUGGESTS),
    )


def _with(note: str, more: str) -> str:
    return joined(" ", (note, more)) if note else more


def _is_verified(read: Finding, item: Item, found: Found, lab: Lab) -> bool:
    """Whether the numbers themselves prove what a reader states: it is right, and so are the averages and deviations
    of the experiments that it rests on."""
    if read.status is not Status.CORRECT:
        return False
    experiments = [item.options[name] for name in ("experiment", "better", "worse") if name in item.options]
    if item.check == "parameter-count":
        return True
    return bool(experiments) and all(_follows(one, found.answer, lab) for one in experiments)


def _follows(experiment: str, answer: Answer, lab: Lab) -> bool:
    """Whether an average and a deviation of an experiment follow from values of as many seeds as asked for, each of
    which is possible on its split."""
    report = report_of(experiment, answer, lab)
    sizes = {split.id: split.examples for split in lab.splits}
    for group in report.series():
        numbers = values(group)
        size = sizes.get(group[0].split or "")
        if (
            len(group) < lab.seeds
            or not size
            or any(abs(n * size / 100 - round(n * size / 100)) > 1e-6 for n in numbers)
        ):
            continue
        if any(
            one.mean is not None
            and one.std is not None
            and mean_fits(one.mean, one.mean_resolution, numbers)
            and std_fits(one.std, one.std_resolution, numbers)
            for one in report.summaries
        ):
            return True
    return False


def all_flags(own: Collection[Flag], reread: Collection[Flag]) -> tuple[Flag, ...]:
    """The flags of both, each kind at one place once."""
    known = {(flag.id, place.quote) for flag in own for place in flag.evidence}
    further = [flag for flag in reread if not any((flag.id, place.quote) in known for place in flag.evidence)]
    return (*own, *(flag for flag in further if flag.id not in {one.id for one in own}))


Check = Callable[[Answer, Lab], Findings]
"""Runs the checks of a lab over claims."""


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
    # What a reader states of this hand-in has to stand there mostly, and to be the same where rules found it too.
    wrong = found.lost + len(contradicted(answer, found.answer))
    reliable = wrong <= _MOST_LOST * max(found.stated, 1)
    used = ReaderUsed(
        reader=record.reader, stated=found.stated, lost=found.lost, malformed=read.malformed, reliable=reliable
    )
    findings = weighed(by_rules.findings, by_reader, found, record.earned, lab, reliable=reliable)
    flags = all_flags(by_rules.flags, reread.flags) if reliable else by_rules.flags
    return Consulted(findings, (*_speaking(found, flags), *_astray(used, found, answer)), used)


def _astray(used: ReaderUsed, found: Found, rules: Answer) -> Iterator[Flag]:
    """A flag where so much of a reader's answer is not in the hand-in that its word counts for little."""
    if used.stated and not used.reliable:
        message = say(
            "Of {stated} statements of the reader, {lost} do not stand in the hand-in and {against} contradict it: its "
            "word alone decided nothing here.",
            stated=used.stated,
            lost=used.lost,
            against=len(contradicted(rules, found.answer)),
        )
        yield Flag(id="reader-astray", severity=Severity.INFO, message=message)


def _speaking(found: Found, flags: Iterable[Flag]) -> Iterator[Flag]:
    """The flags, with the places where a hand-in speaks to the reader in the one that tells of such words."""
    places = list(found.addressed)
    for flag in flags:
        if flag.id == ADDRESSED:
            places += flag.evidence
        else:
            yield flag
    once = {(place.file, place.page, place.line, place.quote): place for place in places}
    if once:
        yield addressed_flag(once.values())


def _by_item(reread: Findings, found: Found, lab: Lab, check: Check) -> Iterator[tuple[str, Finding]]:
    """The findings that rest on what a reader states, by item: where it points at a place, on that place alone."""
    yield from ((one.item, one) for one in reread.findings)
    checks = {SNIPPETS[kind] for kind in found.shown}
    questions = []
    for question in lab.questions:
        items = tuple(one.model_copy(update={"needs": ()}) for one in question.items if one.check in checks)
        if items:
            questions.append(question.model_copy(update={"items": items}))
    if questions:
        alone = lab.model_copy(update={"questions": tuple(questions), "watches": ()})
        yield from ((one.item, one) for one in check(found.pointed, alone).findings)
