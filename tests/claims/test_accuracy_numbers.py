"""What the numbers themselves tell of their roles, where words say too little, or stand far away and mislead."""

from decimal import Decimal

import pytest

from tests.claims.test_accuracy_tables import read, seeds, summary, table

VALUES = {1: Decimal("79.3"), 2: Decimal("78.5"), 3: Decimal("80.1")}


@pytest.mark.parametrize(
    "text",
    [
        "Pretrained, test (%) 79.3 78.5 80.1 79.3 0.65",
        table("|seed 1|seed 2|seed 3|all|", "test|79.3|78.5|80.1|79.3|0.65"),
        "```\npre_1    79.3\npre_2    78.5\npre_3    80.1\nmean 79.3    std 0.65\n```",
    ],
    ids=["a row that lost its columns", "unnamed columns", "cells that name themselves"],
)
def test_what_follows_from_the_values_is_their_average_and_deviation(text: str) -> None:
    claims = read(f"# Task 3\n\nThe test accuracies of the pretrained model.\n\n{text}")
    assert seeds(claims) == VALUES
    assert summary(claims) == (Decimal("79.3"), Decimal("0.65"))


def test_a_number_that_does_not_follow_is_no_deviation() -> None:
    claims = read("# Task 3\n\n" + table("|seed 1|seed 2|seed 3|mean|", "test|79.3|78.5|80.1|79.3|0.41"))
    assert summary(claims) == (Decimal("79.3"), None)


def test_values_off_the_grid_of_a_split_are_not_of_it() -> None:
    """Of 200 examples 79.3 % cannot be; a phrase on how the checkpoint was chosen does not make it so."""
    claims = read("# Task 3\n\nckpt = best valid acc per seed, acc on test:\n\ns1 0.793, s2 0.785, s3 0.801.")
    assert not seeds(claims, split="valid")
    assert {value for split in ("test", None) for value in seeds(claims, split=split).values()} == set(VALUES.values())


def test_pairs_are_in_the_order_told_above_where_the_numbers_prove_it() -> None:
    first = table("Epoch|seed 1|seed 2", "4|81 / 79.3|80 / 78.5 *", "5|82.5 / 79.2 *|79.5 / 78.1")
    second = first.replace("81 /", "80.5 /")
    claims = read(
        f"# Task 3\n\nAccuracies in percent, validation / test.\n\nRun one:\n\n{first}\n\nRun two:\n\n{second}"
    )
    points = {(one.split, one.value) for one in claims.course}
    assert {("valid", Decimal("80.5")), ("test", Decimal("79.3")), ("test", Decimal("78.1"))} <= points
    assert ("test", Decimal("80.5")) not in points


def test_each_number_behind_a_name_of_its_own_is_that_one_s() -> None:
    claims = read("# Task 3\n\nSeed 1 gave 79.3 percent on the test set and seed 2 gave 78.5 percent.")
    assert seeds(claims) == {1: Decimal("79.3"), 2: Decimal("78.5")}


def test_a_sentence_on_two_experiments_leaves_what_follows_open_rather_than_to_the_one_before() -> None:
    text = (
        "# Results\n\nTest accuracy from random weights, seeds 1 to 3: 65.4, 66.7, 67.4.\n\n"
        "Back to random later; first run_glue, without random weights, for three seeds:\n\n80.1, 79.5, 81.2\n"
    )
    assert set(seeds(read(text), "random").values()) == {Decimal("65.4"), Decimal("66.7"), Decimal("67.4")}


def test_the_only_average_without_an_experiment_is_of_the_only_experiment_without_an_average() -> None:
    rows = [f"{run}|{name}|{value}" for name, three in (("pretrained", ("78.70", "79.95", "80.05")),
            ("random", ("67.35", "66.20", "65.85"))) for run, value in enumerate(three, start=1)]  # fmt: skip
    text = "# Results\n\nAccuracy on the test set.\n\n" + table("seed|init|accuracy", *rows)
    summaries = read(f"{text}\n\nRuns 1-3: 79.57 ± 0.61\n\nRuns 4-6: 66.80 ± 0.78").summaries
    assert {(one.experiment, one.mean) for one in summaries} == {
        ("pretrained", Decimal("79.57")),
        ("random", Decimal("66.80")),
    }
    far = read(f"{text}\n\nRuns 1-3: 79.57 ± 0.61\n\nAn older run: 72.40 ± 0.78").summaries
    assert "random" not in {one.experiment for one in far}


def test_figures_that_an_average_follows_from_are_of_one_run_each() -> None:
    claims = read("# Task 3\n\nOn test we get 79.3 for seed 0, then 78.5 and 80.1, average 79.3, deviation 0.65.")
    assert sorted(seeds(claims).values()) == sorted(VALUES.values())
    assert summary(claims) == (Decimal("79.3"), Decimal("0.65"))


def test_lines_that_name_no_run_are_runs_where_an_average_follows_from_them() -> None:
    printed = "\n".join(f'"predict_accuracy": {value},' for value in ("0.793", "0.785", "0.801"))
    claims = read(f"# Task 3\n\n```\n{printed}\n```\n\nOn test: mean 79.3 %, standard deviation 0.65 %.")
    assert seeds(claims) == VALUES
    others = read(f"# Task 3\n\n```\n{printed}\n```\n\nOn test: mean 80.9 %, standard deviation 0.65 %.")
    assert not seeds(others)


def test_figures_behind_a_sentence_on_two_experiments_are_of_one_of_them() -> None:
    """Not of a third one, though that is the only one of which nothing else is reported."""
    text = "# Results\n\nPretrained, test: 79.3, 78.5 and 80.1.\n\nHugging Face comes before the random start:\n\n"
    last = read(text + "test 65.4, 66.7, 67.4\n")
    assert {one.experiment for one in last.seeds if one.value < 70} <= {"random", "huggingface", None}


@pytest.mark.parametrize("keys", [("0", "1", "2"), ("'a'", "'b'", "'c'"), ('"run A"', '"run B"', '"run C"')])
def test_the_values_of_a_dictionary_are_runs(keys: tuple[str, str, str]) -> None:
    pairs = ", ".join(f"{key}: {value}" for key, value in zip(keys, VALUES.values(), strict=True))
    claims = read(f"# Task 3\n\n```python\ntest = {{{pairs}}}\n```\n")
    assert sorted(seeds(claims).values()) == sorted(VALUES.values())


@pytest.mark.parametrize("item", ["input size = 32,000", "each head has 512 / 8 = 64 columns", "r: we chose 32"])
def test_sizes_in_a_list_are_no_open_figures(item: str) -> None:
    claims = read(f"# Task 3\n\nPretrained, test (%): 79.3, 78.5, 80.1.\n\n# Model\n\n- {item}\n")
    assert claims.loose == ()


def test_values_that_are_repeated_are_no_further_runs() -> None:
    text = "# Task 4\n\n```\nseed 42 test 0.6705\nseed 123 test 0.6620\n$ python stats.py 67.05 66.20\n```\n"
    assert set(seeds(read(text), "random")) == {42, 123}


def test_an_average_of_another_experiments_values_is_that_ones() -> None:
    """A name that stands behind an average on the same line, where a page has lost its paragraphs, is not its owner."""
    claims = read(
        "# Task 3\n\nTest accuracy: 79.3, 78.5, 80.1 → 79.3 (± 0.65)\n\n"
        "# Task 4\n\nTest accuracy: 65.4, 66.7, 67.4 → 66.5 (± 0.83) Pretraining gives much"
    )
    assert summary(claims) == (Decimal("79.3"), Decimal("0.65"))
    assert summary(claims, "random") == (Decimal("66.5"), Decimal("0.83"))


def test_a_run_that_is_said_to_be_the_only_one_is_one() -> None:
    claims = read("# Task 3\n\nI had time for just one run: 79.3 on the test set.")
    assert seeds(claims) == {1: Decimal("79.3")}
