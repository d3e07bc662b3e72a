import pytest

from grader.checks.finding import Finding, Flag, Severity, Status
from grader.reading.document import Evidence
from grader.reading.log import Log, Setting
from tests.checks.experiments import RANDOM, SEEDS, STATISTICS, task
from tests.checks.making import answer, decide, run


def judge(*parts: str, item: str = "t3.band") -> tuple[Finding, list[Flag]]:
    return decide(item, answer(task(int(item[1]), *parts)))


@pytest.mark.parametrize(
    ("item", "parts"),
    [
        ("t3.band", (STATISTICS,)),
        ("t3.band", (SEEDS,)),
        ("t3.band", ("The mean test accuracy is 0.795.",)),
        ("t4.band", (RANDOM,)),
        ("t5.band", ("On test the average is 80.0 %.",)),
        ("t3.band", ("On validation the average is 81.5 %.",)),
    ],
)
def test_an_average_inside_its_band_is_right(item: str, parts: tuple[str, ...]) -> None:
    finding, flags = judge(*parts, item=item)
    assert (finding.status, flags) == (Status.CORRECT, [])
    assert finding.evidence
    assert finding.expected is not None
    assert finding.expected.truths


def test_an_average_of_an_unknown_split_is_judged_with_less_confidence() -> None:
    finding, _ = judge("The average is 79.5 %.")
    assert finding.status is Status.CORRECT
    assert finding.confidence < 1


@pytest.mark.parametrize("average", ["50.1", "95.0", "66.5"])
def test_an_average_outside_every_band_is_for_a_person(average: str) -> None:
    finding, flags = judge(f"On test the average is {average} %.")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, None)
    assert [flag.id for flag in flags] == ["outside-band"]


def test_an_average_that_fits_another_schedule_only_is_right_with_a_remark() -> None:
    finding, flags = judge("On test the average is 73.6 %.", item="t4.band")
    assert finding.status is Status.CORRECT
    assert [(flag.id, flag.severity) for flag in flags] == [("outside-band", Severity.INFO)]
    assert "3125" in flags[0].message


def scheduled(total: int) -> list[Log]:
    """A run of random weights whose settings tell the schedule."""
    told = {"total_num_update": str(total), "lr": "1e-05", "lr_scheduler": "polynomial_decay"}
    valid, test = run("random", 0, [50.0, 62.0], [50.1, 65.4])
    settings = tuple(Setting(name=k, value=v, evidence=Evidence(file="log", quote=v)) for k, v in told.items())
    return [valid.model_copy(update={"settings": settings}), test]


@pytest.mark.parametrize(
    ("total", "average", "inside"),
    [(1125, "66.5", True), (1200, "66.5", True), (3125, "73.6", True), (1125, "73.6", False), (3125, "66.5", False)],
)
def test_the_logged_schedule_tells_which_band_counts(total: int, average: str, *, inside: bool) -> None:
    given = answer(task(4, f"On test the average is {average} %."), logs=scheduled(total))
    finding, flags = decide("t4.band", given)
    assert (finding.status is Status.CORRECT) is inside
    assert [flag.id for flag in flags] == ([] if inside else ["outside-band"])
    assert finding.status is not Status.INCORRECT


def test_where_test_is_required_validation_alone_is_partial() -> None:
    stated = "On validation the average is 82.0 %."
    finding, _ = judge(stated, item="t5.band")
    assert finding.status in (Status.PARTIAL, Status.REVIEW)
    assert judge("On test the average is 80.0 %.", item="t5.band")[0].status is Status.CORRECT


def test_an_answer_without_an_average_is_for_a_person() -> None:
    assert judge("![curves](seeds.png)")[0].status is Status.REVIEW
    assert judge(SEEDS.replace("| 2 | 80.1 |\n", ""))[0].status is Status.REVIEW


def test_nothing_is_missing() -> None:
    assert decide("t3.band", answer(task(4, SEEDS)))[0].status is Status.MISSING


def test_a_comparison_with_another_experiment_raises_no_flag() -> None:
    text = (
        task(3, SEEDS, STATISTICS)
        + "\n\n"
        + task(4, RANDOM, "The average test accuracy is 66.5 %, against an average of 79.3 % for the pretrained model.")
    )
    for item in ("t3.band", "t4.band"):
        finding, flags = decide(item, answer(text))
        assert (finding.status, flags) == (Status.CORRECT, [])
