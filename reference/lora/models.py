"""Tiny random models of real architectures, in double precision, so that a difference is never mere rounding."""

from typing import TypeVar

import torch
from transformers import (
    BloomConfig,
    BloomForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedModel,
    RobertaConfig,
    RobertaForSequenceClassification,
)

WIDTH = 32
HEADS = 4
TOKENS = 7

TINY: dict[str, dict[str, int]] = {
    "bloom": {"vocab_size": 64, "hidden_size": WIDTH, "n_layer": 4, "n_head": HEADS},
    "gpt2": {"vocab_size": 64, "n_embd": WIDTH, "n_layer": 2, "n_head": HEADS, "n_positions": 32},
    "roberta": {
        "vocab_size": 64,
        "hidden_size": WIDTH,
        "intermediate_size": WIDTH,
        "num_hidden_layers": 1,
        "num_attention_heads": HEADS,
        "max_position_embeddings": 34,
        "type_vocab_size": 1,
    },
}
"""The configurations; what they leave out takes the architecture's default."""

M = TypeVar("M", bound=PreTrainedModel)


def bloom() -> BloomForCausalLM:
    """A causal language model of 4 layers, whose query_key_value maps 32 values to 96."""
    return _random(BloomForCausalLM(BloomConfig(**TINY["bloom"])))


def gpt2() -> GPT2LMHeadModel:
    """A causal language model of 2 layers, whose c_attn keeps its weight as in x out, 32 x 96."""
    return _random(GPT2LMHeadModel(GPT2Config(**TINY["gpt2"])))


def roberta() -> RobertaForSequenceClassification:
    """A bidirectional encoder of 1 layer with a classifier of 2 classes."""
    return _random(RobertaForSequenceClassification(RobertaConfig(**TINY["roberta"])))


def tokens() -> torch.Tensor:
    """Token ids, 2 sequences of 7, none of them special."""
    return torch.arange(10, 10 + 2 * TOKENS).reshape(2, TOKENS)


def inputs(rows: int = 5) -> torch.Tensor:
    """Random inputs of one layer, rows x 32."""
    return torch.randn(rows, WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def _random(model: M) -> M:
    """The model with every parameter moved at random, since fresh biases are zero and would hide what happens to them;
    evaluating, so that nothing is dropped."""
    generator = torch.Generator().manual_seed(0)
    model.double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, dtype=torch.float64, generator=generator))
    return model
