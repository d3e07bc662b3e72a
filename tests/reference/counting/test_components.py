"""Components come from the module tree: they hold every parameter once, under the part that it belongs to."""

import pytest
from transformers import CONFIG_MAPPING

from reference.counting.components import TakenApart, take_apart
from reference.counting.configs import CountError
from reference.counting.lora import Lora
from reference.counting.model import build
from tests.reference.counting.models import taken, without

TRANSFORMERS = [
    ("bert", "pretraining"),
    ("roberta", "question-answering"),
    ("deberta-v2", "token-classification"),
    ("electra", "base"),
    ("longformer", "masked-lm"),
    ("xlnet", "base"),
    ("xlm", "base"),
    ("gpt2", "causal-lm"),
    ("gpt_neox", "causal-lm"),
    ("opt", "causal-lm"),
    ("mpt", "causal-lm"),
    ("falcon", "causal-lm"),
    ("llama", "causal-lm"),
    ("qwen2", "seq-classification"),
    ("gemma2", "causal-lm"),
    ("phi3", "causal-lm"),
    ("t5", "seq2seq-lm"),
    ("bart", "seq2seq-lm"),
    ("pegasus", "seq2seq-lm"),
    ("whisper", "speech-seq2seq"),
    ("vit", "image-classification"),
    ("swin", "base"),
    ("clip", "base"),
    ("wav2vec2", "ctc"),
]
OTHERS = [("mamba", "causal-lm"), ("rwkv", "causal-lm"), ("resnet", "image-classification"), ("mobilenet_v2", "base")]


def parts(apart: TakenApart) -> dict[str, int]:
    sums: dict[str, int] = {}
    for group in apart.groups:
        sums[group.part] = sums.get(group.part, 0) + group.sum
    return sums


@pytest.mark.parametrize(("model_type", "task"), [*TRANSFORMERS, *OTHERS])
def test_every_parameter_is_counted_once(model_type: str, task: str) -> None:
    built = build({"model_type": model_type}, task)
    apart = take_apart(built)
    assert apart.total == sum(parameter.numel() for parameter in built.model.parameters())
    assert sum(len(group.names) * group.times for group in apart.groups) == len(list(built.model.parameters()))
    assert len({group.id for group in apart.groups}) == len(apart.groups)


@pytest.mark.parametrize(("model_type", "task"), TRANSFORMERS)
def test_transformers_have_the_parts_that_students_name(model_type: str, task: str) -> None:
    found = parts(take_apart(build({"model_type": model_type}, task)))
    assert {"attention", "feed-forward"} <= found.keys()
    assert found.get("other", 0) < 0.11 * sum(found.values())
    assert ("token embedding" in found) == (model_type not in ("vit", "swin", "wav2vec2"))


@pytest.mark.parametrize(("model_type", "task"), OTHERS)
def test_what_has_no_attention_is_not_said_to_have_any(model_type: str, task: str) -> None:
    apart = take_apart(build({"model_type": model_type}, task))
    has_attention = model_type == "rwkv"  # whose blocks are called attention by their authors
    assert ("attention" in parts(apart)) == has_attention


@pytest.mark.parametrize("model_type", ["bert", "gpt2", "t5", "llama", "vit", "bart"])
def test_a_head_is_what_the_base_model_has_not(model_type: str) -> None:
    tasks = {"bert": "masked-lm", "t5": "seq2seq-lm", "vit": "image-classification", "bart": "seq-classification"}
    base = take_apart(build({"model_type": model_type}, "base"))
    whole = take_apart(build({"model_type": model_type}, tasks.get(model_type, "causal-lm")))
    assert without(whole, "head") == without(base, "pooler")


def test_encoder_and_decoder_are_told_apart() -> None:
    bart = taken("bart-base", "seq2seq-lm")
    attention = [group for group in bart.groups if group.part == "attention" and group.kind == "weight"]
    assert [(group.stack, group.times) for group in attention] == [
        ("encoder.layers", 6),
        ("decoder.layers", 6),
        ("decoder.layers", 6),
    ]
    assert len({group.title for group in attention}) == 3
    assert bart.layers == 12


def test_layers_that_differ_are_not_lumped_together() -> None:
    """T5's first layers hold the relative positions for all."""
    groups = {group.id: group for group in taken("t5-small", "seq2seq-lm").groups}
    positions = [group for group in groups.values() if group.part == "position embedding"]
    assert [(group.shape, group.times) for group in positions] == [("32 x 8", 1), ("32 x 8", 1)]
    assert groups["encoder-attention-weights"].times == 6


def test_shared_layers_are_counted_once() -> None:
    albert = taken("albert-base-v2", "base")
    assert albert.layers == 1
    assert next(group for group in albert.groups if group.part == "input projection").shape == "768 x 128"


def test_experts_belong_to_the_feed_forward_network() -> None:
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_local_experts": 4}
    mixtral = take_apart(build({"model_type": "mixtral", **sizes}, "base"))
    assert parts(mixtral)["feed-forward"] == 2 * (4 * 3 * 32 * 48 + 4 * 32)


def test_position_tables_are_known_by_their_size_when_their_name_says_nothing() -> None:
    """GPT-2 calls its tables wte and wpe."""
    groups = {group.part: group for group in taken("gpt2", "base").groups}
    assert groups["token embedding"].shape == "50257 x 768"
    assert groups["position embedding"].shape == "1024 x 768"


@pytest.mark.parametrize("bias", ["none", "lora_only", "all"])
def test_an_adapter_trains_what_peft_says(bias: str) -> None:
    built = build({"model_type": "bloom", "hidden_size": 32, "n_layer": 2, "n_head": 4, "vocab_size": 50}, "causal-lm")
    apart = take_apart(built, Lora(r=4, target_modules=("query_key_value",), bias=bias))  # type: ignore[arg-type]
    marked = {"adapter"} | ({group.part for group in apart.groups if group.trainable} if bias != "none" else set())
    real = sum(parameter.numel() for parameter in built.model.parameters() if parameter.requires_grad)
    assert sum(group.sum for group in apart.groups if group.trainable) == real
    assert {group.part for group in apart.groups if group.trainable} == marked
    assert all(group.kind == "bias" or group.part in ("adapter", "norms") for group in apart.groups if group.trainable)


def test_an_adapter_without_a_target_names_what_there_is() -> None:
    with pytest.raises(CountError, match="query_key_value"):
        taken("bloom-560m", "causal-lm", r=4, targets="q_proj")


@pytest.mark.slow
def test_all_architectures_that_their_defaults_can_build() -> None:
    counted = 0
    for model_type in CONFIG_MAPPING:
        try:
            built = build({"model_type": model_type})
        except CountError:
            continue
        counted += 1
        apart = take_apart(built)
        assert apart.total == sum(parameter.numel() for parameter in built.model.parameters()), model_type
        assert len({group.id for group in apart.groups}) == len(apart.groups), model_type
    assert counted > 500
