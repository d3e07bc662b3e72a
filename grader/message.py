"""Words for people that can still be said in another language: a sentence with gaps, what stands in them, and the
languages: English, and one for each catalogue in `locale/`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from gettext import GNUTranslations
from pathlib import Path
from string import Formatter
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, WrapValidator

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


def say_values(layout: str, /, **values: object) -> Message:
    """Values side by side, without words of their own, as in `{mean} ± {std}`: the layout is that of every language,
    and only the values are translated."""
    return _message(layout, values)


def label_text(label: str, text: object) -> Message:
    """A label with what it stands for, as in `results.csv: the file is empty`."""
    return say("{label}: {text}", label=label, text=text)


def say_data(text: str, /) -> Message:
    """Words of a lab's files, such as a title: they are looked up as a whole. Never a student's."""
    return _message(text, {})


def join_messages(separator: str, parts: Iterable[str]) -> Message:
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


PERSON_DECIDES = say("A person decides.")
"""The sentence in the feedback of an item that is pending review. Reports leave it out once a person has decided."""

Value = TypeVar("Value")

CATALOGUES = Path(__file__).parent / "locale"
CATALOGUE = Path("LC_MESSAGES") / "grader.mo"


class LanguageError(ValueError):
    """There is no such language; the message names those that there are."""


class Language:
    """English, and the base of every language: its words for messages, and how it writes numbers and days."""

    def __init__(self, code: str) -> None:
        self.code = code

    def say(self, text: str) -> str:
        """Words in this language: a message by its sentence and values, other text where it is known as a whole.

        What cannot be said in this language is said in English.
        """
        if not isinstance(text, Message):
            return self.gettext(text)
        if type(self) is Language:
            return str(text)  # a message is its English words
        if text.plural is None or text.number is None:
            sentence = self.gettext(text.sentence)
        else:
            sentence = self.ngettext(text.sentence, text.plural, text.number)
        try:
            return _Filling(self).vformat(sentence, (), text.values) if text.values else sentence
        except (LookupError, ValueError, AttributeError):  # a translation whose gaps are not the sentence's
            return str(text)

    def gettext(self, text: str) -> str:
        """The translation of a sentence, gaps as they are; the sentence itself where there is none."""
        return text

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        """The translation for a number of things."""
        return singular if number == 1 else plural

    def number(self, value: object, form: str = "") -> str:
        """A number in a format of `str.format`, with this language's marks: `1,024.5` or `1 024,5`."""
        return format(value, form)

    def day(self, value: date) -> str:
        """A day, as people write it: `14 March 2026`."""
        return f"{value.day} {value:%B %Y}"

    def format_date(self, value: date, form: str = "") -> str:
        """A day, or a day and a time, in a format of `strftime`: `2026-03-14 12:00`, or `14 mars 2026, 12:00`."""
        return format(value, form)


ENGLISH = Language("en")


class _Translated(Language):
    """A language with a catalogue; numbers and days are written as CLDR says that its people write them."""

    def __init__(self, code: str, catalogue: GNUTranslations) -> None:
        from babel import Locale
        from babel.numbers import get_decimal_symbol, get_group_symbol, get_minus_sign_symbol

        super().__init__(code)
        self._catalogue = catalogue
        self._locale = Locale.parse(code.replace("-", "_"))
        self._marks = str.maketrans(
            {
                ",": get_group_symbol(self._locale),
                ".": get_decimal_symbol(self._locale),
                "-": get_minus_sign_symbol(self._locale),
                "%": self._locale.percent_formats[None].suffix[0],
            }
        )

    def gettext(self, text: str) -> str:
        return self._catalogue.gettext(text) if text else text  # the empty text has the catalogue's head

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        return self._catalogue.ngettext(singular, plural, number)

    def number(self, value: object, form: str = "") -> str:
        return format(value, form).translate(self._marks)

    def day(self, value: date) -> str:
        from babel.dates import format_date

        return format_date(value, "long", locale=self._locale)

    def format_date(self, value: date, form: str = "") -> str:
        date_form = (form or "%Y-%m-%d").replace("%Y-%m-%d %H", "%Y-%m-%d, %H")
        return format(value, date_form.replace("%Y-%m-%d", self.day(value)))


class _Filling(Formatter):
    """Fills the gaps of a sentence in a language. Plain words are somebody's own and stay as they are."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return kwargs[str(key)]

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Message):
            text = self._language.say(value)
            return f"{text[:1].upper()}{text[1:]}" if format_spec == CAPITAL else format(text, format_spec)
        if isinstance(value, date):
            return self._language.format_date(value, format_spec)
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            return self._language.number(value, format_spec)
        return format(value, format_spec)


def translate(value: Value, language: Language) -> Value:
    """The same value with every message in it, or in its tuples and models, in a language. Other text, such as what a
    student wrote, stays as it is."""
    if isinstance(value, Message):
        return language.say(value)  # type: ignore[return-value]  # a message is words like others
    if isinstance(value, tuple):
        return tuple(translate(part, language) for part in value)  # type: ignore[return-value]
    if isinstance(value, BaseModel):
        fields = {name: (old, translate(old, language)) for name, old in value}
        return value.model_copy(update={name: new for name, (old, new) in fields.items() if new is not old})
    return value


def once_decided(feedback: str, language: Language) -> str:
    """The feedback of an item that was pending review and has been decided: without the sentence that a person
    decides."""
    text, announced = language.say(feedback), language.say(PERSON_DECIDES)
    return " ".join(part.strip() for part in text.split(announced) if part.strip()) if announced in text else feedback


def known_languages() -> tuple[str, ...]:
    """The codes of all languages, English first."""
    return ENGLISH.code, *sorted(path.parent.parent.name for path in CATALOGUES.glob(f"*/{CATALOGUE}"))


def language_of(code: str) -> Language:
    """The language of a code, such as `fr`. Raises LanguageError where there is none."""
    languages = known_languages()
    if code not in languages:
        raise LanguageError(f"There is no language {code!r}; there are: {', '.join(languages)}.")
    if code == ENGLISH.code:
        return ENGLISH
    with (CATALOGUES / code / CATALOGUE).open("rb") as file:
        return _Translated(code, GNUTranslations(file))
