"""The shipped truth is what the real libraries say."""

import inspect

import pytest
import torch
from peft import LoraConfig, get_peft_model
from transformers import BitsAndBytesConfig, BloomConfig, BloomForCausalLM, RobertaConfig, RobertaModel

from grader.lab.files import lab_folder, load_lab, load_truth

FOLDER = lab_folder("nlp-frameworks")
TRUTH = load_truth(FOLDER)
TOTALS = {count.id: count.total for count in TRUTH.counts}


def parameters(model: torch.nn.Module) -> dict[str, int]:
    return {name: parameter.numel() for name, parameter in model.named_parameters()}


@pytest.fixture(scope="module")
def roberta() -> dict[str, int]:
    """The lab's encoder on the meta device. The lab's own framework has no token types and no pooler."""
    config = RobertaConfig(
        vocab_size=32000,
        hidden_size=512,
        intermediate_size=512,
        num_hidden_layers=4,
        num_attention_heads=8,
        max_position_embeddings=258,
        type_vocab_size=1,
    )
    with torch.device("meta"):
        model = RobertaModel(config, add_pooling_layer=False)
    return {name: size for name, size in parameters(model).items() if "token_type" not in name}


def test_counts_of_the_encoder(roberta: dict[str, int]) -> None:
    norms = sum(size for name, size in roberta.items() if "LayerNorm" in name)
    biases = sum(size for name, size in roberta.items() if name.endswith("bias") and "LayerNorm" not in name)
    everything = sum(roberta.values())
    assert TOTALS["roberta-small-fr/all-but-head"] == everything
    assert TOTALS["roberta-small-fr/weights-only"] == everything - norms - biases
    assert TOTALS["roberta-small-fr/weights-and-biases"] == everything - norms
    assert TOTALS["roberta-small-fr/weights-and-norms"] == everything - biases


def test_counts_with_lora() -> None:
    config = BloomConfig(vocab_size=250880, hidden_size=1024, n_layer=24, n_head=16)
    with torch.device("meta"):
        base = BloomForCausalLM(config)
        linear = sum(m.weight.numel() for n, m in base.transformer.named_modules() if isinstance(m, torch.nn.Linear))
        model = get_peft_model(base, LoraConfig(r=16, lora_alpha=32, target_modules=["query_key_value"]))
    trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
    everything = sum(p.numel() for p in model.parameters())
    assert TOTALS["bloom-560m-lora/trainable"] == trainable
    assert TOTALS["bloom-560m-lora/all"] == everything
    assert TOTALS["bloom-560m-lora/all-4-bit"] == everything - linear // 2, "two 4-bit weights share a stored byte"


def test_signature_of_the_quantisation_config() -> None:
    signature = TRUTH.signature_of("BitsAndBytesConfig")
    assert signature is not None
    assert set(signature.arguments) == set(inspect.signature(BitsAndBytesConfig).parameters) - {"kwargs"}


def test_values_are_those_of_the_lab_and_build_a_configuration() -> None:
    values = {value.parameter: value.value for value in TRUTH.values}
    assert values == {parameter.id: parameter.value for parameter in load_lab(FOLDER).parameters}
    LoraConfig(
        r=int(values["r"]),
        lora_alpha=int(values["lora_alpha"]),
        target_modules=[values["target_modules"]],
        lora_dropout=float(values["lora_dropout"]),
        bias=values["bias"],  # type: ignore[arg-type]
        task_type=values["task_type"],
    )


def test_bands_are_nested_and_hold_their_mean() -> None:
    for band in TRUTH.bands:
        if band.inner:
            assert band.outer[0] <= band.inner[0] <= band.inner[1] <= band.outer[1], band.id
            assert band.mean is None or band.inner[0] <= band.mean <= band.inner[1], band.id


def test_counts_of_the_packed_model_before_the_adapter() -> None:
    width, layers, tokens = 1024, 24, 250880
    linear, biases = layers * 12 * width**2, layers * 9 * width
    norms = (4 * layers + 4) * width
    whole = tokens * width + norms
    assert TOTALS["bloom-560m/all"] == whole + linear + biases
    assert TOTALS["bloom-560m/all-4-bit"] == whole + biases + linear // 2
    assert TOTALS["bloom-560m/trainable-4-bit"] == whole + biases
    assert TOTALS["bloom-560m/trainable-4-bit-2023"] == whole
    assert TOTALS["bloom-560m/trainable-prepared"] == 0
