"""Adapters: counts, ranks and targets from the shapes, and where the configuration says something else."""

import json
from pathlib import Path
from typing import Any

import pytest

from grader.intake.submission import Role
from grader.reading.adapters.adapter import Adapter, AdapterConfig, Weights
from grader.reading.adapters.config_file import read_adapter_config
from grader.reading.adapters.grouping import adapters_of
from grader.reading.adapters.names import Part, TensorName, endings, layer_of, tensor_name
from grader.reading.adapters.safetensors_file import read_safetensors
from tests.claims.patience import within
from tests.reading.making import submitted
from tests.reading.making_adapters import LAB, lora, ones, safetensors, zeros

MODULE = "transformer.h.0.self_attention.query_key_value"


def config_at(folder: Path, path: str = "out/adapter_config.json", **changes: Any) -> AdapterConfig:
    return read_adapter_config(submitted(folder, path, json.dumps(LAB | changes), Role.MODEL))


def weights_at(folder: Path, data: bytes, path: str = "out/adapter_model.safetensors") -> Weights:
    return read_safetensors(submitted(folder, path, data, Role.MODEL))


def adapter(folder: Path, tensors: dict[str, Any], **changes: Any) -> Adapter:
    (only,) = adapters_of([config_at(folder, **changes)], [weights_at(folder, safetensors(tensors))])
    return only


def test_the_labs_adapter(tmp_path: Path) -> None:
    """24 layers x 16 x (1024 + 3072), as peft prints it."""
    one = adapter(tmp_path, lora(layers=24, rank=16, width=1024))
    assert (one.folder, one.lora_parameters, one.trainable_parameters) == ("out", 1_572_864, 1_572_864)
    assert (one.ranks, one.targets, one.layers) == ((16,), ("query_key_value",), tuple(range(24)))
    assert (one.trained, one.disagreements, one.unexplained) == (True, (), ())
    assert (one.modules[23].inputs, one.modules[23].outputs) == (1024, 3072)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (f"base_model.model.{MODULE}.lora_A.weight", TensorName(MODULE, Part.A)),
        (f"base_model.model.{MODULE}.lora_B.default.weight", TensorName(MODULE, Part.B)),
        (f"{MODULE}.lora_B.weight", TensorName(MODULE, Part.B)),
        (f"{MODULE}.lora_B.default.bias", TensorName(MODULE, Part.LORA_BIAS)),
        (f"{MODULE}.lora_magnitude_vector.default.weight", TensorName(MODULE, Part.MAGNITUDE)),
        (f"{MODULE}.base_layer.bias", TensorName(MODULE, Part.BIAS)),
        (f"{MODULE}.base_layer.weight", TensorName(MODULE, Part.FROZEN)),
        ("base_model.model.wte.lora_embedding_A.default", TensorName("wte", Part.EMBEDDING_A)),
        ("score.modules_to_save.default.weight", TensorName("score", Part.SAVED)),
        ("score.original_module.weight", TensorName("score", Part.FROZEN)),
        ("wte.token_adapter.trainable_tokens_delta", TensorName("wte", Part.TOKENS)),
        ("score.weight", TensorName("score", Part.WEIGHT)),
        ("weight", TensorName("", Part.WEIGHT)),
        ("", TensorName("", Part.WEIGHT)),
    ],
)
def test_names_are_taken_apart(name: str, expected: TensorName) -> None:
    assert tensor_name(name) == expected


def test_layers_and_endings() -> None:
    assert [layer_of(name) for name in (MODULE, "wte", "layers.3.experts.5.w", "h.²")] == [0, None, 3, None]
    assert list(endings("h.0.dense")) == ["h.0.dense", "0.dense", "dense"]


def test_the_name_of_a_running_adapter_makes_no_difference(tmp_path: Path) -> None:
    saved, running = adapter(tmp_path, lora()), adapter(tmp_path, lora(middle=".default"))
    assert saved.modules == running.modules
    assert saved.lora_parameters == running.lora_parameters == 2 * 16 * (32 + 96)


def test_an_untouched_adapter_was_not_trained(tmp_path: Path) -> None:
    fresh = {name: zeros(*t[1]) if "lora_B" in name else t for name, t in lora().items()}
    assert adapter(tmp_path, fresh).trained is False
    half = fresh | {f"base_model.model.{MODULE}.lora_B.weight": ones(96, 16)}
    one = adapter(tmp_path, half)
    assert one.trained is True
    assert [module.zero for module in one.modules] == [False, True]


@pytest.mark.parametrize("start", [False, "pissa", "olora", "pissa_niter_4", "something new"])
def test_other_starts_do_not_show_training(tmp_path: Path, start: bool | str) -> None:
    assert adapter(tmp_path, lora(), init_lora_weights=start).trained is None


@pytest.mark.parametrize("start", [None, True, "gaussian", "eva"])
def test_starts_at_zero_show_training(tmp_path: Path, start: bool | str | None) -> None:
    assert adapter(tmp_path, lora(), init_lora_weights=start).trained is True


def test_without_a_configuration_training_is_not_claimed(tmp_path: Path) -> None:
    (one,) = adapters_of([], [weights_at(tmp_path, safetensors(lora()))])
    assert (one.trained, one.lora_parameters, one.config) == (None, 4096, None)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"r": 8}, "the configuration says r = 8, but the matrices of"),
        ({"target_modules": ["dense"]}, f"the weights adapt {MODULE}"),
        ({"target_modules": ["query_key_value", "dense"]}, "target_modules names dense, for which"),
        ({"target_modules": ["key_value"]}, "which target_modules does not name"),
        ({"layers_to_transform": [0]}, "the weights adapt layer 1, outside"),
        ({"use_dora": True}, "use_dora = true, but the weights do not hold"),
    ],
)
def test_disagreements(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    assert any(words in sentence for sentence in adapter(tmp_path, lora(), **changes).disagreements)


@pytest.mark.parametrize(
    "changes",
    [
        {"rank_pattern": {"h.1": 8}},
        {"r": 8, "rank_pattern": {".*": 16}},
        {"target_modules": "all-linear"},
        {"target_modules": r".*\.(a+)+$"},
        {"target_modules": ["self_attention.query_key_value"]},
        {"target_modules": None},
        {"r": None},
        {"r": 2, "target_parameters": ["experts.w"]},
        {"peft_type": "ADALORA", "r": 2},
        {"layers_to_transform": [0, 1, 9]},
    ],
)
def test_what_is_no_disagreement(tmp_path: Path, changes: dict[str, Any]) -> None:
    assert adapter(tmp_path, lora(), **changes).disagreements == ()


def test_matrices_that_do_not_fit_are_told(tmp_path: Path) -> None:
    tensors = lora(layers=6)
    tensors |= {name: ones(96, 4) for name in tensors if "lora_B" in name and "h.5" not in name}
    tensors["base_model.model.transformer.h.7.dense.lora_A.weight"] = ones(16, 32)
    tensors["x.lora_A.weight"], tensors["x.lora_B.weight"] = ones(3), zeros()
    one = adapter(tmp_path, tensors)
    assert [module.layer for module in one.modules] == [5]
    assert f"the matrices of {MODULE} do not fit together: 16 × 32 and 96 × 4" in one.disagreements
    assert "and 4 more of this kind" in one.disagreements


def test_a_weight_that_nothing_explains_leaves_the_count_open(tmp_path: Path) -> None:
    """peft saves a resized embedding along although it was not trained."""
    tensors = lora() | {"base_model.model.lm_head.weight": ones(5, 7)}
    one = adapter(tmp_path, tensors)
    assert (one.lora_parameters, one.trainable_parameters) == (4096, None)
    assert one.unexplained == ("base_model.model.lm_head.weight",)
    assert adapter(tmp_path, tensors, modules_to_save=["lm_head"]).trainable_parameters == 4096 + 35
    assert adapter(tmp_path, tensors, modules_to_save=["head"]).trainable_parameters is None


def test_biases_count_where_they_are_trained(tmp_path: Path) -> None:
    tensors = lora() | {"base_model.model.ln_f.bias": ones(32)}
    assert adapter(tmp_path, tensors, bias="all").trainable_parameters == 4096 + 32
    one = adapter(tmp_path, tensors)
    assert one.trainable_parameters is None
    assert one.disagreements == ('the configuration says bias = "none", but biases of the base model are saved',)


def test_a_tensor_left_out_leaves_the_counts_open(tmp_path: Path) -> None:
    weights = weights_at(tmp_path, safetensors(lora(), odd=1))
    (one,) = adapters_of([config_at(tmp_path)], [weights])
    assert (one.lora_parameters, one.trainable_parameters, len(one.modules)) == (None, None, 2)


def test_a_folder_is_an_adapter(tmp_path: Path) -> None:
    configs = [config_at(tmp_path, f"{folder}/adapter_config.json") for folder in ("b", "a", "alone")]
    saved = [weights_at(tmp_path, safetensors(lora()), f"{folder}/adapter_model.safetensors") for folder in ("a", "b")]
    base = weights_at(tmp_path, safetensors({"wte.weight": ones(3, 3)}), "base/model.safetensors")
    cut = weights_at(tmp_path, b"", "cut/adapter_model.safetensors")
    found = adapters_of(configs, [*saved, base, cut])
    assert [(one.folder, one.config is not None, len(one.modules)) for one in found] == [
        ("a", True, 2),
        ("alone", True, 0),
        ("b", True, 2),
        ("cut", False, 0),
    ]
    assert all(Adapter.model_validate_json(one.model_dump_json()) == one for one in found)


def test_hostile_names_cost_no_time(tmp_path: Path) -> None:
    empty = zeros(1, 0)
    names = [f"{'a.' * 30}{number}.{kind}.weight" for number in range(5_000) for kind in ("lora_A", "b")]
    data = safetensors(dict.fromkeys(names, empty))
    changes: dict[str, Any] = {
        "target_modules": [f"x{n}" for n in range(2_000)],
        "modules_to_save": [f"y{n}" for n in range(100)],
    }
    with within(5):
        (one,) = adapters_of([config_at(tmp_path, **changes)], [weights_at(tmp_path, data)])
    assert len(one.disagreements) == 4
