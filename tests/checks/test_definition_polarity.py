"""A single word may turn a right definition into its opposite. Such sentences never get full credit."""

import pytest

from grader.checks.finding import Status
from tests.checks.definition_corpus import judge

OPPOSITES = {
    "r": (
        "the rank of the matrices that are not low-rank",
        "the rank of the pretrained weight matrix",
        "the rank of the frozen weights W",
        "the rank of the update. A higher rank means fewer parameters.",
        "the rank of the update. A lower rank means more capacity.",
        "the rank of the update; the larger r is, the smaller the adapter",
        "the rank of the update, which is trained",
        "the rank of the learning rate",
        "the rank of the update matrices of the optimizer",
        "the number of low-rank matrices",
        "the number of the rows of A and B",
        "the full rank of the update",
        "no rank of the update",
        "plus r est grand, moins il y a de paramètres ; rang des matrices A et B",
    ),
    "lora_alpha": (
        "the scaling factor of the pretrained weights",
        "the scaling factor of the update and of the frozen weights",
        "the scaling factor of the update, multiplied by r / alpha",
        "the update is divided by alpha / r",
        "the weights of the LoRA matrices",
        "the scaling factor of the update, which is learned during training",
        "the scaling factor of the update; the higher alpha, the less the adapter counts",
        "the scaling factor of the update after it is added to the frozen weights",
        "the learning rate of the update",
        "it does not scale the update",
    ),
    "target_modules": (
        "the modules to which LoRA is not applied",
        "the modules that are not adapted with LoRA",
        "the modules to which LoRA is applied, here only the query",
        "the modules to which LoRA is applied, here the feed-forward layers",
        "the modules to which LoRA is applied. The attention is left frozen.",
        "the names of the modules that LoRA excludes",
        "les modules auxquels on n'applique pas LoRA",
    ),
    "lora_dropout": (
        "the probability of keeping a unit of the LoRA layers",
        "the probability that a unit of the adapter is not dropped",
        "the dropout probability of the base model",
        "the dropout probability of the LoRA layers, also at inference",
        "the dropout probability of the LoRA layers, not during training",
        "the dropout probability of all layers",
        "the probability of dropping a LoRA layer",
        "the dropout probability in the LoRA layers to increase overfitting",
    ),
    "bias": (
        "no bias",
        "biases",
        "no biases are not trained",
        "none of the biases is frozen",
        "none of them is not updated",
        "none are not trained",
        "all the biases are trained",
        "the biases of the model are trained",
        "which biases are trained. All biases are trained.",
        "which biases are trained; with none, all of them are trained",
        "whether the biases are trained. Here they are.",
        "whether the biases are trained; none means that the biases are trained",
        "the biases are never frozen",
        "the biases are not frozen",
        "which biases are used",
        "whether there is a bias",
        "aucun biais n'est gelé",
        "les biais ne sont pas gelés",
    ),
    "task_type": (
        "not causal language modelling",
        "causal language modelling, which predicts the previous token",
        "the model does not predict the next token",
        "the type of the task, here masked language modelling",
        "causal language modelling: each token sees the next ones",
        "each token is predicted from the following tokens",
        "each token depends on all the tokens",
        "the model completes a sentence",
        "the model generates the answer",
        "le modèle ne prédit pas le mot suivant",
    ),
}


@pytest.mark.parametrize(("parameter", "text"), [(name, text) for name, texts in OPPOSITES.items() for text in texts])
def test_the_opposite_never_gets_full_credit(parameter: str, text: str) -> None:
    finding = judge(parameter, f"- {parameter}: {text}")
    assert finding.status is not Status.CORRECT, finding.feedback


NAMES = (
    ("r", "The parameter r represents the Lora attention dimension."),
    ("lora_dropout", "We use lora_dropout to avoid overfitting."),
    ("lora_dropout", "- lora_dropout: lora_dropout rate"),
    ("lora_dropout", "- lora dropout (0.05): lora dropout rate"),
    ("lora_dropout", "lora_dropout is the dropout rate."),
    ("lora_alpha", "- lora_alpha: lora_alpha scaling"),
    ("target_modules", "- target_modules: the target_modules that are targeted"),
    ("task_type", "The task_type is a task_type."),
)


@pytest.mark.parametrize(("parameter", "line"), NAMES)
def test_a_name_lends_its_words_to_no_definition(parameter: str, line: str) -> None:
    assert judge(parameter, line).status is not Status.CORRECT
