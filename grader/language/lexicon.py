"""Concepts and the words that express them, in any of the languages, kept as data in a TOML file.

A file lists words and phrases by concept, in lower case and without accents; a star stands for any ending. Patterns
name concepts in place of words: `<sources>\\W+<others>`. Texts are folded before they are searched.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

_CONCEPT: Final = re.compile(r"<(\w+)>")


class Lexicon:
    """The words of a file by concept.

    `before` and `behind` are the characters that a word of the lexicon must not touch: those that would make it a part
    of another word.
    """

    def __init__(self, file: Path, before: str = r"\w", behind: str = r"\w") -> None:
        words: Mapping[str, list[str]] = tomllib.loads(file.read_text(encoding="utf-8"))
        self._forms: Final = {name: _any_of(own, before, behind) for name, own in words.items()}
        self._patterns: Final[dict[str, re.Pattern[str]]] = {}

    def pattern(self, form: str) -> re.Pattern[str]:
        """The expression in which `<concept>` stands for the words of a concept. Raises KeyError for an unknown one."""
        if form not in self._patterns:
            self._patterns[form] = re.compile(_CONCEPT.sub(lambda name: self._forms[name[1]], form))
        return self._patterns[form]

    def search(self, form: str, text: str) -> re.Match[str] | None:
        """The first place of a form in a folded text."""
        return self.pattern(form).search(text)


def _any_of(words: Iterable[str], before: str, behind: str) -> str:
    spelled = [re.escape(word).replace(r"\*", r"\w*").replace(r"\ ", r"\s+") for word in words]
    return rf"(?<![{before}])(?:{'|'.join(sorted(spelled, key=len, reverse=True))})(?![{behind}])"
