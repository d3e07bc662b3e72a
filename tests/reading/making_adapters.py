"""Adapters made by hand for the tests."""

import json
import struct
from collections.abc import Mapping
from math import prod
from typing import Any

from grader.reading.adapters.safetensors_header import BITS

Shape = tuple[int, ...]

LAB = {
    "peft_type": "LORA",
    "r": 16,
    "lora_alpha": 32,
    "lora_dropout": 0.05,
    "bias": "none",
    "target_modules": ["query_key_value"],
    "task_type": "CAUSAL_LM",
}


def safetensors(tensors: Mapping[str, tuple[str, Shape, bytes]], **changes: Any) -> bytes:
    """A file of tensors: type, shape and values of each. `changes` replace keys of the header."""
    header: dict[str, Any] = {}
    values = b""
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(values), len(values) + len(data)]}
        values += data
    return with_header(header | changes, values)


def with_header(header: object, values: bytes = b"") -> bytes:
    """A file with any header, given as bytes or as what becomes JSON."""
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(raw)) + raw + values


def zeros(*shape: int, dtype: str = "F32") -> tuple[str, Shape, bytes]:
    """A tensor of zeros."""
    return dtype, shape, bytes(prod(shape) * BITS[dtype] // 8)


def ones(*shape: int, value: bytes = struct.pack("<f", 1.0), dtype: str = "F32") -> tuple[str, Shape, bytes]:
    """A tensor of equal values, given by the bytes of one."""
    return dtype, shape, value * prod(shape)


def lora(
    layers: int = 2, rank: int = 16, width: int = 32, module: str = "self_attention.query_key_value", middle: str = ""
) -> dict[str, tuple[str, Shape, bytes]]:
    """The tensors of a LoRA adapter on each layer of a BLOOM model, trained. `middle` is the adapter's name."""
    tensors = {}
    for layer in range(layers):
        name = f"base_model.model.transformer.h.{layer}.{module}"
        tensors[f"{name}.lora_A{middle}.weight"] = ones(rank, width)
        tensors[f"{name}.lora_B{middle}.weight"] = ones(3 * width, rank)
    return tensors
