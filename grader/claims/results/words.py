"""The words of reports that tell what a number is, from `words.toml`, as patterns."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Final

START: Final = r"(?<![^\W_])"
"""Where a word may begin: not within another one; the parts of `test_acc` are words."""
_END: Final = r"(?![^\W\d_])"
_ACCENTS: Final = {"é": "[eé]", "è": "[eè]", "ê": "[eê]", "â": "[aâ]", "î": "[iî]"}


@cache
def _families() -> dict[str, list[str]]:
    text = Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
    return dict(tomllib.loads(text))


@cache
def any_of(*families: str) -> str:
    """A pattern, for use without regard to case, of all words of some families, the longest first. What stands before a
    word is left to the caller, see `START`."""
    words = sorted({word for family in families for word in _families()[family]}, key=lambda one: (-len(one), one))
    return f"(?:{'|'.join(map(_pattern, words))})"


def _pattern(word: str) -> str:
    stem = word.removesuffix("*")
    parts = (_of_letter(part) for part in re.findall(r"\(s\)|.", stem))
    end = r"\w*" if stem != word else "" if word.endswith(".") else _END
    return "".join(parts) + end


def _of_letter(part: str) -> str:
    if part == "(s)":
        return "s?"
    return "[ -]" if part == " " else _ACCENTS.get(part) or re.escape(part)
