"""All checks by name: those of the grader, and those of installed packages, which are found by entry points and
loaded only when a lab asks for one.

A lab's folder is data. Code comes from packages alone, which an instructor has installed, so nothing that lies in a
folder, a hand-in least of all, is ever imported.
"""

from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from grader.checks.accuracy_band import accuracy_band
from grader.checks.check import Check, meant, named
from grader.checks.checkpoint_selection import checkpoint_selection
from grader.checks.comparison import comparison
from grader.checks.configured_call import configured_call
from grader.checks.count_derivation import count_derivation
from grader.checks.foreign_hand_in import foreign_hand_in
from grader.checks.hyperparameters import hyperparameters
from grader.checks.notebook_state import notebook_state
from grader.checks.parameter_count import parameter_count
from grader.checks.parameter_values import parameter_values
from grader.checks.printed_count import printed_count
from grader.checks.prompt_format import prompt_format
from grader.checks.seed_statistics import seed_statistics
from grader.checks.seeds_reported import seeds_reported
from grader.checks.short_answer import short_answer
from grader.checks.steps_ran import steps_ran
from grader.checks.trainable_count import trainable_count
from grader.lab.definition import Item, Watch
from grader.lab.files import LabError
from grader.message import joined, say

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "lab_grader.checks"
"""The entry points by which a package offers checks: `name = "module:function"`, the name as in `@check(name)`."""


def offered() -> Iterator[tuple[str, str]]:
    """The names of all checks that packages offer, each with its package. None of them is loaded."""
    return ((point.name, _package(point)) for point in _points())


def installed_check(name: str) -> Check | str | None:
    """The check that an installed package offers under a name; why it cannot be used; or None where there is none."""
    points = list({(point.value, _package(point)): point for point in _points() if point.name == name}.values())
    if not points:
        return None
    if len(points) > 1:
        packages = joined(", ", sorted(map(_package, points)))
        return say(
            "several packages offer a check named {name!r}: {packages}. Uninstall all but one.",
            name=name,
            packages=packages,
        )
    return _loaded(points[0])


def _loaded(point: "EntryPoint") -> Check | str:
    where = say("the check {name!r} of the package {package}", name=point.name, package=_package(point))
    try:
        found = point.load()
    except (Exception, SystemExit) as error:  # it is foreign code, and may fail in any way
        reason = say("{kind}: {text}", kind=type(error).__name__, text=str(error))
        return say("{where} cannot be loaded from {value} ({reason}).", where=where, value=point.value, reason=reason)
    if not isinstance(found, Check):
        return say(
            "{where}: {value} is no check. Put @check({name!r}) above the function.",
            where=where,
            value=point.value,
            name=point.name,
        )
    if found.name != point.name:
        return say(
            "{where} calls itself {own!r}. Give @check and pyproject.toml the same name.", where=where, own=found.name
        )
    return found


def _points() -> "tuple[EntryPoint, ...]":
    from importlib.metadata import entry_points

    return tuple(point for point in entry_points(group=GROUP) if not _lies_here(point))


def _lies_here(point: "EntryPoint") -> bool:
    """Whether a package lies in the working folder itself: `python -m` searches that too, and hand-ins may be there."""
    return point.dist is not None and Path(str(point.dist.locate_file(""))).resolve() == Path.cwd()


def _package(point: "EntryPoint") -> str:
    return point.dist.name if point.dist else "?"


CHECKS = MappingProxyType(
    {
        check.name: check
        for check in (
            accuracy_band,
            checkpoint_selection,
            comparison,
            configured_call,
            count_derivation,
            foreign_hand_in,
            hyperparameters,
            notebook_state,
            parameter_count,
            parameter_values,
            printed_count,
            prompt_format,
            seed_statistics,
            seeds_reported,
            short_answer,
            steps_ran,
            trainable_count,
        )
    }
)


def check_of(asked: Item | Watch) -> Check:
    """The check that decides an item, or watches. Raises LabError when no check has that name, or an installed one
    cannot be used."""
    found = find_check(asked.check)
    if isinstance(found, Check):
        return found
    place = named(asked) if isinstance(asked, Item) else say("watches")
    raise LabError(say("lab.toml: {place}: {problem}", place=place, problem=found))


def find_check(name: str) -> Check | str:
    """A built-in check, or else that of an installed package; or why there is none to be used."""
    return CHECKS.get(name) or installed_check(name) or _unknown(name)


def clashes() -> tuple[str, ...]:
    """What is wrong with the names of the checks that packages offer: one that is built in is never theirs."""
    return tuple(
        say(
            "The package {package} offers a check named {name!r}, but that one is built in and stays in use. Give it "
            "another name in the package's pyproject.toml, or uninstall the package.",
            package=package,
            name=name,
        )
        for name, package in offered()
        if name in CHECKS
    )


def _unknown(name: str) -> str:
    known = (*CHECKS, *(other for other, _ in offered() if other not in CHECKS))
    return say(
        "there is no check named {name!r}. {meant}Known checks: {known}. A check of a lab's own comes in a package "
        "that has to be installed: pip install -e FOLDER.",
        name=name,
        meant=meant(name, known),
        known=joined(", ", known),
    )
