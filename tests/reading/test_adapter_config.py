"""adapter_config.json: what is kept, and what is left out with a reason."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.intake.submission import Role
from grader.reading.adapters.adapter import AdapterConfig
from grader.reading.adapters.config_file import MOST_BYTES, read_adapter_config
from tests.reading.making import submitted
from tests.reading.making_adapters import LAB


def read(folder: Path, content: object) -> AdapterConfig:
    data = content if isinstance(content, bytes | str) else json.dumps(content)
    return read_adapter_config(submitted(folder, "lora/adapter_config.json", data, Role.MODEL))


def test_the_labs_configuration(tmp_path: Path) -> None:
    config = read(tmp_path, LAB | {"base_model_name_or_path": "bigscience/bloom-560m", "rank_pattern": {"h.1": 8}})
    assert (config.peft_type, config.r, config.lora_alpha, config.lora_dropout) == ("LORA", 16, 32, 0.05)
    assert (config.bias, config.target_modules, config.task_type) == ("none", ("query_key_value",), "CAUSAL_LM")
    assert (config.base_model_name_or_path, config.rank_pattern) == ("bigscience/bloom-560m", {"h.1": 8})
    assert config.problems == ()


def test_keys_without_a_field_are_kept_as_json(tmp_path: Path) -> None:
    config = read(tmp_path, {"r": 4, "enable_lora": None, "loftq_config": {"bits": [4]}, "é": "ü"})
    assert config.others == {"enable_lora": "null", "loftq_config": '{"bits": [4]}', "é": '"ü"'}


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("r", "16", 'r should be a whole number but is "16"'),
        ("r", True, "r should be a whole number but is true"),
        ("r", 16.0, "r should be a whole number but is 16.0"),
        ("r", 10**30, "r should be a whole number"),
        ("lora_alpha", float("nan"), "lora_alpha should be a number but is NaN"),
        ("lora_dropout", False, "lora_dropout should be a number but is false"),
        ("target_modules", [1], "target_modules should be a list of texts but is [1]"),
        ("target_modules", {"a": 1}, "target_modules should be a list of texts"),
        ("bias", None, None),
        ("bias", False, "bias should be a text but is false"),
        ("rank_pattern", {"h.1": "8"}, "rank_pattern should be a whole number"),
        ("modules_to_save", ["x"] * 101, "modules_to_save should be a list of at most 100 texts"),
        ("layers_to_transform", [0, "1"], "layers_to_transform should be a whole number"),
    ],
)
def test_a_wrong_type_costs_that_key_only(tmp_path: Path, key: str, value: Any, words: str | None) -> None:
    config = read(tmp_path, LAB | {key: value})
    assert getattr(config, key) is None
    assert config.peft_type == "LORA"
    assert [problem.startswith(words) for problem in config.problems] == [True] if words else config.problems == ()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf  \n", "empty"),
        (b'{"r": 16, "lora_al', "not valid JSON"),
        (b"[1, 2]", "no object"),
        (b'{"a": ' * 100_000, "nested too deeply"),
        (b"[" * 500_000, "nested too deeply"),
        (b'{"nbformat": 4}', "none of the keys"),
        (b'{"r": ' + b"9" * 10_000 + b"}", "not valid JSON"),
        (b'{"a": "' + b"x" * MOST_BYTES + b'"}', "only its beginning is read"),
        (b"\x80\x04\x95\0\0\0\0" * 50, "binary data"),
    ],
    ids=["empty", "mark", "cut", "list", "deep", "deeper", "foreign", "digits", "huge", "binary"],
)
def test_what_is_no_configuration_is_said(tmp_path: Path, content: bytes, words: str) -> None:
    config = read(tmp_path, content)
    assert config.r is None
    assert any(words in problem for problem in config.problems), config.problems


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_does_no_harm(tmp_path: Path, encoding: str) -> None:
    config = read(tmp_path, json.dumps(LAB).encode(encoding))
    assert (config.r, config.problems) == (16, ())


def test_many_foreign_keys_are_bounded(tmp_path: Path) -> None:
    config = read(tmp_path, {"r": 16} | {f"k{number}": number for number in range(5_000)})
    assert (config.r, len(config.others)) == (16, 2_000)
    assert "5001 keys" in config.problems[0]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None, max_examples=150)
@given(st.dictionaries(st.sampled_from([*LAB, "rank_pattern", "layers_to_transform", "modules_to_save"]), _JSON))
def test_any_values_make_a_configuration(tmp_path_factory: pytest.TempPathFactory, content: dict[str, Any]) -> None:
    config = read(tmp_path_factory.getbasetemp(), content)
    left_out = sum("it is left out" in problem for problem in config.problems)
    kept = sum(getattr(config, key) is not None for key in content)
    assert kept + left_out == sum(value is not None for value in content.values())
    assert AdapterConfig.model_validate_json(config.model_dump_json()) == config
