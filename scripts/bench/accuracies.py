"""Reported accuracies with known faults: how often each flag is right, and how often each fault is flagged."""

from collections import Counter
from collections.abc import Iterator
from random import Random

from grader.checks.finding import Severity
from grader.checks.runner import run_checks
from grader.lab.definition import Lab
from scripts.bench.figure import Figure
from tests.checks.making import answer, truth
from tests.claims.making import lab
from tests.generated.accuracies import FAULTS, HandIn, hand_in

HAND_INS = 400


def figures(hand_ins: int = HAND_INS) -> Iterator[Figure]:
    """Precision and recall of every flag, and how many right answers are called wrong."""
    random = Random(11)  # noqa: S311
    raised: Counter[str] = Counter()
    deserved: Counter[str] = Counter()
    right: Counter[str] = Counter()
    wronged = 0
    asked = about_accuracies(lab())
    for _ in range(hand_ins):
        made = hand_in(random)
        flags, lost = judge_hand_in(made, asked)
        raised.update(flags)
        deserved.update(made.faults)
        right.update(flags & made.faults)
        wronged += lost and not made.faults
    for fault in FAULTS:
        precision = 100 * right[fault] / max(raised[fault], 1)
        yield Figure(f"{fault}, right of {raised[fault]} flags", precision, "%", 99, at_least=True)
        recall = 100 * right[fault] / max(deserved[fault], 1)
        yield Figure(f"  flagged of {deserved[fault]} in {hand_ins:,} hand-ins", recall, "%", 95, at_least=True)
    yield Figure("  faultless hand-ins that lose points for certain", wronged, "", 0)


def judge_hand_in(made: HandIn, asked: Lab) -> tuple[set[str], bool]:
    """The warnings that a hand-in gets, and whether points were withheld for certain: other than a part for saying
    nothing about the choice of a checkpoint, as none of these hand-ins does."""
    found = run_checks(answer(made.text, logs=made.logs), truth(), asked)
    lost = any(
        finding.status in ("incorrect", "missing")
        or (finding.status == "partial" and not finding.item.endswith(".selection"))
        for finding in found.findings
    )
    return {flag.id for flag in found.flags if flag.severity is Severity.WARNING}, lost


def about_accuracies(whole: Lab) -> Lab:
    """The lab with only the questions about experiments."""
    about = {experiment.question for experiment in whole.experiments}
    kept = tuple(question for question in whole.questions if question.id in about)
    return whole.model_copy(update={"questions": kept})
