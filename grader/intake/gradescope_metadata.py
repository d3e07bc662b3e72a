"""Gradescope's `submission_metadata.yml`, read event by event: as text only, with bounded size and depth, no objects.

Keys are the names of the entries; values have Ruby's keys with a leading colon. Tags and aliases are not followed.
"""

import datetime
from typing import Any, Final, NamedTuple

from grader.intake.names import printable
from grader.intake.submission import Member
from grader.intake.times import read_time

LARGEST: Final = 256 * 2**20
"""In bytes. The file holds all test output of a class."""

_DEEPEST: Final = 100
_KEPT: Final = frozenset({":submitters", ":created_at", ":history"})


class Submitted(NamedTuple):
    """Who handed in an entry and when, and the times of older attempts."""

    submitters: tuple[Member, ...]
    created_at: datetime.datetime | None
    history: tuple[datetime.datetime, ...]


def read_metadata(content: bytes) -> dict[str, Submitted] | None:
    """What the file says of each entry, in its order; None when it is not such a file."""
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        data = _document(yaml.parse(content.decode("utf-8-sig"), Loader=loader), yaml)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError):
        return None
    if not isinstance(data, dict) or not data:
        return None
    return {printable(name): _submitted(value) for name, value in data.items() if isinstance(value, dict)}


def _document(events: Any, yaml: Any) -> Any:
    """The first document as dicts, lists and text. Raises ValueError when it is nested too deep."""
    stack: list[tuple[Any, list[str]]] = []
    root: Any = None
    for event in events:
        if isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            stack.pop()
        elif isinstance(event, yaml.DocumentEndEvent):
            return root
        elif isinstance(event, yaml.NodeEvent):
            value = _value(event, yaml)
            root = value if not stack else root
            _put(stack, value)
            if isinstance(value, dict | list):
                stack.append((value, []))
                if len(stack) > _DEEPEST:
                    raise ValueError("it is nested too deep")
    return root


def _value(event: Any, yaml: Any) -> Any:
    if isinstance(event, yaml.MappingStartEvent):
        return {}
    return [] if isinstance(event, yaml.SequenceStartEvent) else str(getattr(event, "value", ""))


def _put(stack: list[tuple[Any, list[str]]], value: Any) -> None:
    """Into the innermost container. Below an entry only what is needed is kept."""
    if not stack:
        return
    container, key = stack[-1]
    if isinstance(container, list):
        container.append(value)
    elif not key:
        key.append(value if isinstance(value, str) else "")
    else:
        name = key.pop()
        if len(stack) != 2 or name in _KEPT:
            container.setdefault(name, value)


def _submitted(value: dict[str, Any]) -> Submitted:
    history = [_time(one.get(":created_at")) for one in _dicts(value.get(":history"))]
    return Submitted(
        submitters=tuple(map(_member, _dicts(value.get(":submitters")))),
        created_at=_time(value.get(":created_at")),
        history=tuple(time for time in history if time),
    )


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _member(submitter: dict[str, Any]) -> Member:
    name, number, email = (_text(submitter.get(key)) for key in (":name", ":sid", ":email"))
    return Member(name=name, number=number, email=email)


def _text(value: Any) -> str:
    text = printable(value).strip() if isinstance(value, str) else ""
    return "" if text in ("~", "null") else text


def _time(value: Any) -> datetime.datetime | None:
    """A time with its zone; Ruby writes UTC where it writes none."""
    time = read_time(value) if isinstance(value, str) else None
    return time.replace(tzinfo=datetime.UTC) if time and time.tzinfo is None else time
