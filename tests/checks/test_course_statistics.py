from grader.checks.experiment import report_of
from grader.checks.finding import Flag
from grader.checks.log_agreement import course_mismatches
from tests.checks.experiments import task
from tests.checks.making import answer
from tests.claims.making import lab

TABLE = (
    "| Epoch | Seed 0 | Seed 1 | Seed 2 | Mean | Std |\n|---|---|---|---|---|---|\n"
    "| 1 | 67.7 | 72.0 | 71.5 | 70.40 | 1.92 |\n| 2 | 73.9 | 76.4 | 75.9 | 75.40 | 1.08 |\n"
)


def flags(table: str) -> list[Flag]:
    given = answer(task(3, f"Test accuracy by epoch:\n\n{table}"))
    return list(course_mismatches(report_of("pretrained", given, lab()), given))


def test_averages_of_epochs_that_follow() -> None:
    assert flags(TABLE) == []
    assert flags(TABLE.replace("1.92", "2.35").replace("70.40", "70.4")) == []


def test_averages_of_epochs_that_do_not() -> None:
    (flag,) = flags(TABLE.replace("75.40", "76.40"))
    assert (flag.id, "epoch 2: mean 76.40 %" in flag.message) == ("statistics-mismatch", True)
    (flag,) = flags(TABLE.replace("1.08", "1.92"))
    assert "copied" in flag.message


def test_without_the_seeds_nothing_can_be_said() -> None:
    assert flags("| Epoch | Mean | Std |\n|---|---|---|\n| 1 | 70.4 | 1.92 |\n| 2 | 75.4 | 1.92 |\n") == []
