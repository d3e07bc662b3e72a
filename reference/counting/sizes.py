"""Sizes that no model has are refused before a model is built: a thousand million layers would never end."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pydantic import JsonValue

from reference.counting.errors import CountError

LIMITS: Final = (
    (re.compile(r"vocab"), 10_000_000),
    (re.compile(r"labels"), 100_000),
    (re.compile(r"experts"), 4_096),
    (re.compile(r"layers?$|depths?$|blocks?$|stages?$"), 1_000),
    (re.compile(r"_size|sizes$|dims?$|heads?$|positions?|embd|inner|channels|^d_|^n_"), 2**24),
)
"""The largest value accepted for a key, by what its name says; the first that matches holds. All are far above any
published model, and small enough that a model of any of these sizes is built in seconds on the meta device."""

_AT_LEAST_ONE: Final = re.compile(r"^(vocab_size|hidden_size|d_model|n_embd|n_heads?)$|attention_heads$")
_NEVER_NEGATIVE: Final = re.compile(r"(^|_)size$|^(num|n)_|layers$|^d_")


def check_sizes(values: Mapping[str, JsonValue]) -> None:
    """Raise CountError for the first size that is too small or beyond any model, naming its key."""
    for key, value in _integers(values):
        name = key.rpartition(".")[2]
        if value < 1 and _AT_LEAST_ONE.search(name):
            raise CountError(f"`{key}` is {value}: it must be at least 1.")
        if value < 0 and _NEVER_NEGATIVE.search(name):
            raise CountError(f"`{key}` is {value}: a size cannot be negative.")
        limit = next((limit for pattern, limit in LIMITS if pattern.search(name)), None)
        if limit is not None and value > limit:
            raise CountError(f"`{key}` is {value:,}: more than any model has. At most {limit:,} is accepted.")


def _integers(values: Mapping[str, JsonValue], prefix: str = "") -> Iterator[tuple[str, int]]:
    """All integers with their dotted keys, those in lists and in nested configurations too."""
    for key, value in values.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, int) and not isinstance(one, bool):
                yield prefix + key, one
            elif isinstance(one, dict):
                yield from _integers(one, f"{prefix}{key}.")
