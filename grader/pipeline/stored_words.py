"""The messages within a value, kept beside its JSON, so that it can be said in other languages when it is read back."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from functools import cache
from string import Formatter
from typing import Any, Final, TypeVar, get_args

from pydantic import BaseModel

from grader.message import Message, Words, say, say_number

Value = TypeVar("Value", bound=BaseModel)
Told = dict[str, Any]
"""A message as JSON: its sentence, its values, and where it depends on a number, the plural and the number."""

_MARK: Final = get_args(Words)[1]
_SPEC: Final = re.compile(r",?(?:\.\d{1,2})?[dfgeG%]?|capital|%[YmdHM:% -]{1,30}")
_DEEPEST: Final = 12


def stored_words(value: BaseModel) -> list[Told]:
    """Every message in those fields of a model that hold `Words`, in the order of the words; of those that say the
    same, one."""
    told: dict[str, Told] = {}
    for message in _messages(value):
        one = _told(message)
        told[message] = min(one, told.get(message, one), key=repr)
    return [told[words] for words in sorted(told)]


def with_words(value: Value, stored: list[Told]) -> Value:
    """The value with its words made messages again. What is no message that `say` could have made stays plain words:
    the file may be damaged, or made up."""
    known = {str(message): message for told in stored if (message := _message(told))}
    return _changed(value, known) if known else value


def _messages(value: Any) -> Iterator[Message]:
    if isinstance(value, Message):
        if value:
            yield value
    elif isinstance(value, BaseModel):
        for name in _fields(type(value)):
            yield from _messages(getattr(value, name))
    elif isinstance(value, tuple):
        for part in value:
            yield from _messages(part)


def _changed(value: Any, known: Mapping[str, Message]) -> Any:
    if isinstance(value, str):
        return known.get(value, value)
    if isinstance(value, tuple):
        return tuple(_changed(part, known) for part in value)
    if isinstance(value, BaseModel):
        held = {name: getattr(value, name) for name in _fields(type(value))}
        new = {name: changed for name, old in held.items() if (changed := _changed(old, known)) is not old}
        return value.model_copy(update=new) if new else value
    return value


@cache
def _fields(model: type[BaseModel]) -> tuple[str, ...]:
    """The fields of a model that hold words, or models that do. No model holds itself."""
    return tuple(
        name for name, field in model.model_fields.items() if _MARK in field.metadata or _holds_words(field.annotation)
    )


def _holds_words(annotation: Any) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return bool(_fields(annotation))
    return annotation == Words or any(_holds_words(part) for part in get_args(annotation))


def _told(message: Message) -> Told:
    values = {name: _plain(value) for name, value in message.values.items()}
    told: Told = {"sentence": message.sentence, "values": values}
    return told if message.plural is None else told | {"plural": message.plural, "number": message.number}


def _plain(value: object) -> object:
    match value:
        case Message():
            return {"message": _told(value)}
        case Decimal():
            return {"decimal": str(value)}
        case datetime():
            return {"time": value.isoformat()}
        case date():
            return {"day": value.isoformat()}
        case None | bool() | int() | float():
            return value
    return str(value)


_VALUES: Final[Mapping[str, Callable[[str], object]]] = {
    "decimal": Decimal,
    "time": datetime.fromisoformat,
    "day": date.fromisoformat,
}


def _message(told: Told, depth: int = 0) -> Message | None:
    """The message, or None where this is none. Only plain gaps are filled: no attributes, no widths."""
    try:
        sentence, values = str(told["sentence"]), {name: _value(value, depth) for name, value in told["values"].items()}
        plural, number = told.get("plural"), told.get("number")
        if not (_is_harmless(sentence) and _is_harmless(str(plural or ""))) and values:
            return None
        if plural is None or number is None:
            return say(sentence, **values)
        return say_number(sentence, str(plural), int(number), **{k: v for k, v in values.items() if k != "number"})
    except (LookupError, TypeError, ValueError, AttributeError, InvalidOperation):
        return None


def _value(value: Any, depth: int) -> object:
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "message" and depth < _DEEPEST:
        return _message(content, depth + 1) or ""
    return _VALUES[kind](content)


def _is_harmless(sentence: str) -> bool:
    gaps = [gap for gap in Formatter().parse(sentence) if gap[1] is not None]
    return all(str(name).isidentifier() and not kind and _SPEC.fullmatch(spec or "") for _, name, spec, kind in gaps)
