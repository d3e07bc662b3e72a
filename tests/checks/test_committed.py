"""What a text does not commit to is never credited without a person; what it states as its own view is."""

import pytest

from grader.checks.finding import Finding, Status
from grader.checks.runner import run_checks
from tests.checks.making import answer, truth
from tests.claims.making import lab

MEANINGS = {
    "r": "the rank of the low-rank update matrices A and B",
    "lora_alpha": "the scaling factor of the LoRA update",
    "lora_dropout": "the dropout probability of the LoRA layers",
}
SEEDS = "With the pretrained model, the test accuracies of seeds 0, 1 and 2 are 79.35, 78.5 and 80.1 %."
RANDOM = (
    "With the random checkpoint, the test accuracies of seeds 0, 1 and 2 are 65.4, 66.7 and 67.4 %. The mean is 66.5 %."
)

LAB = lab().model_copy(update={"watches": ()})
"""So little of a report is not held to be for another lab."""


def found(report: str) -> dict[str, Finding]:
    return {one.item: one for one in run_checks(answer(report), truth(), LAB).findings}


def total(text: str) -> Finding:
    return found(f"# Question 1\n\n{text}\n")["q1.total"]


@pytest.mark.parametrize(
    "text",
    [
        "Is it 22,807,552?",
        "I do not know. Perhaps 22,807,552.",
        "The total is less than 22,807,552.",
        "My friend says 22,807,552.",
        "ChatGPT says:\n\n22,807,552 parameters",
        "The total is 22,807,552 or 22,829,056 or 23,124,736 or 22,819,840.",
        "Possible totals:\n\n- 22,807,552\n- 22,829,056\n- 23,124,736\n- 22,819,840",
        "22,807,552, 22,829,056, 23,124,736, 22,819,840",
        "Je ne sais pas, 22 807 552 au hasard.",
        "D'après un camarade : 22 807 552 paramètres.",
        "Au plus 22 807 552 paramètres.",
    ],
)
def test_a_total_that_is_not_stated_goes_to_a_person(text: str) -> None:
    assert total(text).status is Status.REVIEW


@pytest.mark.parametrize(
    "text",
    [
        "We think that the total is 22,807,552.",
        "How many parameters are there? 22,807,552.",
        "- weights only: 22,807,552\n- with biases and norms: 22,829,056",
        "Total: 22,807,552 without biases and norms, 22,829,056 with them.",
        "My friend says 22,829,056, but we get 22,807,552.",
        "I do not know if biases should count, so I omit them: the total is 22,807,552.",
        "Nous trouvons 22 807 552 paramètres, soit 22,8 M.",
    ],
)
def test_a_total_that_is_stated_is_right(text: str) -> None:
    assert total(text).status is Status.CORRECT


def test_a_person_is_told_why_and_what_the_number_is_worth() -> None:
    finding = total("Perhaps 22,807,552.")
    assert finding.suggestion is Status.CORRECT
    assert "in doubt" in finding.feedback
    assert total("Perhaps 22,819,840.").suggestion is Status.PARTIAL


def test_a_number_of_somebody_else_is_no_second_total() -> None:
    assert total("A friend found 23,124,736; we count 22,807,552.").status is Status.CORRECT


@pytest.mark.parametrize(
    "form",
    [
        "I do not know. Perhaps {}.",
        "is it {}?",
        "{}, but I am not sure.",
        "according to ChatGPT, {}.",
        "je ne sais pas, peut-être {}.",
    ],
)
def test_definitions_that_are_not_stated_go_to_a_person(form: str) -> None:
    findings = found(
        "# Question 2\n\n" + "\n".join(f"- {name}: {form.format(said)}" for name, said in MEANINGS.items())
    )
    assert {findings[f"q2.{name}"].status for name in MEANINGS} == {Status.REVIEW}


@pytest.mark.parametrize("form", ["{}.", "we think it is {}.", "I would say {}.", "What is it? It is {}."])
def test_definitions_that_are_stated_are_right(form: str) -> None:
    findings = found(
        "# Question 2\n\n" + "\n".join(f"- {name}: {form.format(said)}" for name, said in MEANINGS.items())
    )
    assert {findings[f"q2.{name}"].status for name in MEANINGS} == {Status.CORRECT}


def test_what_is_doubted_beside_a_right_definition_takes_nothing_from_it() -> None:
    said = f"- r: {MEANINGS['r']}. Perhaps a larger one would be better."
    assert found(f"# Question 2\n\n{said}\n")["q2.r"].status is Status.CORRECT


def test_several_meanings_of_one_parameter_go_to_a_person() -> None:
    lines = [
        f"- r: {meaning}." for meaning in (MEANINGS["r"], "the learning rate of the optimizer", "the number of layers")
    ]
    assert found("# Question 2\n\n" + "\n".join(lines))["q2.r"].status is Status.REVIEW


@pytest.mark.parametrize(
    ("text", "is_stated"),
    [
        (f"{SEEDS} The mean is 79.32 % and the standard deviation 0.65 %, perhaps because of the small data.", True),
        (f"{SEEDS} The mean is perhaps 79.32 % and the standard deviation 0.65 %.", False),
        (f"{SEEDS} Is the mean 79.32 %? The standard deviation is 0.65 %.", False),
        (f"{SEEDS} The mean is less than 79.32 % and the standard deviation 0.65 %.", False),
        (f"{SEEDS} The mean is 79.32 % or 79.95 %, with a standard deviation of 0.65 %.", False),
    ],
)
def test_results(text: str, is_stated: bool) -> None:
    finding = found(f"# Task 3\n\n{text}\n")["t3.statistics"]
    assert finding.status is (Status.CORRECT if is_stated else Status.REVIEW)


@pytest.mark.parametrize(
    ("text", "is_stated"),
    [
        ("We think that pretraining is better than random initialisation.", True),
        ("Pretraining is better than random initialisation, perhaps because it has seen French.", True),
        ("Perhaps pretraining is better than random initialisation.", False),
        ("Is pretraining better than random initialisation?", False),
        ("My friend says that pretraining is better than random initialisation.", False),
    ],
)
def test_comparisons(text: str, is_stated: bool) -> None:
    report = f"# Task 3\n\n{SEEDS} The mean is 79.32 %.\n\n# Task 4\n\n{RANDOM}\n\n{text}\n"
    assert found(report)["t4.comparison"].status is (Status.CORRECT if is_stated else Status.REVIEW)
