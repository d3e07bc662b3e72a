"""A result put into the language of its reader: once, before it is written down."""

from grader.language import Language, translated
from grader.result import Result


def said(result: Result, language: Language) -> Result:
    """The same result with every message in a language. What the student wrote is no message and stays as it is."""
    return translated(result, language).model_copy(update={"language": language.code})
