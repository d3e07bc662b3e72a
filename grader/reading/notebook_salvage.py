"""The cells of a notebook whose JSON is broken: those that are whole."""

import json
import re
from typing import Any, Final

_CELLS: Final = re.compile(r'"cells"\s{0,20}:\s{0,20}\[')
_OPENING: Final = re.compile(r"\{")
_CELL: Final = re.compile(
    r'\{\s{0,40}"(?:attachments|cell_type|collapsed|execution_count|id|input|metadata|source)"\s{0,20}:'
)
_MOST_READ: Final = 400_000_000
"""In characters, over all attempts."""

_MOST_ATTEMPTS: Final = 200


def whole_cells(text: str) -> list[dict[str, Any]]:
    """The cells that can be read on their own, in order: those before the damage, and those behind it that can be found
    again."""
    start = _CELLS.search(text)
    if start is None:
        return []
    found: list[dict[str, Any]] = []
    attempts = max(2, min(_MOST_ATTEMPTS, _MOST_READ // len(text)))
    opening = _OPENING.search(text, start.end())
    while opening is not None and attempts:
        value, end = _object(text, opening.start())
        if value is None:
            attempts -= 1
            opening = _CELL.search(text, opening.start() + 1)
            continue
        if _is_cell(value):
            found.append(value)
        rest = re.compile(r"\s*,\s*(?=\{)").match(text, end)
        opening = _OPENING.match(text, rest.end()) if rest else _CELL.search(text, end)
    return found


def _object(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start
    return (value, end) if isinstance(value, dict) else (None, start)


def _is_cell(value: dict[str, Any]) -> bool:
    return isinstance(value.get("cell_type"), str) and ("source" in value or "input" in value)
