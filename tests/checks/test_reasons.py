"""Reasons name what decided: the missing part, the student's own words and notation, the experiment, the convention."""

import pytest

from grader.checks.finding import Finding, Status
from tests.checks.making import answer, decide


def judged(item: str, text: str) -> Finding:
    """Return the finding for an item of the shipped lab in a report."""
    return decide(item, answer(text))[0]


def definition(parameter: str, text: str) -> Finding:
    return judged(f"q2.{parameter}", f"# Question 2\n\n- {parameter}: {text}\n")


@pytest.mark.parametrize(
    ("parameter", "text", "status", "reason"),
    [
        (
            "r",
            "the rank",
            Status.PARTIAL,
            "This is right in part. Not found in it: what it is the rank of: the low-rank update, with its matrices A "
            "and B.",
        ),
        (
            "lora_alpha",
            "the learning rate of LoRA",
            Status.INCORRECT,
            "“the learning rate of LoRA” does not say what lora_alpha is. Not found in it: that it scales something.",
        ),
        (
            "lora_alpha",
            "the rank of the matrices A and B",
            Status.INCORRECT,
            "“the rank of the matrices A and B” says what r is, not lora_alpha.",
        ),
        (
            "task_type",
            "predict the masked words of a sentence",
            Status.INCORRECT,
            "“predict the masked words of a sentence” is not right. A causal language model predicts each token from "
            "the ones before it; no tokens are masked.",
        ),
    ],
)
def test_a_definition_is_told_which_part_it_lacks(parameter: str, text: str, status: Status, reason: str) -> None:
    finding = definition(parameter, text)
    assert (finding.status, finding.feedback) == (status, reason)


def test_a_definition_that_a_person_reads_is_told_what_was_not_found() -> None:
    finding = definition("r", "how thin the added matrices are, one could say")
    assert finding.status is Status.REVIEW
    assert finding.feedback == (
        "Not found in it: that it is a rank, or the inner dimension of two matrices. It may say so in other words. "
        "A person decides."
    )


def test_another_convention_of_counting_is_named() -> None:
    finding = judged("q1.total", "# Question 1\n\nThe total number of parameters is 22,819,840.\n")
    assert finding.status is Status.PARTIAL
    assert "weights and biases, no norms, no language-model head" in str(finding.feedback)


def test_a_wrong_total_is_told_the_product_that_is_wrong() -> None:
    sums = "Tokens: 32000 × 512 = 16,384,000. Positions: 258 × 512 = 132,096. Layers: 4 × (6 × 512 × 512) = 6,391,456."
    finding = judged("q1.total", f"# Question 1\n\n{sums} The total number of parameters is 22,907,552.\n")
    assert finding.status is Status.INCORRECT
    assert str(finding.feedback).startswith("22,907,552 is not right. 4 × (6 × 512 × 512) = 6,391,456 is wrong")


def test_figures_are_told_in_the_students_own_notation() -> None:
    values = "Test accuracy of the three seeds: 79.3%, 78.5%, 80.1%."
    text = f"# Task 3\n\n{values} Average 79.30%, standard deviation 0.0065%.\n"
    finding, flags = decide("t3.statistics", answer(text))
    flag = next(flag for flag in flags if flag.id == "std-unit")
    assert finding.status is Status.CORRECT
    assert str(flag.message).startswith("Stated: 79.30% ± 0.0065%. ")
    assert str(flag.message).endswith("The standard deviation 0.0065% is a fraction with a percent sign.")


def test_an_average_of_another_experiments_size_says_so() -> None:
    finding = judged(
        "t3.band", "# Task 3\n\nTest accuracy of seeds 0, 1, 2: 66.1 %, 66.9 %, 67.2 %, average 66.73 %.\n"
    )
    assert finding.status is Status.REVIEW
    assert "Such an average is expected for: training from random weights with fairseq." in str(finding.feedback)


def test_one_result_is_no_missing_one() -> None:
    finding = judged("t5.band", "# Task 5\n\nWith Hugging Face we ran seed 1 only, test accuracy 79.50 %.\n")
    assert str(finding.feedback).startswith("No average is stated, and too few single results are shown")


RESULTS = (
    "# Task 3\n\nPretrained, test accuracy of seeds 0, 1, 2: 79.3 %, 78.5 %, 80.1 %, average 79.3 %.\n\n"
    "# Task 4\n\nRandom, test accuracy of seeds 0, 1, 2: 65.4 %, 66.7 %, 67.4 %, average 66.5 %.\n\n"
)


def test_a_sign_between_the_names_compares() -> None:
    right, wrong = (judged("t4.comparison", f"{RESULTS}pretrained {sign} random by 12.8 points\n") for sign in "><")
    assert right.status is Status.CORRECT
    assert wrong.status is not Status.CORRECT


def test_a_comparison_is_told_whose_figures_are_lacking() -> None:
    finding = judged(
        "t4.comparison",
        f"{RESULTS.partition('# Task 4')[0]}# Task 4\n\nRandom weights are much worse than pretrained ones.\n",
    )
    assert "No figures to compare were found for: training from random weights with fairseq." in str(finding.feedback)


def test_a_value_in_brackets_may_say_that_it_holds_here() -> None:
    lines = [
        "r (here 16)",
        "lora_alpha (here 32)",
        'target_modules (here ["query_key_value"])',
        "lora_dropout (here 0.05)",
    ]
    lines += ['bias (here "none")', "task_type (here CAUSAL_LM)"]
    finding = judged("q2.values", "# Question 2\n\n" + "\n".join(f"- {line}: it is explained below." for line in lines))
    assert finding.status is Status.CORRECT, finding.feedback


@pytest.mark.parametrize("label", ["", "T8  ", "j. ", "g) "])
def test_a_label_may_stand_before_a_prompt(label: str) -> None:
    finding = judged("t8.prompt", f"# Task 8\n\n```\n{label}<human>: question?\n<assistant>: response\n```\n")
    assert finding.status is Status.CORRECT, finding.feedback


PREPARED = (
    "fairseq-preprocess --only-source --trainpref train.spm --validpref valid.spm --testpref test.spm "
    "--srcdict dict.txt --destdir bin/input0\n| [None] train.spm: 1800 sents, 239433 tokens, 0.0% replaced by <unk>\n"
)


@pytest.mark.parametrize(
    "command",
    [
        "$ for f in train valid test; do spm_encode --model=spm.model < $f > $f.spm; done",
        "sp.encode(line, out_type=str)",
    ],
)
def test_commands_in_a_report_count_in_any_form(command: str) -> None:
    finding = judged("t2.prepared", f"# Task 2\n\n{command}\n{PREPARED}")
    assert Status.CORRECT in (finding.status, finding.suggestion), finding.feedback


def test_the_installation_of_a_package_is_not_quoted_as_a_command() -> None:
    lines = f"$ pip install sentencepiece\n$ {PREPARED.partition('|')[0]}| Wrote preprocessed data to bin/input0"
    finding = judged("t2.prepared", f"# Task 2\n\n```\n{lines}\n```\n")
    assert "may do it" not in str(finding.feedback)


def test_a_command_that_is_not_known_is_quoted() -> None:
    command = "python my_tool.py --model sentencepiece.bpe.model"
    lines = f"$ {command}\n$ {PREPARED.partition('|')[0]}| Wrote preprocessed data to bin/input0"
    finding = judged("t2.prepared", f"# Task 2\n\n```\n{lines}\n```\n")
    assert "this may do it: “" in str(finding.feedback)
    assert command in str(finding.feedback)


def test_output_in_a_pasted_session_is_what_the_code_printed() -> None:
    session = ">>> sum(p.numel() for n, p in model.named_parameters() if 'lm_head' not in n)\n22829056"
    finding = judged("t1.verified", f"# Question 1\n\n```\n{session}\n```\n")
    assert finding.status is Status.CORRECT, finding.feedback
