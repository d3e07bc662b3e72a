import pytest

from grader.checks.finding import Finding, Status
from grader.checks.registry import check_of
from grader.reading.document import Evidence
from grader.reading.log import Setting
from tests.checks.experiments import BOTH, RANDOM, SEEDS, VALID_ONLY, task
from tests.checks.making import answer, code, decide, run, truth
from tests.claims.making import lab


@pytest.mark.parametrize("table", [SEEDS, BOTH, VALID_ONLY])
def test_three_seeds_are_enough_on_any_split(table: str) -> None:
    finding, _ = decide("t3.seeds", answer(task(3, table)))
    assert (finding.status, finding.found) == (Status.CORRECT, "3 seeds")
    assert len(finding.evidence) == 3


def test_the_logs_may_hold_the_seeds() -> None:
    runs = [log for seed in (0, 1, 2) for log in run("pretrained", seed, [64, 81.5], [67.7, 79.3])]
    finding, _ = decide("t3.seeds", answer(task(3, "See the figure."), logs=runs))
    assert finding.status is Status.CORRECT
    assert finding.evidence[0].tag == "accuracy"


def test_two_seeds_are_right_in_part_where_nothing_else_can_hold_the_third() -> None:
    two = SEEDS.replace("| 2 | 80.1 |\n", "")
    finding, _ = decide("t3.seeds", answer(task(3, two)))
    assert finding.status is Status.PARTIAL
    assert "2 of 3" in finding.feedback
    finding, _ = decide("t3.seeds", answer(task(3, two, "![curves](seeds.png)")))
    assert (finding.status, finding.suggestion) == (Status.REVIEW, None), "the picture may hold the third"


def test_one_seed_is_not_right_unless_the_lab_says_that_it_is_a_part() -> None:
    one = SEEDS.replace("| 1 | 78.5 |\n| 2 | 80.1 |\n", "")
    assert decide("t3.seeds", answer(task(3, one)))[0].status is Status.INCORRECT
    own = next(item for item in lab().items if item.id == "t3.seeds")
    lenient = own.model_copy(update={"options": {**own.options, "fewest": 1}})
    given = check_of(lenient).bound(lenient)(answer=answer(task(3, one)), truth=truth(), lab=lab())
    assert [one.status for one in given if isinstance(one, Finding)] == [Status.PARTIAL]


@pytest.mark.parametrize("said", ["over three seeds", "with seeds 0, 1 and 2", "sur trois graines", "(3 random seeds)"])
def test_seeds_may_be_said_with_their_statistics(said: str) -> None:
    finding, _ = decide("t3.seeds", answer(task(3, f"On test we reach 79.30 ± 0.65 % {said}.")))
    assert finding.status is Status.CORRECT
    finding, _ = decide("t3.seeds", answer(task(3, f"On test we reach 79.30 % {said}.")))
    assert finding.status is Status.REVIEW


def test_fewer_seeds_said_of_one_experiment_go_to_a_person() -> None:
    text = "Three seeds in all; from the pretrained weights only seeds 0 and 1 ended. On test we reach 79.30 ± 0.65 %."
    assert decide("t3.seeds", answer(task(3, text)))[0].status is Status.REVIEW


def test_an_answer_without_figures_is_for_a_person() -> None:
    finding, _ = decide("t3.seeds", answer(task(3, "![curves](seeds.png)")))
    assert (finding.status, finding.suggestion) == (Status.REVIEW, None)


def test_nothing_is_missing() -> None:
    assert decide("t4.seeds", answer(task(3, SEEDS)))[0].status is Status.MISSING


def test_figures_that_nothing_names_keep_an_answer_from_being_missing() -> None:
    """In a notation of its own, a sheet may report all that was asked for."""
    text = "# Results\n\nLet p_i be the figure of run i. p_0 = 79.60, p_1 = 78.45, p_2 = 80.15, on average 79.40."
    assert decide("t4.seeds", answer(text))[0].status is Status.REVIEW


def test_the_seeds_of_another_experiment_do_not_count() -> None:
    finding, _ = decide("t3.seeds", answer(task(3, "x") + "\n\n" + task(4, RANDOM)))
    assert finding.status is Status.MISSING


ONE_SEED = "I had time for only one seed (0).\n\n- pretrained: 79.3 % on test\n"
BROKEN_OFF = run("pretrained", 1, [64, 70], [67.7, 71.0])
FIRST, SECOND = (
    run("pretrained", 0, [64, 70, 81], [67.7, 71.0, 79.3]),
    run("pretrained", 1, [64, 70, 80], [66, 70, 78.5]),
)


def test_one_seed_of_which_the_logs_show_no_more_is_decided() -> None:
    assert decide("t3.seeds", answer(task(3, ONE_SEED), logs=FIRST))[0].status is Status.INCORRECT
    assert decide("t3.seeds", answer(task(3, ONE_SEED), logs=[*FIRST, *BROKEN_OFF]))[0].status is Status.INCORRECT


def test_a_finished_run_that_is_not_reported_is_for_a_person() -> None:
    assert decide("t3.seeds", answer(task(3, ONE_SEED), logs=[*FIRST, *SECOND]))[0].status is Status.REVIEW


def test_a_trial_with_other_hyper_parameters_is_no_further_seed() -> None:
    rate = Setting(name="lr", value="1e-4", evidence=Evidence(file="trial", quote="lr 1e-4"))
    trial = [log.model_copy(update={"settings": (rate,)}) for log in SECOND]
    assert decide("t3.seeds", answer(task(3, ONE_SEED), logs=[*FIRST, *trial]))[0].status is Status.INCORRECT


def test_figures_of_other_experiments_in_the_same_rows_are_no_further_seeds() -> None:
    table = "| seed | pretrained | random | HF |\n|---|---|---|---|\n"
    rows = "| 0 | 79.3 | 65.4 | 79.9 |\n| 1 | 80.0 | 66.7 | 80.65 |\n| 2 | 80.4 | 67.4 | (out of memory) |\n"
    given = answer(f"# Tasks 3 to 5\n\nTest accuracy:\n\n{table}{rows}")
    assert decide("t5.seeds", given)[0].status is Status.PARTIAL


def test_a_reference_to_a_notebook_that_was_read_holds_no_further_seeds() -> None:
    report = task(5, "With Hugging Face, test: seed 0: 79.9 %, seed 1: 80.65 %. See the notebook.")
    assert decide("t5.seeds", answer(report))[0].status is Status.REVIEW
    assert decide("t5.seeds", answer(report, [code("model", "ok")]))[0].status is Status.PARTIAL
