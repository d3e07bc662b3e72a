"""Tiny random models of real architectures, in double precision, so that a difference is never mere rounding."""

from typing import TypeVar, cast

import torch
from torch import nn
from transformers import (
    BloomConfig,
    BloomForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedConfig,
    PreTrainedModel,
    RobertaConfig,
    RobertaForSequenceClassification,
)

WIDTH = 32
HEADS = 4
TOKENS = 7

TINY: dict[str, dict[str, int]] = {
    "bloom": {"vocab_size": 64, "hidden_size": WIDTH, "n_layer": 4, "n_head": HEADS},
    "gpt2": {
        "vocab_size": 64,
        "n_embd": WIDTH,
        "n_layer": 2,
        "n_head": HEADS,
        "n_positions": 32,
        "bos_token_id": 1,
        "eos_token_id": 2,
    },
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

BLOOM_ATTENTION = "transformer.h.0.self_attention.query_key_value"
"""The name of the layer that computes queries, keys and values in BLOOM's first block."""

M = TypeVar("M", bound=PreTrainedModel)


def bloom() -> BloomForCausalLM:
    """A causal language model of 4 layers, whose query_key_value maps 32 values to 96."""
    return _random(BloomForCausalLM, BloomConfig.from_dict(TINY["bloom"]))


def attention(model: PreTrainedModel) -> nn.Linear:
    """BLOOM's first query_key_value, as long as it is not adapted."""
    return cast(nn.Linear, model.get_submodule(BLOOM_ATTENTION))


def gpt2() -> GPT2LMHeadModel:
    """A causal language model of 2 layers, whose c_attn keeps its weight as in x out, 32 x 96."""
    return _random(GPT2LMHeadModel, GPT2Config.from_dict(TINY["gpt2"]))


def roberta() -> RobertaForSequenceClassification:
    """A bidirectional encoder of 1 layer with a classifier of 2 classes."""
    return _random(RobertaForSequenceClassification, RobertaConfig.from_dict(TINY["roberta"]))


def tokens() -> torch.Tensor:
    """Token ids, 2 sequences of 7, none of them special."""
    return torch.arange(10, 10 + 2 * TOKENS).reshape(2, TOKENS)


def inputs(rows: int = 5) -> torch.Tensor:
    """Random inputs of one layer, rows x 32."""
    return torch.randn(rows, WIDTH, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


def _random(architecture: type[M], config: PreTrainedConfig) -> M:
    """A model, the same every time, with every parameter moved at random, since fresh biases are zero and would hide
    what happens to them; evaluating, so that nothing is dropped."""
    torch.manual_seed(0)
    model = architecture(config)
    model = model.double()
    model.train(False)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, dtype=torch.float64))
    return model
