"""Values, averages and deviations that prove each other tell whose figures they are, whatever stands between them."""

from decimal import Decimal

import pytest

from grader.claims.results.claimed import ResultClaims, result_claims
from grader.claims.sections import sections
from tests.claims.making import document, lab

PRETRAINED = ("79.90", "79.50", "80.40")
"""The average is 79.93; the deviation 0.37 in population form, 0.45 in sample form."""
RANDOM = ("67.50", "68.10", "68.20")
"""The average is 67.93; the deviation 0.31 in population form, 0.38 in sample form."""


def read(markdown: str) -> ResultClaims:
    return result_claims(sections(document(markdown), lab()), lab())


def values(claims: ResultClaims, experiment: str | None) -> list[str]:
    """The values of the runs of an experiment, in the order of the runs."""
    return [f"{claim.value:.2f}" for claim in claims.seeds if claim.experiment == experiment]


BOTH = {
    "run by run, names behind the averages": """On test the runs reached 79.90 and 67.50, then 79.50 and 68.10, then
80.40 and 68.20. The pretrained model averages 79.93 ± 0.45, the random one 67.93 ± 0.38.""",
    "run by run, names once": """On test seed 0 gives 79.90 when pretrained but 67.50 when not, seed 1 79.50 and 68.10,
seed 2 80.40 and 68.20.

```
>>> mean([79.9, 79.5, 80.4]), stdev([79.9, 79.5, 80.4])
(79.93333333333334, 0.4509249752822902)
>>> mean([67.5, 68.1, 68.2]), stdev([67.5, 68.1, 68.2])
(67.93333333333334, 0.3785938897200205)
```""",
    "comments over several lines of code": """```python
# The test accuracies of the pretrained model are
# 79.90, 79.50 and 80.40, which makes 79.93 (std 0.37). Against that the same thing without
# pretraining is at 67.50, 68.10, 68.20, so 67.93 (std 0.31).
print(np.mean([79.9, 79.5, 80.4]), np.std([79.9, 79.5, 80.4]))  # 79.9333 0.3682
print(np.mean([67.5, 68.1, 68.2]), np.std([67.5, 68.1, 68.2]))  # 67.9333 0.3091
```""",
    "one told beside the other": """With the pretrained weights the test accuracies are 79.90, 79.50 and 80.40, on
average 79.93 (std 0.45).

From the random checkpoint I have 67.50 instead of 79.90, 68.10 instead of 79.50, 68.20 instead of 80.40, so 67.93 on
average and a standard deviation of 0.38.""",
}


@pytest.mark.parametrize("text", BOTH.values(), ids=BOTH)
def test_each_experiment_gets_the_values_that_its_average_follows_from(text: str) -> None:
    claims = read(f"# Fine-tuning\n\n{text}")
    assert values(claims, "pretrained") == list(PRETRAINED)
    assert values(claims, "random") == list(RANDOM)
    assert values(claims, None) == []


def test_an_experiment_with_one_run_leaves_its_own_values_to_the_others() -> None:
    text = """On test I get 79.90, 79.50 and 80.40, which is 79.93 on average with a deviation of 0.45.

From random weights it is 67.50, 68.10 and 68.20, on average 67.93 with a deviation of 0.38.

With run_glue one training ended (seed 42), at 81.05 % on test."""
    claims = read(text)
    assert values(claims, "pretrained") == list(PRETRAINED)
    assert values(claims, "huggingface") == ["81.05"]


def test_validation_figures_in_an_appendix_do_not_hide_whose_those_of_test_are() -> None:
    text = """The pretrained model was trained with three seeds. On test it reaches 79.90, 79.50 and 80.40, which makes
79.93 on average and a standard deviation of 0.45. If the weights are drawn by lot, the seeds reach 67.50, 68.10 and
68.20 on test, on average 67.93 with a standard deviation of 0.38.

With run_glue the seeds reach 80.95, 79.65 and 80.20 on test.

## Appendix

Accuracies on validation: 81.5, 82.0 and 83.5 (pretrained), 69.0, 68.5 and 70.0 (random), 82.5, 81.0 and 82.0
(Hugging Face)."""
    own = [claim for claim in read(text).seeds if claim.split == "test"]
    assert [(one.experiment, f"{one.value:.2f}") for one in own if one.experiment == "random"] == [
        ("random", value) for value in RANDOM
    ]
    assert [f"{one.value:.2f}" for one in own if one.experiment == "pretrained"] == list(PRETRAINED)


def test_scattered_values_of_a_course_are_no_repetition() -> None:
    """Three cells of a table that happen to hold the values of another experiment stay what they are."""
    text = """# Task 3

| epoch | valid seed 1 | valid seed 2 | valid seed 3 |
|---|---|---|---|
| 3 | 80.5 | 79.0 | 81.0 |
| 4 | 82.5 | 77.5 | 83.0 |
| 5 | 81.0 | 79.5 | 82.0 |

# Task 5

On validation seed 1 gives 82.5, seed 2 80.5 and seed 3 83.0, on average 82.0 with a deviation of 1.08."""
    course = {(claim.experiment, claim.value) for claim in read(text).course}
    assert {("pretrained", Decimal(value)) for value in ("80.5", "82.5", "83.0")} <= course


def test_a_cell_that_names_its_experiment_is_of_that_one() -> None:
    text = """# Results

On the test set, averages with their deviations:

| | |
|---|---|
| pretrained: 79.93 ± 0.45 | random: 67.93 ± 0.38 |"""
    assert {(one.experiment, one.mean) for one in read(text).summaries} == {
        ("pretrained", Decimal("79.93")),
        ("random", Decimal("67.93")),
    }


def test_a_deviation_written_too_coarsely_proves_nothing() -> None:
    text = "# Task 5\n\n```\nhf = [81.85, 80.20, 80.95]\n# mean -> 81.00\nn, total = 0, 0\n```"
    assert [(one.mean, one.std) for one in read(text).summaries] == [(Decimal("81.00"), None)]


def test_an_average_keeps_its_values_where_its_deviation_is_wrong() -> None:
    text = """# Task 3

| | seed 1 | seed 2 | seed 3 |
|---|---|---|---|
| valid | 81.5 | 82.0 | 80.5 |
| test | 79.90 | 79.50 | 80.40 |

The average on test is 79.93, the standard deviation 1.93."""
    (summary,) = read(text).summaries
    assert (summary.split, summary.mean, summary.std) == ("test", Decimal("79.93"), Decimal("1.93"))


def test_the_chosen_epochs_of_seeds_are_no_course() -> None:
    claims = read("""# Fine-tuning

On test the pretrained model gives 79.90 (epoch 5), 79.50 (epoch 3), 80.40 (epoch 5), on average 79.93, std 0.37.""")
    assert values(claims, "pretrained") == list(PRETRAINED)


def test_two_runs_are_told_from_other_figures_by_their_average() -> None:
    claims = read("""# Fine-tuning

The pretrained model had 82.50 on validation for the first seed and 81.00 for the second, and I obtained on test
79.40 and 78.65. The average is 79.03 and the standard deviation 0.38.""")
    assert values(claims, "pretrained") == ["79.40", "78.65"]


def test_values_of_two_columns_are_no_runs_of_one() -> None:
    """Read along the rows, three neighbours of validation and test give the average and deviation, too."""
    claims = read("""# Fine-tuning

The pretrained model:

| seed | epoch | valid | test |
|---|---|---|---|
| 0 | 5 | 81.5 | 81.5 |
| 1 | 4 | 81.5 | 81.5 |
| 2 | 3 | 80.0 | 80.0 |

Test accuracy: 81.00 (SD .71).""")
    tested = [f"{claim.value:.1f}" for claim in claims.seeds if claim.split == "test"]
    assert tested == ["81.5", "81.5", "80.0"]


def test_two_values_of_a_course_prove_nothing() -> None:
    """77.55 of seed 1 and 78.20 of seed 2 have the average and the deviation of the three chosen ones by chance."""
    text = """# Task 3

Validation / test accuracy in percent.

| epoch | seed 1 | seed 2 | seed 3 |
| --- | --- | --- | --- |
| 1 | 66.5 / 70.10 | 68.0 / 71.20 | 67.0 / 70.90 |
| 2 | 79.0 / 77.55 | 80.5 / 77.95 | 81.5 / 78.15 |
| 3 | 80.0 / 77.50 | 79.5 / 78.20 | 80.5 / 77.40 |

Average on test 77.87, standard deviation 0.33."""
    chosen = [one for one in read(text).seeds if one.split == "test"]
    assert [f"{one.value:.2f}" for one in chosen] == ["77.50", "77.95", "78.15"]


def test_a_caption_speaks_of_one_split() -> None:
    text = """# Task 3

Figure 1: Validation accuracy by epoch, pretrained. Highest points 81.5, 82.0, 82.5.

On test the three seeds reach 77.90, 79.05 and 78.60. Mean 78.52, deviation 0.58.

Runs again: 77.5, 79.0, 78.5."""
    found = read(text).seeds
    assert [f"{one.value:.1f}" for one in found if one.split == "valid"] == ["81.5", "82.0", "82.5"]
    assert {f"{one.value:.2f}" for one in found if one.split == "test"} >= {"77.90", "79.05", "78.60"}
