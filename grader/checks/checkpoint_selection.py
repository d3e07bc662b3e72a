"""Is the checkpoint chosen by the split that selects, and is the reported figure of the split that is asked for? What
a text says about the choice (by validation, by test, the last one, another way) is found first.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from enum import StrEnum
from typing import Final, NamedTuple

from grader.checks.check import Conclusion, check
from grader.checks.experiment import Report, concluded_without, report_of
from grader.checks.finding import Diagnosis, Expected, Finding, Status
from grader.checks.log_agreement import (
    CONTRADICTS,
    Located,
    Place,
    Selection,
    contradictions,
    course_of,
    located,
    place_in_log,
    selected,
    selection_of,
    with_courses,
)
from grader.checks.validation_grid import Doubt, are_several, cannot_be_of_validation, validation_doubt
from grader.claims.answer import Answer
from grader.claims.meaning import NOTHING, Tokens, Topic, choice_tokens, is_of_worst, is_silent, together, topics
from grader.claims.passage import Passage
from grader.claims.results.claimed import SummaryStatistic
from grader.claims.results.reported import experiments_below
from grader.claims.results.vocabulary import Kind, Mention, abbreviations_in, mentions, named_experiments
from grader.claims.sections import Section
from grader.claims.statements import all_statements
from grader.lab.definition import Lab
from grader.lab.experiments import Measure
from grader.lab.truth import GroundTruth
from grader.message import Message, joined, say
from grader.reading.document import BlockKind, Evidence

TOLD: Final = 0.8
"""From which trust on a statement is taken for what it seems to say."""
_HEARD: Final = 0.3
"""A statement that is so likely to say something about the choice keeps the matter open."""
_MAY_MEAN: Final = 0.5
"""A statement that is so likely to say that validation chose keeps points from being withheld."""
_PLAIN: Final = 0.85
"""How sure one statement must be at least of another choice than that by validation."""
_CERTAIN: Final = 0.95
_AGAINST: Final = 0.6
"""What is said so likely stands against something else that is told."""


class Choice(StrEnum):
    """By what a checkpoint is chosen."""

    VALIDATION = "valid"
    TEST = "test"
    LAST = "last"
    OTHER = "other"


class SaidChoice(NamedTuple):
    """A way of choosing that a statement is likeliest to tell, how sure that is, and where it stands. `is_print`: it is
    a line of code or output that gives several figures."""

    by: Choice
    sure: float
    evidence: Evidence
    is_print: bool = False


def said_together(heard: Sequence[SaidChoice]) -> dict[Choice, tuple[SaidChoice, ...]]:
    """The ways of choosing that a text tells, each with the statements that do, the surest first: empty where none is
    sure. Beside one that is sure, another one that is likely is told, too."""
    surest = sorted(heard, key=lambda one: -one.sure)
    by = {choice: tuple(one for one in surest if one.by is choice) for choice in Choice}
    sure = {choice: together(one.sure for one in own) for choice, own in by.items()}
    if max(sure.values()) < TOLD:
        return {}
    surest_one = max(surest, key=lambda one: sure[one.by])
    if surest_one.by is not Choice.VALIDATION and surest_one.sure < _PLAIN:
        return {}
    return {choice: own for choice, own in by.items() if own and (own[0].sure >= _AGAINST or sure[choice] >= TOLD)}


def choices(
    passages: Iterable[tuple[Passage, bool]], experiment: str, lab: Lab, measure: Measure | None = None
) -> Iterator[SaidChoice]:
    """Every statement that may tell how the checkpoints of an experiment are chosen, in order. Statements that name
    only other experiments, or follow one that does, or stand under the heading of one, are of those. In passages that
    answer another question (False) only those count that name the experiment, follow one that does, or are the legend
    of a table that names it. What names another one that is like it, too, tells nothing with certainty."""
    topic, said_of = topics()["choice"], measure or lab.measure(None, experiment)
    listed = list(passages)
    for at, (passage, is_own) in enumerate(listed):
        abbreviations = abbreviations_in(passage.text, lab)
        under: Set[str] = frozenset()
        before = _Before()
        for statement in all_statements(passage):
            found = mentions(statement.text, lab, abbreviations)
            named = {one.value for one in found if one.kind is Kind.EXPERIMENT}
            splits = {one.value for one in found if one.kind is Kind.SPLIT}
            if passage.block_at(statement.start).kind is BlockKind.HEADING:
                under, before = named, _Before()
                titled = topic.read(choice_tokens(statement.text, found, lab, said_of)).probabilities[Choice.VALIDATION]
                if splits and titled >= TOLD and experiment in (named or ({experiment} if is_own else ())):
                    yield SaidChoice(Choice.VALIDATION, titled, passage.evidence(statement.start, statement.end))
                continue
            follows = 0 <= statement.start - before.end <= _NEXT
            below = experiments_below(listed, at, statement.start, statement.end, lab) & {experiment}
            about = named or below or (before.named if follows else frozenset()) or (under if is_own else frozenset())
            hinted = bool(named) and any(one.kind is Kind.HINT and one.value == experiment for one in found)
            is_about = experiment in about or (is_own and (hinted or not about))
            text = statement.text if is_about else _lead(statement.text, found) if is_own else ""
            if text and not is_silent(tokens := choice_tokens(text, found, lab, said_of)):
                said = _read(text, tokens, found, topic, lab, said_of)
                by = max(Choice, key=lambda one: said[one.value])
                kind = passage.block_at(statement.start).kind
                is_shown = kind in (BlockKind.CODE, BlockKind.OUTPUT)
                is_of_like = experiment in named and len(named) == 2 and experiment not in named_experiments(found, lab)
                sure = min(_HEARD if is_of_like else 1, _unopposed(by, said[by.value], text, topic, lab, said_of))
                if by is Choice.TEST and follows and lab.selecting in before.splits:
                    both = _with_before(before, statement.text, topic, lab, said_of)
                    goes_on = sure < _PLAIN and both[Choice.VALIDATION] >= _CERTAIN
                    sure = min(sure, _HEARD if goes_on else max(_AGAINST, both[Choice.TEST]))
                if (by is Choice.TEST and is_shown) or (by is Choice.OTHER and kind is BlockKind.ROW):
                    sure = min(sure, _HEARD)  # code and tables that show accuracies of some runs read much like it
                if text == statement.text and about and experiment not in about:  # only a word hints at this one
                    sure = min(sure, max(_HEARD, _of_clause(statement.text, found, experiment, by, lab, said_of)))
                if 1 - said[NOTHING] >= _HEARD:
                    by = Choice.OTHER if by is Choice.VALIDATION and is_of_worst(tokens, said_of) else by
                    is_print = is_shown and len(_FIGURE.findall(text)) > 1
                    yield SaidChoice(by, sure, passage.evidence(statement.start, statement.end), is_print)
            asides = [match.span() for match in _ASIDE.finditer(statement.text)]
            outside = {
                one.value
                for one in found
                if one.kind is Kind.EXPERIMENT and not any(start < one.start < end for start, end in asides)
            }
            before = _Before(statement.text, statement.end, outside or below, splits)


_FIGURE: Final = re.compile(r"\d[.,]\d")
_REASON: Final = re.compile(r",?\s(?:because|since|as|so that|car|parce que?|puisque?|afin)\b", re.IGNORECASE)


def _read(
    text: str, tokens: Tokens, found: Sequence[Mention], topic: Topic, lab: Lab, measure: Measure
) -> Mapping[str, float]:
    """How likely a statement says each thing; one that is not clear is read without its reason, which may speak of
    what was not done: `the best on validation, because the last one is not the best`."""
    said = topic.read(tokens).probabilities
    reason = _REASON.search(text) if max(said.values()) < TOLD else None
    if reason is None or len(text[: reason.start()].split()) < _FEWEST_WORDS:
        return said
    own = [one for one in found if one.end <= reason.start()]
    alone = topic.read(choice_tokens(text[: reason.start()], own, lab, measure)).probabilities
    return max(said, alone, key=lambda one: max(one[by] for by in Choice))


_CONTRAST: Final = re.compile(r"[,;:]\s(?:but|however|yet|mais|cependant|toutefois|pourtant)\b", re.IGNORECASE)


def _unopposed(by: Choice, sure: float, text: str, topic: Topic, lab: Lab, measure: Measure) -> float:
    """How sure a statement is to tell a choice by validation, less what it opposes to that: `by validation, but we
    report the best test accuracy`."""
    but = _CONTRAST.search(text) if by is Choice.VALIDATION else None
    if but is None:
        return sure
    rest = text[but.end() :]
    return min(sure, 1 - topic.read(choice_tokens(rest, mentions(rest, lab), lab, measure)).probabilities[Choice.TEST])


def _lead(text: str, found: Sequence[Mention]) -> str:
    """What a statement says before the part of it that names the first experiment, if that is enough to say something:
    it may hold for all. Else ""."""
    first = next((one.start for one in found if one.kind is Kind.EXPERIMENT), 0)
    end = max((match.start() for match in _PART_END.finditer(text, 0, first)), default=0)
    return text[:end] if len(text[:end].split()) >= _FEWEST_WORDS else ""


_PART_END: Final = re.compile(r"[,;:(]\s?|\s[–—-]\s")
_FEWEST_WORDS: Final = 5
_ASIDE: Final = re.compile(r"\([^()]*\)")


class _Before(NamedTuple):
    """The statement before: where it ends, and what it names."""

    text: str = ""
    end: int = -100
    named: Set[str] = frozenset()
    splits: Set[str] = frozenset()


def _with_before(before: _Before, text: str, topic: Topic, lab: Lab, measure: Measure) -> Mapping[str, float]:
    """How likely a statement that seems to tell a choice by test says each thing where the one before is read with it:
    `this value` may be that of validation."""
    both = f"{before.text} {text}"
    return topic.read(choice_tokens(both, mentions(both, lab), lab, measure)).probabilities


def _of_clause(text: str, found: Sequence[Mention], experiment: str, by: Choice, lab: Lab, measure: Measure) -> float:
    """How sure the part of a statement before the first other experiment is to say the same of the one that it hints
    at; 0 where it does not hint at it before."""
    end = next((one.start for one in found if one.kind is Kind.EXPERIMENT), len(text))
    own = [one for one in found if one.end <= end]
    if not any(one.kind is Kind.HINT and one.value == experiment for one in own):
        return 0.0
    return topics()["choice"].read(choice_tokens(text[:end], own, lab, measure)).probabilities[by]


_NEXT: Final = 2
"""Characters between statements of which one follows the other in the same paragraph."""


@check("checkpoint-selection")
def checkpoint_selection(
    answer: Answer,
    truth: GroundTruth,
    lab: Lab,
    *,
    item: str,
    experiment: str,
    measure: str | None = None,
    split: str | None = None,
) -> Iterator[Conclusion]:
    """The checkpoint is the best by validation, and its test result is reported.

    Validation is the split with the role `select`, test the one with the role `report`. `measure` and `split` are those
    that are asked for, if not the lab's usual ones.

    Decides: a checkpoint whose choice is stated or follows from figures and logs: by validation is right, by test
    is wrong.

    Leaves to people: choices that no sentence states with certainty, and figures that contradict what is stated.
    """
    report = report_of(experiment, answer, lab, measure, split)
    claimed = next(iter(report.series()), ())
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=joined(
            ", ",
            (
                say(
                    "{run} {number}: {value}",
                    run=report.named["run"],
                    number=claim.seed,
                    value=report.shown(claim.value, claim.resolution),
                )
                for claim in claimed
            ),
        )
        or None,
        expected=Expected(
            text=say(
                "for each {run}, the {measure} on {split} at the epoch of the best one on {selecting}", **report.named
            )
        ),
        evidence=report.evidence,
    )
    if report.is_empty and (said := next(iter(_heard(report, answer, lab)), None)):
        text = say("The text says how the checkpoint was chosen; no result of it was found.")
        suggested = None if report.loose else Status.PARTIAL
        yield finding.changed(evidence=(said.evidence,), suggestion=suggested, feedback=text)
        return
    if report.is_empty:
        yield concluded_without(finding, report, answer, lab, say("No result of this experiment was found."))
        return
    found = located(claimed, report)
    doubt = validation_doubt(report, answer, truth, lab)
    if doubt:
        yield doubt.flag
        heard = _heard(report, answer, lab)
        yield _suspected(finding, doubt, [one for one in heard if one.by is Choice.VALIDATION])
    elif len(found) >= report.number and all(one.wanted for one in found) and claimed[0].split != report.selecting:
        yield from _by_logs(finding, found, report, _heard(report, answer, lab))
    else:
        shown = located(claimed, with_courses(report, answer))
        is_told = len(shown) >= report.number and claimed[0].split != report.selecting
        verdict = _by_text(finding, report, answer, lab)
        yield _with_courses(verdict, shown, report) if is_told else verdict


def _with_courses(finding: Finding, shown: Sequence[Located], report: Report) -> Finding:
    """The verdict by what the text says, against the courses over training that it gives: figures from another epoch
    than validation's best are for a person, and where every figure is from there, that is right."""
    wrong = [one for one in shown if one.is_contradicted]
    if wrong and finding.status is Status.CORRECT:
        named = (
            say("{run} {number}: {value}", number=one.claim.seed, value=_claimed(one, report), **report.named)
            for one in wrong
        )
        text = say(
            "In the courses that the text gives, these are not the {measure} on {split} "
            "at the best one on {selecting}: {figures}.",
            figures=joined(", ", named),
            **report.named,
        )
        places = (one.wanted[0].evidence for one in wrong)
        return finding.changed(
            status=Status.REVIEW,
            confidence=1,
            suggestion=Status.PARTIAL,
            evidence=tuple(dict.fromkeys((*finding.evidence, *places))),
            feedback=text,
        )
    if finding.status is Status.REVIEW and all(one.wanted for one in shown) and not wrong:
        text = say(
            "Each reported figure is that on {split} at the best one on {selecting} in the course that the text gives.",
            **report.named,
        )
        return finding.changed(status=Status.CORRECT, suggestion=None, feedback=text)
    return finding


def _claimed(one: Located, report: Report) -> Message:
    return report.shown(one.claim.value, one.claim.resolution)


def _by_logs(
    finding: Finding, found: Sequence[Located], report: Report, heard: Sequence[SaidChoice]
) -> Iterator[Conclusion]:
    """The verdict by the logged place of every figure. Figures from elsewhere than validation's best are wrong where
    the text says that they were chosen so; else a person looks."""
    wrong = [one for one in found if one.is_contradicted]
    if not wrong:
        places = tuple(one.point.evidence for one in found if one.point)
        yield finding.changed(
            status=Status.CORRECT,
            evidence=finding.evidence + places,
            feedback=say(
                "Each reported figure is the logged one on {split} at the best one on {selecting}.", **report.named
            ),
        )
        return
    flags = list(contradictions(found, report))
    yield from flags
    message = joined(" ", (place_in_log(one, report) for one in wrong))
    at_end = all(one.place is Place.AT_END for one in wrong)
    surest = max(heard, key=lambda one: one.sure, default=None)
    is_said = surest is not None and surest.sure >= _AGAINST
    if surest and is_said and not any(one.by is not surest.by and one.sure >= _HEARD for one in heard):
        if surest.by is Choice.LAST and at_end:
            yield _decided(finding, Status.PARTIAL, [surest], Diagnosis(id="last-epoch", text=message))
            return
        if surest.by is Choice.TEST and all(_is_best_on_test(one, report) for one in found):
            yield _decided(finding, Status.INCORRECT, [surest], Diagnosis(id="chosen-by-test", text=message))
            return
    yield finding.changed(
        evidence=flags[0].evidence,
        suggestion=Status.PARTIAL,
        diagnoses=(Diagnosis(id="last-epoch" if at_end else CONTRADICTS, text=message),),
        feedback=message,
    )


def _is_best_on_test(one: Located, report: Report) -> bool:
    """Whether a figure is the best one of its run on the split that is asked for."""
    best = (run.best((point.value for point in run.reported), default=None) for run in report.runs)
    return one.point is not None and any(
        one.point in run.reported and one.point.value == value for run, value in zip(report.runs, best, strict=True)
    )


def _suspected(finding: Finding, doubt: Doubt, told: Sequence[SaidChoice]) -> Finding:
    """Figures that look like those of the split that selects. Points are withheld only where that is as good as
    certain, and where the text does not say that validation chose (`told`): then a person decides which of the two is
    wrong."""
    finding = finding.changed(
        evidence=tuple(dict.fromkeys((*finding.evidence, *doubt.evidence))),
        diagnoses=(Diagnosis(id=doubt.flag.id, text=doubt.message),),
        feedback=doubt.message,
        note=doubt.how_sure,
    )
    if doubt.is_shown:
        return finding.changed(status=Status.INCORRECT, confidence=1)
    if doubt.sure >= _CERTAIN and not told:
        certain = say(
            "With the figures of the other experiments that is at least {share:.0f} % certain.",
            share=100 * _CERTAIN,
        )
        text = joined(" ", (doubt.message, certain))
        return finding.changed(status=Status.INCORRECT, confidence=doubt.sure, feedback=text)
    return finding.changed(suggestion=Status.INCORRECT)


def _by_text(finding: Finding, report: Report, answer: Answer, lab: Lab) -> Finding:
    logged = next((one for summary in report.preferred_summaries if (one := selection_of(summary, report))), None)
    if logged is Selection.BEST and not report.seeds:
        return finding.changed(
            status=Status.CORRECT,
            evidence=finding.evidence + tuple(p.evidence for run in report.runs for p in run.at_best[:1]),
            feedback=say(
                "The average is that of the logged values on {split} at the best one on {selecting}.", **report.named
            ),
        )
    if logged and not report.seeds:
        words = say("As the logs show, the average is of {values}.", values=selected(logged, report))
        return finding.changed(suggestion=Status.PARTIAL, feedback=words)
    splits = {claim.split for claim in report.seeds} | {one.split for one in report.summaries if one.mean is not None}
    if splits == {report.selecting} and not cannot_be_of_validation(report, lab):
        if open_ones := answer.results.untold(report.measure.id, report.split):
            text = say("It is open of which experiment some figures on {split} are; a person looks.", **report.named)
            return finding.changed(evidence=tuple(dict.fromkeys((*finding.evidence, *open_ones))), feedback=text)
        text = say(
            "The figures are of {selecting}; those of the chosen checkpoint on {split} were asked for.", **report.named
        )
        return finding.changed(
            status=Status.INCORRECT, diagnoses=(Diagnosis(id="valid-only", text=text),), feedback=text
        )
    return _by_words(finding, splits, report, answer, lab)


def _by_words(finding: Finding, splits: set[str | None], report: Report, answer: Answer, lab: Lab) -> Finding:
    """The verdict by what the text says about the choice; `splits` are those of the reported figures."""
    heard = _heard(report, answer, lab)
    said = said_together(heard)
    by_validation, by_test, by_last = (said.get(by, ()) for by in (Choice.VALIDATION, Choice.TEST, Choice.LAST))
    if by_last and _is_last_best(report, answer):
        text = say("The last checkpoint is taken, and in every run it is the best by validation, too.")
        return finding.changed(status=Status.CORRECT, evidence=_with(finding, by_last), feedback=text)
    if len(said) > 1:
        text = say("The text speaks of several ways of choosing the checkpoint; a person reads it.")
        return finding.changed(
            evidence=_with(finding, [one for told in said.values() for one in told[:1]]), feedback=text
        )
    if by_test and any(one.by is Choice.VALIDATION and one.sure >= _MAY_MEAN for one in heard):
        text = say("The text may speak of several ways of choosing the checkpoint; a person reads it.")
        return finding.changed(suggestion=Status.INCORRECT, evidence=_with(finding, by_test), feedback=text)
    if by_test:
        text = say(
            "The checkpoint is chosen by its {measure} on {split}, which must not choose anything.", **report.named
        )
        return _decided(finding, Status.INCORRECT, by_test, Diagnosis(id="chosen-by-test", text=text))
    if by_last:
        text = say(
            "The last checkpoint is taken for all {runs}, not the one that is best by validation.", **report.named
        )
        return _decided(finding, Status.PARTIAL, by_last, Diagnosis(id="last-epoch", text=text))
    otherwise = any(one.by is not Choice.VALIDATION for one in heard)
    in_rows = {claim.split for claim in report.seeds if " | " in claim.evidence.quote}
    splits_shown = {report.selecting, report.split} - {None}
    if not otherwise and all(len(report.of_split(one)) >= report.number for one in splits_shown):
        # What is likely said is as good as said where the figures of validation stand there, too.
        by_validation = by_validation or tuple(one for one in heard if one.sure >= _MAY_MEAN)
    shown = not by_validation and not otherwise and splits_shown <= in_rows
    if not (by_validation or shown):
        return _unsaid(finding, heard, report, answer, lab)
    if are_several(report, lab):
        text = say("Several results are given for the same {run}. A person sees which one counts.", **report.named)
        return finding.changed(evidence=_with(finding, by_validation), feedback=text)
    if report.split in splits or cannot_be_of_validation(report, lab):
        said_so = say(
            "The text says that validation chose the checkpoint and gives its {measure} on {split}.", **report.named
        )
        shows_so = say(
            "The table shows the best {measure} of each {run} on {selecting} and that on {split}.", **report.named
        )
        return finding.changed(
            status=Status.CORRECT,
            confidence=0.9,
            evidence=_with(finding, by_validation),
            feedback=said_so if by_validation else shows_so,
        )
    text = say(
        "Validation chose the checkpoint; the text does not say whether the figures are of {split}.", **report.named
    )
    return finding.changed(suggestion=Status.CORRECT, evidence=_with(finding, by_validation), feedback=text)


def _unsaid(finding: Finding, heard: Sequence[SaidChoice], report: Report, answer: Answer, lab: Lab) -> Finding:
    """The finding where no statement was understood to tell that validation chose, the test set, or the last epoch.
    That nothing is said is certain only where no validation accuracy is shown either, and no statement names it."""
    course = [one for one in course_of(report, answer) if one.split == report.selecting]
    is_named = any(
        one.kind is Kind.SPLIT and one.value == report.selecting
        for passage, is_own in _passages(report, answer.sections, lab)
        if is_own
        for one in mentions(passage.text, lab)
    )
    if not heard and not course and not is_named and not report.of_split(report.selecting):
        text = say("The figures are of {split}; nothing is said about how the checkpoint was chosen.", **report.named)
        return finding.changed(status=Status.PARTIAL, feedback=text)
    text = say("It was not understood how the checkpoint was chosen.")
    likeliest = max(heard, key=lambda one: one.sure, default=None)
    suggested = _SUGGESTED.get(likeliest.by) if likeliest and likeliest.sure >= _AGAINST else None
    return finding.changed(suggestion=suggested, evidence=_with(finding, heard), feedback=text)


_SUGGESTED: Final = {
    Choice.VALIDATION: Status.CORRECT,
    Choice.TEST: Status.INCORRECT,
    Choice.LAST: Status.PARTIAL,
}


def _heard(report: Report, answer: Answer, lab: Lab) -> list[SaidChoice]:
    """The statements on how this experiment's checkpoints were chosen: those that were read already, or those that the
    words are understood to make."""
    if answer.choices is None:
        own = list(choices(_passages(report, answer.sections, lab), report.experiment, lab, report.measure))
        own = own or list(choices(_passages(report, answer.noted, lab), report.experiment, lab, report.measure))
        # What a text says plainly stands above what lines of figures look like.
        plain = {one.by for one in own if one.sure >= _PLAIN and not one.is_print}
        return [one for one in own if not (one.is_print and plain) or one.by in plain]
    return [
        SaidChoice(Choice(one.by or Choice.OTHER), 1.0 if one.by else 0.0, one.evidence)
        for one in answer.choices
        if not one.experiments or report.experiment in one.experiments
    ]


def _passages(report: Report, sections: Iterable[Section], lab: Lab) -> Iterator[tuple[Passage, bool]]:
    """What may say how checkpoints were chosen: all of some sections, and whether one is under the heading of no other
    question or experiment, or holds the results all the same, as where headings name no question."""
    asked = {one.question: one.id for one in lab.experiments}
    for section in sections:
        if not section.is_closing:
            about = {asked.get(question) for question in section.questions}
            is_own = not about or report.experiment in about
            if about == {None}:
                is_own = any(map(section.passage.holds, report.evidence))
            yield section.passage, is_own


def _decided(finding: Finding, status: Status, said: Sequence[SaidChoice], told: Diagnosis) -> Finding:
    return finding.changed(status=status, diagnoses=(told,), evidence=_with(finding, said), feedback=told.text)


def _with(finding: Finding, said: Sequence[SaidChoice]) -> tuple[Evidence, ...]:
    return tuple(dict.fromkeys((*(one.evidence for one in said[:2]), *finding.evidence)))


def _is_last_best(report: Report, answer: Answer) -> bool:
    """Whether the courses that the text gives show the best value of every run on the split that selects at its last
    evaluation."""
    runs: dict[int | None, list[tuple[int, Decimal]]] = {}
    best = min if report.measure.is_lower_better else max
    for point in course_of(report, answer):
        if point.split == report.selecting and point.statistic is SummaryStatistic.VALUE:
            runs.setdefault(point.seed, []).append((point.moment.step or point.moment.epoch or 0, point.value))
    return len(runs) >= report.number and all(
        len({moment for moment, _ in points}) == len(points) > 1  # else it is unknown what the numbers of runs are
        and max(points)[1] == best(value for _, value in points)
        for points in runs.values()
    )
