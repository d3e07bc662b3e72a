import pytest

from grader.checks.finding import Finding, Status
from tests.checks.making import answer, decide

RIGHT = {
    "r": [
        "the rank of the low-rank matrices A and B",
        "Rank of the update matrices.",
        "the rank of the two matrices that LoRA learns",
        "le rang des deux matrices de faible rang",
    ],
    "lora_alpha": [
        "the scaling factor of the LoRA update",
        "scaling factor of the update, which is multiplied by lora_alpha / r",
        "the numerator of the scaling factor alpha/r",
        "le facteur d'échelle de la mise à jour",
    ],
    "target_modules": [
        "the names of the modules to which LoRA is applied",
        "the modules that get an adapter, here the query, key and value projections",
        "List of the layers that are adapted with LoRA.",
    ],
    "lora_dropout": [
        "the dropout probability in the LoRA layers",
        "the probability of dropout applied to the adapters, to prevent overfitting",
    ],
    "bias": [
        "which biases are trained",
        "whether the biases are trained during training. Here none of them is trained.",
        "no bias is trained",
    ],
    "task_type": [
        "the type of the task, here causal language modelling",
        "the kind of task, predicting the next token",
    ],
}
VALUES = {"r": "16", "lora_alpha": "32", "target_modules": '["query_key_value"]', "lora_dropout": "0.05"} | {
    "bias": '"none"',
    "task_type": '"CAUSAL_LM"',
}
ALL = [(parameter, text) for parameter, texts in RIGHT.items() for text in texts]


def judge(parameter: str, text: str, value: str | None = None) -> Finding:
    stated = VALUES[parameter] if value is None else value
    return decide(f"q2.{parameter}", answer(f"# Question 2\n\n- {parameter} ({stated}): {text}\n"))[0]


@pytest.mark.parametrize(("parameter", "text"), ALL)
def test_a_right_definition_is_right(parameter: str, text: str) -> None:
    finding = judge(parameter, text)
    assert finding.status is Status.CORRECT
    assert finding.evidence[0].line == 3


@pytest.mark.parametrize(
    ("before", "after"),
    [("- ", ""), ("**", "**"), ("`", "`"), ("1. ", ""), (r"\texttt{", "}")],
)
def test_markup_around_the_name_changes_nothing(before: str, after: str) -> None:
    for parameter, (text, *_) in RIGHT.items():
        name = parameter.replace("_", r"\_") if "texttt" in before else parameter
        report = f"# Question 2\n\n{before}{name}{after} = {VALUES[parameter]}: {text}\n"
        assert decide(f"q2.{parameter}", answer(report))[0].status is Status.CORRECT, report


@pytest.mark.parametrize(("parameter", "text"), ALL)
def test_what_is_added_is_never_overlooked(parameter: str, text: str) -> None:
    plain = text.rstrip(".")
    for added in (
        f"{plain}. It is also the learning rate.",
        f"It is the learning rate. {plain}.",
        f"{plain} and the number of layers",
        f"not {plain}",
        f"{plain}, which is wrong",
        f"{plain} of the tokenizer",
        f"{plain}? No, it is the batch size",
        f"unlike {plain}, the batch size",
        f"It is not {plain}.",
        f"the opposite of {plain}",
        f"{plain} squared",
    ):
        assert judge(parameter, added).status is not Status.CORRECT, added


@pytest.mark.parametrize("parameter", RIGHT)
def test_the_definition_of_another_parameter_is_not_right(parameter: str) -> None:
    for other, texts in RIGHT.items():
        if other != parameter:
            for text in texts:
                assert judge(parameter, text).status is not Status.CORRECT, (parameter, text)


WRONG = {
    "r": [
        "the learning rate",
        "the number of layers",
        "the rank of the attention heads",
        "rank low-rank matrices update LoRA A B",
        "the dropout rate of the low-rank matrices",
        "the rank of the model",
        "the rank",
        "16",
        "the scaling factor of the rank of the matrices",
    ],
    "lora_alpha": [
        "the learning rate of LoRA",
        "the scaling factor",
        "the rank of the update",
        "the scaling factor of the learning rate",
        "the scaling factor of the frozen weights",
        "alpha scaling factor update LoRA r",
        "the update is multiplied by r / alpha",
        "the scaling factor of the dropout",
    ],
    "target_modules": [
        "the modules that are frozen",
        "the modules to which LoRA is not applied",
        "the modules that are removed",
        "query key value",
        "the modules",
        "modules LoRA applied layers attention",
    ],
    "lora_dropout": [
        "the probability of keeping a neuron",
        "the fraction of layers that are removed",
        "dropout",
        "the dropout probability",
        "the dropout probability of the frozen model",
        "dropout probability LoRA layers overfitting training",
        "the probability with which weights are kept",
    ],
    "bias": [
        "removes all biases",
        "the biases are set to zero",
        "the biases are trained",
        "all biases are trained",
        "none",
        "bias biases trained none all",
        "the bias of the data",
        "whether the model is biased",
    ],
    "task_type": [
        "sequence classification",
        "masked language modelling",
        "the model's type",
        "a task about cause and effect",
        "the type of the task, here causal inference",
        "the model predicts the previous token",
        "the task of the causal",
        "CAUSAL_LM",
    ],
}


@pytest.mark.parametrize("parameter", WRONG)
def test_a_wrong_or_empty_definition_is_never_right(parameter: str) -> None:
    for text in WRONG[parameter]:
        assert judge(parameter, text).status is not Status.CORRECT, text


def test_a_right_meaning_with_another_value_is_partial() -> None:
    finding = judge("r", "the rank of the low-rank matrices A and B", value="8")
    assert finding.status is Status.PARTIAL
    assert "16" in finding.feedback
    assert "8" in finding.feedback


def test_a_value_alone_is_no_definition() -> None:
    report = "# Question 2\n\n" + "\n".join(f"{name} = {value}" for name, value in VALUES.items())
    assert decide("q2.r", answer(report))[0].status is Status.INCORRECT


def test_two_definitions_of_one_parameter_are_for_a_person() -> None:
    report = "# Question 2\n\n- r (16): the rank of the update matrices\n\n- r: the learning rate of the optimiser\n"
    assert decide("q2.r", answer(report))[0].status is Status.REVIEW


def test_a_right_definition_in_other_words_is_for_a_person() -> None:
    text = "how many columns B and how many rows A has, so a small number keeps the adapter small"
    finding = judge("r", text)
    assert (finding.status, finding.found) == (Status.REVIEW, text)


def test_a_parameter_that_is_nowhere_named_is_missing() -> None:
    report = "# Question 2\n\n- r (16): the rank of the update matrices\n"
    assert decide("q2.task_type", answer(report))[0].status is Status.MISSING
    assert decide("q2.task_type", answer())[0].status is Status.MISSING


@pytest.mark.parametrize(
    "text",
    [
        "The dropout of LoRA zeroes inputs.\n\n- r (16): the rank of the update matrices\n",
        "In LoraConfig we set r to 16 and lora_dropout to 0.05, so that inputs are zeroed.\n",
        "LoRA adds matrices to the frozen model.\n",
    ],
)
def test_a_definition_that_may_stand_in_prose_is_for_a_person(text: str) -> None:
    assert decide("q2.lora_dropout", answer(f"# Question 2\n\n{text}"))[0].status is Status.REVIEW


@pytest.mark.parametrize(
    "text",
    [
        "r = 16\n\nlora_alpha = 32\n\nThe parameter r is the rank of the update matrices.\n",
        "| r | lora_alpha |\n|---|---|\n| 16 | 32 |\n\nHere r is the rank of the update matrices.\n",
        "The parameter r is the rank of the update matrices.\n\n- lora_alpha (32): the scaling factor of the update\n",
        "### r\n\nThe rank of the update matrices.\n\n### lora_alpha\n\nThe scaling factor of the update.\n",
        "With r=16 we choose the rank of the update matrices.\n\n- lora_alpha (32): the scaling factor of the update\n",
    ],
)
def test_a_definition_in_another_form_is_neither_missing_nor_wrong(text: str) -> None:
    finding, _ = decide("q2.r", answer(f"# Question 2\n\n{text}"))
    assert finding.status in (Status.CORRECT, Status.REVIEW)
