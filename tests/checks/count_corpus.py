"""Invented answers to the question on the number of parameters, with what a careful marker gives them."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from grader.checks.finding import Finding, Flag
from tests.checks.making import answer, decide

CORPUS = Path(__file__).with_name("count_corpus.txt")


class Marked(NamedTuple):
    """An answer and what it earns: each verdict that a marker may give the total and the derivation, and whether an
    equation in it is wrong."""

    name: str
    total: tuple[str, ...]
    derivation: tuple[str, ...]
    has_error: bool
    text: str


class Decided(NamedTuple):
    """What the checks conclude about an answer."""

    total: Finding
    derivation: Finding
    flags: tuple[Flag, ...]


@cache
def corpus() -> tuple[Marked, ...]:
    """All of them."""
    _, *parts = re.split(r"(?m)^=== ", CORPUS.read_text(encoding="utf-8"))
    return tuple(_marked(*part.split("\n", 1)) for part in parts)


def _marked(line: str, text: str) -> Marked:
    name, total, derivation, flag = (part.strip() for part in line.split("|"))
    return Marked(name, tuple(total.split(", ")), tuple(derivation.split(", ")), flag == "arithmetic", text)


@cache
def decided(marked: Marked) -> Decided:
    """What the checks of the shipped lab conclude about an answer."""
    given = answer(marked.text)
    total, _ = decide("q1.total", given)
    derivation, flags = decide("q1.derivation", given)
    return Decided(total, derivation, tuple(flags))


def is_right(status: str, wanted: tuple[str, ...]) -> bool:
    """Whether a verdict is one that a marker may give; `missing` and `incorrect` are alike."""
    return status in wanted or {status, *wanted} <= {"missing", "incorrect"}
