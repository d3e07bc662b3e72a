"""The list of a lab's reference answers in `answers.toml`: which hand-ins they are, and what each is to earn."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, ValidationError

from grader.checks.finding import Status
from grader.frozen import Frozen
from grader.intake import IntakeError
from grader.intake.layouts import Layout, find_sources
from grader.intake.submission import Source as HandIn
from grader.lab.definition import Lab
from grader.message import joined
from grader.pipeline.inspection.form import Problem, error, read_source, warning

FILE: Final = "answers.toml"
FOLDER: Final = "answers"


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


def answer_problems(expected: Sequence[Expected], lab: Lab, folder: Path) -> Iterator[Problem]:
    """What is wrong with the list of answers, of which none is graded: places that hold none, items that the lab does
    not have."""
    for number, one in enumerate(expected):
        place = hand_in_of(folder, one.path, number)
        if isinstance(place, Problem):
            yield place
        yield from unknown_items(one, lab)


def hand_in_of(folder: Path, path: str, number: int) -> HandIn | Problem:
    """The hand-in that the entry of a number lists, or why there is none."""
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


def unknown_items(expected: Expected, lab: Lab) -> Iterator[Problem]:
    """The items that an entry names and the lab does not have."""
    known = {item.id for item in lab.items}
    for name in expected.items:
        if name not in known:
            yield error(FILE, None, f"{expected.path}: the lab has no item {name!r}.")
