"""Which experiment, split and run a figure belongs to, where names, splits and tables are less usual."""

from decimal import Decimal

import pytest

from grader.claims.equations import equations
from tests.claims.making import passage
from tests.claims.test_accuracy_prose import found, read, stated

THREE = (("1", "79.3"), ("2", "78.5"), ("3", "80.1"))


def values(text: str) -> set[tuple[str | None, str | None, str]]:
    """The experiment, the split and the value of each figure of a seed."""
    return {(experiment, split, str(value)) for experiment, split, _, value in found(read(text))}


@pytest.mark.parametrize(
    "told",
    [
        "The script prints the accuracy on validation (I did not manage to make it read the test file): {}.",
        "Voici l'exactitude sur la validation (je n'ai pas réussi à lui faire lire le fichier de test) : {}.",
    ],
)
def test_a_split_that_was_not_evaluated_names_no_figures(told: str) -> None:
    said = values("# Task 3\n\nThe pretrained model.\n\n" + told.format("81.5, 80.0 and 83.5"))
    assert {split for _, split, _ in said} == {"valid"}


def test_a_split_that_describes_the_checkpoint_is_not_that_of_the_figures() -> None:
    text = "# Task 3\n\nTest accuracy of the checkpoint that is best on valid: 79.37 on average, std 0.50."
    assert {split for _, split, _, _ in stated(read(text))} == {"test"}


def test_the_lowest_name_of_a_column_gives_its_split() -> None:
    header = "| pretrained | best epoch by validation | | test acc. |\n|---|---|---|---|\n"
    table = f"# Task 3\n\n{header}| seed | epoch | valid acc. | |\n"
    rows = "".join(f"| {seed} | 4 | 8{seed}.5 | {test} |\n" for seed, test in THREE)
    assert {("pretrained", "valid", "81.5"), ("pretrained", "test", "79.3")} <= values(table + rows)


@pytest.mark.parametrize(
    ("text", "owners"),
    [
        (
            "The schooled model starts from the pretrained checkpoint, the newborn one from the random checkpoint, and "
            "the imported one is the schooled one trained by run_glue.\n\n"
            "| network | seed 1 | seed 2 |\n|---|---|---|\n"
            "| schooled | 79.3 | 78.5 |\n| newborn | 66.5 | 67.1 |\n| imported | 80.1 | 80.3 |\n",
            {"79.3": "pretrained", "66.5": "random", "80.1": "huggingface"},
        ),
        (
            "Model 1 is RoBERTa in fairseq, model 2 is the same network from the random checkpoint, and model 3 is "
            "model 1's twin trained with run_glue.\n\n- model 1 reaches 79.3 for seed 1;\n"
            "- model 2 reaches 66.5 for seed 1;\n"
            "- model 3 reaches 80.1 for seed 1.\n",
            {"79.3": "pretrained", "66.5": "random", "80.1": "huggingface"},
        ),
        (
            "FS = fairseq, P = pretrained, R = random.\n\n| | seed | test |\n|---|---|---|\n| R4: FS-P | 1 | 79.3 |\n"
            "| R5: FS-R | 1 | 66.5 |\n| R6: HF | 1 | 80.1 |\n",
            {"79.3": "pretrained", "66.5": "random", "80.1": "huggingface"},
        ),
    ],
)
def test_names_that_the_text_explains_give_the_experiment(text: str, owners: dict[str, str]) -> None:
    said = {value: experiment for experiment, _, value in values(f"# Results on test\n\n{text}")}
    assert {value: said.get(value) for value in owners} == owners


def test_unknown_names_of_rows_do_not_get_the_experiment_of_the_sentence_before() -> None:
    table = "| network | seed 1 | seed 2 |\n|---|---|---|\n| schooled | 79.3 | 78.5 |\n| newborn | 66.5 | 67.1 |\n"
    said = values(f"# Results\n\nWe used the pretrained checkpoint first. Test accuracies follow.\n\n{table}")
    assert "pretrained" not in {experiment for experiment, _, value in said if value in ("66.5", "67.1")}


@pytest.mark.parametrize(
    "line",
    [
        "pretrained, only one seed for lack of time: test 80.4",
        "pretrained, une seule graine par manque de temps : test 80.4",
    ],
)
def test_a_lack_of_time_is_no_measure(line: str) -> None:
    assert ("pretrained", "test", "80.4") in values(f"# Results\n\n- {line}\n- random, test accuracy: 66.5\n")


def test_each_of_several_lists_has_its_own_runs() -> None:
    runs = "try 1 / try 2 / try 3"
    lines = f"pretrained    {runs}    79.3 / 78.5 / 80.1\nrandom    {runs}    66.5 / 67.1 / 65.9"
    said = {(seed, str(value)) for _, _, seed, value in found(read(f"# Test accuracy, by seed\n\n{lines}"))}
    assert len({seed for seed, value in said if value in ("79.3", "78.5", "80.1")}) == 3


def test_separated_values_may_begin_with_a_point_and_a_second_header_begins_a_table() -> None:
    text = (
        "# Test accuracy\n\n```csv\nrun,seed,valid,test\npretrained,1,.815,.793\npretrained,2,.800,.785\n"
        "pretrained,3,.835,.801\n```\n\n"
        "```csv\nrun,mean,sd\npretrained,.793,.0065\n```\n"
    )
    claims = read(text)
    assert ("pretrained", "test", Decimal("79.3")) in {(e, split, value) for e, split, _, value in found(claims)}
    assert ("pretrained", "test", Decimal("79.3")) in {(e, split, mean) for e, split, mean, _ in stated(claims)}


def test_a_line_above_a_printed_table_names_its_averages_and_deviations() -> None:
    rows = "pretrained          79.57 / 0.59\nrandom              66.90 / 0.56"
    printed = f"# Results\n\n```\ntest mean / pstdev\n{rows}\n```\n"
    assert ("random", "test", Decimal("66.90"), Decimal("0.56")) in stated(read(printed))


def test_a_setting_in_the_name_of_a_run_is_no_measure() -> None:
    rows = "ft_pretrained_lr1e-5    79.3   78.5   80.1\nft_random_lr1e-5        66.5   67.1   65.9"
    printed = f"# Test accuracy\n\n```\nrun                     s1     s2     s3\n{rows}\n```\n"
    assert {experiment for experiment, _, _ in values(printed)} == {"pretrained", "random"}


def test_a_comma_may_end_a_calculation() -> None:
    every = list(equations(passage("The positions: 256 + 2 = 258, 258*512 = 132096. Then the layers.")))
    assert every
    assert all(equation.holds for equation in every)


@pytest.mark.parametrize(
    "line", ["test mean 79.30  test std 0.65", "mean 79.30, std 0.65", "moyenne 79.30   écart-type 0.65"]
)
def test_a_line_directly_below_a_printed_table_is_read(line: str) -> None:
    rows = "".join(f"{run}         4          8{run}.5    {value}\n" for run, value in THREE)
    printed = f"seed      epoch      valid    test\n{rows}"
    claims = read(f"# Task 3: the pretrained model\n\n{printed}{line}\n")
    assert ("pretrained", "test", Decimal("79.30"), Decimal("0.65")) in stated(claims)


def test_an_average_that_extends_over_two_columns_is_of_the_split_of_its_row() -> None:
    header = "<tr><th></th><th colspan=2>pretrained</th><th colspan=2>random</th></tr>"
    header += "<tr><th>seed</th><th>val</th><th>test</th><th>val</th><th>test</th></tr>"
    rows = "".join(
        f"<tr><td>{run}</td><td>8{run}.5</td><td>{test}</td><td>6{run}.5</td><td>6{test[1:]}</td></tr>"
        for run, test in THREE
    )
    last = "<tr><td>test</td><td colspan=2>79.30 ± 0.65</td><td colspan=2>68.30 ± 0.57</td></tr>"
    claims = read(f"# Accuracy\n\n<table>{header}{rows}{last}</table>\n")
    assert {split for _, split, _, _ in stated(claims)} == {"test"}


@pytest.mark.parametrize(
    "told",
    [
        "I had no time to predict on the test set, so here is the best validation accuracy of each seed: {}.",
        "The labels of the test file could not be read, so I give the accuracy on validation: {}.",
        "Les étiquettes du test n'étaient pas lues, donc je donne l'exactitude de validation : {}.",
    ],
)
def test_figures_of_another_split_than_the_one_that_failed(told: str) -> None:
    said = values("# Task 3\n\nThe pretrained model.\n\n" + told.format("81.5, 80.0 and 83.5"))
    assert {split for _, split, _ in said} == {"valid"}


def test_a_test_set_that_was_not_used_to_choose_is_the_split_of_the_figures() -> None:
    text = "The test set was not used for the choice, the best validation epoch was taken: 79.3, 78.5 and 80.1."
    assert {split for _, split, _ in values(f"# Task 3\n\nThe pretrained model.\n\n{text}")} == {"test"}
