"""The methods of strings, on texts with unknown places."""

import inspect
import re
import string
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from grader.claims.code.operators import UNKNOWN, format_value
from grader.claims.code.values import LONGEST_TEXT, MOST_ITEMS, Hole, Value, written

_FIELD: Final = re.compile(r"\w*")
_DOLLAR: Final = re.compile(r"\$(?:(\$)|([A-Za-z_]\w{0,60})|\{([A-Za-z_]\w{0,60})\})")
_BRACES: Final = re.compile(r"\{\{()[ \t]{0,20}(?:([A-Za-z_]\w{0,60}))()[ \t]{0,20}\}\}")
_STRIPS: Final[dict[str, Callable[[str, str | None], str]]] = {
    "strip": str.strip, "lstrip": str.lstrip, "rstrip": str.rstrip,
}  # fmt: skip
_SAME: Final = frozenset({"encode", "decode", "expandtabs"})
_WITHIN: Final = frozenset({"lower", "upper", "title", "capitalize", "casefold", "swapcase"})


def text_method(text: str, name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """What a method of a text gives."""
    first = given[0] if given else None
    if name in ("format", "format_map", "substitute", "safe_substitute", "render"):
        return _filled(text, name, given, named)
    if name == "join":
        return (
            text.join(written(one) for one in first[:MOST_ITEMS])[:LONGEST_TEXT] if isinstance(first, list) else UNKNOWN
        )
    if name in _STRIPS:
        return _STRIPS[name](text, first if isinstance(first, str) else None)
    if name == "replace" and len(given) > 1 and isinstance(first, str) and isinstance(given[1], str | Hole):
        new = written(given[1])
        fits = len(text) * max(1, len(new)) <= LONGEST_TEXT * 20
        return text.replace(first, new)[:LONGEST_TEXT] if fits else UNKNOWN
    if name in ("split", "splitlines", "rsplit"):
        return _split(text, name, first)
    if name in ("startswith", "endswith") and "⟨" not in text and isinstance(first, str):
        return text.startswith(first) if name == "startswith" else text.endswith(first)
    if name in _WITHIN:
        return str(getattr(text, name)()) if "⟨" not in text else UNKNOWN
    if name in ("removeprefix", "removesuffix") and isinstance(first, str):
        return text.removeprefix(first) if name == "removeprefix" else text.removesuffix(first)
    return text if name in _SAME else UNKNOWN


def _filled(text: str, name: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """A template of one of the kinds in use with its values."""
    if name == "format":
        return formatted(text, given, named)
    first = given[0] if given else {}
    table = {**{str(key): value for key, value in first.items()}, **named} if isinstance(first, dict) else {"**": first}
    if name == "format_map":
        return formatted(text, [], table)
    return substituted(text, table, _BRACES if name == "render" else _DOLLAR)


def dedented(text: str, *, clean: bool = False) -> str:
    """`textwrap.dedent`, or with `clean` `inspect.cleandoc`."""
    return inspect.cleandoc(text) if clean else textwrap.dedent(text)


def formatted(text: str, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """`text.format(...)`; a field that is not given stays unknown."""
    pieces: list[str] = []
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        return UNKNOWN
    for number, (literal, slot, spec, _) in enumerate(parsed[:MOST_ITEMS]):
        pieces.append(literal)
        if slot is not None:
            before = sum(one[1] is not None for one in parsed[:number]) if number < 50 else number
            pieces.append(format_value(_field(slot, before, given, named), spec or ""))
    return "".join(pieces)[:LONGEST_TEXT]


def substituted(text: str, named: Mapping[str, Value], mark: re.Pattern[str]) -> str:
    """A template with `$name` or `{{ name }}` filled in; a name that is not given stays unknown."""

    def filled(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        name = match[2] or match[3]
        return written(named[name] if name in named else _unpacked(name, named))

    return mark.sub(filled, text)[:LONGEST_TEXT]


def _unpacked(name: str, named: Mapping[str, Value]) -> Value:
    """What a table that is not known gives for a name."""
    table = named.get("**")
    return Hole(f"{table.source}[{name!r}]"[:80]) if isinstance(table, Hole) else UNKNOWN


def _field(field: str, number: int, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
    name = _FIELD.match(field)
    key = name.group() if name else ""
    rest = field[len(key) :]
    if key in named:
        value = named[key]
    else:
        index = int(key) if key.isdecimal() and len(key) < 4 else number if not key else -1
        value = given[index] if 0 <= index < len(given) else _unpacked(key, named) if key else UNKNOWN
    inner = rest.strip("[]'\"")
    if rest.startswith("[") and isinstance(value, dict) and inner in value:
        return value[inner]
    return value if not rest else Hole(f"{written(value).strip('⟨⟩')}{rest}"[:80])


def _split(text: str, name: str, by: Value) -> Value:
    if "⟨" in text and not isinstance(by, str):
        return UNKNOWN
    parts = text.splitlines() if name == "splitlines" else text.split(by if isinstance(by, str) and by else None)
    return list(parts[:MOST_ITEMS])
