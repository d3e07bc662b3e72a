"""A result put into the language of its reader: once, before it is written down."""

from typing import TypeVar

from pydantic import BaseModel

from grader.language import Language
from grader.message import Message
from grader.result import Result

Value = TypeVar("Value")


def said(result: Result, language: Language) -> Result:
    """The same result with every message in a language. What the student wrote is no message and stays as it is."""
    return _in(language, result).model_copy(update={"language": language.code})


def _in(language: Language, value: Value) -> Value:
    if isinstance(value, Message):
        return language.say(value)  # type: ignore[return-value]  # a message is words like others
    if isinstance(value, tuple):
        return tuple(_in(language, part) for part in value)  # type: ignore[return-value]
    if isinstance(value, BaseModel):
        fields = {name: (old, _in(language, old)) for name, old in value}
        return value.model_copy(update={name: new for name, (old, new) in fields.items() if new is not old})
    return value
