"""Calls that a text shows: `NAME(argument=value, …)`, whether or not it can still be parsed.

On its way through a PDF or a word processor code loses underscores, quotes, line breaks and indentation. So a call is
followed through the text's signs, from its name to the bracket that closes it, instead of being parsed.
"""

import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Final

from grader.claims.code.model import Call
from grader.claims.passage import Passage

_LONGEST: Final = 2_000
_MOST: Final = 50
_MOST_WORDS: Final = 4
_EQUALS: Final = re.compile(r"(?<![=!<>])\s*=(?!=)")
_SPACES: Final = re.compile(r"[\s\u2423]+")
_OPEN: Final = "([{"
_CLOSE: Final = ")]}"
_ELLIPSIS: Final = ("...", "…")


def calls_shown(passage: Passage, name: str, arguments: Collection[str] = ()) -> Iterator[Call]:
    """The calls of one name in a text. `arguments` are those that the library knows: they tell an underscore that was
    lost from a name that is another. One that the text does not end is `open`."""
    spelled = r"[\s_]?".join(re.escape(part) for part in name.split("_"))
    pattern = re.compile(rf"(?<!\w){spelled}\s?\(")
    known = {_letters(one): one for one in arguments}
    text = passage.text
    for match in islice(pattern.finditer(text), _MOST):
        parts, end = _parts(text, match.end())
        keywords: dict[str, str] = {}
        placed: list[str] = []
        is_open = end is None
        for part in parts:
            equals = _EQUALS.search(part)
            if equals is None:
                is_open = is_open or part.startswith(("**", "×")) or part in _ELLIPSIS
                placed.append(part)
                continue
            argument = _argument(part[: equals.start()], known, exact=passage.exact)
            if argument is None:
                is_open = True
            else:
                value = part[equals.end() :].strip()
                keywords[argument] = value
                is_open = is_open or value.strip("[]\"'") in ("", *_ELLIPSIS)
        if placed and not keywords and not is_open:
            continue  # a bracket in a sentence
        yield Call(
            name=name,
            keywords=keywords,
            arguments=tuple(one for one in placed if one not in _ELLIPSIS),
            open=is_open,
            evidence=passage.evidence(match.start(), end or match.end()),
        )


def _parts(text: str, start: int) -> tuple[list[str], int | None]:
    """What stands between commas from a bracket on, without remarks, and the end of the bracket, if it is closed."""
    parts: list[str] = []
    depth, quote, piece = 0, "", ""
    index = start
    while index < min(len(text), start + _LONGEST):
        sign = text[index]
        if quote:
            quote = "" if sign == quote or sign == "\n" else quote
        elif sign in "\"'":
            quote = sign
        elif sign == "#":
            end = text.find("\n", index)
            index = len(text) if end < 0 else end
            continue
        elif sign in _OPEN:
            depth += 1
        elif sign in _CLOSE:
            depth -= 1
            if depth < 0:
                return [*parts, *_part(piece)], index + 1
        elif sign == "," and depth == 0:
            parts += _part(piece)
            piece = ""
            index += 1
            continue
        piece += sign
        index += 1
    return parts, None


def _part(piece: str) -> list[str]:
    text = _SPACES.sub(" ", piece).strip()
    return [text] if text else []


def _argument(text: str, known: dict[str, str], *, exact: bool) -> str | None:
    """An argument's name as it was meant; None where no name can be read. Words of a remark that a line's end has cut
    may stand before it."""
    words = text.split()
    for count in range(len(words)):
        tail = " ".join(words[count:])
        if tail.replace(" ", "_") in known.values():
            return tail.replace(" ", "_")
        if (not exact or " " in tail) and _letters(tail) in known:
            return known[_letters(tail)]
    written = "_".join(words)
    return written if written.isidentifier() and len(words) <= _MOST_WORDS else None


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text)
