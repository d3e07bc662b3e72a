"""`adapter_config.json`, read as JSON: every key is taken only in the type that peft gives it."""

import json
from collections.abc import Callable
from math import isfinite
from typing import Any, Final

from grader.intake.submission import SubmittedFile
from grader.message import Message, Words, say
from grader.reading.adapters.adapter import AdapterConfig
from grader.reading.bytes_in import decoded, read_bytes, storable

MOST_BYTES: Final = 1_000_000
"""Of the file. One that names every module of a large model has some ten thousand."""

MOST_ENTRIES: Final = 2_000
"""In a list, in a table, and of keys without a field."""

_MOST_SAVED: Final = 100
_LONGEST: Final = 500
_LARGEST: Final = 10**9


class _WrongTypeError(ValueError):
    """A value is not what its key asks for; `wanted` says what is."""

    def __init__(self, wanted: Message) -> None:
        super().__init__(wanted)
        self.wanted = wanted


def read_adapter_config(file: SubmittedFile) -> AdapterConfig:
    """The configuration of an adapter. What cannot be read becomes a problem; never raises for any content."""
    data, trouble = read_bytes(file.location, MOST_BYTES)
    text, problems = decoded(data)
    content, wrong = _object(text)
    fields, others, remarks = _fields(content)
    return AdapterConfig(file=file.path, **fields, others=others, problems=(*trouble, *problems, *wrong, *remarks))


def _object(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    if not text.strip():
        return {}, (say("the file is empty"),)
    try:
        content = json.loads(text)
    except RecursionError:
        return {}, (say("the configuration's JSON is nested too deeply"),)
    except ValueError as error:
        return {}, (say("the configuration is not valid JSON: {error}", error=storable(str(error))[:120]),)
    return (
        (content, ())
        if isinstance(content, dict)
        else ({}, (say("the file is JSON but no configuration (no object)"),))
    )


def _fields(content: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """The values of known keys, the others as JSON, and remarks on what is left out."""
    fields: dict[str, Any] = {}
    others: dict[str, str] = {}
    remarks: list[Words] = []
    for key, value in content.items():
        read = _KNOWN.get(key)
        if read is None:
            others |= {_short(key): _as_json(value)} if len(others) < MOST_ENTRIES else {}
        elif value is not None:
            try:
                fields[key] = read(value)
            except _WrongTypeError as error:
                remarks.append(
                    say(
                        "{key} should be {type} but is {value}; it is left out",
                        key=key,
                        type=error.wanted,
                        value=_as_json(value)[:80],
                    )
                )
    known = len(_KNOWN.keys() & content.keys())
    if len(content) - known > MOST_ENTRIES:
        remarks.append(say("the configuration has {count} keys; only its beginning is kept", count=len(content)))
    if content and not known:
        remarks.append(say("the file holds none of the keys of an adapter's configuration"))
    return fields, others, remarks


def _short(text: str) -> str:
    return storable(text)[:_LONGEST]


def _as_json(value: Any) -> str:
    """The value on one line. What was just parsed can still be too deep to be written."""
    try:
        return _short(json.dumps(value, ensure_ascii=False))
    except (RecursionError, ValueError):
        return "…"


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _WrongTypeError(say("a text"))
    return _short(value)


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _WrongTypeError(say("true or false"))
    return value


def _whole(value: Any) -> int:
    if type(value) is not int or abs(value) > _LARGEST:
        raise _WrongTypeError(say("a whole number"))
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float) or abs(value) > _LARGEST or not isfinite(value):
        raise _WrongTypeError(say("a number"))
    return float(value)


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MOST_ENTRIES or not all(isinstance(part, str) for part in value):
        raise _WrongTypeError(say("a list of texts"))
    return tuple(_short(part) for part in value)


def _few_texts(value: Any) -> tuple[str, ...]:
    texts = _texts(value)
    if len(texts) > _MOST_SAVED:
        raise _WrongTypeError(say("a list of at most {most} texts", most=_MOST_SAVED))
    return texts


def _targets(value: Any) -> tuple[str, ...] | str:
    return _short(value) if isinstance(value, str) else _texts(value)


def _wholes(value: Any) -> tuple[int, ...]:
    listed = value if isinstance(value, list) else [value]
    if len(listed) > MOST_ENTRIES:
        raise _WrongTypeError(say("a list of whole numbers"))
    return tuple(_whole(part) for part in listed)


def _ranks(value: Any) -> dict[str, int]:
    if not isinstance(value, dict) or len(value) > MOST_ENTRIES:
        raise _WrongTypeError(say("a table of whole numbers"))
    return {_short(key): _whole(rank) for key, rank in value.items()}


def _start(value: Any) -> bool | str:
    return value if isinstance(value, bool) else _text(value)


_KNOWN: Final[dict[str, Callable[[Any], Any]]] = {
    "peft_type": _text,
    "r": _whole,
    "lora_alpha": _number,
    "lora_dropout": _number,
    "bias": _text,
    "target_modules": _targets,
    "modules_to_save": _few_texts,
    "layers_to_transform": _wholes,
    "rank_pattern": _ranks,
    "init_lora_weights": _start,
    "use_dora": _switch,
    "task_type": _text,
    "base_model_name_or_path": _text,
    "peft_version": _text,
}
