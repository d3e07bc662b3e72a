"""Definitions as students might write them, made up for the tests, and the check of one of them."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from grader.checks.finding import Finding, Status
from tests.checks.making import answer, decide

CORPUS = Path(__file__).with_name("definition_corpus.txt")
PARAMETERS = ("r", "lora_alpha", "target_modules", "lora_dropout", "bias", "task_type")


class Written(NamedTuple):
    """A definition as it stands in a report, and what it is worth."""

    label: Status
    parameter: str
    text: str


@cache
def corpus() -> tuple[Written, ...]:
    """All of them, those of one label together."""
    lines = CORPUS.read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ", 2) for line in lines if line and not line.startswith("#")]
    return tuple(Written(Status(label), parameter, text) for label, parameter, text in rows)


@cache
def judge(parameter: str, line: str) -> Finding:
    """What the check concludes about a parameter from a report with one line under its heading."""
    return decide(f"q2.{parameter}", answer(f"# Question 2\n\n{line}\n"))[0]


@cache
def right_texts(parameter: str) -> tuple[str, ...]:
    """The words of all definitions of a parameter that earn full credit, without name and value."""
    judged = [judge(parameter, one.text) for one in corpus() if one.parameter == parameter]
    return tuple(finding.found or "" for finding in judged if finding.status is Status.CORRECT)
