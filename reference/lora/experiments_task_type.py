"""task_type: the wrapper round the model; and what "causal" means."""

from collections.abc import Callable
from typing import cast

import torch
from peft import PeftModel, TaskType, get_peft_model_state_dict
from torch.nn.functional import cross_entropy

from reference.lora.fact import Experiment, Figures, expect
from reference.lora.measure import (
    adapt,
    largest_value,
    logits,
    loss,
    outcome,
    parameter_count,
    trained_bloom,
    trained_count,
)
from reference.lora.models import TOKENS, bloom, roberta, tokens

LANGUAGE_MODEL_TYPES = (None, "CAUSAL_LM", "SEQ_CLS", "TOKEN_CLS")
"""Task types whose wrapper passes a language model's own arguments on unchanged."""

ORIGINAL_COUNTED = "Before peft 0.6.0 the original of the copied classifier counts as trainable too: 1122 values more."

CLASSIFIER = 32 * 32 + 32 + 2 * 32 + 2
"""Values of RoBERTa's classifier of 2 classes: 32 -> 32 -> 2, with biases."""


def wrapper() -> Figures:
    """task_type says what the model is for and chooses the class that peft puts round it: CAUSAL_LM, next-token
    language modelling, gives PeftModelForCausalLM; without it there is only the general PeftModel."""
    kinds: tuple[str | None, ...] = (None, *(kind.value for kind in TaskType if kind != TaskType.SEQ_2_SEQ_LM))
    return expect(
        {str(kind): type(adapt(bloom(), task_type=kind)).__name__ for kind in kinds},
        {
            "None": "PeftModel",
            "CAUSAL_LM": "PeftModelForCausalLM",
            "FEATURE_EXTRACTION": "PeftModelForFeatureExtraction",
            "QUESTION_ANS": "PeftModelForQuestionAnswering",
            "SEQ_CLS": "PeftModelForSequenceClassification",
            "TOKEN_CLS": "PeftModelForTokenClassification",
        },
    )


def same_model() -> Figures:
    """task_type changes nothing in what a language model computes: with CAUSAL_LM, SEQ_CLS, TOKEN_CLS or none at all,
    the same 8192 values are trained, and logits and loss are the same."""
    models = {str(kind): trained_bloom(r=16, task_type=kind) for kind in LANGUAGE_MODEL_TYPES}
    plain = models["None"]
    return expect(
        {
            kind: {
                "trained values": trained_count(model),
                "largest difference of the logits": largest_value(logits(model) - logits(plain)),
                "difference of the loss": largest_value(loss(model) - loss(plain)),
            }
            for kind, model in models.items()
        },
        {
            kind: {"trained values": 8192, "largest difference of the logits": 0.0, "difference of the loss": 0.0}
            for kind in models
        },
    )


def next_token() -> Figures:
    """A causal language model learns to predict the next token: its loss is the cross-entropy of the logits at each
    place with the token at the next one."""
    model = trained_bloom(r=16, task_type="CAUSAL_LM")
    predicted = logits(model)[:, :-1].float().flatten(0, 1)
    difference = largest_value(loss(model) - cross_entropy(predicted, tokens()[:, 1:].flatten()))
    return expect({"loss - cross-entropy": round(difference, 5)}, {"loss - cross-entropy": 0.0})


def later_token() -> Figures:
    """Causal means that only earlier tokens are seen: when token 4 of 0 to 6 is changed, BLOOM's outputs change from 4
    on and not before; RoBERTa, which sees both sides, changes everywhere."""
    return expect(
        {"BLOOM": _changed_places(_bloom_outputs), "RoBERTa": _changed_places(_roberta_outputs)},
        {"BLOOM": [4, 5, 6], "RoBERTa": [0, 1, 2, 3, 4, 5, 6]},
    )


def not_made_causal() -> Figures:
    """task_type does not make a model causal or bidirectional, its architecture does: BLOOM's outputs before a changed
    token 4 stay the same with SEQ_CLS as with CAUSAL_LM."""
    places = {kind: _changed_places(_adapted_outputs(kind)) for kind in ("CAUSAL_LM", "SEQ_CLS")}
    return expect(places, {kind: [4, 5, 6] for kind in places})


def _changed_places(outputs: Callable[[torch.Tensor], torch.Tensor]) -> list[int]:
    """The places of a sequence whose outputs change when its token 4 does."""
    changed = tokens().clone()
    changed[:, 4] += 20
    with torch.no_grad():
        difference = (outputs(tokens()) - outputs(changed)).abs().amax(dim=(0, 2))
    return [place for place in range(TOKENS) if difference[place] > 0]


def _bloom_outputs(ids: torch.Tensor) -> torch.Tensor:
    return cast(torch.Tensor, bloom()(input_ids=ids).logits)


def _roberta_outputs(ids: torch.Tensor) -> torch.Tensor:
    return cast(torch.Tensor, roberta().roberta(input_ids=ids).last_hidden_state)


def _adapted_outputs(kind: str) -> Callable[[torch.Tensor], torch.Tensor]:
    model = trained_bloom(task_type=kind)
    return lambda ids: model(input_ids=ids).logits


def not_prompt_tuning() -> Figures:
    """LoRA is no prompt tuning, whatever the task_type: it adds no token to the input, 7 tokens in give 7 places out,
    and no prompt is trained."""
    model = trained_bloom(task_type="CAUSAL_LM")
    return expect(
        {
            "method": model.peft_config["default"].to_dict()["peft_type"],
            "tokens in": TOKENS,
            "places out": logits(model).shape[1],
            "prompt parameters": sum("prompt" in name for name, _ in model.named_parameters()),
        },
        {"method": "LORA", "tokens in": 7, "places out": 7, "prompt parameters": 0},
    )


def classifier_too() -> Figures:
    """SEQ_CLS on a classifier model trains and saves the classifier besides A and B: 1122 values more. Without a
    task_type it stays untrained."""
    plain, classifying = (adapt(roberta(), r=2, task_type=kind) for kind in (None, "SEQ_CLS"))
    return expect(
        {
            "trained without": trained_count(plain),
            "trained with SEQ_CLS": trained_count(classifying),
            "classifier saved without": _saves_classifier(plain),
            "classifier saved with SEQ_CLS": _saves_classifier(classifying),
        },
        {
            "trained without": 256,
            "trained with SEQ_CLS": 256 + CLASSIFIER,
            "classifier saved without": False,
            "classifier saved with SEQ_CLS": True,
        },
    )


def modules_to_save() -> Figures:
    """modules_to_save names further parts that are trained in full, as a copy, and saved with the adapter: naming the
    classifier adds its 1122 values to the trained ones and to all. An unknown name is ignored."""
    plain, saving, unknown = (
        adapt(roberta(), r=2, modules_to_save=names) for names in (None, ["classifier"], ["no_such"])
    )
    return expect(
        {
            "trained, more than without": trained_count(saving) - trained_count(plain),
            "all, more than without": parameter_count(saving) - parameter_count(plain),
            "classifier saved": _saves_classifier(saving),
            "trained with an unknown name, more than without": trained_count(unknown) - trained_count(plain),
        },
        {
            "trained, more than without": CLASSIFIER,
            "all, more than without": CLASSIFIER,
            "classifier saved": True,
            "trained with an unknown name, more than without": 0,
        },
    )


def _saves_classifier(model: PeftModel) -> bool:
    return any("classifier" in name for name in get_peft_model_state_dict(model))


def wrong_model() -> Figures:
    """A task_type that the model cannot serve is an error: CAUSAL_LM on a classifier fails, since it generates no
    text."""
    found = outcome(roberta(), task_type="CAUSAL_LM")
    return expect({"CAUSAL_LM on a classifier": found}, {"CAUSAL_LM on a classifier": "AttributeError"})


def invalid() -> Figures:
    """The value must be one of the six names, in capitals: "causal_lm" and "CAUSAL_ML" are refused."""
    outcomes = {repr(kind): outcome(bloom(), task_type=kind) for kind in ("causal_lm", "CAUSAL_ML")}
    return expect(outcomes, dict.fromkeys(outcomes, "ValueError"))


EXPERIMENTS = (
    Experiment("lora/task_type/wrapper", wrapper),
    Experiment("lora/task_type/same-model", same_model),
    Experiment("lora/task_type/next-token", next_token),
    Experiment("lora/task_type/later-token", later_token),
    Experiment("lora/task_type/not-made-causal", not_made_causal),
    Experiment("lora/task_type/not-prompt-tuning", not_prompt_tuning),
    Experiment("lora/task_type/classifier-too", classifier_too, drift=ORIGINAL_COUNTED),
    Experiment(
        "lora/modules_to_save/classifier",
        modules_to_save,
        drift=ORIGINAL_COUNTED,
    ),
    Experiment(
        "lora/task_type/wrong-model",
        wrong_model,
        drift="peft 0.4.0 accepts it, and the classifier is then neither trained nor saved.",
    ),
    Experiment(
        "lora/task_type/invalid",
        invalid,
        drift="Refused since peft 0.14.0; 0.4.0 silently gives a plain PeftModel.",
    ),
)
