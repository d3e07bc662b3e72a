"""A lab's reference answers: what each is to earn, and what it does; and whether the model of short answers is of the
examples as they are now.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from pydantic import Field, ValidationError

from grader.checks.finding import Status
from grader.frozen import Frozen
from grader.intake import IntakeError
from grader.intake.layouts import Layout, find_sources
from grader.intake.submission import Source as HandIn
from grader.lab.definition import Lab
from grader.lab.scorer import LABELS, Scorer
from grader.lab.short_answers import CARD, MODEL, Card, Example, ShortAnswers, model_inputs, read_card, read_examples
from grader.lab.truth import GroundTruth
from grader.message import joined
from grader.pipeline.cage import temporary_folder
from grader.pipeline.inspection.form import LAB, Problem, error, read_source, warning
from grader.pipeline.isolation import run_isolated
from grader.pipeline.order import failed_result
from grader.pipeline.worker import SENT_RESULT, Job, anew, bounds_of, grade_job
from grader.result import Result

FILE: Final = "answers.toml"
FOLDER: Final = "answers"
_WORKERS: Final = 2


class Expected(Frozen):
    """A hand-in of the instructor's own, a file or folder from the lab's folder on. Items that are not named are to be
    correct; of several statuses either will do; `why` is for people. What a `measured` one is worth is what a person
    decided: the checks are measured by it, and what they leave to a person, or decide otherwise, is told but no error.
    """

    path: str
    items: dict[str, Status | tuple[Status, ...]] = Field(default_factory=dict)
    measured: bool = False
    why: str = ""

    def wanted(self, item: str) -> tuple[Status, ...]:
        """The statuses of an item that are as expected."""
        found = self.items.get(item, Status.CORRECT)
        return (found,) if isinstance(found, Status) else found


class ExpectedAnswers(Frozen):
    """What `answers.toml` holds."""

    answers: Annotated[tuple[Expected, ...], Field(min_length=1)]


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


def expected_answers(folder: Path) -> tuple[tuple[Expected, ...], tuple[Problem, ...]]:
    """What `answers.toml` says; where there is no such file, that the folder `answers` earns everything."""
    if not (folder / FILE).is_file():
        if (folder / FOLDER).is_dir():
            return (Expected(path=FOLDER),), ()
        said = f"There are no reference answers. Put one into {FOLDER}/: it shows that a right answer is understood."
        return (), (warning(FOLDER, None, said),)
    source = read_source(folder, FILE)
    if isinstance(source, Problem):
        return (), (source,)
    try:
        return ExpectedAnswers.model_validate(source.data).answers, ()
    except ValidationError as failure:
        problems = []
        for one in failure.errors(include_url=False):
            key = ".".join(map(str, one["loc"]))
            problems.append(error(FILE, source.lines.of(*one["loc"]), f"`{key}`: {one['msg']}."))
        return (), tuple(problems)


def compare(expected: Sequence[Expected], lab: Lab, truth: GroundTruth, folder: Path) -> Iterator[Comparison]:
    """Grade the answers, each in a process of its own, and hold them against what they are to earn."""
    found = {one.path: _hand_in(folder, one.path, number) for number, one in enumerate(expected)}
    usable = [one for one in found.values() if not isinstance(one, Problem)]
    results = _graded(usable, lab, truth)
    for number, one in enumerate(expected):
        place = found[one.path]
        if isinstance(place, Problem):
            yield Comparison(one.path, None, (place,))
        else:
            result = results[place.student_id]
            unknown = tuple(_unknown_items(one, lab))
            differing = tuple(_differences(one, number, result, folder))
            if one.measured and not result.error:
                yield Comparison(one.path, result, unknown, one, differing)
            else:
                yield Comparison(one.path, result, (*unknown, *differing), one)


def answer_problems(expected: Sequence[Expected], lab: Lab, folder: Path) -> Iterator[Problem]:
    """What is wrong with the list of answers, of which none is graded: places that hold none, items that the lab does
    not have."""
    for number, one in enumerate(expected):
        place = _hand_in(folder, one.path, number)
        if isinstance(place, Problem):
            yield place
        yield from _unknown_items(one, lab)


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


def _hand_in(folder: Path, path: str, number: int) -> HandIn | Problem:
    place = folder / path
    if not place.resolve().is_relative_to(folder.resolve()):
        return error(FILE, None, f"{path} lies outside of the lab's folder; put the answer into it.")
    try:
        sources, refused = find_sources(place, Layout.STUDENT)
    except IntakeError as failure:
        return error(FILE, None, f"{path}: {failure!s}")
    if len(sources) != 1:
        reasons = joined(" ", [one.reason for one in refused])
        return error(FILE, None, f"{path} is no hand-in. {reasons}")
    return replace(sources[0], student_id=f"answer-{number}")


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


def _unknown_items(expected: Expected, lab: Lab) -> Iterator[Problem]:
    known = {item.id for item in lab.items}
    for name in expected.items:
        if name not in known:
            yield error(FILE, None, f"{expected.path}: the lab has no item {name!r}.")


def short_answer_problems(lab: Lab, folder: Path) -> Iterator[Problem]:
    """What is wrong with the model of short answers of a lab that asks for one."""
    items = (item for item in lab.items if item.check == "short-answer")
    asked = {str(item.options["topic"]) for item in items if "topic" in item.options}
    settings = lab.short_answers
    if settings is None:
        if asked:
            yield warning(
                LAB, None, "No [short_answers]: every answer that is to be judged by its words goes to a person."
            )
        return
    remedy = f"Train it anew: grade lab train {folder}"
    if settings.model is None:
        yield error(MODEL, None, f"The file is not there. {remedy}")
        return
    try:
        scorer = settings.scorer()
        examples = () if settings.like else read_examples(folder / settings.examples)
    except (OSError, ValueError) as failure:
        yield error(MODEL, None, f"{failure!s}. {remedy}")
        return
    if scorer is None:
        return
    for topic in sorted(asked - set(scorer.topics)):
        yield error(LAB, None, f"The model knows no example of {topic}. {remedy}")
    if not settings.like:
        yield from _stale(lab, settings, scorer, examples, remedy)


def _stale(
    lab: Lab, settings: ShortAnswers, scorer: Scorer, examples: Sequence[Example], remedy: str
) -> Iterator[Problem]:
    """Whether a model is of the examples and settings as they are now, and what its card tells."""
    if settings.model is None:
        return
    if scorer.inputs != model_inputs(examples, settings):
        said = f"It is stale: examples or settings have changed since it was trained. {remedy}"
        yield error(MODEL, None, said)
    card = _card(settings.model.path.parent)
    if card is None or card.inputs != scorer.inputs:
        yield error(CARD, None, f"It is not the card of this model. {remedy}")
        return
    decided = sum(one.group.partition(":")[0] in scorer.topics for one in lab.decisions.decisions)
    if decided > card.decisions + len(card.contradictions):
        said = f"People decided since it was trained, and it can learn from that. {remedy}"
        yield warning(MODEL, None, said)
    for topic, text in card.contradictions:
        said = f"{topic}: the same words are marked differently: {text!r}. They teach nothing."
        yield warning(settings.examples, None, said)


def shown_card(lab: Lab) -> Iterator[str]:
    """The card of a lab's model, where there is one."""
    if lab.short_answers and lab.short_answers.model:
        card = _card(lab.short_answers.model.path.parent)
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


def _card(folder: Path) -> Card | None:
    try:
        return read_card(folder / CARD)
    except (OSError, ValueError):
        return None
