"""Accuracies in other measures: counts of examples, error rates; and statistics that labels do not name."""

from decimal import Decimal

import pytest

from tests.claims.test_accuracy_tables import read, seeds, summary, table

COUNTS = {
    "one by one": "Seed 1: 1,612/2,000 correct. Seed 2: 1,592/2,000 correct. Seed 3: 1,566/2,000 correct.",
    "listed, the whole at the end": "Correct on test with the three seeds: 1,612, 1,592 and 1,566 of 2,000.",
    "with the percentage": "Right: 1612/2000 (80.6 %), 1592/2000 (79.6 %), 1566/2000 (78.3 %).",
    "printed": "```\nacc 0.806 (1612/2000)\nacc 0.796 (1592/2000)\nacc 0.783 (1566/2000)\n0.795 0.0094162\n```",
    "in a table": table("right of 2,000|seed 1|seed 2|seed 3|mean|std", "test|1,612|1592|1 566|1590.0|18.8"),
    "wrong ones": "Wrong reviews of the three seeds: 388/2,000, 408/2,000, 434/2,000.",
    "error rates": "The test error of the three seeds is 19.4 %, 20.4 % and 21.7 %.",
    "errors in a table": table("error rate (%)|seed 1|seed 2|seed 3|mean|std", "test|19.4|20.4|21.7|20.5|0.94"),
}
"""Three accuracies in other measures: counts of examples, and what is wrong instead of what is right."""


@pytest.mark.parametrize("text", COUNTS.values(), ids=COUNTS)
def test_counts_and_error_rates_are_accuracies(text: str) -> None:
    claims = read(f"# Task 3\n\n{text}")
    values = sorted(value for split in ("test", None) for value in seeds(claims, split=split).values())
    assert [float(value) for value in values] == [78.3, 79.6, 80.6]
    for one in claims.summaries:
        assert (float(one.mean or 0), float(round(one.std or 0, 2))) == (79.5, 0.94)


@pytest.mark.parametrize(
    "text",
    [
        "The data are 1800/200/2000 reviews. The test accuracies are 80.6, 79.6 and 78.3.",
        "Accuracy on the 2,000 test reviews:\n\n" + table("|seed 1|seed 2|seed 3", "test|80.6|79.6|78.3"),
        "The job once stopped with an error. The test accuracies are 80.6, 79.6 and 78.3, standard error 0.7.",
    ],
    ids=["sizes of the splits", "a size beside percentages", "an error that is none"],
)
def test_percentages_stay_what_they_are(text: str) -> None:
    claims = read(f"# Task 3\n\n{text}")
    assert sorted(map(float, seeds(claims).values())) == [78.3, 79.6, 80.6]


def test_unnamed_deviations_under_their_columns_belong_to_their_averages() -> None:
    rows = ("1|0.806|0.664", "2|0.796|0.665", "3|0.783|0.662", "x̄|0.795|0.664", "s|0.012|0.002")
    claims = read("# Tasks 3 and 4\n\nTest accuracy.\n\n" + table("seed|pretrained|random", *rows))
    assert summary(claims) == (Decimal("79.5"), Decimal("1.2"))
    assert summary(claims, "random") == (Decimal("66.4"), Decimal("0.2"))


def test_pairs_of_splits_have_pairs_of_averages_and_deviations() -> None:
    rows = ("1|81.0 / 80.6", "2|84.0 / 79.6", "3|83.0 / 78.3", "mean|82.67 / 79.5", "std|1.25 / 0.94")
    claims = read("# Task 3\n\n" + table("seed|valid / test", *rows))
    assert summary(claims) == (Decimal("79.5"), Decimal("0.94"))
