"""Whether what items and watches ask for is there: checks, their options, and the names in these."""

from collections.abc import Iterator, Mapping
from typing import Final

from grader.checks.check import Check, named
from grader.checks.registry import clashes, find_check
from grader.checks.suggestion import meant
from grader.lab.definition import Item, Lab, Watch
from grader.lab.truth import GroundTruth
from grader.message import joined, say
from grader.pipeline.inspection.problem import Problem, error
from grader.pipeline.inspection.source import LAB, Source

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
