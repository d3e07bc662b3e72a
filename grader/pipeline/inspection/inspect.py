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
from grader.pipeline.inspection.answers import (
    Comparison,
    answer_problems,
    compare,
    expected_answers,
    short_answer_problems,
)
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
from grader.pipeline.one import grade_source
from grader.result import Result

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
        line = source.entry("parameters", parameter.id)
        if parameter.id not in valued:
            yield error(LAB, line, f"The parameter {parameter.id} has no value in {TRUTH}. {remedy}")
        for fact in parameter.facts:
            if truth.fact(fact) is None:
                said = f"{parameter.id}: the fact {fact!r} is not in {TRUTH}. Mend its name. {remedy}"
                yield error(LAB, line, said)
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
    lab, problems = form.lab, list[Problem]()
    try:
        lab = with_files(lab, folder)
    except LabError as failure:
        problems.append(error(LAB, None, str(failure)))
    problems += rubric_problems(lab, form.source)
    problems += habit_problems(lab, form.source)
    problems += short_answer_problems(lab, folder)
    if isinstance(truth, Problem):
        problems.append(truth)
    else:
        problems += name_problems(lab, known_names(lab, truth), truth, form.source)
        problems += truth_problems(lab, truth, folder, form.source, is_whole=form.is_whole)
    problems += unusable
    told = (*form.problems, *(one for one in problems if not form.is_about_these(one)))
    found = Inspection(lab if form.is_whole else None, tuple(dict.fromkeys(told)))
    if found.errors or isinstance(truth, Problem):
        misplaced = (one for one in answer_problems(expected, lab, folder) if not form.is_about_these(one))
        return found._replace(problems=(*found.problems, *misplaced))
    return found._replace(answers=tuple(compare(expected, lab, truth, folder)))


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
