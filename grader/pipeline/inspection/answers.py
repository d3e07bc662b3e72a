"""What a lab's reference answers earn, held against what they are to earn, and what that proves of its checks."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from grader.checks.finding import Status
from grader.frozen import Frozen
from grader.intake.submission import Source as HandIn
from grader.lab.definition import Lab
from grader.lab.scorer import LABELS
from grader.lab.short_answers import Card
from grader.lab.truth import GroundTruth
from grader.pipeline.cage import temporary_folder
from grader.pipeline.inspection.expected import FILE, FOLDER, Expected, hand_in_of, unknown_items
from grader.pipeline.inspection.form import Problem, error, read_source
from grader.pipeline.inspection.soundness import card_in
from grader.pipeline.isolation import run_isolated
from grader.pipeline.order import failed_result
from grader.pipeline.worker import SENT_RESULT, Job, anew, bounds_of, grade_job
from grader.result import Result

_WORKERS: Final = 2


class Comparison(NamedTuple):
    """What an answer came to; `problems` are the items that are not as expected, and `differing` those of a measured
    one that were decided otherwise."""

    path: str
    result: Result | None
    problems: tuple[Problem, ...]
    expected: Expected = Expected(path="")
    differing: tuple[Problem, ...] = ()


class Measured(Frozen):
    """How often the items of one check were decided on measured answers, and how often as a person did. `unearned` are
    those that earned something and should earn nothing, `withheld` those that were right and earned nothing."""

    check: str
    verdicts: int = 0
    decided: int = 0
    right: int = 0
    unearned: int = 0
    withheld: int = 0


class Unproven(Frozen):
    """Items that no answer proves: that a right one is understood, or that a wrong one is caught."""

    right: tuple[str, ...]
    wrong: tuple[str, ...]


def compare(expected: Sequence[Expected], lab: Lab, truth: GroundTruth, folder: Path) -> Iterator[Comparison]:
    """Grade the answers, each in a process of its own, and hold them against what they are to earn."""
    found = {one.path: hand_in_of(folder, one.path, number) for number, one in enumerate(expected)}
    usable = [one for one in found.values() if not isinstance(one, Problem)]
    results = _graded(usable, lab, truth)
    for number, one in enumerate(expected):
        place = found[one.path]
        if isinstance(place, Problem):
            yield Comparison(one.path, None, (place,))
        else:
            result = results[place.student_id]
            unknown = tuple(unknown_items(one, lab))
            differing = tuple(_differences(one, number, result, folder))
            if one.measured and not result.error:
                yield Comparison(one.path, result, unknown, one, differing)
            else:
                yield Comparison(one.path, result, (*unknown, *differing), one)


_NOTHING: Final = frozenset({Status.INCORRECT, Status.MISSING})
_OPEN: Final = frozenset({Status.REVIEW, Status.ERROR, Status.NOT_RUN})
_BY_HAND: Final = "by-hand"


def measured(answers: Sequence[Comparison], lab: Lab) -> tuple[Measured, ...]:
    """What each check made of the measured answers, but for items that always a person decides. A missing answer and an
    incorrect one earn nothing both, so either will do for the other."""
    found: dict[str, Measured] = {}
    checks = {item.id: item.check for item in lab.items if item.check != _BY_HAND}
    for answer in (one for one in answers if one.expected.measured and one.result):
        for item in (one for one in answer.result.items if one.id in checks):  # type: ignore[union-attr]
            wanted, status = set(answer.expected.wanted(item.id)), item.status
            nothing = status in _NOTHING
            decided = status not in _OPEN
            before = found.get(checks[item.id], Measured(check=checks[item.id]))
            found[before.check] = Measured(
                check=before.check,
                verdicts=before.verdicts + 1,
                decided=before.decided + decided,
                right=before.right + (decided and (status in wanted or (nothing and bool(wanted & _NOTHING)))),
                unearned=before.unearned + (decided and not nothing and wanted <= _NOTHING),
                withheld=before.withheld + (nothing and wanted == {Status.CORRECT}),
            )
    return tuple(found.values())


def unproven(answers: Sequence[Comparison], lab: Lab) -> Unproven:
    """The items of which no answer shows that a right one is understood, or that a wrong one is caught."""
    right, wrong = set(), set()
    for answer in (one for one in answers if one.result):
        for item in answer.result.items:  # type: ignore[union-attr]
            wanted = answer.expected.wanted(item.id)
            if item.status in wanted and item.status is Status.CORRECT:
                right.add(item.id)
            elif item.status in wanted and item.status not in _OPEN:
                wrong.add(item.id)
    items = [item.id for item in lab.items if item.check != _BY_HAND]
    return Unproven(
        right=tuple(item for item in items if item not in right),
        wrong=tuple(item for item in items if item not in wrong),
    )


def _graded(hand_ins: Sequence[HandIn], lab: Lab, truth: GroundTruth) -> Mapping[str, Result]:
    """The results by student id, each from a process with limits on time and memory, as for a class."""
    results = {}
    with tempfile.TemporaryDirectory(dir=temporary_folder(), ignore_cleanup_errors=True) as folder:
        jobs = []
        for hand_in in hand_ins:
            work = Path(folder) / hand_in.student_id
            work.mkdir()
            jobs.append(Job(hand_in, lab, truth, work, with_report=False))
        preload = ("grader.pipeline.worker", "grader.pipeline.one")
        for outcome in run_isolated(grade_job, jobs, workers=_WORKERS, preload=preload, bounds=bounds_of, anew=anew):
            hand_in = outcome.job.source
            if SENT_RESULT in outcome.sent:
                results[hand_in.student_id] = Result.from_json(outcome.sent[SENT_RESULT])
            else:
                reason = f"Grading stopped: {outcome.failure or 'its process sent no result'}."
                results[hand_in.student_id] = failed_result(hand_in, lab, truth, reason)
    return results


def _differences(expected: Expected, number: int, result: Result, folder: Path) -> Iterator[Problem]:
    source = read_source(folder, FILE) if (folder / FILE).is_file() else None
    file = FOLDER if source is None else FILE
    if result.error:
        yield error(file, None, f"{expected.path}: {result.error}")
        return
    for item in result.items:
        wanted = expected.wanted(item.id)
        if item.status not in wanted and not (expected.measured and item.status in _OPEN):
            line = None
            if source is not None and not isinstance(source, Problem):
                line = source.lines.of("answers", number, "items", item.id)
            points = f"{item.score.normalize():f} of {item.max_score.normalize():f} points"
            said = (
                f"{expected.path}: {item.id} is {item.status.value} ({points}); {' or '.join(wanted)} was expected. "
                f"{item.feedback} {item.note}"
            )
            yield error(file, line, said)


def shown_card(lab: Lab) -> Iterator[str]:
    """The card of a lab's model, where there is one."""
    if lab.short_answers and lab.short_answers.model:
        card = card_in(lab.short_answers.model.path.parent)
        if card is not None:
            yield from card_lines(card)


def card_lines(card: Card) -> Iterator[str]:
    """The card in words: what is decided without a person, of sources that the model has not seen."""
    natural, other = card.natural, card.other
    yield (
        f"Short answers: {natural.decided} of {natural.answers} decided ({natural.coverage:.0%}), {natural.wrong} "
        f"wrongly; with 95 % certainty at most {card.bound:.1%} of automatic verdicts are wrong (allowed: "
        f"{card.risk:.1%}). Trained on {card.examples} examples, {card.decisions} of them decisions."
    )
    if other.answers:
        yield (
            f"On the other examples, mostly harder than a class's: {other.decided} of {other.answers} decided, "
            f"{other.wrong} wrongly, {other.credited} of these incorrect and called correct."
        )
    credit, withhold = card.credit, card.withhold
    yield (
        f"Of {credit.answers} incorrect answers of any source, {credit.harmed} are called correct (with 95 % certainty "
        f"at most {credit.bound:.1%}; allowed: {credit.allowed:.1%}); of {withhold.answers} correct ones, "
        f"{withhold.harmed} are called something else (at most {withhold.bound:.1%}; allowed: {withhold.allowed:.1%})."
    )
    for topic, counts in card.topics.items():
        parts = (f"{label} {counts[label].decided} ({counts[label].wrong})" for label in LABELS)
        yield f"  {topic}: decided (wrongly): {', '.join(parts)}"
