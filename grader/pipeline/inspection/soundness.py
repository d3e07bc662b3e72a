"""What is wrong with a lab's files, found without grading anything: their form, the checks and options that they ask
for, the truth and the model of short answers. A lab with errors is never graded with.
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from shlex import quote
from typing import Final, NamedTuple

from grader.checks.check import Check, meant, named
from grader.checks.registry import clashes, find_check
from grader.checks.runner import known_names
from grader.lab.definition import Item, Lab, Watch
from grader.lab.files import EVIDENCE, LabError, lab_file, lab_folders, load_lab, load_truth, truth_inputs, with_files
from grader.lab.short_answers import CARD, MODEL, Card, ShortAnswers, model_inputs, read_card, read_examples, seal
from grader.lab.truth import GroundTruth
from grader.pipeline.inspection.expected import Expected, answer_problems, expected_answers
from grader.pipeline.inspection.form import (
    LAB,
    Problem,
    Severity,
    Source,
    error,
    form_of,
    habit_problems,
    read_source,
    warning,
)

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


def name_problems(lab: Lab, known: Mapping[str, set[str]], truth: GroundTruth, source: Source) -> Iterator[Problem]:
    """Options that name an experiment, a model, a parameter or a convention that is not known. `known` holds the names
    by option."""
    for item in lab.items:
        for option in known.keys() & item.options.keys():
            if item.options[option] not in known[option]:
                yield _unknown(item, option, str(item.options[option]), sorted(known[option]), source)
        counts = truth.counts_of(str(item.options.get("model", "")))
        conventions = [count.convention for count in counts]
        for option in _CONVENTIONS:
            asked = item.options.get(option, ())
            for name in asked if conventions and isinstance(asked, list) else ():
                if name not in conventions:
                    yield _unknown(item, option, str(name), conventions, source)


def _asked(asked: Item | Watch, source: Source, place: tuple[str | int, ...]) -> Iterator[Problem]:
    found = find_check(asked.check)
    if not isinstance(found, Check):
        yield error(LAB, source.lines.of(*place, "check"), f"{named(asked)}: {found}")
        return
    for misuse in found.misuses(asked):
        line = source.lines.of(*place, *(("options", misuse.option) if misuse.option else ()))
        yield error(LAB, line, f"{named(asked)}: {misuse.text}")


def _unknown(item: Item, option: str, name: str, known: list[str], source: Source) -> Problem:
    told = ", ".join(known) or "none"
    said = f"{named(item)}: `{option}`: nothing is called {name!r}. {meant(name, known)}Known: {told}."
    return error(LAB, source.item(item.id, "options", option), said)


TRUTH: Final = "truth.json"


def read_truth(folder: Path) -> GroundTruth | Problem:
    """The truth of a lab, or why there is none."""
    if not (folder / TRUTH).is_file():
        return error(TRUTH, None, f"The file is not there. {_rebuild(folder)}")
    try:
        return load_truth(folder)
    except LabError as failure:
        return error(TRUTH, None, f"{failure} {_rebuild(folder)}")


def truth_problems(
    lab: Lab, truth: GroundTruth, folder: Path, source: Source, *, is_whole: bool = True
) -> Iterator[Problem]:
    """Whether the truth is stale, and what is missing in it. Of a lab that is not whole it cannot be told what is
    stale."""
    remedy = _rebuild(folder)
    if truth.lab != lab.id:
        yield error(TRUTH, None, f"This is the truth of the lab {truth.lab!r}, not of {lab.id!r}. {remedy}")
    elif is_whole and truth.inputs_sha256 and truth.inputs_sha256 != truth_inputs(lab, folder):
        what = "models, values, splits, seeds or evidence have changed since it was computed"
        yield error(TRUTH, None, f"It is stale: {what}. {remedy}")
    for name in (str(model.get("id", "")) for model in lab.models):
        if not truth.counts_of(name):
            said = f"The model {name} has no counts in {TRUTH}. {remedy}"
            yield warning(LAB, source.entry("models", name), said)
    valued = {value.parameter for value in truth.values}
    for parameter in lab.parameters:
        if parameter.id not in valued:
            line = source.entry("parameters", parameter.id)
            yield error(LAB, line, f"The parameter {parameter.id} has no value in {TRUTH}. {remedy}")
        for fact in parameter.facts:
            if truth.fact(fact) is None:
                said = f"{parameter.id}: the fact {fact!r} is not in {TRUTH}. Mend its name. {remedy}"
                yield error(LAB, source.entry("parameters", parameter.id), said)
    yield from _missing_for_items(lab, truth, source, remedy)


def _missing_for_items(lab: Lab, truth: GroundTruth, source: Source, remedy: str) -> Iterator[Problem]:
    called = {signature.callable for signature in truth.signatures}
    for item in lab.items:
        call = str(item.options.get("call", ""))
        if call and call.rpartition(".")[2] not in called:
            said = f"{item.id}: the arguments of {call} are not in {TRUTH}. {remedy}"
            yield error(LAB, source.item(item.id, "options", "call"), said)
        if item.check == BAND and not _has_band(item, lab, truth):
            said = (
                f"{item.id}: no band is known for this experiment, so each average goes to a person. "
                f"Put results of known runs into a TOML file in {EVIDENCE}/. {remedy}"
            )
            yield warning(LAB, source.item(item.id, "options", "experiment"), said)


BAND: Final = "expected-band"


def _has_band(item: Item, lab: Lab, truth: GroundTruth) -> bool:
    """Whether a band is known for the experiment, measure and split that an item asks for."""
    experiment, measure, split = (item.options.get(name) for name in ("experiment", "measure", "split"))
    usual = lab.measures_of(str(experiment))[0].id
    splits = (split,) if split else lab.reported
    return any(truth.bands_of(str(experiment), str(one), None if measure == usual else measure) for one in splits)


def _rebuild(folder: Path) -> str:
    return f"Build it anew: grade truth build --lab {folder}"


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
        said = f"It is stale: examples or settings have changed since it was trained. {remedy}"
        yield error(MODEL, None, said)
    if card is None or (scorer and card.inputs != scorer.inputs):
        yield error(CARD, None, f"It is not the card of this model. {remedy}")
    else:
        yield from _lessons(lab, settings, card, remedy)


def _lessons(lab: Lab, settings: ShortAnswers, card: Card, remedy: str) -> Iterator[Problem]:
    """What a model could learn anew, or cannot learn from."""
    decided = sum(one.group.partition(":")[0] in card.topics for one in lab.decisions.decisions)
    if decided > card.decisions + len(card.contradictions):
        said = f"People decided since it was trained, and it can learn from that. {remedy}"
        yield warning(MODEL, None, said)
    for topic, text in card.contradictions:
        said = f"{topic}: the same words are marked differently: {text!r}. They teach nothing."
        yield warning(settings.examples, None, said)


def card_in(folder: Path) -> Card | None:
    """The card of a folder's model of short answers; None where there is none that can be read."""
    try:
        return read_card(folder / CARD)
    except (OSError, ValueError):
        return None


class Soundness(NamedTuple):
    """What is wrong with a lab's files. `lab` and `truth` are None where they could not be read."""

    lab: Lab | None
    truth: GroundTruth | None
    expected: tuple[Expected, ...]
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that keep the lab from being graded with."""
        return tuple(one for one in self.problems if one.severity is Severity.ERROR)


def looked_through(folder: Path) -> Soundness:
    """All problems of a lab's files at once. No file in the folder is run; checks of its own come from installed
    packages."""
    source, found = read_source(folder), read_truth(folder)
    expected, unusable = expected_answers(folder)
    truth, untrue = (None, (found,)) if isinstance(found, Problem) else (found, ())
    if isinstance(source, Problem):
        return Soundness(None, truth, expected, (source, *untrue, *unusable))
    form = form_of(source)
    if form.lab is None:
        return Soundness(None, truth, expected, form.problems)
    lab, problems = form.lab, list[Problem]()
    try:
        lab = with_files(lab, folder)
    except LabError as failure:
        problems.append(error(LAB, None, str(failure)))
    problems += rubric_problems(lab, form.source)
    problems += habit_problems(lab, form.source)
    problems += short_answer_problems(lab, folder)
    problems += untrue
    if truth is not None:
        problems += name_problems(lab, known_names(lab, truth), truth, form.source)
        problems += truth_problems(lab, truth, folder, form.source, is_whole=form.is_whole)
    problems += unusable
    problems += answer_problems(expected, lab, folder)
    told = (*form.problems, *(one for one in problems if not form.is_about_these(one)))
    return Soundness(lab if form.is_whole else None, truth, expected, tuple(dict.fromkeys(told)))


MARK: Final = "checked.sha256"
"""The file in a copy of a lab, made for a course system, that tells of which files it was found sound: the copy holds
only what grading reads, so that it cannot be looked through itself."""


def mark_of(lab: Lab, truth: GroundTruth, folder: Path) -> str:
    """The hash of the files that a lab's soundness depends on. Decisions of persons may be added to a copy."""
    model = lab.short_answers.model.sha256 if lab.short_answers and lab.short_answers.model else ""
    digest = hashlib.sha256(b"".join((one / LAB).read_bytes() for one in lab_folders(folder)))
    digest.update(f"{truth.sha256} {model}".encode())
    return digest.hexdigest()


def _marked(folder: Path) -> tuple[Lab, GroundTruth] | None:
    """The lab of a copy that is as it was when it was found sound. Raises LabError."""
    if not (folder / MARK).is_file():
        return None
    lab, truth = load_lab(folder), load_truth(folder)
    is_same = (folder / MARK).read_bytes().strip() == mark_of(lab, truth, folder).encode()
    return (lab, truth) if is_same else None


def sound_lab(folder: Path) -> tuple[Lab, GroundTruth]:
    """The lab in a folder and its truth. Raises LabError with every error that `grade lab check` reports, but for those
    that only grading the reference answers shows."""
    copied = _marked(folder)
    if copied:
        return copied
    found = looked_through(folder)
    if found.errors or found.lab is None or found.truth is None:
        told = "\n".join(one.told(folder) for one in found.errors)
        remedy = f"The lab is not ready, so it is not used. Mend these, then: grade lab check {quote(str(folder))}"
        raise LabError(f"{told}\n{remedy}")
    return found.lab, found.truth
