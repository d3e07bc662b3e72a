"""A Hugging Face `config.json` on disk → the configuration object that a model is built from. Sizes that no model has
are refused before: a thousand million layers would never end.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from pydantic import JsonValue
from transformers import CONFIG_MAPPING, PreTrainedConfig


class CountError(Exception):
    """A configuration, task or adapter that no model can be built from: what is wrong, where, and what is accepted."""


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
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, int) and not isinstance(entry, bool):
                yield prefix + key, entry
            elif isinstance(entry, dict):
                yield from _integers(entry, f"{prefix}{key}.")


LARGEST_FILE: Final = 10_000_000
"""Bytes. Configurations have a few thousand; those with many labels a few hundred thousand."""

_IGNORED: Final = frozenset(
    {"auto_map", "custom_pipelines", "quantization_config", "dtype", "torch_dtype"}
    | {f"{prefix}{kind}_implementation" for prefix in ("", "_") for kind in ("attn", "experts")}
)
"""Keys that name files to download and run, or say how weights are stored and multiplied: none changes the number of
the library's own model's parameters, and some ask for what is not installed."""

Values = Mapping[str, JsonValue]


def read_values(path: Path) -> dict[str, JsonValue]:
    """The keys and values of a configuration file, which names a known architecture and no absurd size.

    Raises CountError for a file that cannot be read, is not a JSON object, or says nothing that can be built.
    """
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise CountError(f"{path} is too large for a configuration: at most {LARGEST_FILE:,} bytes are read.")
        values = json.loads(path.read_bytes())
    except OSError as error:
        raise CountError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise CountError(f"{path} is not JSON: {short(error)}.") from error
    if not isinstance(values, dict):
        raise CountError(f'{path} holds no JSON object; a configuration looks like {{"model_type": "bert", …}}.')
    check_values(values)
    return values


def check_values(values: Values) -> None:
    """Raise CountError unless the values name a known architecture and no absurd size."""
    model_type = values.get("model_type")
    if model_type is None:
        raise CountError("`model_type` is missing; it names the architecture, such as bert, gpt2, llama or t5.")
    if not isinstance(model_type, str):
        raise CountError(f"`model_type` must be a name such as bert, not {model_type!r}.")
    if model_type not in CONFIG_MAPPING:
        raise CountError(f"`model_type` {model_type!r} is not an architecture of transformers.{_close(model_type)}")
    check_sizes(values)


def make_config(values: Values) -> PreTrainedConfig:
    """The configuration with these values; keys that are missing take the architecture's defaults.

    Raises CountError for a value of a wrong type, naming its key.
    """
    kind = CONFIG_MAPPING[str(values["model_type"])]
    kept_values = {key: value for key, value in values.items() if key not in _IGNORED}

    def build(keys: Values) -> PreTrainedConfig:
        return kind.from_dict(dict(keys))

    try:
        return build(kept_values)
    except Exception as error:
        raise CountError(
            f"{kind.__name__} does not accept these values{culprits(build, kept_values)}: {short(error)}"
        ) from error


def unknown_keys(values: Values, config: PreTrainedConfig) -> Iterator[tuple[str, str]]:
    """Keys that look like misspellings, each with the key that may have been meant: the library ignores them."""
    known_keys = {*(field.name for field in fields(type(config))), *config.attribute_map, *dir(type(config))}
    for key in sorted(values.keys() - known_keys - _IGNORED):
        for close in get_close_matches(key, known_keys - values.keys(), n=1, cutoff=0.85):
            yield key, close


def culprits(build: Callable[[Values], object], values: Values) -> str:
    """Return the single keys without which it would work, as a clause that explains a failure; empty if no key
    helps."""
    found = [f"`{key}`" for key in values if key != "model_type" and _works(build, values, key)]
    return f", but without {' or '.join(found)} it works" if found else ""


def _works(build: Callable[[Values], object], values: Values, left_out: str) -> bool:
    try:
        build({key: value for key, value in values.items() if key != left_out})
    except Exception:
        return False
    return True


def _close(model_type: str) -> str:
    names = get_close_matches(model_type.lower(), list(CONFIG_MAPPING.keys()), n=4, cutoff=0.5)
    return f" Close ones: {', '.join(names)}." if names else " Examples: bert, roberta, gpt2, llama, t5."


def short(error: BaseException) -> str:
    """An error of a library in one line: strict configurations put what matters last, torch puts it first."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    return (lines[-1] if lines[0].startswith("Validation error") else lines[0])[:300]
