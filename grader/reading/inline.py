"""The running text of one paragraph, put together from pieces in several types."""

import re
from itertools import groupby
from typing import Final, NamedTuple

_ORDINAL: Final = re.compile(r"(?:st|nd|rd|th|er|ère|re|e|ème|nde?)", re.IGNORECASE)
_SPACES: Final = re.compile(r"[ \r\f\v]+")
_AROUND_BREAK: Final = re.compile(r" ?([\n\t]) ?")
_LONGEST_SCRIPT: Final = 60
"""A raised or lowered text that is longer is set so for looks."""


class _Piece(NamedTuple):
    text: str
    script: str
    bold: bool


class Inline:
    """Collects the pieces of a paragraph in order; one use only. Line breaks are line feeds, and tabs stay tabs."""

    def __init__(self) -> None:
        self._pieces: list[_Piece] = []

    def add(self, text: str, script: str = "", *, bold: bool = False) -> None:
        """A piece of text; `script` is `^` for what is raised, `_` for what is lowered."""
        if text:
            self._pieces.append(_Piece(text, script, bold))

    @property
    def is_empty(self) -> bool:
        """Whether nothing but space was added."""
        return all(not piece.text.strip() for piece in self._pieces)

    @property
    def is_bold(self) -> bool:
        """Whether all that can be seen is bold."""
        return not self.is_empty and all(piece.bold for piece in self._pieces if piece.text.strip(" \t\n\xa0:"))

    def text(self, *, spaced: bool = False) -> str:
        """The whole: raised text as `^{…}`, lowered as `_{…}`; runs of spaces become one unless `spaced`."""
        parts: list[str] = []
        for script, pieces in groupby(self._pieces, key=lambda piece: piece.script):
            part = "".join(piece.text for piece in pieces)
            parts.append(_scripted(part, script, parts[-1][-1:] if parts else "") if script else part)
        found = "".join(parts)
        return found if spaced else _AROUND_BREAK.sub(r"\1", _SPACES.sub(" ", found)).strip()


def _scripted(text: str, script: str, before: str) -> str:
    """A raised or lowered text in braces, with the spaces around it outside; `1st` and the like stay as they are."""
    inner = text.strip()
    plain = (
        not any(character.isalnum() for character in inner)
        or len(inner) > _LONGEST_SCRIPT
        or "\n" in inner
        or (script == "^" and before.isdigit() and _ORDINAL.fullmatch(inner))
    )
    if plain or not inner:
        return text
    start = text.index(inner)
    return f"{text[:start]}{script}{{{inner}}}{text[start + len(inner) :]}"
