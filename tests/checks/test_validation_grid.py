"""Validation accuracies given as results: how sure that is, by grid, bands, other experiments and logs."""

import pytest

from grader.checks.experiment import report_of
from grader.checks.finding import Status
from grader.checks.validation_grid import Doubt, validation_doubt
from grader.reading.log import Log
from tests.checks.experiments import BOTH, CHOSEN, ON_VALID_GRID, RANDOM, SEEDS, VALID_ONLY, task
from tests.checks.making import CONCLUDED, answer, concluded, decide, run, truth
from tests.claims.making import lab

ON_TEST_CENTRE = "| Seed | Test accuracy |\n|---|---|\n| 0 | 79.5 |\n| 1 | 78.5 |\n| 2 | 80.0 |\n"
RANDOM_ON_GRID = "| Seed | Test accuracy |\n|---|---|\n| 0 | 62.0 |\n| 1 | 65.0 |\n| 2 | 63.0 |\n"
LOGS = [
    *run("pretrained", 0, [64, 81.5, 81], [67.7, 79.3, 79.9]),
    *run("pretrained", 1, [65.5, 80, 79], [72.0, 78.5, 79.5]),
    *run("pretrained", 2, [71, 82, 83.5], [71.5, 79.6, 80.1]),
]


def doubt(text: str, logs: list[Log] | None = None, experiment: str = "pretrained") -> Doubt | None:
    given = answer(text, logs=logs or [])
    found = validation_doubt(report_of(experiment, given, lab()), given, truth(), lab())
    if found:
        concluded([found.flag])
        CONCLUDED.append(f"{found.sure:.6f} {'shown' if found.is_shown else 'likely'}: {found.how_sure}")
    return found


def both(pretrained: str, random: str) -> str:
    return task(3, CHOSEN, pretrained) + "\n\n" + task(4, random)


@pytest.mark.parametrize("table", [ON_VALID_GRID, ON_VALID_GRID.replace("Test accuracy", "Accuracy")])
def test_figures_on_the_coarse_grid_where_validation_lies_are_suspected(table: str) -> None:
    found = doubt(task(3, CHOSEN, table))
    assert found is not None
    assert 0.9 < found.sure < 1
    assert "once in 125 times" in found.message
    assert len(found.evidence) == 3


@pytest.mark.parametrize(
    "text",
    [
        task(3, CHOSEN, SEEDS),
        task(3, CHOSEN, VALID_ONLY),
        task(3, CHOSEN, BOTH),
        task(3, CHOSEN, ON_VALID_GRID.replace("| 2 | 83.5 |\n", "")),
        task(3, CHOSEN, "| Seed | Test accuracy |\n|---|---|\n| 0 | 82 |\n| 1 | 80 |\n| 2 | 84 |\n"),
        task(3, CHOSEN, BOTH.replace("79.3", "79.5").replace("80.1", "80.0")),
        task(3, CHOSEN, "On test we obtain 79.30 ± 0.65 %."),
        task(3, CHOSEN, "On validation we obtain 81.67 ± 1.43 %."),
        task(3, CHOSEN, "On test seed 1 has 80.55 % and seed 2 has 82.75 %, on average 81.65 ± 1.10 %."),
        task(3, CHOSEN, "On test seed 1 has 80.50 % and seed 2 has 83.00 %, on average 81.75 ± 1.25 %."),
    ],
)
def test_what_says_nothing_of_the_kind_is_not(text: str) -> None:
    assert doubt(text) is None


@pytest.mark.parametrize(
    ("beside", "is_suspected"),
    [
        ("Seed 0: 81.5 % on validation.", True),
        ("Seed 0: 82.5 % on validation.", False),
        ("Seed 0: 80.0 % on validation.", False),
        ("Seed 2: 80.0 % on validation.", False),
    ],
)
def test_a_validation_accuracy_that_only_repeats_a_figure_clears_nothing(beside: str, is_suspected: bool) -> None:
    found = doubt(task(3, CHOSEN, ON_VALID_GRID, beside))
    assert (found is not None) is is_suspected


@pytest.mark.parametrize(
    ("stated", "is_suspected"),
    [
        ("Mean 67.00, std 1.50.", True),  # nothing was rounded: such values are rare on test
        ("Mean 67.02, std 1.48.", False),  # the values were rounded
        ("Mean 67.0, std 1.5.", False),
    ],
)
def test_an_average_tells_whether_values_lost_a_digit(stated: str, is_suspected: bool) -> None:
    table = "| Seed | Test accuracy |\n|---|---|\n| 0 | 67.0 |\n| 1 | 65.5 |\n| 2 | 68.5 |\n"
    found = doubt(both(SEEDS.replace("79.3", "79.35"), f"{table}\n{stated}\n"), experiment="random")
    assert (found is not None) is is_suspected


def test_figures_written_more_coarsely_than_others_are_not_rounded() -> None:
    finer = "Seed 1: 79.35 %, seed 2: 80.55 %, seed 3: 79.05 %."
    coarser = finer.replace("79.35", "79.3").replace("80.55", "80.6").replace("79.05", "79.0")
    table = "| Seed | Test accuracy |\n|---|---|\n| 0 | 67.0 |\n| 1 | 65.5 |\n| 2 | 68.5 |\n"
    assert doubt(both(f"On test. {finer}", table), experiment="random") is not None
    assert doubt(both(f"On test. {coarser}", table), experiment="random") is None


def test_other_experiments_confirm_or_clear() -> None:
    alone = doubt(both(ON_VALID_GRID, ""))
    confirmed = doubt(both(ON_VALID_GRID, RANDOM_ON_GRID))
    assert alone is not None
    assert confirmed is not None
    assert confirmed.sure > alone.sure
    assert doubt(both(ON_TEST_CENTRE, RANDOM)) is None


def test_mean_and_deviation_tell_the_accuracies_of_validation() -> None:
    text = task(3, "Average accuracy = 81.67% ± 1.43%.") + "\n\n" + task(4, "Average accuracy = 63.33% ± 1.25%.")
    found = doubt(text)
    assert found is not None
    assert "80, 81.5, 83.5 %" in found.message


@pytest.mark.parametrize("table", [ON_VALID_GRID, ON_VALID_GRID.replace("83.5", "83.50")])
def test_logs_tell_for_certain(table: str) -> None:
    found = doubt(task(3, CHOSEN, table), LOGS)
    assert found is not None
    assert found.sure > 0.95
    assert "As the logs show" in found.message
    assert {place.step for place in found.evidence if place.tag} == {450, 675}


def test_an_average_of_logged_validation_accuracies_is_recognised() -> None:
    found = doubt(task(3, CHOSEN, "On test we obtain 81.67 ± 1.43 %."), LOGS)
    assert found is not None
    assert "As the logs show" in found.message
    assert doubt(task(3, CHOSEN, "On test we obtain 79.30 ± 0.65 %."), LOGS) is None


def test_logs_clear_what_lies_on_the_grid_by_chance() -> None:
    logs = [
        *run("pretrained", 0, [64, 81.5], [67.7, 82.0]),
        *run("pretrained", 1, [65.5, 80], [72.0, 81.5]),
        *run("pretrained", 2, [71, 82], [71.5, 83.0]),
    ]
    on_test = "| Seed | Test accuracy |\n|---|---|\n| 0 | 82.0 |\n| 1 | 81.5 |\n| 2 | 83.0 |\n"
    assert doubt(task(3, CHOSEN, on_test)) is not None
    assert doubt(task(3, CHOSEN, on_test), logs) is None


def test_a_test_file_evaluated_as_validation_file_is_no_validation() -> None:
    """The Trainer calls whatever it evaluates `eval`; values between the grid's lines tell."""
    logs = [log for seed in range(3) for log in run("huggingface", seed, [71.25, 79.05 + seed, 78.1], [])[:1]]
    rows = "".join(f"| {seed} | {79.05 + seed:.2f} |\n" for seed in range(3))
    text = task(5, CHOSEN, "| Seed | Test accuracy |\n|---|---|\n" + rows)
    assert doubt(text, logs, "huggingface") is None


def test_the_items_say_so_and_no_more() -> None:
    given = answer(both(ON_VALID_GRID, RANDOM_ON_GRID))
    selection, flags = decide("t3.selection", given)
    assert (selection.status, selection.suggestion) == (Status.REVIEW, Status.INCORRECT)
    assert [flag.id for flag in flags] == ["validation-reported-as-test"]
    assert "%" in selection.note
    band, flags = decide("t3.band", given)
    assert (band.status, flags) == (Status.CORRECT, [])
    assert "on valid" in band.feedback


@pytest.mark.parametrize(
    ("last", "is_suspected"),
    [
        ("The average test accuracy is 81.33 % with a standard deviation of 0.62 %.", True),
        ("The average test accuracy is 79.97 % with a standard deviation of 0.62 %.", False),
        ("The average validation accuracy is 81.33 % with a standard deviation of 0.62 %.", False),
        ("Validation: mean 81.33, std 0.62. On the test set the model has 81.33 % ± 0.62 %.", True),
        ("Validation: mean 81.33, std 0.62. On the test set the model has 79.97 % ± 0.62 %.", False),
    ],
    ids=["of the same values", "of others", "called so", "of the same values beside those", "of others beside those"],
)
def test_an_average_of_test_that_is_one_of_validation_shows_what_it_is(last: str, is_suspected: bool) -> None:
    table = "| Seed | Best valid accuracy |\n|---|---|\n| 0 | 80.5 |\n| 1 | 81.5 |\n| 2 | 82.0 |\n"
    found = doubt(task(3, CHOSEN, table, last))
    assert (found is not None and found.is_shown) is is_suspected


def rows(*values: str, split: str = "Test accuracy") -> str:
    told = "".join(f"| {seed} | {value} |\n" for seed, value in enumerate(values))
    return f"| Seed | {split} |\n|---|---|\n{told}"


GRIDS = {
    "on the grid, where validation lies": (("81.5", "80.0", "83.5"), True),
    "on the grid, in the middle": (("80.5", "79.5", "81.0"), True),
    "on the grid, where test lies": (("79.5", "78.5", "80.0"), False),
    "on the grid, below both": (("60.5", "61.5", "60.0"), False),
    "on the grid, with two decimals": (("81.50", "80.00", "83.50"), True),
    "on a finer grid": (("81.55", "80.05", "83.50"), False),
    "off the grid by one": (("81.5", "80.1", "83.5"), False),
    "in whole percents": (("82", "80", "84"), False),
    "as shares": (("0.815", "0.800", "0.835"), True),
    "as finer shares": (("0.8155", "0.800", "0.835"), False),
    "four": (("81.5", "80.0", "83.5", "82.0"), True),
    "two": (("81.5", "80.0"), False),
}


@pytest.mark.parametrize("name", GRIDS)
def test_by_chance_figures_hardly_fall_on_a_coarse_grid(name: str) -> None:
    values, is_suspected = GRIDS[name]
    assert (doubt(task(3, CHOSEN, rows(*values))) is not None) is is_suspected
    others = doubt(both(rows(*values), RANDOM_ON_GRID)), doubt(both(rows(*values), RANDOM))
    assert others[0] is not None or not is_suspected
    assert others[1] is None or others[0] is None or others[1].sure < others[0].sure
    repeated = doubt(task(3, rows(*values), rows(*values, split="Validation accuracy")))
    assert repeated is None or (repeated.is_shown and "fine" not in name and "off" not in name)


STATED = {
    "of three on the grid": ("81.67", "1.43", True),
    "of three on the grid, sample form": ("81.67", "1.76", True),
    "of three on the grid, one decimal": ("81.7", "1.4", False),
    "of none on the grid": ("81.60", "1.43", False),
    "of three on the grid, with another deviation": ("81.67", "1.44", True),
    "of none with this deviation": ("81.67", "1.40", False),
    "where test lies": ("79.50", "0.41", True),
}


@pytest.mark.parametrize("name", STATED)
def test_by_chance_an_average_and_a_deviation_are_hardly_possible_on_a_coarse_grid(name: str) -> None:
    mean, std, is_suspected = STATED[name]
    found = doubt(task(3, f"Average accuracy = {mean}% ± {std}%.") + "\n\n" + task(4, "Average = 63.33% ± 1.25%."))
    assert (found is not None) is is_suspected
    alone = doubt(task(3, f"Average accuracy = {mean}% ± {std}%."))
    assert alone is None or (found is not None and alone.sure < found.sure)


@pytest.mark.parametrize(
    ("sure", "told"), [(0.5, "How sure: 50%."), (0.985, "How sure: 98%."), (0.99, "How sure: 99% or more."), (1, "99%")]
)
def test_no_figure_above_what_rests_on_guesses_is_told(sure: float, told: str) -> None:
    assert told in Doubt(sure=sure, message="", evidence=()).how_sure


def test_without_a_split_that_selects_nothing_is_doubted() -> None:
    given = answer(task(3, CHOSEN, ON_VALID_GRID))
    report = report_of("pretrained", given, lab())
    for changes in ({"selecting": None}, {"split": None}, {"split": report.selecting}):
        assert validation_doubt(report.model_copy(update=changes), given, truth(), lab()) is None


def test_a_model_that_always_answers_the_same_is_no_sign_of_validation() -> None:
    others = both(SEEDS, RANDOM)
    assert (
        doubt(f"{others}\n\n{task(5, CHOSEN, rows('50.00', '50.50', '51.00'))}", experiment="huggingface") is not None
    )
    assert doubt(f"{others}\n\n{task(5, CHOSEN, rows('50.00', '50.00', '50.00'))}", experiment="huggingface") is None


def test_lines_of_a_log_that_name_test_show_where_figures_come_from() -> None:
    printed = "```\n| valid on '{}' subset | accuracy 81.5\n| accuracy 80 | '{}' subset\n'{}': accuracy 83.5\n```\n"
    assert doubt(task(3, CHOSEN, ON_VALID_GRID, printed.replace("{}", "test"))) is None
    assert doubt(task(3, CHOSEN, ON_VALID_GRID, "```\n'test' subset: accuracy 77.5\n```\n")) is not None
