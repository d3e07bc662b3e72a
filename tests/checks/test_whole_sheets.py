"""Whole answer sheets of invented students: what is decided of each item is what a careful marker decides.

What a model of marked examples judges is left out: it is measured apart (`python -m scripts.bench`).
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from grader.checks.finding import Findings
from grader.checks.runner import run_checks
from scripts.bench.results import judge_verdict
from tests.checks.making import answer, truth
from tests.claims.making import lab

_FILE: Final = Path(__file__).parents[1] / "generated" / "whole_sheets.toml"
SHEETS: Final[dict[str, Any]] = {
    sheet["name"]: sheet for sheet in tomllib.loads(_FILE.read_text(encoding="utf-8"))["sheets"]
}
_LEARNED: Final = {one.id for one in lab().items if one.check == "short-answer"}


@cache
def concluded(name: str) -> Findings:
    """What the checks conclude of a sheet, without what is learned."""
    found = run_checks(answer(SHEETS[name]["text"]), truth(), lab())
    return Findings(findings=tuple(one for one in found.findings if one.item not in _LEARNED), flags=found.flags)


@pytest.mark.parametrize("name", SHEETS)
def test_what_is_decided_is_what_a_marker_decides(name: str) -> None:
    """All but what the sheet names as left."""
    sheet = SHEETS[name]
    found = {
        one.item: judge_verdict(one, sheet["verdicts"][one.item])
        for one in concluded(name).findings
        if one.item in sheet["verdicts"]
    }
    wrong = {item for item, how in found.items() if how not in ("right", "undecided")}
    assert wrong == set(sheet.get("left", ()))
