"""What makes a line the title of a section, whatever the format."""

import re
from typing import Final

_LONGEST: Final = 100
_NUMBER: Final = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)(\.?)\s+(?=[^\W\d_])")
_TASK: Final = re.compile(
    r"(?:question|task|exercise|exercice|t[âa]che|problem|part|partie)s?\s*\d+"
    r"(?:\s*(?:&|,|and|et|-)\s*(?:question|task|exercise|part|q|t)?s?\s*\d+)*"
    r"\s*(?:$|[:.–—(\-].*)",
    re.IGNORECASE,
)
_LONG_NUMBER: Final = re.compile(r"\d[\d,.\s]{2,}\d")
_WORD: Final = re.compile(r"[^\W\d_]{2}")


def could_be_title(text: str) -> bool:
    """Whether a line that stands out by its type can be a title: short, with a word, no sum and no long number."""
    return (
        len(text) <= _LONGEST
        and bool(_WORD.search(text))
        and "=" not in text
        and not text.endswith((".", ",", ";"))
        and not _LONG_NUMBER.search(text)
    )


def names_task(text: str) -> bool:
    """Whether a line is the title of a numbered question or task, with or without a section number before it."""
    number = _NUMBER.match(text)
    return could_be_title(text) and bool(_TASK.match(text[number.end() :] if number else text))


def title_level(text: str) -> int | None:
    """The depth of a title that its own words give away (`1 Question 1`, `2.1 Data`, `Task 3: Results`), else None.

    `1. Data` is no title but an item of a list, unless a task or question is named.
    """
    if not could_be_title(text):
        return None
    number = _NUMBER.match(text)
    if number is None:
        return 1 if names_task(text) else None
    rest = text[number.end() :]
    depth = number[1].count(".") + 1
    listed = bool(number[2]) and depth == 1
    plausible = rest[0].isupper() and not listed and len(rest.split()) <= 12
    return depth if plausible or names_task(text) else None
