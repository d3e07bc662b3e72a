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


def test_figures_called_by_a_split_that_they_cannot_be_of_are_of_the_one_that_the_text_tells() -> None:
    printed = "\n".join(f"eval_accuracy = {value}" for value in ("0.793", "0.785", "0.801"))
    claims = read(f"# Task 5, run_glue\n\nThe file is that of test.\n\n```\n{printed}\n```\n\nMean 79.3, std 0.65.")
    assert not seeds(claims, "huggingface", "valid")
    assert summary(claims, "huggingface", "test") == (Decimal("79.3"), Decimal("0.65"))
    on_both = printed.replace("0.793", "0.795").replace("0.801", "0.80")
    assert seeds(read(f"# Task 5, run_glue\n\n```\n{on_both}\n```\n\nMean 79.33, std 0.62."), "huggingface", "valid")


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


def test_figures_that_an_average_follows_from_are_of_one_run_each() -> None:
    claims = read("# Task 3\n\nOn test we get 79.3 for seed 0, then 78.5 and 80.1, average 79.3, deviation 0.65.")
    assert sorted(seeds(claims).values()) == sorted(VALUES.values())
    assert summary(claims) == (Decimal("79.3"), Decimal("0.65"))


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


@pytest.mark.parametrize("listed", ["{3: 0.7945, 5: 0.8, 8: 0.813}", "accs = [0.7945, 0.8, 0.813]"])
def test_a_program_prints_no_last_zeros(listed: str) -> None:
    claims = read(f"# Task 3\n\nTest accuracy:\n\n```\n{listed}\n```\n")
    assert sorted(seeds(claims).values()) == [Decimal("79.45"), Decimal(80), Decimal("81.3")]


@pytest.mark.parametrize("item", ["input size = 32,000", "each head has 512 / 8 = 64 columns", "r: we chose 32"])
def test_sizes_in_a_list_are_no_open_figures(item: str) -> None:
    claims = read(f"# Task 3\n\nPretrained, test (%): 79.3, 78.5, 80.1.\n\n# Model\n\n- {item}\n")
    assert claims.loose == ()


@pytest.mark.parametrize(
    ("line", "is_open"),
    [
        ("It prints 1572864 / 409792512 = 0.3838 %.", False),
        ("It prints 1,572,864 of 409,792,512, 0.3838.", False),
        ("It prints 1572864 / 409792512 and 0.7935 %.", True),
        ("It prints 1587 / 2000 = 0.7935 %.", True),
    ],
)
def test_the_ratio_of_two_large_counts_is_no_open_figure(line: str, is_open: bool) -> None:
    claims = read(f"# Task 3\n\nPretrained, test (%): 79.3, 78.5, 80.1.\n\n# Task 5\n\nHugging Face. {line}\n")
    assert any(one.experiment == "huggingface" for one in (*claims.loose, *claims.seeds)) is is_open


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


PRETRAINED = ("80.75", "80.20", "80.85")
"""Their average is 80.60, their deviation 0.28 or 0.35."""
RANDOM = ("66.15", "67.85", "65.70")
"""66.57, 0.93 or 1.13."""

NAMELESS = {
    "signs in a list": "- seed 1: {0}\n- seed 2: {1}\n- seed 3: {2}\n- x̄ = {3}\n- s = {4}",
    "words of no catalogue": "{0} (seed 1), {1} (seed 2) and {2} (seed 3); that makes {3}, give or take {4}.",
    "another language": "{0} %, {1} % y {2} %; media {3} %, desviación típica {4} %.",
    "names of functions": "```\nvalues {0} {1} {2}\nstatistics.mean -> {3}\nstatistics.pstdev -> {4}\n```",
    "two numbers in brackets": "- run 1 (seed 13): {0} %\n- run 2 (seed 37): {1} %\n- run 3 (seed 42): {2} %\n"
    "- overall: {3} % on average, {4} of deviation",
    "the deviation in the next paragraph": "On test {0}, {1} and {2}.\n\nAverage: {3}.\n\nSpread of the three: {4}.",
    "seeds with strokes": "Seeds 42/43/44 → {0}/{1}/{2}\n\n⌀ {3}, σ {4}",
}


@pytest.mark.parametrize("form", NAMELESS.values(), ids=NAMELESS)
def test_values_average_and_deviation_prove_each_other_whatever_they_are_called(form: str) -> None:
    claims = read(
        "# Task 3\n\nTest accuracies of the pretrained model.\n\n" + form.format(*PRETRAINED, "80.60", "0.28")
    )
    assert sorted(seeds(claims).values()) == sorted(map(Decimal, PRETRAINED))
    assert summary(claims) == (Decimal("80.60"), Decimal("0.28"))


def test_three_numbers_of_which_one_is_the_average_of_the_others_are_two_runs() -> None:
    rows = ("pretrained|80.75|80.20|80.85|80.60|0.28", "random|67.35|67.95|–|67.65|0.30")
    text = "Random weights reach 67.65 (0.30), of two runs.\n\n" + table("|seed 0|seed 1|seed 2|mean|std", *rows)
    claims = read(f"Test accuracies.\n\n{text}")
    assert len([claim for claim in claims.seeds if claim.experiment == "random"]) == 2


SEPARATED = {
    "commas": "```\nframework,init,seed,test_acc\nfairseq,pretrained,0,80.75\nfairseq,pretrained,1,80.20\n"
    "fairseq,pretrained,2,80.85\nfairseq,random,0,66.15\nfairseq,random,1,67.85\nfairseq,random,2,65.70\n```",
    "semicolons, outside of a block of code": "experiment;seed;test accuracy\npretrained;0;80,75\npretrained;1;80,20\n"
    "pretrained;2;80,85\nrandom;0;66,15\nrandom;1;67,85\nrandom;2;65,70",
    "rows whose label ends in the seed": table(
        "model|test acc",
        *(f"pretrained, seed {run}|{value}" for run, value in enumerate(PRETRAINED)),
        *(f"random, seed {run}|{value}" for run, value in enumerate(RANDOM)),
    ),
    "marks for yes and no": table(
        "Framework|Pretrained|Seed|Test",
        *(f"fairseq|✓|{run}|{value}" for run, value in enumerate(PRETRAINED)),
        *(f"fairseq|✗|{run}|{value}" for run, value in enumerate(RANDOM)),
    ),
}


@pytest.mark.parametrize("text", SEPARATED.values(), ids=SEPARATED)
def test_values_of_both_experiments_in_long_form(text: str) -> None:
    claims = read(f"# Results\n\n{text}")
    for experiment, values in (("pretrained", PRETRAINED), ("random", RANDOM)):
        own = [claim.value for claim in claims.seeds if claim.experiment == experiment]
        assert own == [Decimal(value) for value in values]


def test_experiments_that_only_their_order_tells_are_given_to_figures_that_no_word_claims() -> None:
    one = "On test {0}, {1} and {2}; mean {3}, standard deviation {4}."
    text = "\n\n".join(
        (
            "## The first experiment\n\n" + one.format(*PRETRAINED, "80.60", "0.28"),
            "## The second experiment\n\n" + one.format(*RANDOM, "66.57", "0.93"),
            "## Hugging Face\n\n" + one.format("79.90", "80.55", "81.20", "80.55", "0.53"),
        )
    )
    claims = read(f"# Report\n\n{text}")
    assert {one.experiment: one.mean for one in claims.summaries} == {
        "pretrained": Decimal("80.60"),
        "random": Decimal("66.57"),
        "huggingface": Decimal("80.55"),
    }


def test_an_average_below_the_rows_of_an_experiment_is_of_it() -> None:
    rows = [
        *(f"| {run} | pretrained | fairseq | {value} |" for run, value in enumerate(PRETRAINED, 1)),
        "| | | *average* | 80.60 |",
        *(
            f"| {run} | pretrained | Hugging Face | {value} |"
            for run, value in enumerate(("79.45", "80.60", "80.05"), 4)
        ),
        "| | | *average* | 81.03 |",
    ]
    claims = read("\n".join(["# Task 3", "", "| trial | model | tool | test |", "|---|---|---|---|", *rows]))
    assert {claim.experiment: claim.mean for claim in claims.summaries} == {
        "pretrained": Decimal("80.60"),
        "huggingface": Decimal("81.03"),
    }


def test_this_time_measures_no_time() -> None:
    claims = read("# Task 3\n\nTest accuracies this time: 68.55 (seed 1), 70.05 (seed 2), 67.5 (seed 3).")
    assert seeds(claims) == {1: Decimal("68.55"), 2: Decimal("70.05"), 3: Decimal("67.5")}


def test_a_split_in_brackets_before_all_values_is_theirs() -> None:
    claims = read("# Task 5\n\nHF (dev split, 200 reviews, no time for predict) s0 82.0 s1 83.5 s2 81.5")
    assert {claim.split for claim in claims.seeds} == {"valid"}
