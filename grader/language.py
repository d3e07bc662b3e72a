"""The languages that people are spoken to in."""

from datetime import date

from grader.message import Message


class Language:
    """One language: its words for messages, and how it writes numbers and days."""

    def __init__(self, code: str) -> None:
        self.code = code

    def say(self, text: str) -> str:
        """Words in this language: a message by its sentence and values, other text where it is known as a whole."""
        return str(text) if isinstance(text, Message) else text

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
        """A day, as people write it."""
        return value.isoformat()


ENGLISH = Language("en")
