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
    given = check_of(lenient).bind_options(lenient)(answer=answer(task(3, one)), truth=truth(), lab=lab())
    assert [one.status for one in given if isinstance(one, Finding)] == [Status.PARTIAL]


@pytest.mark.parametrize("said", ["over three seeds", "with seeds 0, 1 and 2", "sur trois graines", "(3 random seeds)"])
def test_seeds_may_be_said_with_their_statistics(said: str) -> None:
    finding, _ = decide("t3.seeds", answer(task(3, f"On test we reach 79.30 ± 0.65 % {said}.")))
    assert finding.status is Status.CORRECT
    finding, _ = decide("t3.seeds", answer(task(3, f"On test we reach 79.30 % {said}.")))
    assert finding.status is Status.REVIEW


SAME = """Task 3. Three seeds (7, 21 and 84), pretrained: 80.12 % on test on average, deviation 0.45.

Task 4. {said}, random weights: 66.55 % on test on average, deviation 0.74."""


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("The same seeds", Status.CORRECT),
        ("Les mêmes trois graines", Status.CORRECT),
        ("The same settings", Status.REVIEW),
    ],
)
def test_the_seeds_may_be_said_to_be_those_of_another_experiment(said: str, status: Status) -> None:
    assert decide("t4.seeds", answer(SAME.format(said=said)))[0].status is status


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


@pytest.mark.parametrize(
    ("said", "accepted"),
    [
        ("Over three seeds we reach {0} on test.", "c"),
        ("We ran it 3 times and reach {0} on test.", "cr"),
        ("With the seeds 0, 1 and 2 we reach {0} on test.", "c"),
        ("With seeds 0 to 2 we reach {0} on test.", "cr"),
        ("For each of the three seeds we kept the best checkpoint; on test we reach {0}.", "cr"),
        ("Sur trois graines, on obtient {0} sur le test.", "c"),
        ("The average of three runs on test is {0}.", "cr"),
        ("Over two seeds we reach {0} on test.", "pir"),
        ("Over 30 seeds we reach {0} on test.", "pircr"),
        ("With seeds 0 and 1 we reach {0} on test.", "pir"),
        ("Over three seeds we reach {0} on test; the random model was run with one seed.", "cr"),
        ("Over three seeds we reach {0} on test. The pretrained model was run with two seeds only.", "r"),
        ("Over three seeds we reach {0} on test; seed 0 is the best.", "cr"),
        ("Three seeds: {0}.", "cr"),
        ("We reach {0} on test.", "r"),
        ("We reach {0} on test with three layers.", "r"),
        ("{0}", "r"),
    ],
)
def test_how_many_seeds_a_text_speaks_of(said: str, accepted: str) -> None:
    letters = {"c": Status.CORRECT, "p": Status.PARTIAL, "i": Status.INCORRECT, "r": Status.REVIEW}
    finding, _ = decide("t3.seeds", answer(task(3, said.format("79.30 ± 0.65 %"))))
    assert finding.status in {letters[one] for one in accepted}, finding.feedback
    alone, _ = decide("t3.seeds", answer(task(3, said.format("79.30 %"))))
    assert alone.status is not Status.CORRECT, "an average without a deviation shows no repetition"


@pytest.mark.parametrize(
    ("values", "status"),
    [
        ("| 0 | 79.3 |\n", Status.INCORRECT),
        ("| 0 | 79.3 |\n| 1 | 78.5 |\n", Status.PARTIAL),
        ("| 0 | 79.3 |\n| 1 | 78.5 |\n| 2 | 80.1 |\n", Status.CORRECT),
        ("| 0 | 79.3 |\n| 1 | 78.5 |\n| 2 | 80.1 |\n| 3 | 79.9 |\n", Status.CORRECT),
        ("| 1 | 79.3 |\n| 2 | 78.5 |\n| 3 | 80.1 |\n", Status.CORRECT),
        ("| 42 | 79.3 |\n| 43 | 78.5 |\n| 1234 | 80.1 |\n", Status.CORRECT),
        ("| 0 | 79.3 |\n| 1 | 78.5 |\n| 2 | - |\n", Status.PARTIAL),
        ("| 0 | 79.3 |\n| 0 | 78.5 |\n| 0 | 80.1 |\n", Status.REVIEW),
        ("| 0 | 79.3 |\n| 1 | 79.3 |\n| 2 | 79.3 |\n", Status.CORRECT),
    ],
)
def test_how_many_rows_of_a_table_are_seeds(values: str, status: Status) -> None:
    finding, _ = decide("t3.seeds", answer(task(3, f"| Seed | Test accuracy |\n|---|---|\n{values}")))
    assert finding.status is status, finding.feedback


def with_values(figures: tuple[float, ...], logged: tuple[float, ...], text: str = SEEDS) -> Finding:
    """What is concluded of a report and logs where the results are known."""
    own = next(item for item in lab().items if item.id == "t3.seeds")
    asked = own.model_copy(update={"options": {**own.options, "values": list(figures)}})
    logs = [log for seed, value in enumerate(logged) for log in run("pretrained", seed, [64, 81.5], [67.7, value])]
    found = check_of(asked).bind_options(asked)(answer=answer(task(3, text), logs=logs), truth=truth(), lab=lab())
    (finding,) = (one for one in found if isinstance(one, Finding))
    return finding


def test_results_that_logs_alone_show_are_held_against_known_ones() -> None:
    known = (79.3, 78.5, 80.1)
    assert with_values(known, (79.3, 78.5, 80.1), "See the figure.").status is Status.CORRECT
    other = with_values(known, (75.3, 78.5, 80.1), "See the figure.")
    assert other.status is Status.REVIEW
    assert "2 of 3" in other.feedback


def test_known_results_that_the_logs_do_not_show_are_for_a_person() -> None:
    known = (79.3, 78.5, 80.1)
    assert with_values(known, ()).status is Status.CORRECT
    assert with_values(known, (79.3, 78.5, 80.1)).status is Status.CORRECT
    assert with_values(known, (75.3, 74.5, 76.1)).status is Status.REVIEW
    assert with_values((70.1, 71.2, 72.3), (70.1, 71.2, 72.3)).status is Status.REVIEW
    assert with_values((70.1, 71.2, 72.3), (79.3, 78.5, 80.1)).status is Status.INCORRECT
