"""Shapes that many modules look for: words, letters, digits, remarks in brackets."""

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
"""A remark in brackets."""
