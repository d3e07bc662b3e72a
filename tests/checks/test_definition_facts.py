"""Definitions are held against experiments: what refutes a mistake is shown, and what is denied is no mistake."""

import pytest

from grader.checks.finding import Status
from grader.checks.runner import verify
from grader.lab.files import LabError
from grader.lab.grammar import DefinedParameter, Grammar
from tests.checks.making import answer, decide, truth
from tests.claims.making import lab


@pytest.mark.parametrize(
    ("item", "text", "fact"),
    [
        ("q2.lora_alpha", "lora_alpha: the learning rate of the adapters", "lora/lora_alpha/not-a-learning-rate"),
        ("q2.r", "r: the number of layers that are adapted", "lora/r/not-layers"),
        ("q2.bias", "bias: LoRA removes the biases of the model", "lora/bias/layer-keeps-its-bias"),
        ("q2.task_type", "task_type: the causes and effects in a text", "lora/task_type/later-token"),
    ],
)
def test_a_mistake_is_shown_the_experiment_that_refutes_it(item: str, text: str, fact: str) -> None:
    finding, _ = decide(item, answer(f"# Question 2\n\n- {text}\n"))
    assert finding.status is Status.REVIEW
    assert finding.suggestion is Status.INCORRECT
    known = truth().fact(fact)
    assert known is not None
    assert known.sentence in finding.diagnoses[0].text
    assert fact in finding.diagnoses[0].text


def test_what_a_student_denies_is_no_mistake() -> None:
    finding, _ = decide(
        "q2.lora_alpha", answer("# Question 2\n\n- lora_alpha: it is not a learning rate but a factor\n")
    )
    assert finding.diagnoses == ()


def test_a_right_definition_cites_its_experiments() -> None:
    finding, _ = decide("q2.r", answer("# Question 2\n\n- r (16): the rank of the low-rank matrices A and B.\n"))
    assert finding.status is Status.CORRECT
    assert finding.expected is not None
    assert "lora/r/rank-of-update" in finding.expected.truths


def test_a_value_that_cannot_exist_is_told_from_one_that_differs() -> None:
    text = "# Question 2\n\n- bias=False: which biases are trained\n- r=8: the rank of the update\n"
    finding, _ = decide("q2.values", answer(text))
    assert [diagnosis.id for diagnosis in finding.diagnoses] == ["wrong-value", "impossible-value"]
    assert "none, all, lora_only" in finding.diagnoses[1].text


def test_a_grammar_that_cites_an_unknown_fact_is_refused() -> None:
    grammar = Grammar(parameters=(DefinedParameter(id="r", summary="s", right=("rank",), facts=("lora/r/no-such",)),))
    with pytest.raises(LabError, match="lora/r/no-such"):
        verify(lab().model_copy(update={"grammar": grammar}), truth())
