"""The grammar of right definitions: a lab's data, read here into patterns that a whole text must match.

A pattern is a row of words. `{name}` stands for any phrase of that word class, `(…)` for words that may be left out.
Case, accents, quotes and commas do not count. Nothing but a listed pattern is ever taken as right, so a text that
says more, or other things, is left to a person.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Self

from pydantic import Field, model_validator

from grader.frozen import Frozen

_LONGEST = 600
"""Longer definitions, in characters, are not matched: none of the patterns is near that long."""
_MAX_DEPTH = 5
_DENIAL = re.compile(r"\b(?:not|no|never|n t|pas|without|like|rather than)\b")


class Misconception(Frozen):
    """A known mistake about a parameter: words that betray it, and the id of the fact that refutes it."""

    id: str
    words: Annotated[tuple[str, ...], Field(min_length=1)]
    fact: str


class DefinedParameter(Frozen):
    """A parameter with a right definition for students to read, and the patterns of right definitions. `true` are
    further true things to say about it, which alone would not define it. `facts` are the ids of the facts that show
    what it does."""

    id: str
    summary: str
    right: Annotated[tuple[str, ...], Field(min_length=1)]
    true: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()


class Grammar(Frozen):
    """The patterns of right definitions. `opening` phrases may stand before a definition; `neutral` patterns add
    nothing wrong to any definition, and `joining` words may link them to it."""

    version: int = 1
    words: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    opening: tuple[str, ...] = ()
    neutral: tuple[str, ...] = ()
    joining: tuple[str, ...] = ()
    parameters: tuple[DefinedParameter, ...] = ()

    @model_validator(mode="after")
    def _patterns_compile(self) -> Self:
        for parameter in self.parameters:
            for pattern in (*parameter.right, *parameter.true, *self.neutral, *self.opening, *self.joining):
                _regex(pattern, self.words)
        return self

    def of(self, parameter: str) -> DefinedParameter | None:
        """What is known of a parameter's definition, if anything."""
        return next((one for one in self.parameters if one.id == parameter), None)

    def suspected(self, parameter: str, text: str) -> tuple[Misconception, ...]:
        """The known mistakes whose words stand in a text, undenied. A suspicion for a person, never a verdict."""
        known = self.of(parameter)
        plain = " ".join(_sentences(text[:_LONGEST]))
        return tuple(one for one in known.misconceptions if _undenied(one.words, plain)) if known else ()

    def is_right(self, parameter: str, text: str) -> bool:
        """Whether a whole text is a right definition: each of its sentences right or true, and one of them right."""
        if parameter not in self._right or len(text) > _LONGEST:
            return False
        sentences = _sentences(text)
        right = [bool(self._right[parameter].fullmatch(sentence)) for sentence in sentences]
        true = [bool(self._true[parameter].fullmatch(sentence)) for sentence in sentences]
        return any(right) and all(a or b for a, b in zip(right, true, strict=True))

    def holds_right(self, parameter: str, text: str) -> bool:
        """Whether a right definition stands anywhere in a text, whatever else it says."""
        pattern = self._right.get(parameter)
        return pattern is not None and any(pattern.search(sentence) for sentence in _sentences(text[:_LONGEST]))

    @cached_property
    def _right(self) -> Mapping[str, re.Pattern[str]]:
        """For each parameter, an opening, a right definition, and up to three true or neutral endings."""
        opening = self._any(self.opening)
        return {
            one.id: re.compile(rf"(?<!\S)(?:{opening})?(?:{self._any(one.right)})(?:{self._tail(one)}){{0,3}}")
            for one in self.parameters
        }

    @cached_property
    def _true(self) -> Mapping[str, re.Pattern[str]]:
        return {one.id: re.compile(rf"(?:{self._tail(one)}){{1,3}}") for one in self.parameters}

    def _tail(self, parameter: DefinedParameter) -> str:
        return rf"(?:{self._any(self.joining)})?(?:{self._any((*self.neutral, *parameter.true))})"

    def _any(self, patterns: tuple[str, ...]) -> str:
        return "|".join(_regex(pattern, self.words) for pattern in patterns)


def _sentences(text: str) -> list[str]:
    """The sentences of a text in plain lower-case words, each word followed by one space."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    plain = re.sub(r"[\"'`,()\[\]]|:(?=\s)|\s-+\s", " ", plain.replace("_", " "))
    return [" ".join(part.split()) + " " for part in re.split(r"[.;](?:\s|$)", plain) if part.strip()]


def _undenied(words: tuple[str, ...], plain: str) -> bool:
    spelled = "|".join(re.escape(word) for word in words)
    matches = re.finditer(rf"(?<!\S)(?:{spelled})(?!\w)", plain)
    return any(not _DENIAL.search(plain, max(0, match.start() - 25), match.start()) for match in matches)


def _regex(pattern: str, words: Mapping[str, tuple[str, ...]], depth: int = 0) -> str:
    """A pattern as a regular expression over words that each end in a space. Raises ValueError on an unknown class."""
    if depth > _MAX_DEPTH:
        raise ValueError(f"the word classes in {pattern!r} contain each other")
    parts = []
    for token in re.findall(r"\([^()]*\)|[^\s()]+", pattern):
        inner = "".join(_word(word, words, depth) for word in token.strip("()").split())
        parts.append(f"(?:{inner})?" if token.startswith("(") else inner)
    return "".join(parts)


def _word(word: str, words: Mapping[str, tuple[str, ...]], depth: int) -> str:
    name = re.fullmatch(r"\{(\w+)\}", word)
    if name is None:
        return re.escape(word) + " "
    if name.group(1) not in words:
        raise ValueError(f"the word class {word} is not defined under [words]")
    return "(?:" + "|".join(_regex(one, words, depth + 1) for one in words[name.group(1)]) + ")"
