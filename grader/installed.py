"""Entry points of installed packages: offers are found by name, and loaded only when somebody asks for them.

Code comes from packages alone, which a person has installed, so nothing that lies in a folder, a hand-in least of all,
is ever imported.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from grader.message import join_messages, say

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

CHECKS: Final = "lab_grader.checks"
EXPORTERS: Final = "lab_grader.exporters"
"""The groups of entry points by which packages offer checks and exporters: `name = "module:function"`."""


class UnusablePackageError(Exception):
    """An offer of a package cannot be used; the message says why."""


def offers(group: str) -> Iterator[tuple[str, str]]:
    """The names of all that packages offer in a group, each with its package. Nothing is loaded."""
    return ((point.name, _package(point)) for point in _points(group))


def load_offer(group: str, name: str, kind: str) -> object | None:
    """Return what a package offers in a group under a name; None if there is no such package. `kind` is the word for it
    in messages. Raises UnusablePackageError if several packages offer it, or if it cannot be loaded."""
    points = list({(point.value, _package(point)): point for point in _points(group) if point.name == name}.values())
    if not points:
        return None
    if len(points) > 1:
        packages = join_messages(", ", sorted(map(_package, points)))
        raise UnusablePackageError(
            say(
                "several packages offer {kind} named {name!r}: {packages}. Uninstall all but one.",
                kind=f"a {kind}" if kind[0] not in "aeiou" else f"an {kind}",
                name=name,
                packages=packages,
            )
        )
    (point,) = points
    try:
        return point.load()  # type: ignore[no-any-return]
    except (Exception, SystemExit) as error:  # it is foreign code, and may fail in any way
        reason = say("{kind}: {text}", kind=type(error).__name__, text=str(error))
        raise UnusablePackageError(
            say(
                "{where} cannot be loaded from {value} ({reason}).",
                where=describe_offer(group, name, kind),
                value=point.value,
                reason=reason,
            )
        ) from error


def describe_offer(group: str, name: str, kind: str) -> str:
    """Return a phrase for messages that names an offer and its package."""
    packages = [package for offer_name, package in offers(group) if offer_name == name]
    return say("the {kind} {name!r} of the package {package}", kind=kind, name=name, package=packages[0])


def _points(group: str) -> "tuple[EntryPoint, ...]":
    from importlib.metadata import entry_points

    return tuple(point for point in entry_points(group=group) if not _lies_here(point))


def _lies_here(point: "EntryPoint") -> bool:
    """Whether a package lies in the working folder itself: `python -m` searches that too, and hand-ins may be there."""
    return point.dist is not None and Path(str(point.dist.locate_file(""))).resolve() == Path.cwd()


def _package(point: "EntryPoint") -> str:
    return point.dist.name if point.dist else "?"
