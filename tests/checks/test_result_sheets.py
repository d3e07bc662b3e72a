"""Results in the forms of sixty-four invented students: what is decided is decided as a careful marker does.

`python -m scripts.bench results` prints the figures.
"""

from typing import Any

import pytest

from grader.checks.finding import Status
from scripts.bench.results import conclusions, figures, judge_verdict, sheets

SHEETS = {sheet["id"]: sheet for sheet in sheets()}


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)
def test_what_was_decided_rightly_still_is(sheet: dict[str, Any]) -> None:
    """All but what the sheet names as left."""
    found = {one.item: one for one in conclusions(sheet["text"]).findings}
    left = {item for item, wanted in sheet["verdicts"].items() if judge_verdict(found[item], wanted) != "right"}
    assert left <= set(sheet.get("left", ()))


def test_what_is_decided_is_right_and_most_is_decided() -> None:
    measured = list(figures())
    print(*measured, sep="\n")
    assert [str(figure) for figure in measured if not figure.holds] == []


CHECKPOINT_ROW = """## T3, T4
Three seeds each.

| | T3 | T4 |
|---|---|---|
| start | pretrained | random |
| checkpoint | max. val. | last |
| test acc., mean (std) | 80.00 (0.41) | 67.55 (1.67) |
"""
PAIRS = """## T3, T4
Cells are valid / test, in %.

| seed | pretrained | random |
|---|---|---|
| 0 | 81.0 / 81.55 | 63.0 / 67.7 |
| 1 | 80.0 / 81.05 | 62.0 / 68.1 |
| 2 | 77.5 / 77.80 | 61.5 / 67.8 |

Test set, over the three seeds:

- T3: average 80.13 and a standard deviation of 1.66.
- T4: average 62.17 and a standard deviation of 0.62.
"""
CAPTIONED = """## Results
For each seed the checkpoint with the best validation accuracy is kept.

Table 1. Test accuracy (%), fairseq.

| Seed | Pretrained | Random |
|---|---|---|
| 10 | 81.5 | 62.5 |
| 20 | 79.5 | 65.0 |
| 30 | 83.0 | 61.5 |
| Mean ± std | 81.33 ± 1.43 | 63.00 ± 1.47 |

Table 2. Test accuracy (%), run_glue.

| Seed | Pretrained |
|---|---|
| 10 | 80.85 |
| 20 | 79.60 |
| 30 | 80.15 |
| Mean ± std | 80.20 ± 0.51 |
"""
SHORT = """3) pretrained: 79.35 / 80.25 / 78.90. m 79.50 s 0.56. (test; checkpoint = max val)

4) random: 66.15 / 67.80 / 65.35. m 66.43 s 1.02.
"""
TOLD_TWICE = """Accuracies on test:

| | seed 0 | seed 1 | seed 2 | mean ± std |
|---|---|---|---|---|
| T3, pretrained | 0.815 | 0.805 | 0.825 | 0.8150 ± 0.0100 |
| T4, random | 0.6580 | 0.6685 | 0.6605 | 0.6623 ± 0.0045 |

In T3 the seed 2 reaches its maximum on validation, 0.825, in the last epoch, the seed 0 (0.815) and the seed 1 (0.805)
in the fourth.
"""
SMALL_LETTERS = """| Seed | pretrained | random |
|---|---|---|
| 1 | 79.85 | 66.10 |
| 2 | 80.60 | 66.95 |
| 3 | 80.15 | 67.40 |

Pretraining brings +13.4 points. run_glue looks two points better than fairseq, perhaps by chance.
"""
SYMBOLS = """Accuracies on the test set in %.

| experiment | seed | acc |
|---|---|---|
| pretrained | 0 | 79.30 |
| pretrained | 1 | 78.50 |
| pretrained | 2 | 80.10 |
| random | 0 | 65.40 |
| random | 1 | 66.70 |
| random | 2 | 67.40 |

| Task | T3 | T4 |
|---|---|---|
| $\\bar{x}$ | 79.30 | 66.50 |
| $s$ | 0.80 | 1.01 |
"""
INDICES = """T4 (random): $a_0 = 65.70$, $a_1 = 66.55$, $a_2 = 67.00$, hence $\\mu = 67.12$ and $\\sigma = 1.48$."""
RAN_ON_TEST = """Test accuracies, three seeds each.

The pretrained ones are done, for each seed we took the checkpoint which had the best valid acc and ran it on test. avg
79.58 std 0.47.
"""
UNHEARD = """Three seeds from the pretrained model: test accuracy 0.7975, 0.8060 and 0.7895, all at the epoch where
validation was best. This gives a mean of 0.7977 with a standard deviation of 0.0083.
"""
CODE_ON_A_PAGE = """## T3, T4
pd.DataFrame({"start": ["pretrained", "random"],
"test accuracy": [fmt(acc_pre), fmt(acc_rnd)]})

| start | seeds | test accuracy |
|---|---|---|
| pretrained | 3 | 77.15 ± 0.68 |
| random | 3 | 65.45 ± 2.34 |
"""
COURSES = """## T3
For each seed we took the checkpoint with the best validation accuracy. On test: seed 0 {0}, seed 1 79.30, seed 2 78.60.

| | epoch 1 | 2 | 3 |
|---|---|---|---|
| seed 0, valid | 70.5 | 82.0 | 81.0 |
| seed 0, test | 71.20 | 79.85 | 80.10 |
| seed 1, valid | 68.0 | 79.5 | 80.5 |
| seed 1, test | 70.25 | 78.95 | 79.30 |
| seed 2, valid | 69.5 | 78.0 | 80.0 |
| seed 2, test | 70.05 | 77.90 | 78.60 |
"""
BEST_OF_VALIDATION = COURSES.replace("1 79.30, seed 2 78.60", "1 80.5, seed 2 80.0").format("82.0")
UNSAID = COURSES.replace("For each seed we took the checkpoint with the best validation accuracy. ", "")
DRAFT = """## T3
For each seed the checkpoint with the best validation accuracy was taken.
Test: seed 0 79.60, seed 1 80.55, seed 2 79.05.

Corrected on Tuesday. Test: seed 0 80.00, seed 1 80.55, seed 2 79.70.
"""
ROUNDED = """## T5
run_glue, test error: 19.35, 20.7, 20.15 % for seeds 1, 2, 3. Mean 20.37, std 0.55. So about 80 % are right on average.
"""
CHOICE_ONLY = """## T3
T3, which checkpoint: the one with the highest validation accuracy, separately for each seed.

Test accuracy: 79.60 % (seed 0), 78.45 % (seed 1), 80.30 % (seed 2), mean 79.45, std 0.76.

## T4
Randomly initialised: 64.85 % (seed 0), 66.75 % (seed 1), 67.65 % (seed 2), mean 66.42, std 1.17.
"""
OTHERS_WAY = """## T3
With 200 validation reviews, "best on validation" is a lottery. The test set is less noisy, so for each seed I kept the
epoch with the highest test accuracy instead. Seeds 0, 1, 2: 80.25, 79.45, 80.55.
"""
IN_A_COMMENT = """```python
# T3. fairseq, pretrained. test accuracy of the checkpoint with the best accuracy on valid
pretrained = {0: 79.55, 1: 80.05, 2: 78.75}
# mean 79.45, std 0.54

# T4. fairseq, random weights, same protocol
random_init = {0: 65.35, 1: 68.20, 2: 66.90}
# mean 66.82, std 1.16
# => 12.6 points below T3, so the pretraining really pays
```
"""

SUBTRACTED = """Accuracies on the test set in %, three seeds each.

| | mean |
|---|---|
| pretrained | 81.50 |
| random | 66.51 |
| gain from pretraining | 14.99 |
"""
NAMED_RUNS = """## T3, pretrained, test

- s1 79.9, s2 80.25, s3 78.45 (was cut in epoch 2), s4 81.0, s5 79.15 (the same)
- mean and std over the complete runs (s1, s2, s4): 80.38, std 0.56
"""
STARRED = """## T3, pretrained, test

I ran five seeds; only the starred rows go into the average, the others are shown for interest.

| seed | test acc |
|---|---|
| 1 * | 79.40 |
| 2 * | 80.35 |
| 3 * | 78.90 |
| 7 | 77.95 |
| 8 | 79.85 |

avg (1, 2, 3) = 79.55, std (1, 2, 3) = 0.74
"""
COUNTED = """## T3, pretrained

Of 2000 test reviews these came out right: $(k_1, k_2, k_3) = (1579, 1604, 1592)$, an average accuracy of 0.796 on test.
"""


@pytest.mark.parametrize(
    ("text", "item", "status"),
    [
        pytest.param(SUBTRACTED, "t4.comparison", Status.CORRECT, id="a row of the difference compares"),
        pytest.param(
            SUBTRACTED.replace("14.99", "13.99"), "t4.comparison", Status.MISSING, id="a row of anything else does not"
        ),
        pytest.param(NAMED_RUNS, "t3.statistics", Status.CORRECT, id="an average of runs that are named"),
        pytest.param(
            NAMED_RUNS.replace("s1, s2, s4)", "s1, s2, s3)"), "t3.statistics", Status.REVIEW, id="and of other runs"
        ),
        pytest.param(STARRED, "t3.statistics", Status.CORRECT, id="an average of runs in brackets"),
        pytest.param(COUNTED, "t3.statistics", Status.REVIEW, id="counts beside an average may be its values"),
        pytest.param(IN_A_COMMENT, "t4.comparison", Status.CORRECT, id="a comparison behind an arrow in a comment"),
        pytest.param(COURSES.format("79.85"), "t3.selection", Status.CORRECT, id="a course agrees with its claim"),
        pytest.param(COURSES.format("80.10"), "t3.selection", Status.REVIEW, id="a course contradicts its claim"),
        pytest.param(
            BEST_OF_VALIDATION, "t3.selection", Status.INCORRECT, id="a course shows the values of validation"
        ),
        pytest.param(UNSAID.format("79.85"), "t3.selection", Status.CORRECT, id="a course shows what nobody says"),
        pytest.param(DRAFT, "t3.selection", Status.REVIEW, id="two results of one seed"),
        pytest.param(ROUNDED, "t5.statistics", Status.PARTIAL, id="a wrong average is not right when rounded"),
        pytest.param(CHOICE_ONLY, "t4.comparison", Status.MISSING, id="a choice by the highest value compares nothing"),
        pytest.param(OTHERS_WAY, "t3.selection", Status.REVIEW, id="validation is spoken of, and not used"),
        pytest.param(CHECKPOINT_ROW, "t3.statistics", Status.CORRECT, id="a row on checkpoints names no split"),
        pytest.param(CHECKPOINT_ROW, "t3.selection", Status.CORRECT, id="but tells the choice, column by column"),
        pytest.param(PAIRS, "t3.statistics", Status.CORRECT, id="the average of test values"),
        pytest.param(PAIRS, "t4.statistics", Status.REVIEW, id="an average of validation called one of test"),
        pytest.param(CAPTIONED, "t5.statistics", Status.CORRECT, id="a caption's experiment holds for like names"),
        pytest.param(CAPTIONED, "t3.selection", Status.REVIEW, id="two experiments on the coarse grid, one not"),
        pytest.param(SHORT, "t4.statistics", Status.CORRECT, id="letters for average and deviation"),
        pytest.param(TOLD_TWICE, "t3.selection", Status.INCORRECT, id="the same values of both splits"),
        pytest.param(SMALL_LETTERS, "t4.comparison", Status.CORRECT, id="a sentence may begin with a small letter"),
        pytest.param(SYMBOLS, "t4.statistics", Status.CORRECT, id="symbols for average and deviation"),
        pytest.param(INDICES, "t4.statistics", Status.REVIEW, id="an average beside values that are not its own"),
        pytest.param(RAN_ON_TEST, "t3.selection", Status.CORRECT, id="chosen by one split, run on the other"),
        pytest.param(UNHEARD, "t3.selection", Status.REVIEW, id="validation is named though no choice was heard"),
        pytest.param(CODE_ON_A_PAGE, "t4.comparison", Status.REVIEW, id="code on a page compares nothing"),
    ],
)
def test_a_form_that_was_misread_is_decided_rightly_or_left(text: str, item: str, status: Status) -> None:
    found = {one.item: one.status for one in conclusions(text).findings}
    assert found[item] is status
