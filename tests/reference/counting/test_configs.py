"""Whatever a configuration file holds, the answer is a count or a sentence that names what is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from reference.counting.components import take_apart
from reference.counting.configs import CountError, make_config, read_values, unknown_keys
from reference.counting.conventions import check_exclusions
from reference.counting.lora import parse_lora
from reference.counting.model import build
from tests.reference.counting.models import ROBERTA_SMALL, values_of


def written(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "config.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not JSON"),
        ('{"model_type": "bert"', "not JSON"),
        (b"\xff\xfe\x00{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"model_type": "bert", "vocab_size": ' + "9" * 5000 + "}", "not JSON"),
        ('["bert"]', "no JSON object"),
        ("{}", "`model_type` is missing"),
        ('{"model_type": 3}', "`model_type` must be a name"),
        ('{"model_type": "bret"}', "bert"),
        ('{"model_type": "Roberta"}', "roberta"),
        ('{"model_type": "../../etc"}', "not an architecture"),
        ('{"model_type": "bert", "vocab_size": 1000000000000}', "`vocab_size` is 1,000,000,000,000"),
        ('{"model_type": "bert", "num_hidden_layers": 1000000000}', "`num_hidden_layers`"),
        ('{"model_type": "bert", "num_labels": 1000000000}', "`num_labels`"),
        ('{"model_type": "swin", "depths": [2, 999999999]}', "`depths`"),
        ('{"model_type": "llava", "text_config": {"vocab_size": 1000000000000}}', "`text_config.vocab_size`"),
        ('{"model_type": "bert", "num_hidden_layers": -1}', "`num_hidden_layers` is -1: a size cannot be negative"),
        ('{"model_type": "bert", "vocab_size": 0}', "`vocab_size` is 0"),
        ('{"model_type": "bert", "num_attention_heads": 0}', "`num_attention_heads` is 0"),
    ],
)
def test_files_that_are_no_configuration(tmp_path: Path, content: str | bytes, said: str) -> None:
    with pytest.raises(CountError) as caught:
        read_values(written(tmp_path, content))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.json", tmp_path):
        with pytest.raises(CountError, match="cannot be read"):
            read_values(path)


def test_a_file_that_is_far_too_large(tmp_path: Path) -> None:
    with pytest.raises(CountError, match="too large"):
        read_values(written(tmp_path, b" " * 10_000_001))


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"vocab_size": "32000"}, ["`vocab_size`", "expected int, got str"]),
        ({"hidden_size": [1]}, ["`hidden_size`"]),
        ({"id2label": 3}, ["`id2label`"]),
        ({"hidden_act": "no-such-function"}, ["`hidden_act`"]),
        ({"num_attention_heads": 7}, ["not a multiple of the number of attention heads (7)"]),
        ({"pad_token_id": 32000}, ["`pad_token_id`"]),
    ],
)
def test_values_that_no_model_can_have_are_named(overrides: dict[str, JsonValue], said: list[str]) -> None:
    with pytest.raises(CountError) as caught:
        build({**ROBERTA_SMALL, **overrides}, "base")
    assert all(one in str(caught.value) for one in said), str(caught.value)


def test_missing_keys_take_the_architectures_defaults() -> None:
    assert take_apart(build({"model_type": "bert"}, "base")).total == 109_482_240


def test_a_missing_key_without_a_default_is_named() -> None:
    with pytest.raises(CountError, match="vocab_size"):
        build({"model_type": "esm"}, "base")


def test_tasks() -> None:
    with pytest.raises(CountError, match="masked-lm"):
        build(ROBERTA_SMALL, "no-such-task")
    with pytest.raises(CountError, match="AutoModelForSeq2SeqLM for 'roberta'"):
        build(ROBERTA_SMALL, "seq2seq-lm")
    with pytest.raises(CountError, match="part of"):
        build({"model_type": "sam_mask_decoder"})


@pytest.mark.parametrize(
    ("named", "task"),
    [(["RobertaForMaskedLM"], "masked-lm"), (["Unknown"], "base"), ([], "base"), (None, "base")],
)
def test_the_configuration_may_name_its_class(named: JsonValue, task: str) -> None:
    assert build({**ROBERTA_SMALL, "architectures": named}).task == task


def test_keys_that_cannot_change_a_count_are_ignored() -> None:
    values: dict[str, JsonValue] = {
        **ROBERTA_SMALL,
        "auto_map": {"AutoModel": "attacker/repository--code.Model"},
        "attn_implementation": "flash_attention_2",
        "quantization_config": {"quant_method": "no-such-method"},
        "dtype": "float99",
    }
    assert take_apart(build(values, "base")).total == 23_092_224


def test_a_misspelt_key_is_noticed() -> None:
    values: dict[str, JsonValue] = {"model_type": "roberta", "hiden_size": 256, "transformers_version": "4.0"}
    assert list(unknown_keys(values, make_config(values))) == [("hiden_size", "hidden_size")]


def test_hundreds_of_layers_and_experts_are_accepted() -> None:
    """The bounds are far above published models."""
    sizes = {"num_hidden_layers": 160, "num_local_experts": 512, "vocab_size": 1_000_000, "hidden_size": 65536}
    assert take_apart(build({"model_type": "mixtral", **sizes}, "base")).total > 10**12
    assert take_apart(build(values_of("llama-2-70b", max_position_embeddings=10_485_760))).layers == 80


@pytest.mark.parametrize(
    "text",
    ["", "r", "r=", "r=0,target=q", "r=x,target=q", "r=8", "target=q", "r=8,target=q,bias=some", "r=8,rank=4,target=q"],
)
def test_adapters_that_cannot_be(text: str) -> None:
    with pytest.raises(CountError) as caught:
        parse_lora(text)
    assert "\n" not in str(caught.value)


def test_adapters_are_read() -> None:
    lora = parse_lora("r=16, target=q_proj,target=v_proj,alpha=32,bias=all,save=classifier")
    assert (lora.r, lora.target_modules, lora.lora_alpha) == (16, ("q_proj", "v_proj"), 32)
    assert (lora.bias, lora.modules_to_save) == ("all", ("classifier",))


def test_what_cannot_be_left_out_is_named() -> None:
    assert check_exclusions(["norms", "biases", "norms"]) == ("norms", "biases")
    with pytest.raises(CountError, match="'bias' cannot be left out; what can is biases, norms"):
        check_exclusions(["bias"])


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 20), st.integers(10**8, 10**30), st.floats(), st.text(max_size=5)
)
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
OTHER_KEYS = (
    "architectures hidden_act id2label label2id num_labels pad_token_id layer_norm_eps is_decoder rope_scaling "
    "tie_word_embeddings torch_dtype pruned_heads problem_type use_cache"
)
KEYS = st.sampled_from([*ROBERTA_SMALL, *OTHER_KEYS.split()])


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(KEYS, ANYTHING, max_size=3))
def test_no_configuration_whatever_breaks_the_counter(tmp_path_factory: pytest.TempPathFactory, drawn: Any) -> None:
    path = tmp_path_factory.mktemp("config") / "config.json"
    path.write_text(json.dumps({**ROBERTA_SMALL, "num_hidden_layers": 1, **drawn}))
    try:
        said = str(take_apart(build(read_values(path))).total)
    except CountError as error:
        said = str(error)
    assert said
    assert "\n" not in said
