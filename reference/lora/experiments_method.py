"""LoRA as a whole: what is trained, what stays, what is merged and what is saved."""

from peft import get_peft_model_state_dict

from reference.lora.fact import Experiment, Figures, expect
from reference.lora.measure import (
    adapt,
    adapters,
    dropout,
    factors,
    fill,
    first_adapter,
    is_close,
    largest_value,
    logits,
    multiple,
    own,
    parameter_count,
    train,
    trained_bloom,
    trained_count,
    trained_names,
    update,
    values,
)
from reference.lora.models import attention, bloom, inputs

A_AND_B = ["lora_A", "lora_B"]


def _kind(name: str) -> str:
    """Return the matrix of an adapter that a parameter is, or "model" for one of the model's own."""
    return next((matrix for matrix in A_AND_B if matrix in name.split(".")), "model")


def what_is_trained() -> Figures:
    """Only A and B are trained: 8 matrices in 4 adapted layers receive gradients, and after 3 steps they are all that
    has changed in the model."""
    model = adapt(bloom(), r=16, lora_alpha=32)
    names, before = trained_names(model), values(model)
    train(model, steps=3)
    changed = [name for name, value in values(model).items() if largest_value(value - before[name]) > 0]
    return expect(
        {
            "trained": sorted({_kind(name) for name in names}),
            "trained matrices": len(names),
            "changed": sorted({_kind(name) for name in changed}),
            "changed matrices": len(changed),
        },
        {"trained": [*A_AND_B], "trained matrices": 8, "changed": [*A_AND_B], "changed matrices": 8},
    )


def own_weight_frozen() -> Figures:
    """The adapted layer's own weight W stays frozen too: after 3 steps of training it has not changed at all."""
    model = adapt(bloom(), r=16, lora_alpha=32)
    weight = own(first_adapter(model)).weight
    before = weight.detach().clone()
    train(model, steps=3)
    return expect(
        {"W receives a gradient": weight.requires_grad, "largest change of W": largest_value(weight - before)},
        {"W receives a gradient": False, "largest change of W": 0.0},
    )


def kept_weight() -> Figures:
    """LoRA replaces no weight: the adapted layer still computes with the very same W, and A and B stand beside it."""
    base = bloom()
    before = attention(base).weight
    after = own(first_adapter(adapt(base))).weight
    return expect(
        {"same W": after is before, "largest change of W": largest_value(after - attention(bloom()).weight)},
        {"same W": True, "largest change of W": 0.0},
    )


def all_parameters() -> Figures:
    """All parameters of the adapted model are those of the base model plus those of the adapters: 52992 + 8192 = 61184,
    of which 8192 are trained."""
    model = adapt(bloom(), r=16)
    return expect(
        {"base model": parameter_count(bloom()), "trained": trained_count(model), "all": parameter_count(model)},
        {"base model": 52992, "trained": 8192, "all": 61184},
    )


def merging() -> Figures:
    """After training the update can be merged into the weight: W becomes W + (lora_alpha / r) B A exactly, the number
    of parameters is the base model's again, and the logits stay what they were."""
    model = trained_bloom(r=16, lora_alpha=32)
    a, b = (matrix.detach().clone() for matrix in factors(first_adapter(model)))
    adapted = logits(model)
    merged = model.merge_and_unload()
    return expect(
        {
            "W + 2 B A": is_close(attention(merged).weight, attention(bloom()).weight + 2 * b @ a),
            "parameters": parameter_count(merged),
            "logits unchanged": is_close(logits(merged), adapted),
        },
        {"W + 2 B A": True, "parameters": 52992, "logits unchanged": True},
    )


def switching_off() -> Figures:
    """The base model is not lost: with the adapter switched off the logits are exactly its own again."""
    model = trained_bloom(r=16, lora_alpha=32)
    with model.disable_adapter():
        change = largest_value(logits(model) - logits(bloom()))
    return expect(
        {"largest difference from the base model's logits": change},
        {"largest difference from the base model's logits": 0.0},
    )


def saved_adapter() -> Figures:
    """A saved adapter holds A and B of the adapted layers and nothing of the base model: 8 matrices, 8192 values of
    61184."""
    state = get_peft_model_state_dict(adapt(bloom(), r=16))
    return expect(
        {
            "saved": sorted({_kind(name) for name in state}),
            "saved matrices": len(state),
            "saved values": sum(matrix.numel() for matrix in state.values()),
        },
        {"saved": [*A_AND_B], "saved matrices": 8, "saved values": 8192},
    )


def inference_mode() -> Figures:
    """With inference_mode = True the adapters are made frozen: 0 values are trained, instead of 8192 with r = 16."""
    return expect(
        {
            f"trained values, inference_mode = {mode}": trained_count(adapt(bloom(), r=16, inference_mode=mode))
            for mode in (False, True)
        },
        {"trained values, inference_mode = False": 8192, "trained values, inference_mode = True": 0},
    )


def lab_values() -> Figures:
    """The lab's six values together, r = 16, lora_alpha = 32, target_modules = query_key_value, lora_dropout = 0.05,
    bias = none and task_type = CAUSAL_LM: every attention layer gets an adapter of rank 16 whose update counts 2 times
    and loses 5 % of its inputs in training, and nothing else is trained."""
    model = adapt(
        bloom(),
        r=16,
        lora_alpha=32,
        target_modules=["query_key_value"],
        lora_dropout=0.05,
        bias="none",
        task_type="CAUSAL_LM",
    )
    layer = first_adapter(fill(model).eval())
    a, b = factors(layer)
    return expect(
        {
            "wrapper": type(model).__name__,
            "adapters": len(adapters(model)),
            "rank": a.shape[0],
            "factor": multiple(inputs() @ a.T @ b.T, update(layer, inputs())),
            "dropout": dropout(layer).p,
            "trained": sorted({_kind(name) for name in trained_names(model)}),
            "trained values": trained_count(model),
        },
        {
            "wrapper": "PeftModelForCausalLM",
            "adapters": 4,
            "rank": 16,
            "factor": 2.0,
            "dropout": 0.05,
            "trained": [*A_AND_B],
            "trained values": 4 * 16 * (32 + 96),
        },
    )


EXPERIMENTS = (
    Experiment("lora/method/what-is-trained", what_is_trained),
    Experiment("lora/method/own-weight-frozen", own_weight_frozen),
    Experiment("lora/method/kept-weight", kept_weight),
    Experiment("lora/method/all-parameters", all_parameters),
    Experiment("lora/method/merging", merging),
    Experiment("lora/method/switching-off", switching_off),
    Experiment("lora/method/saved", saved_adapter),
    Experiment("lora/inference_mode/frozen", inference_mode),
    Experiment(
        "lora/method/lab-values",
        lab_values,
        drift="In the commit of peft that the lab pins (before 0.4.0), lora_alpha and lora_dropout have no usable "
        "default and must be given.",
    ),
)
