"""The names and values in a printed configuration: a dict, a Namespace, arguments; nested, cut off, or neither."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from grader.reading.logs.written import plain

MOST_PAIRS: Final = 2000
"""Of one configuration. fairseq prints about 300."""

_VALUE: Final = (
    r"'[^'\n]{0,300}'|\"[^\"\n]{0,300}\"|\[[^\[\]{}]{0,300}\]|\([^()\[\]{}]{0,300}\)"
    r"|<[^<>]{1,100}>|[^\s,'\"\[\](){}=<>]{1,300}"
)
_PAIR: Final = re.compile(
    rf"(?:(?<!\w)'(\w{{1,60}})'\s{{0,2}}:|(?<!\w)\"(\w{{1,60}})\"\s{{0,2}}:|(?<![\w.])(\w{{1,60}})=)\s{{0,2}}({_VALUE})"
)
_NOTHING: Final = frozenset({"None", "null", "", "???"})


class Pair(NamedTuple):
    """A name with its value; `quote` is how they stand in the text."""

    name: str
    value: str
    quote: str


def pairs_in(text: str) -> Iterator[Pair]:
    """All `'name': value` and `name=value` of a text in order, at any depth. What holds further pairs is no value
    itself, and names without a value (`None`) are left out. Brackets need not match: nothing is nested here."""
    for count, match in enumerate(_PAIR.finditer(text)):
        if count == MOST_PAIRS:
            return
        value = plain(match[4])
        if value not in _NOTHING and not value.endswith(("(", ":")):
            yield Pair(match[1] or match[2] or match[3], value, match.group()[:120])
