"""The base of every value that passes from one stage to the next, and what follows from such values."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """An immutable, fully typed value; unknown keys are an error. Its validator is built when it is first used, since a
    short command uses few of the hundred models."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def build_models() -> None:
    """Build the validators of all models that are loaded, for processes that are forked from this one."""
    waiting = [Frozen]
    while waiting:
        waiting += (model := waiting.pop()).__subclasses__()
        model.model_rebuild()


P = ParamSpec("P")
Value = TypeVar("Value")
MOST_REMEMBERED: Final = 8192
REMEMBERED: Final[list[OrderedDict[Hashable, Any]]] = []
"""What each function has worked out, for whoever must see it worked out again."""


def memoise(function: Callable[P, Value]) -> Callable[P, Value]:
    """A function of immutable values that works out each result once; the last `MOST_REMEMBERED` are kept.

    Frozen values are told apart as objects, which costs nothing however large they are; all others must be hashable.
    The result must be immutable.
    """
    results: OrderedDict[Hashable, tuple[Any, Value]] = OrderedDict()
    REMEMBERED.append(results)

    @wraps(function)
    def looked_up(*args: P.args, **kwargs: P.kwargs) -> Value:
        key = (*map(_key, args), *((name, _key(value)) for name, value in kwargs.items()))
        found = results.get(key)
        if found is None:
            # The arguments are kept with the result, so that no other object can get their identity.
            found = results[key] = (args, kwargs), function(*args, **kwargs)
            if len(results) > MOST_REMEMBERED:
                results.popitem(last=False)
        return found[1]

    return looked_up


def _key(value: Any) -> Hashable:
    return (id(value),) if isinstance(value, BaseModel) else value
