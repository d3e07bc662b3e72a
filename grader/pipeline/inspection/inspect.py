"""A lab's folder from its first file to its reference answers: all that is wrong with checks, options and truth, and
what the answers earn. A lab can be tried on a few lines of text, too.
"""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from grader.checks.check import Check, meant, named
from grader.checks.registry import clashes, find_check
from grader.checks.runner import known_names, verify
from grader.intake.layouts import Layout, find_sources
from grader.lab.definition import Item, Lab, Watch
from grader.lab.files import EVIDENCE, LabError, load_lab, load_truth, truth_inputs, with_files
from grader.lab.truth import GroundTruth
from grader.message import joined, say
from grader.pipeline.inspection.answers import (
    Comparison,
    answer_problems,
    compare,
    expected_answers,
    short_answer_problems,
)
from grader.pipeline.inspection.form import (
    LAB,
    Form,
    Problem,
    Severity,
    Source,
    error,
    form_of,
    habit_problems,
    read_source,
    warning,
)
from grader.pipeline.one import grade_source
from grader.result import Result

_CONVENTIONS: Final = ("accept", "partial", "defensible")
"""Options that name conventions of the item's `model`."""


def rubric_problems(lab: Lab, source: Source) -> Iterator[Problem]:
    """Checks that are not there, and options that they do not take."""
    for number, watch in enumerate(lab.watches):
        yield from _asked(watch, source, ("watches", number))
    for item in lab.items:
        yield from _asked(item, source, _place(item, lab))
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
        yield error(LAB, source.lines.of(*place, "check"), say("{what}: {problem}", what=named(asked), problem=found))
        return
    for misuse in found.misuses(asked):
        line = source.lines.of(*place, *(("options", misuse.option) if misuse.option else ()))
        yield error(LAB, line, say("{what}: {problem}", what=named(asked), problem=misuse.text))


def _place(item: Item, lab: Lab) -> tuple[str | int, ...]:
    return next(
        ("questions", number, "items", question.items.index(item))
        for number, question in enumerate(lab.questions)
        if item in question.items
    )


def _unknown(item: Item, option: str, name: str, known: list[str], source: Source) -> Problem:
    said = say(
        "{item}: `{option}`: nothing is called {name!r}. {meant}Known: {known}.",
        item=named(item),
        option=option,
        name=name,
        meant=meant(name, known),
        known=joined(", ", known) if known else say("none"),
    )
    return error(LAB, source.item(item.id, "options", option), said)


TRUTH: Final = "truth.json"


def read_truth(folder: Path) -> GroundTruth | Problem:
    """The truth of a lab, or why there is none."""
    if not (folder / TRUTH).is_file():
        return error(TRUTH, None, say("The file is not there. {remedy}", remedy=_rebuild(folder)))
    try:
        return load_truth(folder)
    except LabError as failure:
        return error(TRUTH, None, say("{reason} {remedy}", reason=str(failure), remedy=_rebuild(folder)))


def truth_problems(
    lab: Lab, truth: GroundTruth, folder: Path, source: Source, *, is_whole: bool = True
) -> Iterator[Problem]:
    """Whether the truth is stale, and what is missing in it. Of a lab that is not whole it cannot be told what is
    stale."""
    if truth.lab != lab.id:
        said = say(
            "This is the truth of the lab {other!r}, not of {own!r}. {remedy}",
            other=truth.lab,
            own=lab.id,
            remedy=_rebuild(folder),
        )
        yield error(TRUTH, None, said)
    elif is_whole and truth.inputs_sha256 and truth.inputs_sha256 != truth_inputs(lab, folder):
        said = say(
            "It is stale: models, values, splits, seeds or evidence have changed since it was computed. {remedy}",
            remedy=_rebuild(folder),
        )
        yield error(TRUTH, None, said)
    yield from _missing(lab, truth, folder, source)
    yield from _facts(lab, truth, folder, source)


def _missing(lab: Lab, truth: GroundTruth, folder: Path, source: Source) -> Iterator[Problem]:
    remedy = _rebuild(folder)
    for name in (str(model.get("id", "")) for model in lab.models):
        if not truth.counts_of(name):
            said = say("The model {id} has no counts in {truth}. {remedy}", id=name, truth=TRUTH, remedy=remedy)
            yield warning(LAB, source.entry("models", name), said)
    valued = {value.parameter for value in truth.values}
    for parameter in lab.parameters:
        if parameter.id not in valued:
            said = say(
                "The parameter {id} has no value in {truth}. {remedy}", id=parameter.id, truth=TRUTH, remedy=remedy
            )
            yield error(LAB, source.entry("parameters", parameter.id), said)
    called = {signature.callable for signature in truth.signatures}
    for item in lab.items:
        call = str(item.options.get("call", ""))
        if call and call.rpartition(".")[2] not in called:
            said = say(
                "{id}: the arguments of {call} are not in {truth}. {remedy}",
                id=item.id,
                call=call,
                truth=TRUTH,
                remedy=remedy,
            )
            yield error(LAB, source.item(item.id, "options", "call"), said)
        if item.check == BAND and not _has_band(item, lab, truth):
            said = say(
                "{id}: no band is known for this experiment, so each average goes to a person. Put results of known "
                "runs into a TOML file in {folder}/. {remedy}",
                id=item.id,
                folder=EVIDENCE,
                remedy=remedy,
            )
            yield warning(LAB, source.item(item.id, "options", "experiment"), said)


BAND: Final = "expected-band"


def _has_band(item: Item, lab: Lab, truth: GroundTruth) -> bool:
    """Whether a band is known for the experiment, measure and split that an item asks for."""
    experiment, measure, split = (item.options.get(name) for name in ("experiment", "measure", "split"))
    usual = lab.measures_of(str(experiment))[0].id
    splits = (split,) if split else lab.reported
    return any(truth.bands_of(str(experiment), str(one), None if measure == usual else measure) for one in splits)


def _facts(lab: Lab, truth: GroundTruth, folder: Path, source: Source) -> Iterator[Problem]:
    for parameter in lab.parameters:
        for fact in parameter.facts:
            if truth.fact(fact) is None:
                said = say(
                    "{id}: the fact {fact!r} is not in {truth}. Mend its name. {remedy}",
                    id=parameter.id,
                    fact=fact,
                    truth=TRUTH,
                    remedy=_rebuild(folder),
                )
                yield error(LAB, source.entry("parameters", parameter.id), said)


def _rebuild(folder: Path) -> str:
    return say("Build it anew: grade truth build --lab {folder}", folder=folder)


class Inspection(NamedTuple):
    """What was found; `lab` is None where its files could not be read. `answers` are not graded where anything else is
    wrong already."""

    lab: Lab | None
    problems: tuple[Problem, ...]
    answers: tuple[Comparison, ...] = ()

    @property
    def errors(self) -> tuple[Problem, ...]:
        """All errors, those of the answers last."""
        everything = (*self.problems, *(one for answer in self.answers for one in answer.problems))
        return tuple(one for one in everything if one.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What is worth a look."""
        return tuple(one for one in self.problems if one.severity is Severity.WARNING)


def inspect(folder: Path) -> Inspection:
    """Look through a lab's folder: all that is wrong, at once. No file in it is run; checks of its own come from
    installed packages."""
    source, truth = read_source(folder), read_truth(folder)
    expected, unusable = expected_answers(folder)
    if isinstance(source, Problem):
        untrue = (truth,) if isinstance(truth, Problem) else ()
        return Inspection(None, (source, *untrue, *unusable))
    form = form_of(source)
    if form.lab is None:
        return Inspection(None, form.problems)
    lab, unread = _with_files(form.lab, folder)
    problems = (
        *unread,
        *rubric_problems(lab, form.source),
        *habit_problems(lab, form.source),
        *short_answer_problems(lab, folder),
        *_of_truth(lab, truth, folder, form),
        *unusable,
    )
    told = (*form.problems, *(one for one in problems if not form.is_about_these(one)))
    found = Inspection(lab if form.is_whole else None, tuple(dict.fromkeys(told)))
    if found.errors or isinstance(truth, Problem):
        misplaced = (one for one in answer_problems(expected, lab, folder) if not form.is_about_these(one))
        return found._replace(problems=(*found.problems, *misplaced))
    return found._replace(answers=tuple(compare(expected, lab, truth, folder)))


def _with_files(lab: Lab, folder: Path) -> tuple[Lab, tuple[Problem, ...]]:
    try:
        return with_files(lab, folder), ()
    except LabError as failure:
        return lab, (error(LAB, None, say("{reason}", reason=str(failure))),)


def _of_truth(lab: Lab, truth: GroundTruth | Problem, folder: Path, form: Form) -> Iterator[Problem]:
    if isinstance(truth, Problem):
        yield truth
        return
    yield from name_problems(lab, known_names(lab, truth), truth, form.source)
    yield from truth_problems(lab, truth, folder, form.source, is_whole=form.is_whole)


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
