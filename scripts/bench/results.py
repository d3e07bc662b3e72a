"""Results in whatever form people write them: verdicts on invented answer sheets against a careful marker's."""

import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from grader.checks.finding import Finding, Findings, Status
from grader.checks.runner import run_checks
from grader.lab.definition import Lab
from scripts.bench.figure import Figure
from tests.checks.making import answer, truth
from tests.claims.making import lab

SHEETS = Path(__file__).parents[2] / "tests" / "generated" / "result_sheets.toml"
FLAGS = ("std-unit", "statistics-mismatch")
"""Those that enough sheets deserve."""
_ABSENT = {Status.MISSING.value, Status.INCORRECT.value}


def sheets() -> list[dict[str, Any]]:
    """The sheets with their texts, verdicts and flags."""
    return list(tomllib.loads(SHEETS.read_text(encoding="utf-8"))["sheets"])


def figures() -> Iterator[Figure]:
    """Yield how many verdicts are decided, how many of these are right, and what the wrong ones cost or give."""
    count: Counter[str] = Counter()
    for sheet in sheets():
        found = conclusions(sheet["text"])
        verdicts = {finding.item: finding for finding in found.findings}
        count.update(judge_verdict(verdicts[item], wanted) for item, wanted in sheet["verdicts"].items())
        raised = {flag.id for flag in found.flags}
        count.update(f"{flag} {(flag in raised, flag in sheet['flags'])}" for flag in FLAGS)
    decided = count["right"] + count["wrong"] + count["for nothing"] + count["taken"]
    yield Figure("verdicts decided", 100 * decided / (decided + count["undecided"]), "%", 83, at_least=True)
    yield Figure("  of these right", 100 * count["right"] / decided, "%", 99, at_least=True)
    yield Figure("  wrong ones given full points", count["for nothing"], "", 0)
    yield Figure("  right ones given nothing", count["taken"], "", 0)
    for flag in FLAGS:
        hits, misses, false = (count[f"{flag} {pair}"] for pair in ((True, True), (False, True), (True, False)))
        yield Figure(f"{flag} found, of {hits + misses}", 100 * hits / max(hits + misses, 1), "%", 93, at_least=True)
        yield Figure("  raised falsely", false, "", 1)


@cache
def conclusions(text: str) -> Findings:
    """Return the conclusions of the checks about a sheet."""
    return run_checks(answer(text), truth(), experiments_only(lab()))


def judge_verdict(finding: Finding, wanted: str) -> str:
    """Whether a verdict is right; `wanted` are the statuses that a marker allows."""
    allowed = set(wanted.split("|"))
    status = Status.MISSING if finding.status is Status.NOT_RUN else finding.status
    if status in (Status.REVIEW, Status.ERROR):
        return "undecided"
    if status.value in allowed or {status.value, *allowed} <= _ABSENT:
        return "right"
    if status is Status.CORRECT:
        return "for nothing"
    return "taken" if status.value in _ABSENT and allowed == {"correct"} else "wrong"


def experiments_only(whole: Lab) -> Lab:
    """The lab with only the questions about experiments, and without watches of the hand-in as a whole."""
    about = {experiment.question for experiment in whole.experiments}
    kept = tuple(question for question in whole.questions if question.id in about)
    return whole.model_copy(update={"questions": kept, "watches": ()})
