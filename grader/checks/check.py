"""Declare checks, and bind a check to an item with that item's options.

Errors name the nearest known check or option if a name is misspelt.
"""

import difflib
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from grader.checks.finding import Doubt, Finding, Flag
from grader.claims.answer import EVERY_KIND, Kind
from grader.frozen import Frozen, memoise
from grader.lab import kinds
from grader.lab.definition import Item, Watch
from grader.lab.files import LabError
from grader.message import Words, join_messages, say

_LIKENESS = 0.6


def nearest(name: str, known_names: Iterable[str]) -> str | None:
    """Return the known name that is most similar to `name`, or None if none is similar."""
    return next(iter(difflib.get_close_matches(name, list(known_names), 1, _LIKENESS)), None)


def suggest_name(name: str, known_names: Iterable[str]) -> str:
    """Return `Did you mean …? ` with a trailing space, or an empty message."""
    found = nearest(name, known_names)
    return say("Did you mean {name!r}? ", name=found) if found else say("")


Conclusion = Finding | Flag | Doubt
CheckFunction = Callable[..., Iterator[Conclusion]]


class Misuse(Frozen):
    """An error in how a lab uses a check. `option` is the option concerned, if there is one."""

    text: Words
    option: str = ""


@dataclass(frozen=True)
class Check:
    """A named check: a function, and what the lab may set.

    The names of the function's positional parameters say what it needs: `answer`, `truth`, `lab`, or `findings`, the
    findings of the items above. A parameter with a default is optional. The keyword-only parameters are `item`, the id
    of the item that the check decides, and the lab's options. A parameter whose option is a Python keyword ends in an
    underscore: the option `from` is `from_`. A watch has no `item`, and its `findings` are those of all items.

    `one_of` names options of which a lab sets exactly one; `least|most` counts as one option. `kinds` are the kinds of
    evidence that can hold the answer. If they could not be read, nothing is certainly missing or wrong.
    """

    name: str
    function: CheckFunction
    one_of: tuple[str, ...] = ()
    kinds: frozenset[Kind] = EVERY_KIND

    @property
    def sentence(self) -> str:
        """The first line of the docstring, which says what is right. The documentation and editors show it."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def decides(self) -> bool:
        """Whether the check decides an item. Otherwise it watches the whole submission."""
        return any(p.name == "item" for p in _parameters(self))

    @property
    def options(self) -> dict[str, inspect.Parameter]:
        """The options that a lab may set, by name without a trailing underscore."""
        return {p.name.rstrip("_"): p for p in _parameters(self) if p.kind is p.KEYWORD_ONLY and p.name != "item"}

    def misuses(self, asked: Item | Watch) -> Iterator[Misuse]:
        """Yield all errors in how an item or a watch uses the check."""
        known_parameters = self.options
        takes = join_messages(", ", known_parameters) if known_parameters else say("no options")
        accepted = say("The check {name} takes: {takes}.", name=self.name, takes=takes)
        for name in asked.options:
            if name not in known_parameters:
                message = say(
                    "unknown option {name!r}. {meant}{accepted}",
                    name=name,
                    meant=suggest_name(name, known_parameters),
                    accepted=accepted,
                )
                yield Misuse(text=message, option=name)
        for name, parameter in known_parameters.items():
            if parameter.default is parameter.empty and name not in asked.options:
                yield Misuse(text=say("the option {name!r} is missing. {accepted}", name=name, accepted=accepted))
        if self.one_of and sum(not asked.options.keys().isdisjoint(each.split("|")) for each in self.one_of) != 1:
            names = join_messages(say(" or "), (repr(name) for each in self.one_of for name in each.split("|")))
            yield Misuse(text=say("give one of the options {names}. {accepted}", names=names, accepted=accepted))
        for name, value in asked.options.items():
            if name in known_parameters and isinstance(converted := _converted(self, name, value), Misuse):
                yield converted
        if self.decides is not isinstance(asked, Item):
            kind = say("decides an item") if self.decides else say("watches the submission as a whole")
            yield Misuse(text=say("the check {name} {kind}; ask for it there.", name=self.name, kind=kind))

    def bind_options(self, asked: Item | Watch) -> Callable[..., Iterator[Conclusion]]:
        """Return the check with the options of an item or a watch.

        Call the result with `answer`, `truth`, `lab` and `findings` as keywords. Raises LabError if the options are not
        the check's, or if a watch is used for an item or the other way round.
        """
        return _bound(self, asked)


@memoise
def _bound(declared: Check, asked: Item | Watch) -> Callable[..., Iterator[Conclusion]]:
    for misuse in declared.misuses(asked):
        raise LabError(say("lab.toml: {place}: {problem}", place=place_label(asked), problem=misuse.text))
    known_parameters = declared.options
    options = {known_parameters[name].name: _converted(declared, name, value) for name, value in asked.options.items()}
    needs = [p for p in _parameters(declared) if p.kind is p.POSITIONAL_OR_KEYWORD]
    item_argument = {"item": asked.id} if isinstance(asked, Item) else {}
    return lambda **given: declared.function(
        *(given[p.name] if p.default is p.empty else given.get(p.name, p.default) for p in needs),
        **item_argument,
        **options,
    )


def check(
    name: str, one_of: tuple[str, ...] = (), kinds: Iterable[Kind] = EVERY_KIND
) -> Callable[[CheckFunction], Check]:
    """Declare a function as the check `name`. `Check` explains the arguments."""
    return lambda function: Check(name, function, one_of, frozenset(kinds))


def place_label(asked: Item | Watch) -> str:
    """Return the name of the item or watch that asks for a check, for messages."""
    if isinstance(asked, Item):
        return say("item {id}", id=asked.id)
    return say("the watch {check}", check=asked.check)


def _parameters(declared: Check) -> list[inspect.Parameter]:
    return list(inspect.signature(declared.function).parameters.values())


@cache
def _adapter(function: CheckFunction, name: str) -> TypeAdapter[Any]:
    """Return the validator of an option's values. It is cached because building it takes longer than using it."""
    return TypeAdapter(get_type_hints(function, include_extras=True)[name])


def _converted(declared: Check, name: str, value: object) -> object:
    """Return an option's value as the check takes it, or the error in it."""
    try:
        return _adapter(declared.function, declared.options[name].name).validate_python(value)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        inner = [part for part in problem["loc"] if isinstance(part, str) and part.isidentifier()]
        place = ".".join(("options", name, *inner[-1:]))
        return Misuse(text=kinds.problem_sentence(problem, place), option=name)
