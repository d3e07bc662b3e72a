"""The characters of a formula and a place among them."""

import re
from typing import Final

from grader.reading.maths import spelling
from grader.reading.maths.names import group_end, plain_name
from grader.reading.maths.tokens import OpaqueError

_SPACE: Final = re.compile(r"\s*")
_COMMAND: Final = re.compile(r"\\([a-zA-Z]+)")
_LONE_LABEL: Final = re.compile(r"\\[a-zA-Z]+|[^\W_]+(?:\\?_[^\W_]+)*|\S")


class Source:
    """Goes through a text from left to right; one use only."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def behind_space(self) -> int:
        """Where the next character stands that is no space."""
        match = _SPACE.match(self.text, self.position)
        return match.end() if match else self.position

    def label(self) -> str:
        """The words of a subscript, or of what stands under a brace."""
        start = self.behind_space()
        command = _COMMAND.match(self.text, start)
        begin = command.end() if command and command[1] in spelling.TEXTS | spelling.FONTS else start
        if self.text.startswith("{", begin):
            end = group_end(self.text, begin)
            self.position = end + 1
            return plain_name(self.text[begin + 1 : end])
        match = _LONE_LABEL.match(self.text, start)
        if match is None:
            raise OpaqueError("a subscript is missing")
        self.position = match.end()
        return plain_name(match.group() + self.further_labels())

    def further_labels(self) -> str:
        """What `d_kd_{model}` has behind its first subscript: where the next name begins is not known here."""
        found = ""
        while self.text.startswith("_{", self.position):
            end = group_end(self.text, self.position + 1)
            found += self.text[self.position : end + 1]
            self.position = end + 1
        return found

    def argument(self) -> str:
        """The source of the group that follows. Raises OpaqueError where none does."""
        start = self.behind_space()
        if not self.text.startswith("{", start):
            raise OpaqueError("an argument is missing")
        end = group_end(self.text, start)
        self.position = end + 1
        return self.text[start + 1 : end]
