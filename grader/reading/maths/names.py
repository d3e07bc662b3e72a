"""The names and words within a formula's source."""

import re
from typing import Final

from grader.reading.maths import spelling
from grader.reading.maths.tokens import OpaqueError

_NAME: Final = re.compile(r"[^\W\d_][\w .'/&-]*")
_INNER_COMMAND: Final = re.compile(r"\\([a-zA-Z]+|.)\s?", re.DOTALL)
_BRACE: Final = re.compile(r"\\.|[{}]", re.DOTALL)
_LONGEST_NAME: Final = 60


def group_end(text: str, start: int) -> int:
    """The offset of the brace that closes the group opened at `start`. Raises OpaqueError."""
    depth = 0
    for match in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if not depth:
            return match.start()
    raise OpaqueError("a brace that is not closed")


def is_words(text: str) -> bool:
    """Whether a text is a name of several letters, or words."""
    return bool(_NAME.fullmatch(text.strip())) and (len(text.strip()) > 1 or " " in text)


def plain_name(text: str) -> str:
    """Words without commands and braces; Greek letters by their names."""
    named = _INNER_COMMAND.sub(lambda match: _spelled(match[1]), text)
    plain = " ".join(re.sub(r"[{}$~]", " ", named).split())
    if len(plain) > _LONGEST_NAME:
        raise OpaqueError("a name that is too long")
    return plain


def _spelled(command: str) -> str:
    if command in spelling.TEXTS | spelling.FONTS | spelling.SPACES:
        return " "
    if command in "_%&#-" or command in spelling.NAMES:
        return command
    if command in ("times", "cdot"):
        return "×"
    raise OpaqueError(f"the command {command}")
