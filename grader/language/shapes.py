"""Common patterns: words, letters, digits, brackets."""

import re
from typing import Final

LETTER: Final = re.compile(r"[^\W\d_]")
DIGIT: Final = re.compile(r"\d")
WORD: Final = re.compile(r"[^\W\d_]+")
"""Letters alone."""
LONG_WORD: Final = re.compile(r"[^\W\d_]{2,}")
"""A word that is no symbol."""
TOKEN: Final = re.compile(r"[^\W_]+")
"""Letters and digits."""
IDENTIFIER: Final = re.compile(r"[^\W\d]\w*")
"""A name in code."""
ASIDE: Final = re.compile(r"\([^()]*\)")
"""A text in brackets."""
UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""A character of a script without spaces between words: Chinese, Japanese, Thai, Lao, Burmese, Khmer."""


def words_in(text: str) -> int:
    """Return the approximate number of words. Two characters of a script without spaces count as one word."""
    return len(LONG_WORD.findall(UNSPACED.sub(" ", text))) + len(UNSPACED.findall(text)) // 2
