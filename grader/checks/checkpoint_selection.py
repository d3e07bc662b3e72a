"""The check `checkpoint-selection`: the split that selects chooses the checkpoint, and its test result is reported.

`choices` finds the statements about the choice, with a model of sentences. `checkpoint_selection` then looks for the
results in the logs (`_by_logs`), and otherwise follows the statements (`_by_text`, `_by_words`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from grader.checks.check import Conclusion, check
from grader.checks.decide import with_verdict
from grader.checks.experiment import PlacedStatement, Report, concluded_without, report_of, statements_about
from grader.checks.feedback import NO_RESULT, UNPLACED, Reason
from grader.checks.finding import Diagnosis, ExpectedAnswer, Finding, Status
from grader.checks.log_agreement import (
    CONTRADICTS,
    LocatedResult,
    Place,
    Selection,
    contradictions,
    course_of,
    is_best_on_test,
    is_last_best,
    locate_results,
    place_in_log,
    selection_name,
    selection_of,
    with_courses,
)
from grader.checks.validation_grid import are_several, cannot_be_of_validation, validation_doubt, with_suspicion
from grader.claims.answer import Answer
from grader.claims.commitment import of_statement
from grader.claims.logged import LoggedRun
from grader.claims.meaning import choice_tokens, is_of_worst, is_silent
from grader.claims.passage import Passage
from grader.claims.results.claimed import RunResult
from grader.claims.results.vocabulary import Kind, Mention, mentions, named_experiments
from grader.claims.sections import Section
from grader.claims.statements import is_of_cell
from grader.lab.definition import Lab
from grader.lab.experiments import Measure
from grader.lab.truth import GroundTruth
from grader.language import lexicon
from grader.language.shapes import ASIDE, WORD
from grader.message import Message, join_messages, label_text, say, say_values
from grader.model.sentences import NOTHING, Topic, families, probability_of_any, topics
from grader.reading.document import BlockKind, Evidence

TOLD: Final = 0.8
"""From this probability on, a statement is taken to say what it seems to say."""
_HEARD: Final = 0.3
"""From this probability on, a statement that may be about the choice prevents the conclusion that nothing is said."""
_MAY_MEAN: Final = 0.5
"""From this probability on, a statement that validation chose prevents points from being withheld."""
_PLAIN: Final = 0.85
"""The least probability of a single statement that something other than validation chose."""
_CERTAIN: Final = 0.95
_AGAINST: Final = 0.6
"""From this probability on, a statement counts against another one."""


class Choice(StrEnum):
    """The rule by which a checkpoint is chosen."""

    VALIDATION = "valid"
    TEST = "test"
    LAST = "last"
    OTHER = "other"


class SaidChoice(NamedTuple):
    """The most probable meaning of a statement about the choice, its probability, and its place.

    `is_print`: it is a line of code or output with several numbers.
    """

    by: Choice
    sure: float
    evidence: Evidence
    is_print: bool = False


def said_together(heard: Sequence[SaidChoice]) -> dict[Choice, tuple[SaidChoice, ...]]:
    """Return the choices that a text states, each with its statements, the surest first.

    Return nothing if no choice is sure. If one is sure, other choices that are likely count as well.
    """
    surest = sorted(heard, key=lambda said_choice: -said_choice.sure)
    by = {choice: tuple(said_choice for said_choice in surest if said_choice.by is choice) for choice in Choice}
    sure = {
        choice: probability_of_any(statement.sure for statement in own_said_choices)
        for choice, own_said_choices in by.items()
    }
    if max(sure.values()) < TOLD:
        return {}
    surest_one = max(surest, key=lambda said_choice: sure[said_choice.by])
    if surest_one.by is not Choice.VALIDATION and surest_one.sure < _PLAIN:
        return {}
    return {
        choice: own_said_choices
        for choice, own_said_choices in by.items()
        if own_said_choices and (own_said_choices[0].sure >= _AGAINST or sure[choice] >= TOLD)
    }


def choices(
    passages: Iterable[tuple[Passage, bool]], experiment: str, lab: Lab, measure: Measure | None = None
) -> Iterator[SaidChoice]:
    """Yield the statements that may say how an experiment's checkpoints are chosen, in order.

    A passage comes with whether it answers the experiment's question. In other passages, a statement counts only if it
    names the experiment, follows one that does, or is the caption of a table that names it. If a statement also names a
    similar experiment, its probability is reduced.
    """
    reader = _Reader(topics()["choice"], lab, measure or lab.measure(None, experiment))
    for statement in statements_about(experiment, passages, lab):
        if statement.kind is BlockKind.HEADING:
            titled = _read(statement.text, statement.found, reader)[Choice.VALIDATION]
            if (
                statement.splits
                and titled >= _HEARD
                and experiment in (statement.named or ({experiment} if statement.is_own else ()))
            ):
                yield SaidChoice(Choice.VALIDATION, titled, statement.evidence)
            continue
        text = (
            statement.text if statement.is_about else _lead(statement.text, statement.found) if statement.is_own else ""
        )
        if is_of_cell(statement.passage, statement.said) and not (
            _chooses(text) or {"best", "lastly"} & _families_in(text)
        ):
            continue  # code and its output mention splits for many reasons
        if text and not is_silent(tokens := choice_tokens(text, statement.found, lab, reader.measure)):
            probabilities = _read(text, statement.found, reader)
            by = max(Choice, key=lambda choice: probabilities[choice.value])
            is_shown = statement.kind in (BlockKind.CODE, BlockKind.OUTPUT)
            named = named_experiments(statement.found, lab)
            is_of_like = experiment in statement.named and len(statement.named) == 2 and experiment not in named
            sure = min(_HEARD if is_of_like else 1, _in_context(by, probabilities[by.value], text, statement, reader))
            if (by is Choice.TEST and is_shown) or (by is Choice.OTHER and statement.kind is BlockKind.ROW):
                sure = min(sure, _HEARD)  # code and tables with accuracies resemble such statements
            if not of_statement(statement.passage, statement.said).is_committed:
                sure = min(sure, _HEARD)
            if (
                text == statement.text and statement.about and experiment not in statement.about
            ):  # only a hint refers to this experiment
                sure = min(sure, max(_HEARD, _of_clause(text, statement.found, experiment, by, reader)))
            if 1 - probabilities[NOTHING] >= _HEARD:
                by = Choice.OTHER if by is Choice.VALIDATION and is_of_worst(tokens, reader.measure) else by
                yield SaidChoice(by, sure, statement.evidence, is_shown and len(_FIGURE.findall(text)) > 1)


class _Reader(NamedTuple):
    """The model of sentences, with the lab and the measure by which it reads statements."""

    topic: Topic
    lab: Lab
    measure: Measure

    def read(self, text: str, found: Sequence[Mention] | None = None) -> Mapping[str, float]:
        """Return the probability that a text states each choice."""
        named = mentions(text, self.lab) if found is None else found
        return self.topic.read(choice_tokens(text, named, self.lab, self.measure)).probabilities


_FIGURE: Final = re.compile(r"\d[.,]\d")


def _read(text: str, found: Sequence[Mention], reader: _Reader) -> Mapping[str, float]:
    """Return the probability that a statement states each choice.

    An unclear statement is also read without its reason, which may mention what was not done (`the best on validation,
    because the last one is not the best`), and by the text in its brackets alone (`test accuracy (of the best on
    validation): 79.3, 80.1`). The clearest reading counts.
    """
    probabilities = reader.read(text, found)
    if max(probabilities.values()) >= TOLD:
        return probabilities
    reason = lexicon.search(r",?\s<because|purpose>", text)
    parts = [(0, reason.start())] if reason and len(text[: reason.start()].split()) >= _FEWEST_WORDS else []
    asides = (match for match in ASIDE.finditer(text) if "not" not in _families_in(match[0]))
    parts += [(match.start() + 1, match.end() - 1) for match in asides]
    alone = [reader.read(text[start:end], _within(found, start, end)) for start, end in parts]
    return max([probabilities, *alone], key=lambda reading: max(reading[by] for by in Choice))


def _within(found: Iterable[Mention], start: int, end: int) -> list[Mention]:
    """Return the mentions in a part of a text, with positions relative to that part."""
    inside = (mention for mention in found if start <= mention.start and mention.end <= end)
    return [mention._replace(start=mention.start - start, end=mention.end - start) for mention in inside]


def _in_context(by: Choice, sure: float, text: str, statement: PlacedStatement, reader: _Reader) -> float:
    """Return the probability that a statement states a choice, given its contrasts and the statement before it."""
    if by is Choice.VALIDATION:
        sure = _unopposed(sure, text, reader)
        if sure < TOLD and statement.before and statement.before.splits == {reader.lab.selecting}:
            # The subject is named before: `it is what chose the epoch, and only then was the test set used`.
            sure = max(sure, reader.read(f"{statement.before.text} {statement.text}")[by])
    elif by is Choice.TEST and _is_apart(text, statement.found):
        sure = min(sure, _HEARD)
    elif by is Choice.TEST and statement.before and reader.lab.selecting in statement.before.splits:
        both = reader.read(f"{statement.before.text} {statement.text}")  # `this value` may refer to validation
        goes_on = sure < _PLAIN and both[Choice.VALIDATION] >= _CERTAIN
        sure = min(sure, _HEARD if goes_on else max(_AGAINST, both[Choice.TEST]))
    return sure


_CONTRAST: Final = r"[,;:]\s<contrast>"


def _unopposed(sure: float, text: str, reader: _Reader) -> float:
    """Return the probability that a statement states a choice by validation, given what it says against that.

    It may contrast validation with another choice (`by validation, but we report the best test accuracy`), or state
    another choice outside brackets and concessions (`the last epoch, although the best on validation was 3`).
    """
    but = lexicon.search(_CONTRAST, text)
    if but:
        sure = min(sure, 1 - reader.read(text[but.end() :])[Choice.TEST])
    outside = ASIDE.sub(" ", text)
    conceded = lexicon.search(r"(?<=\w),?\s<although>", outside)
    outside = f"{outside[: conceded.start()]} " if conceded else outside
    if outside == text:
        return sure
    probabilities = reader.read(outside)
    is_denied = any("not" in _families_in(match[0]) for match in ASIDE.finditer(text))
    is_other = max(probabilities[Choice.LAST], probabilities[Choice.OTHER]) >= _AGAINST
    return min(sure, _HEARD) if is_other or (is_denied and probabilities[Choice.VALIDATION] < _AGAINST) else sure


def _is_apart(text: str, found: Sequence[Mention]) -> bool:
    """Whether a statement names splits on one side of a contrast and a choice on the other.

    For example, `it is higher than on test, but that is where we chose the epoch`.
    """
    but = lexicon.search(_CONTRAST, text)
    if but is None:
        return False
    named = {
        mention.start > but.start() for mention in found if mention.kind is Kind.SPLIT and mention.end <= len(text)
    }
    chosen = {bool(place) for place, part in enumerate((text[: but.start()], text[but.end() :])) if _chooses(part)}
    return len(named) == len(chosen) == 1 and named != chosen


def _chooses(text: str) -> bool:
    """Whether a text has a word for choosing and another word for a checkpoint."""
    word_families = [{"choose", "ckpt"} & {*families(word)} for word in WORD.findall(text)]
    return sum(map(bool, word_families)) > 1 and {"choose", "ckpt"} <= set().union(*word_families)


def _families_in(text: str) -> frozenset[str]:
    return frozenset(family for word in WORD.findall(text) for family in families(word))


def _lead(text: str, found: Sequence[Mention]) -> str:
    """Return the beginning of a statement before the part that names the first experiment, or an empty text.

    The beginning must be long enough to say something that holds for all experiments.
    """
    first = next((mention.start for mention in found if mention.kind is Kind.EXPERIMENT), 0)
    end = max((match.start() for match in _PART_END.finditer(text, 0, first)), default=0)
    return text[:end] if len(text[:end].split()) >= _FEWEST_WORDS else ""


_PART_END: Final = re.compile(r"[,;:(]\s?|\s[–—-]\s")
_FEWEST_WORDS: Final = 5


def _of_clause(text: str, found: Sequence[Mention], experiment: str, by: Choice, reader: _Reader) -> float:
    """Return the probability that the part before the first other experiment states the choice for this experiment.

    Return 0 if that part does not hint at this experiment.
    """
    end = next((mention.start for mention in found if mention.kind is Kind.EXPERIMENT), len(text))
    own_mentions = [mention for mention in found if mention.end <= end]
    if not any(mention.kind is Kind.HINT and mention.value == experiment for mention in own_mentions):
        return 0.0
    return reader.read(text[:end], own_mentions)[by]


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

    - `experiment`: the experiment.
    - `measure`, `split`: what is asked for, if not the lab's usual measure and split.

    Decides: a choice that the text states or that follows from results and logs. Selection by a split with the role
    `select` is right. Selection by a split with the role `report` is wrong.

    Leaves to people: choices that no sentence states with certainty, and results that contradict the text.
    """
    report = report_of(experiment, answer, lab, measure, split)
    claimed = next(iter(report.series()), ())
    asked = say(
        "for each {run}, the {measure} on {split} at the epoch with the best one on {selecting}", **report.named
    )
    finding = Finding(
        item=item,
        status=Status.REVIEW,
        found=join_messages(", ", (_figure(claim, report) for claim in claimed)) or None,
        expected=ExpectedAnswer(text=asked),
        evidence=report.evidence,
    )
    heard = _heard(report, answer, lab)
    if report.is_empty and heard:
        message = say("The text says how the checkpoint was chosen, but its results were not recognised.")
        reason = Reason(message, is_likely=not report.loose)
        yield with_verdict(finding.with_changes(evidence=(heard[0].evidence,)), Status.PARTIAL, "", reason)
        return
    if report.is_empty:
        yield concluded_without(finding, report, answer, lab, NO_RESULT)
        return
    found = locate_results(claimed, report)
    doubt = validation_doubt(report, answer, truth, lab)
    is_of_selecting = bool(claimed) and claimed[0].split == report.selecting
    if doubt:
        yield doubt.flag
        yield with_suspicion(finding, doubt, is_told=any(section.by is Choice.VALIDATION for section in heard))
    elif len(found) >= report.number and all(figure.wanted for figure in found) and not is_of_selecting:
        yield from _by_logs(finding, found, report, heard)
    else:
        shown = locate_results(claimed, with_courses(report, answer))
        verdict = _by_text(finding, report, heard, answer, lab)
        is_shown = len(shown) >= report.number and not is_of_selecting
        yield _with_courses(verdict, shown, report) if is_shown else verdict


def _with_courses(finding: Finding, shown: Sequence[LocatedResult], report: Report) -> Finding:
    """Return the verdict by the text, checked against the courses over training that the text gives.

    Results from another epoch than the best by validation go to review. If all results are from the best epoch, an open
    verdict becomes `correct`.
    """
    wrong = [figure for figure in shown if figure.is_contradicted]
    if wrong and finding.status is Status.CORRECT:
        text = say(
            "By the values per epoch in the text, these figures are not the {measure} on {split} at the best one "
            "on {selecting}: {figures}.",
            figures=join_messages(", ", (_figure(figure.claim, report) for figure in wrong)),
            **report.named,
        )
        places = tuple(dict.fromkeys((*finding.evidence, *(figure.wanted[0].evidence for figure in wrong))))
        return with_verdict(finding.with_changes(confidence=1, evidence=places), Status.PARTIAL, "", Reason(text))
    if finding.status is Status.REVIEW and all(figure.wanted for figure in shown) and not wrong:
        text = say("Each figure is the value on {split} at the best one on {selecting}.", **report.named)
        return with_verdict(finding, Status.CORRECT, text)
    return finding


def _figure(claim: RunResult, report: Report) -> Message:
    """Return a run with its result for messages."""
    value = report.format_stated(claim.value, claim.resolution)
    return label_text(say_values("{run} {number}", run=report.named["run"], number=claim.seed), value)


def _by_logs(
    finding: Finding, found: Sequence[LocatedResult], report: Report, heard: Sequence[SaidChoice]
) -> Iterator[Conclusion]:
    """Yield the verdict by the position of each result in the logs.

    Results from another epoch than the best by validation are wrong if the text says that they were chosen so.
    Otherwise they go to review.
    """
    wrong = [figure for figure in found if figure.is_contradicted]
    if not wrong:
        places = tuple(figure.point.evidence for figure in found if figure.point)
        text = say("Each figure is the value on {split} at the best one on {selecting}.", **report.named)
        yield with_verdict(finding.with_changes(evidence=finding.evidence + places), Status.CORRECT, text)
        return
    flags = list(contradictions(found, report))
    yield from flags
    message = join_messages(" ", (place_in_log(figure, report) for figure in wrong))
    at_end = all(figure.place is Place.AT_END for figure in wrong)
    by_test = all(is_best_on_test(figure, report) for figure in found)
    surest = max(heard, key=lambda said_choice: said_choice.sure, default=None)
    is_said = surest is not None and surest.sure >= _AGAINST
    is_said = is_said and not any(
        surest and section.by is not surest.by and section.sure >= _HEARD for section in heard
    )
    if surest and is_said and ((surest.by is Choice.LAST and at_end) or (surest.by is Choice.TEST and by_test)):
        yield _otherwise(finding, [surest], "last-epoch" if surest.by is Choice.LAST else "chosen-by-test", message)
        return
    diagnosis_id = "last-epoch" if at_end else "chosen-by-test" if by_test else CONTRADICTS
    finding = finding.with_changes(evidence=flags[0].evidence, diagnoses=(Diagnosis(id=diagnosis_id, text=message),))
    yield with_verdict(finding, _WORTH.get(diagnosis_id, Status.PARTIAL), "", Reason(message))


_WORTH: Final = {"chosen-by-test": Status.INCORRECT, "last-epoch": Status.PARTIAL, "valid-only": Status.INCORRECT}
"""The verdict on each choice other than the best by validation."""


def _otherwise(finding: Finding, said_choices: Sequence[SaidChoice], diagnosis_id: str, text: Message) -> Finding:
    """Return the verdict on a checkpoint that was not chosen by validation."""
    finding = finding.with_changes(
        diagnoses=(Diagnosis(id=diagnosis_id, text=text),), evidence=_with(finding, said_choices)
    )
    return with_verdict(finding, _WORTH[diagnosis_id], text)


def _by_text(finding: Finding, report: Report, heard: Sequence[SaidChoice], answer: Answer, lab: Lab) -> Finding:
    """Return the verdict by the averages and splits of the results, or else by the statements about the choice."""
    logged = next(
        (selection for summary in report.preferred_summaries if (selection := selection_of(summary, report))), None
    )
    if logged and not report.seeds:
        is_best = logged is Selection.BEST
        places = tuple(p.evidence for run in report.runs for p in run.at_best[:1]) if is_best else ()
        text = say("As the logs show, the average is of {values}.", values=selection_name(logged, report))
        status = Status.CORRECT if is_best else Status.PARTIAL
        reason = None if is_best else Reason(text)
        return with_verdict(
            finding.with_changes(evidence=finding.evidence + places), status, text if is_best else "", reason
        )
    splits = {claim.split for claim in report.seeds} | {
        summary.split for summary in report.summaries if summary.mean is not None
    }
    if splits == {report.selecting} and not cannot_be_of_validation(report, lab):
        if open_ones := answer.results.untold(report.measure.id, report.split):
            finding = finding.with_changes(evidence=tuple(dict.fromkeys((*finding.evidence, *open_ones))))
            return with_verdict(finding, Status.INCORRECT, "", UNPLACED)
        return _otherwise(finding, (), "valid-only", report.of_other_split(report.selecting, report.split))
    if not splits and len({run.seed for run in report.runs if run.seed is not None and run.at_best}) >= report.number:
        if all(_is_only_best(run) for run in report.runs):
            text = say(
                "For each {run}, the logs show the {measure} on {split} only for the checkpoint that is best on "
                "{selecting}.",
                **report.named,
            )
            places = tuple(point.evidence for run in report.runs for point in run.at_best)
            return with_verdict(finding.with_changes(evidence=places), Status.CORRECT, text)
        splits = {report.split}
    return _by_words(finding, splits, report, heard, answer, lab)


def _is_only_best(run: LoggedRun) -> bool:
    """Whether a run was evaluated only with the checkpoint that is best by validation."""
    return run.is_whole and len(run.selecting) > 1 and len(run.reported) > 0 and set(run.reported) <= set(run.at_best)


def _by_words(
    finding: Finding, splits: set[str | None], report: Report, heard: Sequence[SaidChoice], answer: Answer, lab: Lab
) -> Finding:
    """Return the verdict by the statements about the choice. `splits` are the splits of the reported results."""
    grouped_choices = said_together(heard)
    by_validation, by_test, by_last = (
        grouped_choices.get(by, ()) for by in (Choice.VALIDATION, Choice.TEST, Choice.LAST)
    )
    if by_last and is_last_best(report, answer):
        text = say("The last checkpoint is used, which is also the best one by validation in every run.")
        return with_verdict(finding.with_changes(evidence=_with(finding, by_last)), Status.CORRECT, text)
    may_be_several = bool(by_test) and any(
        section.by is Choice.VALIDATION and section.sure >= _MAY_MEAN for section in heard
    )
    if len(grouped_choices) > 1 or may_be_several:
        places = _with(
            finding,
            by_test
            if len(grouped_choices) == 1
            else [said_choice for group in grouped_choices.values() for said_choice in group[:1]],
        )
        reason = _UNCLEAR._replace(is_likely=len(grouped_choices) == 1)
        return with_verdict(finding.with_changes(evidence=places), Status.INCORRECT, "", reason)
    if by_test:
        text = say(
            "The checkpoint is chosen by its {measure} on {split}, which must not be used for any choice.",
            **report.named,
        )
        return _otherwise(finding, by_test, "chosen-by-test", text)
    if by_last:
        text = say("The last checkpoint is used for all {runs}, not the best one by validation.", **report.named)
        return _otherwise(finding, by_last, "last-epoch", text)
    otherwise = any(section.by is not Choice.VALIDATION for section in heard)
    in_rows = {claim.split for claim in report.seeds if " | " in claim.evidence.quote}
    splits_shown = {report.selecting, report.split} - {None}
    if not otherwise and all(len(report.of_split(entry)) >= report.number for entry in splits_shown):
        # If the validation results are shown as well, a likely statement is enough.
        by_validation = by_validation or tuple(section for section in heard if section.sure >= _MAY_MEAN)
    if not by_validation and (otherwise or not splits_shown <= in_rows):
        return _unsaid(finding, heard, report, answer, lab)
    message = say(
        "The text says that validation chose the checkpoint and gives its {measure} on {split}.", **report.named
    )
    if not by_validation:
        message = say(
            "For each {run}, the table shows the best {measure} on {selecting} and the one on {split}.", **report.named
        )
    is_told = report.split in splits or cannot_be_of_validation(report, lab)
    several = Reason(say("Several results are given for the same {run}.", **report.named), is_likely=False)
    unsaid = Reason(say("The text does not say whether the figures are of {split}.", **report.named))
    return with_verdict(
        finding.with_changes(evidence=_with(finding, by_validation)),
        Status.CORRECT,
        message if is_told else say("Validation chose the checkpoint."),
        several.keep_if(are_several(report, lab)),
        unsaid.keep_if(not is_told),
        confidence=0.9 if is_told else 1.0,
    )


_UNCLEAR: Final = Reason(say("It is not certain that the quoted words say how the checkpoint was chosen."))


def _unsaid(finding: Finding, heard: Sequence[SaidChoice], report: Report, answer: Answer, lab: Lab) -> Finding:
    """Return the finding if no statement clearly says how the checkpoint was chosen.

    It is certain that nothing is said only if no statement names validation and no validation result is shown.
    """
    is_shown = report.of_split(report.selecting) or any(o.split == report.selecting for o in course_of(report, answer))
    if not heard and not is_shown and not _is_named(report, answer, lab):
        text = say("The figures are of {split}; nothing is said about how the checkpoint was chosen.", **report.named)
        return with_verdict(finding, Status.PARTIAL, text)
    likeliest = max(heard, key=lambda said_choice: said_choice.sure, default=None)
    likely = _SUGGESTED.get(likeliest.by) if likeliest and likeliest.sure >= _AGAINST else None
    unsaid = say(
        "No words were understood to say how the checkpoint was chosen, though {selecting} is mentioned.",
        **report.named,
    )
    reason = _UNCLEAR._replace(is_likely=likely is not None) if heard else Reason(unsaid, is_likely=False)
    return with_verdict(finding.with_changes(evidence=_with(finding, heard)), likely or Status.PARTIAL, "", reason)


def _is_named(report: Report, answer: Answer, lab: Lab) -> bool:
    """Whether the experiment's own passages name the split that selects, in statements that may be about this
    experiment."""
    passages = list(_passages(report, answer.written, lab))
    reader = _Reader(topics()["choice"], lab, report.measure)
    of_others = [
        statement
        for statement in statements_about(report.experiment, passages, lab)
        if report.selecting in statement.splits
        and not statement.is_about
        and reader.read(statement.text)[NOTHING] > 1 - _HEARD
    ]
    return any(
        mention.kind is Kind.SPLIT
        and mention.value == report.selecting
        and not any(
            other.passage is passage and other.said.start <= mention.start < other.said.end for other in of_others
        )
        for passage, is_own in passages
        if is_own
        for mention in mentions(passage.text, lab)
    )


_SUGGESTED: Final = {
    Choice.VALIDATION: Status.CORRECT,
    Choice.TEST: Status.INCORRECT,
    Choice.LAST: Status.PARTIAL,
}


def _heard(report: Report, answer: Answer, lab: Lab) -> list[SaidChoice]:
    """Return the statements on the choice: those that a reader extracted, or those that the model finds in the text."""
    if answer.choices is None:
        own_said_choices = list(
            choices(_passages(report, answer.sections, lab), report.experiment, lab, report.measure)
        )
        own_said_choices = own_said_choices or list(
            choices(_passages(report, answer.noted, lab), report.experiment, lab, report.measure)
        )
        # Plain statements outweigh lines of numbers that look like statements.
        plain = {
            said_choice.by
            for said_choice in own_said_choices
            if said_choice.sure >= _PLAIN and not said_choice.is_print
        }
        return [
            said_choice
            for said_choice in own_said_choices
            if not (said_choice.is_print and plain) or said_choice.by in plain
        ]
    return [
        SaidChoice(Choice(choice.by or Choice.OTHER), 1.0 if choice.by else 0.0, choice.evidence)
        for choice in answer.choices
        if not choice.experiments or report.experiment in choice.experiments
    ]


def _passages(report: Report, sections: Iterable[Section], lab: Lab) -> Iterator[tuple[Passage, bool]]:
    """Yield the passages that may state the choice, each with whether it belongs to the experiment.

    A passage belongs to it if its heading names no other question, or if the results stand under the same heading: all
    of them, if that heading is of another experiment.
    """
    asked = {experiment.question: experiment.id for experiment in lab.experiments}
    sections = [candidate for candidate in sections if not candidate.is_closing]
    holding = {candidate.questions for candidate in sections if any(map(candidate.passage.holds, report.evidence))}
    for section in sections:
        about = {asked.get(question) for question in section.questions}
        is_own = section.questions in holding if about == {None} else not about or report.experiment in about
        holds_all = bool(report.evidence) and all(map(section.passage.holds, report.evidence))
        yield section.passage, is_own or holds_all


def _with(finding: Finding, said_choices: Sequence[SaidChoice]) -> tuple[Evidence, ...]:
    return tuple(dict.fromkeys((*(said_choice.evidence for said_choice in said_choices[:2]), *finding.evidence)))
