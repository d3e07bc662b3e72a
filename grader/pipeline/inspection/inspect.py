"""A lab's folder from its first file to its reference answers: all that is wrong, and what the answers earn."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from grader.checks.runner import known_names
from grader.lab.definition import Lab
from grader.lab.files import LabError, load_lab
from grader.lab.truth import GroundTruth
from grader.message import say
from grader.pipeline.inspection.answers import Comparison, compare, expected_answers
from grader.pipeline.inspection.answers_in_words import short_answer_problems
from grader.pipeline.inspection.form import form_problems
from grader.pipeline.inspection.habits import habit_problems
from grader.pipeline.inspection.problem import Problem, Severity, error
from grader.pipeline.inspection.rubric import name_problems, rubric_problems
from grader.pipeline.inspection.source import LAB, Source, read_source
from grader.pipeline.inspection.truths import read_truth, truth_problems


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
    """Look through a lab's folder. No file in it is run; checks of its own come from installed packages."""
    source = read_source(folder)
    if isinstance(source, Problem):
        return Inspection(None, (source,))
    shaped = form_problems(source)
    if shaped:
        return Inspection(None, shaped)
    try:
        lab = load_lab(folder)
    except LabError as failure:
        return Inspection(None, (error(LAB, None, say("{reason}", reason=str(failure))),))
    truth = read_truth(folder)
    problems = (
        *rubric_problems(lab, source),
        *habit_problems(lab, source),
        *short_answer_problems(lab, folder),
        *_of_truth(lab, truth, folder, source),
    )
    expected, unusable = expected_answers(folder)
    found = Inspection(lab, (*problems, *unusable))
    if found.errors or isinstance(truth, Problem):
        return found
    return found._replace(answers=tuple(compare(expected, lab, truth, folder)))


def _of_truth(lab: Lab, truth: GroundTruth | Problem, folder: Path, source: Source) -> Iterator[Problem]:
    if isinstance(truth, Problem):
        yield truth
        return
    yield from name_problems(lab, known_names(lab, truth), truth, source)
    yield from truth_problems(lab, truth, folder, source)
