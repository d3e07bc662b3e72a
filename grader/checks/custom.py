"""Checks of installed packages, found by entry points and loaded only when a lab asks for one by name.

A lab's folder is data. Code comes from packages alone, which an instructor has installed, so nothing that lies in a
folder, a hand-in least of all, is ever imported.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from grader.checks.check import Check
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
