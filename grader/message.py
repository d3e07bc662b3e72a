"""Words for people that can still be said in another language: a sentence with gaps, and what stands in them."""

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Annotated, Any

from pydantic import WrapValidator

CAPITAL = "capital"


class Message(str):
    """English words that remember the sentence they were made from and the values in its gaps.

    It is a `str`, the English words, wherever nothing else is asked of it. `plural` and `number` are set where the
    sentence depends on a number.
    """

    sentence: str
    values: Mapping[str, object]
    plural: str | None
    number: int | None

    def __format__(self, form: str) -> str:
        """As of any text, and `capital`: with a capital first letter, where a clause begins a sentence."""
        return f"{self[:1].upper()}{self[1:]}" if form == CAPITAL else format(str(self), form)


def say(sentence: str, /, **values: object) -> Message:
    """A sentence with its gaps filled, as by `str.format`: `say("{count:,} parameters", count=22807552)`.

    The sentence is a literal, so that it can be collected into the catalogues of other languages. Values that are
    messages are translated with it; other words stay as they are.
    """
    return _message(sentence, values)


def say_number(singular: str, plural: str, number: int, /, **values: object) -> Message:
    """The sentence for one, or for another number; `{number}` in it is that number."""
    chosen = singular if number == 1 else plural
    return _message(chosen, {**values, "number": number}, singular, plural, number)


def plural_of(value: Decimal) -> int:
    """The whole number whose plural form a number takes: none for 0.5, which English treats as many and French as one
    (Unicode CLDR, plural rules)."""
    whole = int(value)
    return whole if whole == value or whole >= 2 else 0


def say_data(text: str, /) -> Message:
    """Words of a lab's files, such as a title: they are looked up as a whole. Never a student's."""
    return _message(text, {})


def joined(separator: str, parts: Iterable[str]) -> Message:
    """Words one after the other; each is translated by itself, and so is a separator that is a message."""
    values = {f"part{number}": part for number, part in enumerate(parts)}
    gaps = "{separator}".join(f"{{{name}}}" for name in values)
    return _message(gaps, {**values, "separator": separator})


def _message(
    text: str,
    values: Mapping[str, object],
    sentence: str | None = None,
    plural: str | None = None,
    number: int | None = None,
) -> Message:
    message = Message(text.format_map(dict(values)) if values else text)
    message.sentence = sentence or text
    message.values = dict(values)
    message.plural, message.number = plural, number
    return message


def _kept(value: Any, validate: Callable[[Any], str]) -> str:
    return value if isinstance(value, Message) else validate(value)


Words = Annotated[str, WrapValidator(_kept)]
"""A text field of a model that keeps a `Message` as it is, so that it can be translated later."""
