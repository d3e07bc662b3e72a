"""bias: which of the biases that the model has anyway are trained; and lora_bias, which is another setting."""

import warnings

import torch

from reference.lora.fact import Experiment, Figures, expect
from reference.lora.measure import (
    adapt,
    adapters,
    first_adapter,
    is_close,
    largest_value,
    logits,
    outcome,
    own,
    parts,
    train,
    trained_bloom,
    trained_count,
    trained_names,
    values,
)
from reference.lora.models import attention, bloom

SETTINGS = ("none", "lora_only", "all")


def which_are_trained() -> Figures:
    """bias says which of the model's existing bias vectors are trained: with "none" none of them, with "lora_only" the
    4 of the adapted layers, with "all" every one of the 26 of this model of 4 layers, those of the norms included."""
    trained = {setting: _trained_biases(setting) for setting in SETTINGS}
    adapted = [name for name in trained["lora_only"] if "query_key_value" in name]
    norms = [name for name in trained["all"] if "layernorm" in name or "ln_f" in name]
    return expect(
        {
            **{f'biases trained with "{setting}"': len(names) for setting, names in trained.items()},
            "of those with lora_only, in adapted layers": len(adapted),
            "of those with all, in norms": len(norms),
        },
        {
            'biases trained with "none"': 0,
            'biases trained with "lora_only"': 4,
            'biases trained with "all"': 26,
            "of those with lora_only, in adapted layers": 4,
            "of those with all, in norms": 10,
        },
    )


def _trained_biases(setting: str) -> list[str]:
    return [name for name in trained_names(adapt(bloom(), bias=setting)) if name.endswith("bias")]


def count() -> Figures:
    """Training biases adds their number of values to what is trained: with r = 16 the adapters hold 8192 values;
    "lora_only" adds 4 x 96 = 384, the biases of the adapted layers."""
    counts = {f'trained values with "{s}"': trained_count(adapt(bloom(), r=16, bias=s)) for s in ("none", "lora_only")}
    return expect(counts, {'trained values with "none"': 8192, 'trained values with "lora_only"': 8192 + 384})


def layer_keeps_its_bias() -> Figures:
    """With "none" the model keeps all its biases, frozen: the adapted layer has its bias with the values it had, and
    setting it to zero would change the logits."""
    model = adapt(bloom(), bias="none")
    before = logits(model)
    kept = own(first_adapter(model)).bias
    change = largest_value(kept - attention(bloom()).bias)
    with torch.no_grad():
        kept.zero_()
    return expect(
        {"largest change of the bias": change, "logits change without it": not is_close(logits(model), before)},
        {"largest change of the bias": 0.0, "logits change without it": True},
    )


def frozen() -> Figures:
    """With "none" training leaves every bias of the model as it was: after 3 steps 0 of the 26 have changed; with
    "lora_only" 4 have."""
    changed = {f'biases changed by training with "{s}"': _changed_biases(s) for s in ("none", "lora_only")}
    return expect(
        changed, {'biases changed by training with "none"': 0, 'biases changed by training with "lora_only"': 4}
    )


def _changed_biases(setting: str) -> int:
    model = adapt(bloom(), bias=setting)
    before = values(model)
    train(model)
    return sum(largest_value(new - before[name]) > 0 for name, new in values(model).items() if name.endswith("bias"))


def adapters_have_none() -> Figures:
    """bias does not give the LoRA layers a bias: A and B have none with "none", with "lora_only" and with "all"
    alike."""
    numbers = {f'biases in A and B with "{setting}"': _biases_in_adapters(bias=setting) for setting in SETTINGS}
    return expect(numbers, dict.fromkeys(numbers, 0))


def _biases_in_adapters(**fields: object) -> int:
    layers = adapters(adapt(bloom(), **fields)).values()
    return sum(part.bias is not None for layer in layers for part in parts(layer))


def lora_bias() -> Figures:
    """A bias inside the adapter is another setting, lora_bias, off by default: switched on, it gives each B a bias of
    as many values as the layer has outputs, here 96, and A none."""
    _, b = parts(first_adapter(adapt(bloom(), lora_bias=True)))
    return expect(
        {
            "biases in the 4 adapters by default": _biases_in_adapters(),
            "biases in the 4 adapters with lora_bias": _biases_in_adapters(lora_bias=True),
            "shape of B's bias": list(b.bias.shape),
        },
        {
            "biases in the 4 adapters by default": 0,
            "biases in the 4 adapters with lora_bias": 4,
            "shape of B's bias": [96],
        },
    )


def start_unchanged() -> Figures:
    """bias initialises nothing and removes nothing: before training the logits are exactly the base model's with every
    setting."""
    base = logits(bloom())
    changes = {
        f'largest change of the logits with "{s}"': largest_value(logits(adapt(bloom(), bias=s)) - base)
        for s in SETTINGS
    }
    return expect(changes, dict.fromkeys(changes, 0.0))


def no_logit_bias() -> Figures:
    """bias is no shift of the predicted words: BLOOM's output layer has no bias, and gets none with any setting."""
    numbers = {f'biases of the output layer with "{setting}"': _output_biases(setting) for setting in SETTINGS}
    return expect(numbers, dict.fromkeys(numbers, 0))


def _output_biases(setting: str) -> int:
    return sum(name.endswith("lm_head.bias") for name, _ in adapt(bloom(), bias=setting).named_parameters())


def switched_off() -> Figures:
    """With "none" the base model can be had back by switching the adapter off; after training with "all" it cannot,
    since its own biases have changed, and peft warns of it."""
    (plain, quiet), (changed, warned) = (_switched_off(setting) for setting in ("none", "all"))
    return expect(
        {
            'base model\'s logits back with "none"': plain,
            'base model\'s logits back with "all"': changed,
            'peft warns with "none"': quiet,
            'peft warns with "all"': warned,
        },
        {
            'base model\'s logits back with "none"': True,
            'base model\'s logits back with "all"': False,
            'peft warns with "none"': False,
            'peft warns with "all"': True,
        },
    )


def _switched_off(setting: str) -> tuple[bool, bool]:
    """Whether a trained model with its adapter off gives the base model's logits, and whether peft warns."""
    model = trained_bloom(bias=setting)
    train(model)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with model.disable_adapter():
            off = logits(model)
    return is_close(off, logits(bloom())), any("bias" in str(warning.message) for warning in caught)


def no_boolean() -> Figures:
    """bias is no yes or no: False, True, None and 0 all fail when the adapters are made; the value is one of the
    words "none", "all" and "lora_only"."""
    outcomes = {repr(value): outcome(bloom(), bias=value) for value in (False, True, None, 0)}
    return expect(outcomes, dict.fromkeys(outcomes, "AttributeError"))


def unknown_word() -> Figures:
    """The word must be exact: "None", "lora" and "foo" fail when the adapters are made."""
    outcomes = {repr(value): outcome(bloom(), bias=value) for value in ("None", "lora", "foo", "none")}
    return expect(outcomes, {**dict.fromkeys(outcomes, "NotImplementedError"), "'none'": "accepted"})


EXPERIMENTS = (
    Experiment("lora/bias/which-are-trained", which_are_trained),
    Experiment("lora/bias/count", count),
    Experiment("lora/bias/layer-keeps-its-bias", layer_keeps_its_bias),
    Experiment("lora/bias/frozen", frozen),
    Experiment("lora/bias/adapters-have-none", adapters_have_none),
    Experiment(
        "lora/lora_bias/bias-of-b",
        lora_bias,
        drift="lora_bias exists since peft 0.14.0; before it no setting gives one.",
    ),
    Experiment("lora/bias/start-unchanged", start_unchanged),
    Experiment("lora/bias/no-logit-bias", no_logit_bias),
    Experiment("lora/bias/switched-off", switched_off, drift="peft 0.4.0 gives no warning."),
    Experiment(
        "lora/bias/no-boolean",
        no_boolean,
        drift="peft 0.4.0 and the lab's commit fail with NotImplementedError and no message instead; the values fail "
        "in every version that was tried.",
    ),
    Experiment("lora/bias/unknown-word", unknown_word),
)
