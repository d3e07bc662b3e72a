"""A lab's folder from its first file to its reference answers: what is wrong with checks, options, truth and the model
of short answers, found without grading anything; what the answers in `answers.toml` earn, held against what they are
to earn, and what that proves of its checks. A lab with errors is never graded with. It can be tried on a few lines of
text, too.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

from pydantic import Field, ValidationError

from grader.checks.check import Check, place_label, suggest_name
from grader.checks.finding import Status
from grader.checks.registry import clashes, find_check
from grader.checks.runner import known_names, verify
from grader.frozen import Frozen
from grader.intake import IntakeError
from grader.intake.layouts import Layout, find_sources
from grader.intake.submission import Source as HandIn
from grader.lab.definition import Item, Lab, Watch
from grader.lab.files import EVIDENCE, TRUTH, LabError, lab_file, load_lab, load_truth, truth_inputs, with_files
from grader.lab.kinds import problem_sentence
from grader.lab.short_answers import CARD, MODEL, Card, ShortAnswers, model_inputs, read_card, read_examples, seal
from grader.lab.truth import GroundTruth
from grader.message import join_messages
from grader.model.answers import LABELS
from grader.pipeline.cage import temporary_folder
from grader.pipeline.isolation import run_isolated
from grader.pipeline.lab_form import (
    LAB,
    Problem,
    Severity,
    Source,
    error,
    form_of,
    read_source,
    warning,
)
from grader.pipeline.lab_habits import habit_problems
from grader.pipeline.one import grade_source
from grader.pipeline.order import failed_result
from grader.pipeline.worker import Job, bounds_of, follow_up_job, grade_job, read_output
from grader.result import Result

FILE: Final = "answers.toml"
FOLDER: Final = "answers"


class ExpectedAnswer(Frozen):
    """A reference answer with the status that each item should get.

    A person marked a `measured` answer. It measures the checks: a pending item or another verdict is no error.
    """

    path: str = Field(description="The file or folder, relative to the lab.")
    items: dict[str, Status | tuple[Status, ...]] = Field(
        default_factory=dict,
        description="The expected status of each item, or a list of acceptable ones. Other items: correct, or review "
        "for `by-hand`.",
    )
    measured: bool = Field(
        default=False, description="Whether a person marked the answer; such answers measure how good the checks are."
    )
    why: str = Field(default="", description="What the answer tests.")

    def statuses_of(self, item: str) -> tuple[Status, ...]:
        """The statuses of an item that are as expected."""
        found = self.items.get(item, Status.CORRECT)
        return (found,) if isinstance(found, Status) else found


class ExpectedAnswers(Frozen):
    """The content of `answers.toml`."""

    answers: Annotated[tuple[ExpectedAnswer, ...], Field(min_length=1)]


def expected_answers(folder: Path) -> tuple[tuple[ExpectedAnswer, ...], tuple[Problem, ...]]:
    """Return the answers that `answers.toml` lists, with problems; without such a file, the folder `answers` is
    expected to earn everything."""
    if not (folder / FILE).is_file():
        if (folder / FOLDER).is_dir():
            return (ExpectedAnswer(path=FOLDER),), tuple(_unlisted(folder / FOLDER))
        message = f"There are no reference answers. Put one into {FOLDER}/: it shows that a right answer is understood."
        return (), (warning(FOLDER, None, message),)
    source = read_source(folder, FILE)
    if isinstance(source, Problem):
        return (), (source,)
    try:
        return ExpectedAnswers.model_validate(source.data).answers, ()
    except ValidationError as failure:
        problems = [_of_answers(problem, source) for problem in failure.errors(include_url=False)]
        return (), tuple(dict.fromkeys(problems))


def _unlisted(answers: Path) -> Iterator[Problem]:
    """Yield a warning if a folder of answers without a list holds only folders: each may be an answer."""
    entries = sorted(path for path in answers.iterdir() if not path.name.startswith("."))
    if len(entries) > 1 and all(path.is_dir() for path in entries):
        names = ", ".join(path.name for path in entries[:5])
        message = (
            f"It holds only folders ({names}), and without {FILE} they are graded as one submission. If each of them "
            f'is an answer, create {FILE} beside lab.toml, with the two lines `[[answers]]` and `path = "{FOLDER}/'
            f'{entries[0].name}"` for the first, and the same for the others.'
        )
        yield warning(FOLDER, None, message)


def _of_answers(problem: Any, source: Source) -> Problem:
    """Return the problem with the form of `answers.toml`."""
    place = tuple(problem["loc"])
    line = source.lines.line_of(*place)
    if "items" in place[:-1]:
        item, statuses = place[place.index("items") + 1], ", ".join(f'"{status}"' for status in Status)
        return error(FILE, line, f"What {item} is to earn has to be one of {statuses}, or a list of these.")
    if problem["type"] == "extra_forbidden":
        known_keys = list(ExpectedAnswer.model_fields)
        return error(FILE, line, f"`{place[-1]}` is no key of this table. It takes: {', '.join(known_keys)}.")
    return error(FILE, line, problem_sentence(problem))


def answer_problems(expected: Sequence[ExpectedAnswer], lab: Lab, folder: Path) -> Iterator[Problem]:
    """Yield the problems with the list of answers, without grading any: places that hold no answer, items that the lab
    does not have."""
    for number, expected_answer in enumerate(expected):
        place = hand_in_of(folder, expected_answer.path, number)
        if isinstance(place, Problem):
            yield place.model_copy(update={"line": _line_of_answer(folder, number)})
        yield from unknown_items(expected_answer, lab, _line_of_answer(folder, number))


def _line_of_answer(folder: Path, number: int, *place: str) -> int | None:
    """Return the line of a `place` in the entry of a number, or of its path; None if there is no list."""
    source = read_source(folder, FILE) if (folder / FILE).is_file() else None
    return source.lines.line_of("answers", number, *(place or ("path",))) if isinstance(source, Source) else None


def hand_in_of(folder: Path, path: str, number: int) -> HandIn | Problem:
    """The hand-in that the entry of a number lists, or why there is none."""
    place = folder / path
    if not place.resolve().is_relative_to(folder.resolve()):
        return error(FILE, None, f"{path} lies outside of the lab's folder; put the answer into it.")
    try:
        sources, refused = find_sources(place, Layout.STUDENT)
    except IntakeError as failure:
        return error(FILE, None, f"{path}: {str(failure).removeprefix(f'{place}: ')}")
    if len(sources) != 1:
        reasons = join_messages(" ", [refusal.reason for refusal in refused])
        return error(FILE, None, f"{path} is no submission. {reasons}")
    return replace(sources[0], student_id=f"answer-{number}")


def unknown_items(expected: ExpectedAnswer, lab: Lab, line: int | None = None) -> Iterator[Problem]:
    """The items that an entry names and the lab does not have."""
    known_ids = [item.id for item in lab.items]
    for name in expected.items:
        if name not in known_ids:
            hint = suggest_name(name, known_ids)
            message = f"{expected.path}: the lab has no item {name!r}. {hint}Known: {', '.join(known_ids)}."
            yield error(FILE, line, message)


_CONVENTIONS: Final = ("accept", "partial", "defensible")
"""Options that name conventions of the item's `model`."""


def rubric_problems(lab: Lab, source: Source) -> Iterator[Problem]:
    """Checks that are not there, and options that they do not take."""
    for number, watch in enumerate(lab.watches):
        yield from _asked(watch, source, ("watches", number))
    for number, question in enumerate(lab.questions):
        for index, item in enumerate(question.items):
            yield from _asked(item, source, ("questions", number, "items", index))
    for clash in clashes():
        yield error("pyproject.toml", None, clash)


def name_problems(lab: Lab, truth: GroundTruth, source: Source, *, is_stale: bool) -> Iterator[Problem]:
    """Options that name an experiment, a model, a parameter or a convention that is not known. What a stale truth does
    not know may be in it once it is built anew, so then names are those of `lab.toml`."""
    names_by_option = known_names(lab, truth)
    if is_stale:
        names_by_option["model"] = {str(model.get("id")) for model in lab.models}
        names_by_option["parameter"] = {parameter.id for parameter in lab.parameters}
        del names_by_option["truth_id"]
    for item in lab.items:
        for option in names_by_option.keys() & item.options.keys():
            if item.options[option] not in names_by_option[option]:
                yield _unknown(item, option, str(item.options[option]), sorted(names_by_option[option]), source)
        conventions = _conventions(str(item.options.get("model", "")), lab, truth, is_stale=is_stale)
        for option in _CONVENTIONS:
            asked = item.options.get(option, ())
            for name in asked if conventions and isinstance(asked, list) else ():
                if name not in conventions:
                    yield _unknown(item, option, str(name), conventions, source)


def _conventions(model: str, lab: Lab, truth: GroundTruth, *, is_stale: bool) -> list[str]:
    """The ids of a model's ways of counting."""
    if not is_stale:
        return [count.convention for count in truth.counts_of(model)]
    tables = (
        table for candidate in lab.models if candidate.get("id") == model for table in candidate.get("conventions", ())
    )
    return [str(table.get("id")) for table in tables if isinstance(table, dict)]


def _asked(asked: Item | Watch, source: Source, place: tuple[str | int, ...]) -> Iterator[Problem]:
    found = find_check(asked.check)
    if not isinstance(found, Check):
        yield error(LAB, source.lines.line_of(*place, "check"), f"{place_label(asked)}: {found}")
        return
    for misuse in found.misuses(asked):
        line = source.lines.line_of(*place, *(("options", misuse.option) if misuse.option else ()))
        yield error(LAB, line, f"{place_label(asked)}: {misuse.text}")


def _unknown(item: Item, option: str, name: str, allowed_names: list[str], source: Source) -> Problem:
    listing = ", ".join(allowed_names) or "none"
    hint = suggest_name(name, allowed_names)
    message = f"{place_label(item)}: `{option}`: nothing is called {name!r}. {hint}Known: {listing}."
    return error(LAB, source.item(item.id, "options", option), message)


def read_truth(folder: Path) -> GroundTruth | Problem:
    """The truth of a lab, or why there is none."""
    try:
        return load_truth(folder)
    except LabError as failure:
        if not (folder / TRUTH).is_file():
            return error(TRUTH, None, f"The file is not there. {_rebuild(folder)}")
        first = str(failure).removeprefix(f"{folder / TRUTH}: ").partition("\n")[0]
        return error(TRUTH, None, f"{first.removeprefix('as a whole: ')}. {_rebuild(folder)}")


def is_stale(lab: Lab, truth: GroundTruth, folder: Path) -> bool:
    """Whether the truth was computed from something else than what the lab's files say now."""
    return truth.lab == lab.id and bool(truth.inputs_sha256) and truth.inputs_sha256 != truth_inputs(lab, folder)


def truth_problems(
    lab: Lab, truth: GroundTruth, folder: Path, source: Source, *, is_stale: bool = False
) -> Iterator[Problem]:
    """Whether the truth is another lab's or stale, or else what is missing in it."""
    remedy = _rebuild(folder)
    if truth.lab != lab.id:
        yield error(TRUTH, None, f"This is the truth of the lab {truth.lab!r}, not of {lab.id!r}. {remedy}")
    if is_stale:
        what = "models, values, splits, seeds or evidence have changed since it was computed"
        yield error(TRUTH, None, f"It is stale: {what}. {remedy}")
    else:
        yield from _missing_for_entries(lab, truth, source, remedy)
    yield from _missing_for_items(lab, truth, source, remedy, is_stale=is_stale)


def _missing_for_entries(lab: Lab, truth: GroundTruth, source: Source, remedy: str) -> Iterator[Problem]:
    for name in (str(model.get("id", "")) for model in lab.models):
        if not truth.counts_of(name):
            message = f"The model {name} has no counts in {TRUTH}. {remedy}"
            yield warning(LAB, source.entry("models", name), message)
    valued = {value.parameter for value in truth.values}
    for parameter in lab.parameters:
        if parameter.id not in valued:
            line = source.entry("parameters", parameter.id)
            yield error(LAB, line, f"The parameter {parameter.id} has no value in {TRUTH}. {remedy}")
        for fact in parameter.facts:
            if truth.fact(fact) is None:
                message = f"{parameter.id}: the fact {fact!r} is not in {TRUTH}. Mend its name. {remedy}"
                yield error(LAB, source.entry("parameters", parameter.id), message)


def _missing_for_items(
    lab: Lab, truth: GroundTruth, source: Source, remedy: str, *, is_stale: bool
) -> Iterator[Problem]:
    called = {signature.callable for signature in truth.signatures}
    for item in lab.items:
        call = str(item.options.get("call", ""))
        if call and call.rpartition(".")[2] not in called and not is_stale:
            message = f"{item.id}: the arguments of {call} are not in {TRUTH}. {remedy}"
            yield error(LAB, source.item(item.id, "options", "call"), message)
        if item.check == BAND and not _has_band(item, lab, truth):
            message = (
                f"{item.id}: no band is known for this experiment, so each average goes to a person. "
                f"Put results of known runs into a TOML file in {EVIDENCE}/. {remedy}"
            )
            yield warning(LAB, source.item(item.id, "options", "experiment"), message)


BAND: Final = "expected-band"


def _has_band(item: Item, lab: Lab, truth: GroundTruth) -> bool:
    """Whether a band is known for the experiment, measure and split that an item asks for."""
    experiment, measure, split = (item.options.get(name) for name in ("experiment", "measure", "split"))
    usual = lab.measures_of(str(experiment))[0].id
    splits = (split,) if split else lab.reported
    return any(
        truth.bands_of(str(experiment), str(candidate), None if measure == usual else measure) for candidate in splits
    )


def _rebuild(folder: Path) -> str:
    return f"Build it anew: grade truth build --lab {folder}"


def short_answer_problems(lab: Lab, folder: Path) -> Iterator[Problem]:
    """Yield the problems with the model of short answers of a lab that asks for one."""
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
    card = card_in(settings.model.path.parent)
    try:
        # A card's seal proves what it says of the model, so that neither the model nor the examples have to be read.
        is_sealed = card is not None and card.seal != "" and card.seal == seal(settings, settings.model)
        scorer = None if is_sealed else settings.scorer()
        examples = () if is_sealed or settings.like else read_examples(lab_file(folder, settings.examples))
    except (OSError, ValueError) as failure:
        yield error(MODEL, None, f"{failure!s}. {remedy}")
        return
    topics = card.topics if card and is_sealed else scorer.topics if scorer else ()
    for topic in sorted(asked - set(topics)):
        yield error(LAB, None, f"The model knows no example of {topic}. {remedy}")
    if settings.like:
        return
    if scorer and scorer.inputs != model_inputs(examples, settings):
        message = f"It is stale: examples or settings have changed since it was trained. {remedy}"
        yield error(MODEL, None, message)
    if card is None or (scorer and card.inputs != scorer.inputs):
        yield error(CARD, None, f"It is not the card of this model. {remedy}")
    else:
        yield from _lessons(lab, settings, card, remedy)


def _lessons(lab: Lab, settings: ShortAnswers, card: Card, remedy: str) -> Iterator[Problem]:
    """Yield warnings about decisions that a model could learn from anew, or cannot learn from."""
    decided = sum(decision.group.partition(":")[0] in card.topics for decision in lab.decisions.decisions)
    if decided > card.decisions + len(card.contradictions):
        message = f"People decided since it was trained, and it can learn from that. {remedy}"
        yield warning(MODEL, None, message)
    for topic, text in card.contradictions:
        message = f"{topic}: the same words are marked differently: {text!r}. They teach nothing."
        yield warning(settings.examples, None, message)


def card_in(folder: Path) -> Card | None:
    """The card of a folder's model of short answers; None where there is none that can be read."""
    try:
        return read_card(folder / CARD)
    except (OSError, ValueError):
        return None


class Soundness(NamedTuple):
    """The problems with a lab's files. `lab` and `truth` are None if they could not be read."""

    lab: Lab | None
    truth: GroundTruth | None
    expected: tuple[ExpectedAnswer, ...]
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that keep the lab from being graded with."""
        return tuple(problem for problem in self.problems if problem.severity is Severity.ERROR)


def looked_through(folder: Path) -> Soundness:
    """All problems of a lab's files at once. No file in the folder is run; checks of its own come from installed
    packages."""
    source, found = read_source(folder), read_truth(folder)
    expected, unusable = expected_answers(folder)
    truth, untrue = (None, (found,)) if isinstance(found, Problem) else (found, ())
    if isinstance(source, Problem):  # whether the lab needs a truth is not known
        return Soundness(None, truth, expected, (source, *unusable))
    form = form_of(source)
    if form.lab is None:
        return Soundness(None, truth, expected, form.problems)
    lab, problems = form.lab, list[Problem]()
    try:
        lab = with_files(lab, folder)
    except LabError as failure:
        problems.append(error(LAB, None, str(failure)))
    known_ground_truth = truth or GroundTruth(lab=lab.id)
    stale = form.is_whole and is_stale(lab, known_ground_truth, folder)
    problems += truth_problems(lab, known_ground_truth, folder, form.source, is_stale=stale) if truth else ()
    problems += rubric_problems(lab, form.source)
    problems += habit_problems(lab, form.source, folder)
    problems += short_answer_problems(lab, folder)
    problems += untrue
    problems += name_problems(lab, known_ground_truth, form.source, is_stale=stale or truth is None)
    problems += unusable
    problems += answer_problems(expected, lab, folder)
    reported_problems = (*form.problems, *(problem for problem in problems if not form.is_about_these(problem)))
    return Soundness(lab if form.is_whole else None, truth, expected, tuple(dict.fromkeys(reported_problems)))


_WORKERS: Final = 2


class Comparison(NamedTuple):
    """The outcome of an answer; `problems` are the items that are not as expected, and `differing` those items of a
    measured answer that were decided otherwise."""

    path: str
    result: Result | None
    problems: tuple[Problem, ...]
    expected: ExpectedAnswer = ExpectedAnswer(path="")
    differing: tuple[Problem, ...] = ()


class CheckMeasurement(Frozen):
    """The measured decisions of one check: how many items of measured answers it decided, and how many as a person did.
    `unearned` are those that earned something and should earn nothing, `withheld` those that were right and earned
    nothing."""

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


def compare(expected: Sequence[ExpectedAnswer], lab: Lab, truth: GroundTruth, folder: Path) -> Iterator[Comparison]:
    """Grade the answers, each in a process of its own, and hold them against what they are to earn."""
    found = {answer.path: hand_in_of(folder, answer.path, number) for number, answer in enumerate(expected)}
    usable = [entry for entry in found.values() if not isinstance(entry, Problem)]
    results = _graded(usable, lab, truth)
    for number, expected_answer in enumerate(expected):
        place = found[expected_answer.path]
        if isinstance(place, Problem):
            yield Comparison(expected_answer.path, None, (place,))
        else:
            result = results[place.student_id]
            unknown = tuple(unknown_items(expected_answer, lab))
            differing = tuple(_differences(expected_answer, number, result, lab, folder))
            if expected_answer.measured and not result.error:
                yield Comparison(expected_answer.path, result, unknown, expected_answer, differing)
            else:
                yield Comparison(expected_answer.path, result, (*unknown, *differing), expected_answer)


_NOTHING: Final = frozenset({Status.INCORRECT, Status.MISSING})
_OPEN: Final = frozenset({Status.REVIEW, Status.ERROR, Status.NOT_RUN})
_BY_HAND: Final = "by-hand"


def measure_checks(answers: Sequence[Comparison], lab: Lab) -> tuple[CheckMeasurement, ...]:
    """Return the decisions of each check on the measured answers, except for items that a person always decides. A
    missing answer and an incorrect one both earn nothing, so either counts as the other."""
    found: dict[str, CheckMeasurement] = {}
    checks = {item.id: item.check for item in lab.items if item.check != _BY_HAND}
    for answer in (comparison for comparison in answers if comparison.expected.measured and comparison.result):
        for item in (candidate for candidate in answer.result.items if candidate.id in checks):  # type: ignore[union-attr]
            wanted, status = set(answer.expected.statuses_of(item.id)), item.status
            nothing = status in _NOTHING
            decided = status not in _OPEN
            before = found.get(checks[item.id], CheckMeasurement(check=checks[item.id]))
            found[before.check] = CheckMeasurement(
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
    results = [(answer.expected, answer.result) for answer in answers if answer.result]
    found = [(item, expected.statuses_of(item.id)) for expected, result in results for item in result.items]
    proven = {(item.id, item.status is Status.CORRECT) for item, wanted in found if item.status in {*wanted} - _OPEN}
    items = [item.id for item in lab.items if item.check != _BY_HAND]
    right, wrong = ([item for item in items if (item, is_right) not in proven] for is_right in (True, False))
    return Unproven(right=tuple(right), wrong=tuple(wrong))


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
        for outcome in run_isolated(
            grade_job, jobs, workers=_WORKERS, preload=preload, bounds=bounds_of, anew=follow_up_job
        ):
            hand_in = outcome.job.source
            made = read_output(hand_in.student_id, outcome)
            reason = f"Grading stopped: {made.problem or 'its process sent no result'}."
            results[hand_in.student_id] = made.result or failed_result(hand_in, lab, truth, reason)
    return results


def _differences(expected: ExpectedAnswer, number: int, result: Result, lab: Lab, folder: Path) -> Iterator[Problem]:
    file = FILE if (folder / FILE).is_file() else FOLDER
    if result.error:
        yield error(file, None, f"{expected.path}: {result.error}")
        return
    by_hand = {item.id for item in lab.items if item.check == _BY_HAND} - set(expected.items)
    for item in result.items:
        wanted = (Status.REVIEW,) if item.id in by_hand else expected.statuses_of(item.id)
        if item.status not in wanted and not (expected.measured and item.status in _OPEN):
            line = _line_of_answer(folder, number, "items", item.id)
            points = f"{item.score.normalize():f} of {item.max_score.normalize():f} points"
            message = (
                f"{expected.path}: {item.id} is {item.status.value} ({points}); {' or '.join(wanted)} was expected. "
                f"{item.feedback} {item.note}"
            )
            yield error(file, line, message)


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


class Inspection(NamedTuple):
    """The findings of an inspection; `lab` is None if its files could not be read. `answers` are not graded if anything
    else is already wrong."""

    lab: Lab | None
    problems: tuple[Problem, ...]
    answers: tuple[Comparison, ...] = ()

    @property
    def errors(self) -> tuple[Problem, ...]:
        """All errors, those of the answers last."""
        everything = (*self.problems, *(problem for answer in self.answers for problem in answer.problems))
        return tuple(problem for problem in everything if problem.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The problems that are worth a look."""
        return tuple(problem for problem in self.problems if problem.severity is Severity.WARNING)


def inspect(folder: Path) -> Inspection:
    """All problems of a lab's folder, and where its files are sound, what its reference answers earn."""
    found = looked_through(folder)
    if found.errors or found.lab is None or found.truth is None:
        return Inspection(found.lab, found.problems)
    return Inspection(found.lab, found.problems, tuple(compare(found.expected, found.lab, found.truth, folder)))


def grade_texts(lab_folder: Path, **files: str) -> Result:
    """Grade one hand-in that consists of texts: `report="…"` becomes report.md. It is graded in this process, without
    limits on time and memory.

    Raises LabError when the lab cannot be used.
    """
    lab, truth = load_lab(lab_folder), load_truth(lab_folder)
    verify(lab, truth)
    with tempfile.TemporaryDirectory(prefix="grade-trial-") as folder:
        hand_in, work = Path(folder) / "student", Path(folder) / "work"
        hand_in.mkdir()
        work.mkdir()
        for name, text in files.items():
            (hand_in / f"{name}.md").write_text(text, encoding="utf-8")
        (source,), _ = find_sources(hand_in, Layout.STUDENT)
        return grade_source(source, lab, truth, work)
