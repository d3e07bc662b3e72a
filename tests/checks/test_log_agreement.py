"""Figures are looked up in the student's own logs."""

import pytest

from grader.checks.experiment import report_of
from grader.checks.finding import Flag, Severity
from grader.checks.log_agreement import LocatedResult, Place, agrees, contradictions, locate_results
from grader.claims.answer import Answer
from grader.reading.log import Log
from tests.checks.experiments import BOTH, CHOSEN, SEEDS, task
from tests.checks.making import answer, concluded, run
from tests.claims.making import lab

VALID, TEST = "valid", "test"

LOGS = [
    *run("pretrained", 0, [64, 81.5, 81], [67.7, 79.3, 79.9]),
    *run("pretrained", 1, [65.5, 80, 79], [72.0, 78.5, 79.5]),
    *run("pretrained", 2, [71, 82, 83.5], [71.5, 79.6, 80.1]),
]


def given(*parts: str, logs: list[Log] | None = None) -> Answer:
    return answer(task(3, CHOSEN, *parts), logs=LOGS if logs is None else logs)


def places(made: Answer, split: str | None = TEST) -> list[Place]:
    return [one.place for one in found(made, split)]


def found(made: Answer, split: str | None = TEST) -> tuple[LocatedResult, ...]:
    report = report_of("pretrained", made, lab())
    return locate_results(report.of_split(split), report)


def flags_of(ones: tuple[LocatedResult, ...]) -> list[Flag]:
    return concluded(contradictions(ones, report_of("pretrained", given(), lab())))


def renumbered(text: str) -> str:
    """Seeds called 1, 2 and 3 instead of 0, 1 and 2."""
    for old, new in ((2, 3), (1, 2), (0, 1)):
        text = text.replace(f"| {old} | ", f"| {new} | ")
    return text


@pytest.mark.parametrize(
    ("figure", "place"),
    [
        ("79.3", Place.AT_BEST),
        ("79.9", Place.AT_END),
        ("67.7", Place.ELSEWHERE),
        ("81.5", Place.BEST_VALID),
        ("64.0", Place.VALID),
        ("75.5", Place.NOWHERE),
    ],
)
def test_where_a_figure_stands(figure: str, place: Place) -> None:
    assert places(given(SEEDS.replace("79.3", figure))) == [place, Place.AT_BEST, Place.AT_BEST]


def test_validation_figures_are_looked_up_among_validation_figures() -> None:
    assert places(given(BOTH), VALID) == [Place.BEST_VALID] * 3
    assert all(one.is_right for one in found(given(BOTH), VALID))


def test_seeds_may_be_numbered_from_one() -> None:
    assert places(given(renumbered(SEEDS))) == [Place.AT_BEST] * 3
    wrong = found(given(renumbered(SEEDS).replace("78.5", "77.0")))
    assert [one.is_contradicted for one in wrong] == [False, True, False]
    assert [point.value for point in wrong[1].wanted] == [78.5]


def test_without_logs_nothing_is_contradicted() -> None:
    assert places(given(SEEDS, logs=[])) == [Place.NO_LOG] * 3
    only_valid = [log for log in LOGS if "/valid/" in log.file]
    assert not any(one.is_contradicted for one in found(given(SEEDS, logs=only_valid)))


def test_logs_of_some_seeds_speak_for_these() -> None:
    two = found(given(SEEDS.replace("80.1", "85.0"), logs=LOGS[:4]))
    assert [one.place for one in two] == [Place.AT_BEST, Place.AT_BEST, Place.NO_LOG]
    assert not any(one.is_contradicted for one in two)


def test_a_run_speaks_for_one_figure_whatever_its_seed_is_called() -> None:
    three = found(given(renumbered(SEEDS), logs=LOGS[:2]))
    assert [one.place for one in three] == [Place.AT_BEST, Place.NO_LOG, Place.NO_LOG]
    assert not any(one.is_contradicted for one in three)


def test_a_contradiction_shows_both_sides() -> None:
    (flag,) = flags_of(found(given(SEEDS.replace("79.3", "75.5"))))
    assert flag.severity is Severity.WARNING
    assert "75.5 %" in flag.message
    assert "79.3 % (step 450)" in flag.message
    assert {place.file for place in flag.evidence} == {"report.md", "pretrained/seed_0/test/events.out.tfevents.1"}


def test_the_last_evaluation_is_a_remark() -> None:
    (flag,) = flags_of(found(given(SEEDS.replace("79.3", "79.9"))))
    assert flag.severity is Severity.INFO
    assert "the accuracy on test at the last evaluation (step 675)" in flag.message


@pytest.mark.parametrize(
    ("reported", "unit", "logged", "agree"),
    [
        (79.3, 0.1, 79.3, True),
        (79.3, 0.1, 79.35, True),
        (79.4, 0.1, 79.35, True),
        (79.3, 0.1, 79.4, False),
        (79.3, 0.1, 79.2, False),
        (79.0, 1.0, 79.9, True),
        (79.35, 0.01, 79.35, True),
        (79.3, 0.1, 79.30000305, True),
    ],
)
def test_rounding_and_cutting_agree(reported: float, unit: float, logged: float, *, agree: bool) -> None:
    assert agrees(reported, unit, logged) is agree
