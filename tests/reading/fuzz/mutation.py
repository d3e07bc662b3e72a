"""Files changed at random: bytes, tokens, numbers, whole parts."""

import json
import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from random import Random
from typing import Any, Final

from grader.intake.submission import Role
from tests.reading.fuzz.case import NAMES, Case, natural
from tests.reading.fuzz.containers import taken_apart
from tests.reading.fuzz.tokens import BY_SUFFIX, FAMILIES, NUMBERS, ODD

LARGEST: Final = 400_000
"""In bytes, of a changed file."""

_NUMBER: Final = re.compile(rb"\d[\d.]{0,20}")
_ODD_VALUES: Final[tuple[Any, ...]] = (
    None, True, 0, -1, 10**30, 1.5, float("nan"), float("inf"), "", "\ud800", "\0", "x" * 3000, [], {}, [[]], {"a": {}},
    [None] * 50, {"": ""},
)  # fmt: skip


def mutated(case: Case, rng: Random, seeds: Sequence[Case]) -> Case:
    """The case with one to four changes; sometimes under another name or in another role."""
    data = case.data
    for _ in range(rng.choice((1, 1, 2, 4))):
        data = _changed(case.name, data, rng, seeds)[:LARGEST]
    name = rng.choice(NAMES) if rng.random() < 0.07 else case.name
    if rng.random() < 0.07:
        return Case(name, rng.choice(list(Role)), data)
    return natural(name, data) if name != case.name else Case(name, case.role, data)


def _changed(name: str, data: bytes, rng: Random, seeds: Sequence[Case]) -> bytes:
    if rng.random() < 0.7:
        parts = taken_apart(data)
        if parts:
            return parts.joined(_changed_parts(parts.parts, rng, seeds))
    if data[:1] == b"{" and rng.random() < 0.4:
        changed = _changed_json(data, rng)
        if changed is not None:
            return changed
    return _changed_bytes(name, data, rng, seeds)


def _changed_parts(parts: list[tuple[str, bytes]], rng: Random, seeds: Sequence[Case]) -> list[tuple[str, bytes]]:
    at = rng.randrange(len(parts))
    name, content = parts[at]
    match rng.randrange(12):
        case 0:
            return parts[:at] + parts[at + 1 :]
        case 1:
            return [*parts, (name, rng.choice(parts)[1])]
        case 2:
            return [
                *parts[:at],
                (rng.choice(("../x", "word/document.xml", "content.xml", name * 2)), content),
                *parts[at:],
            ]
        case _:
            suffix = name if "." in name else "a.docx"
            return [*parts[:at], (name, _changed(suffix, content, rng, seeds)), *parts[at + 1 :]]


def _changed_json(data: bytes, rng: Random) -> bytes | None:
    """One value somewhere in the tree replaced by another kind of value."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return None
    holders: list[Any] = [holder for holder in _holders(tree) if holder]
    if not holders:
        return None
    holder = rng.choice(holders)
    key = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    match rng.randrange(4):
        case 0:
            del holder[key]
        case 1:
            holder[key] = [holder[key]] * rng.choice((1, 2, 300))
        case _:
            holder[key] = rng.choice(_ODD_VALUES)
    return json.dumps(tree).encode()


def _holders(tree: Any) -> list[Any]:
    found: list[Any] = []
    waiting = [tree]
    while waiting and len(found) < 3000:
        node = waiting.pop()
        if isinstance(node, dict | list):
            found.append(node)
            waiting.extend(node.values() if isinstance(node, dict) else node)
    return found


def _changed_bytes(name: str, data: bytes, rng: Random, seeds: Sequence[Case]) -> bytes:
    """One piece of the file replaced by something made of it, of tokens, of another file or of noise."""
    begin, end = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
    if rng.random() < 0.7:
        end = min(end, begin + rng.choice((1, 2, 8, 60)))
    before, piece, after = data[:begin], data[begin:end], data[end:]
    match rng.randrange(6):
        case 0:
            return before if rng.random() < 0.3 else before + after
        case 1:
            return before + _repeated(piece, rng) + after
        case 2:
            return before + _token(name, rng) * rng.choice((1, 1, 10, 1000)) + rng.choice((b"", piece)) + after
        case 3:
            return before + _slice(rng.choice(seeds).data, rng) + after
        case 4:
            return before + _noise(piece, rng) + after
        case _:
            return _other_number(data, rng)


def _repeated(piece: bytes, rng: Random) -> bytes:
    """From twice to so often that time which grows with the square of the length shows."""
    return piece * rng.choice((2, 10, 100, max(1, rng.choice((20_000, 150_000)) // max(1, len(piece)))))


def _slice(data: bytes, rng: Random) -> bytes:
    start = rng.randint(0, len(data))
    return data[start : start + rng.choice((20, 500, 5000))]


def _noise(piece: bytes, rng: Random) -> bytes:
    """Bits flipped, or random bytes."""
    if rng.random() < 0.5:
        return bytes(byte ^ (1 << rng.randrange(8)) for byte in piece[:8]) + piece[8:]
    return rng.randbytes(rng.choice((1, 4, 30)))


def _token(name: str, rng: Random) -> bytes:
    own = BY_SUFFIX.get(PurePosixPath(name).suffix)
    family = rng.choice((own or rng.choice(FAMILIES), own or ODD, ODD, NUMBERS, rng.choice(FAMILIES)))
    return rng.choice(family).encode("utf-8", "surrogatepass")


def _other_number(data: bytes, rng: Random) -> bytes:
    """One number of the file replaced by a strange one; the search begins at a random place."""
    found = _NUMBER.search(data, rng.randint(0, len(data))) or _NUMBER.search(data)
    if found is None:
        return data + rng.choice(NUMBERS).encode()
    return data[: found.start()] + rng.choice(NUMBERS).encode() + data[found.end() :]
