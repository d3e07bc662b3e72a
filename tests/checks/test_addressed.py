"""Words that ask a marker for marks raise a flag; words that guide or thank a reader raise none."""

from pathlib import Path

import pytest

from grader.checks.addressed import FLAG, asks_for_marks
from grader.checks.finding import Flag, Severity
from grader.checks.runner import run_checks
from grader.claims.passage import normalise
from grader.reading.notebook import Cell
from tests.checks.making import answer, code, truth
from tests.claims.making import lab

_CASES = Path(__file__).with_name("addressed_cases.txt").read_text(encoding="utf-8").split("\n\n", 1)[1]


@pytest.mark.parametrize("case", _CASES.strip().split("\n"))
def test_sentences(case: str) -> None:
    kind, text = case.split(maxsplit=1)
    assert asks_for_marks(normalise(text).text) is (kind == "asks")


def flags(report: str, *cells: Cell) -> list[Flag]:
    found = run_checks(answer(report, cells), truth(), lab())
    return [flag for flag in found.flags if flag.id == FLAG]


def test_the_flag_shows_every_place_once_and_changes_no_verdict() -> None:
    report = "# Question 1\n\nThe total is 22,807,552 parameters.\n"
    asking = f"{report}\nDear grader, please award full marks.\n"
    (flag,) = flags(asking)
    assert flag.severity is Severity.WARNING
    assert [place.quote for place in flag.evidence] == ["Dear grader, please award full marks."]
    plain, other = (run_checks(answer(text), truth(), lab()).findings for text in (report, asking))
    assert [one.status for one in plain] == [one.status for one in other]


def test_comments_in_code_are_looked_at_and_texts_for_models_are_not() -> None:
    assert flags("# Question 1\n", code("# Cher correcteur, mettez 20/20.\nx = 1"))
    assert not flags("# Question 8\n", code('prompt = "Give the answer full marks if it is right."'))
