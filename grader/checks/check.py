"""How a check is declared, and how it is bound to a rubric item with that item's options."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from grader.checks.doubt import Doubt
from grader.checks.finding import Finding, Flag
from grader.lab.definition import Item, Watch
from grader.lab.files import LabError

Conclusion = Finding | Flag | Doubt
CheckFunction = Callable[..., Iterator[Conclusion]]


@dataclass(frozen=True)
class Check:
    """A named check.

    The function says by the names of its positional parameters what it needs: `answer`, `truth`, `lab`. Its
    keyword-only parameters are `item`, the id of the item it decides, and the options that a lab may set. A watch
    decides no item, so it has no `item`; it may need `findings`, those of all items.
    """

    name: str
    function: CheckFunction

    @property
    def sentence(self) -> str:
        """What the check looks at: the first line of its docstring, which students see."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    def bound(self, asked: Item | Watch) -> Callable[..., Iterator[Conclusion]]:
        """The check with the options of an item or a watch; call it with what it needs as keywords.

        Raises LabError when the options are not the arguments that the check takes, or when it is no check for items,
        or no watch.
        """
        options = _validated_options(self, asked)
        needs = [p.name for p in _parameters(self) if p.kind is p.POSITIONAL_OR_KEYWORD]
        decides = any(p.name == "item" for p in _parameters(self))
        if decides is not isinstance(asked, Item):
            kind = "decides an item" if decides else "watches the hand-in as a whole"
            raise LabError(f"lab.toml: {_named(asked)}: the check {self.name} {kind}; ask for it there.")
        own = {"item": asked.id} if isinstance(asked, Item) else {}
        return lambda **given: self.function(*(given[name] for name in needs), **own, **options)


def check(name: str) -> Callable[[CheckFunction], Check]:
    """Declare a check under the name by which labs ask for it."""
    return lambda function: Check(name, function)


def _parameters(declared: Check) -> list[inspect.Parameter]:
    return list(inspect.signature(declared.function).parameters.values())


def _named(asked: Item | Watch) -> str:
    return f"item {asked.id}" if isinstance(asked, Item) else f"the watch {asked.check}"


def _validated_options(declared: Check, item: Item | Watch) -> dict[str, Any]:
    known = {p.name: p for p in _parameters(declared) if p.kind is p.KEYWORD_ONLY and p.name != "item"}
    accepted = f"The check {declared.name} takes: {', '.join(known) or 'no options'}."
    for name in item.options:
        if name not in known:
            raise LabError(f"lab.toml: {_named(item)}: unknown option {name!r}. {accepted}")
    for name, parameter in known.items():
        if parameter.default is parameter.empty and name not in item.options:
            raise LabError(f"lab.toml: {_named(item)}: the option {name!r} is missing. {accepted}")
    hints = get_type_hints(declared.function)
    return {name: _converted(value, hints[name], item, name) for name, value in item.options.items()}


def _converted(value: object, hint: Any, item: Item | Watch, name: str) -> object:
    try:
        return TypeAdapter(hint).validate_python(value)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        raise LabError(f"lab.toml: {_named(item)}: option {name!r}: {problem['msg']}. Mend the value.") from error
