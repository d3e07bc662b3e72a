"""Answer sheets of invented students, as they were handed in: what is decided of each item is what a careful marker
decides. The keys were written by those who wrote the sheets, without the grader.

`python -m tests.kept` keeps anew what is concluded: where a line ends in "not so", the key says otherwise.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import pytest

from grader.checks.runner import run_checks
from grader.claims.answer import Answer, extract
from grader.reading.formats import read_path
from scripts.bench.results import judge_verdict
from tests.checks.making import truth
from tests.claims.making import lab
from tests.kept import kept, write

_FOLDER: Final = Path(__file__).parents[1] / "sheets"
_KEPT: Final = Path(__file__).with_name("kept") / "handed_in.txt"
_FLAGS: Final = {"arithmetic", "validation-reported-as-test", "std-unit", "statistics-mismatch"}
"""The flags that the keys tell."""


@cache
def _keys() -> dict[str, Any]:
    """What a careful marker concludes of each sheet, by its file's name."""
    return tomllib.loads((_FOLDER / "keys.toml").read_text(encoding="utf-8"))


def _concluded(name: str) -> Iterator[str]:
    """A line for each item and flag of a sheet."""
    key = _keys()[name]
    answer = extract(read_path(_FOLDER / name), lab())
    yield f"read {_marks(answer)}"
    found = run_checks(answer, truth(), lab())
    for one in found.findings:
        if one.item in key["items"]:
            parts = [one.item, one.status.value, f"suggests {one.suggestion.value}" if one.suggestion else ""]
            is_so = judge_verdict(one, key["items"][one.item]) in ("right", "undecided")
            yield " ".join((*filter(None, (*parts, *(one.found or "").split())), *([] if is_so else ["not so"])))
    raised = {flag.id for flag in found.flags} & _FLAGS
    yield from (f"flag {flag}{'' if flag in key['flags'] else ' not so'}" for flag in sorted(raised))
    yield from (f"no flag {flag} not so" for flag in sorted(set(key["flags"]) - raised))


def _marks(answer: Answer) -> str:
    """A mark of all that is read of a sheet, one for each part: another one tells that some claim or its place is
    another, so that the verdicts may be right by chance."""
    parts = {
        "sections": [(one.questions, one.title, one.lead, one.passage.text) for one in answer.sections],
        "results": answer.results,
        "definitions": answer.definitions,
        "counts": answer.counts(),
        "equations": answer.equations(),
        "code": answer.code,
    }
    marks = {name: crc32(_ON_THIS_MACHINE.sub("", repr(part)).encode()) & 0xFFFF for name, part in parts.items()}
    return " ".join(f"{name} {mark:04x}" for name, mark in marks.items())


_ON_THIS_MACHINE: Final = re.compile(rf"{re.escape(str(_FOLDER))}|box=\([^()]*\)|frozenset\(\{{[^{{}}]*\}}\)")
"""Paths and places in points, and sets, whose order is another one in each process."""


def write_anew() -> None:
    """Keep the verdicts of today."""
    write(_KEPT, {name: _concluded(name) for name in _keys()})


@pytest.mark.parametrize("name", _keys())
def test_a_sheet_is_decided_as_it_was(name: str) -> None:
    """Else, if it is better now: python -m tests.kept"""
    assert list(_concluded(name)) == kept(_KEPT)[name]


def test_hardly_a_verdict_contradicts_its_key() -> None:
    lines = [line for lines in kept(_KEPT).values() for line in lines]
    verdicts = [line for line in lines if "flag " not in line and not line.startswith("read ")]
    decided = [line for line in verdicts if line.split()[1] != "review"]
    assert sum(line.endswith("not so") for line in decided) <= 3
    assert sum(line.endswith("not so") for line in lines if "flag " in line) <= 2
    assert len(decided) >= 0.95 * len(verdicts)


def test_no_average_is_given_to_the_other_start() -> None:
    """In all of these sheets the pretrained model is the better one, on validation as on test."""
    for name in _keys():
        found = run_checks(extract(read_path(_FOLDER / name), lab()), truth(), lab())
        pretrained, random = (
            next(one.found or "" for one in found.findings if one.item == item)
            for item in ("t3.statistics", "t4.statistics")
        )
        if pretrained and random:
            assert float(pretrained.split()[0]) > float(random.split()[0]), name
