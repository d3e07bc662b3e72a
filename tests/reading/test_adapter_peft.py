"""Adapters that peft itself wrote are read as peft counts them."""

from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig, get_peft_model
from peft.utils import get_peft_model_state_dict
from transformers import BloomConfig, BloomForCausalLM, BloomForSequenceClassification

from grader.intake.submission import Role, SubmittedFile
from grader.reading.adapters.adapter import Adapter
from grader.reading.adapters.config_file import read_adapter_config
from grader.reading.adapters.grouping import adapters_of
from grader.reading.adapters.safetensors_file import read_safetensors

LAB: dict[str, Any] = {
    "r": 4,
    "lora_alpha": 8,
    "lora_dropout": 0.05,
    "bias": "none",
    "target_modules": ["query_key_value"],
    "task_type": "CAUSAL_LM",
}
TINY = {"vocab_size": 64, "hidden_size": 32, "n_layer": 2, "n_head": 4}


def model(architecture: Any = BloomForCausalLM, **changes: Any) -> Any:
    torch.manual_seed(0)
    return get_peft_model(architecture(BloomConfig.from_dict(TINY)), LoraConfig(**(LAB | changes)))


def saved(adapted: Any, folder: Path) -> Adapter:
    adapted.save_pretrained(folder)
    config, weights = (
        SubmittedFile(path=f"out/{name}", role=Role.MODEL, size=0, sha256="", location=folder / name)
        for name in ("adapter_config.json", "adapter_model.safetensors")
    )
    (only,) = adapters_of([read_adapter_config(config)], [read_safetensors(weights)])
    assert only.config is not None
    assert only.weights is not None
    assert (only.config.problems, only.weights.problems) == ((), ())
    return only


def trainable(adapted: Any) -> int:
    return sum(parameter.numel() for parameter in adapted.parameters() if parameter.requires_grad)


@pytest.mark.parametrize(
    ("architecture", "changes"),
    [
        (BloomForCausalLM, {}),
        (BloomForCausalLM, {"target_modules": "all-linear"}),
        (BloomForCausalLM, {"target_modules": ["word_embeddings", "query_key_value"]}),
        (BloomForCausalLM, {"bias": "lora_only"}),
        (BloomForCausalLM, {"bias": "all"}),
        (BloomForCausalLM, {"lora_bias": True}),
        (BloomForCausalLM, {"use_dora": True}),
        (BloomForCausalLM, {"rank_pattern": {r"h\.1\..*": 2}}),
        (BloomForCausalLM, {"layers_to_transform": 1}),
        (BloomForCausalLM, {"modules_to_save": ["lm_head"]}),
        (BloomForCausalLM, {"trainable_token_indices": [1, 2]}),
        (BloomForSequenceClassification, {"task_type": "SEQ_CLS"}),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else value.__name__,
)
def test_counts_are_pefts(tmp_path: Path, architecture: Any, changes: dict[str, Any]) -> None:
    adapted = model(architecture, **changes)
    one = saved(adapted, tmp_path)
    assert one.trainable_parameters == trainable(adapted)
    low_rank = [p.numel() for name, p in adapted.named_parameters() if ".lora_" in name and not _is_extra(name)]
    assert one.lora_parameters == sum(low_rank)
    assert (one.trained, one.disagreements, one.unexplained) == (False, (), ())


def _is_extra(name: str) -> bool:
    return "magnitude" in name or name.endswith("bias")


def test_the_fields_are_pefts(tmp_path: Path) -> None:
    one = saved(model(), tmp_path)
    assert one.config is not None
    assert (one.config.r, one.config.lora_alpha, one.config.lora_dropout, one.config.bias) == (4, 8, 0.05, "none")
    assert (one.config.target_modules, one.config.task_type) == (("query_key_value",), "CAUSAL_LM")
    assert (one.ranks, one.targets, one.layers) == ((4,), ("query_key_value",), (0, 1))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_step_of_training_shows(tmp_path: Path, dtype: torch.dtype) -> None:
    adapted = model(target_modules=["query_key_value", "word_embeddings"])
    optimiser = torch.optim.SGD([p for p in adapted.parameters() if p.requires_grad], lr=1.0)
    tokens = torch.arange(14).reshape(2, 7)
    adapted(input_ids=tokens, labels=tokens).loss.backward()
    optimiser.step()
    one = saved(adapted.to(dtype), tmp_path)
    assert one.trained is True
    state = get_peft_model_state_dict(adapted)
    for module in one.modules:
        name = f"base_model.model.{module.name}"
        start = state.get(f"{name}.lora_B.weight", state.get(f"{name}.lora_embedding_A"))
        assert module.norm == pytest.approx(float(start.double().norm()), rel=1e-9)
        assert module.zero is False


def test_a_fresh_adapter_is_untrained_where_it_starts_at_zero(tmp_path: Path) -> None:
    assert saved(model(), tmp_path).trained is False
    assert saved(model(init_lora_weights=False), tmp_path).trained is None
