"""What one writes on paper equals what the library builds, part by part."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.counting.components import take_apart
from reference.counting.formulas import closed_form
from reference.counting.model import build
from tests.reference.counting.models import ROBERTA_SMALL, values_of

SIZES = st.integers(1, 40)
LAYERS = st.integers(1, 3)


@st.composite
def encoders(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    heads = draw(st.integers(1, 4))
    return {
        "model_type": draw(st.sampled_from(["bert", "roberta", "xlm-roberta"])),
        "vocab_size": draw(st.integers(2, 90)),
        "hidden_size": heads * draw(st.integers(1, 8)),
        "num_attention_heads": heads,
        "intermediate_size": draw(SIZES),
        "num_hidden_layers": draw(LAYERS),
        "max_position_embeddings": draw(st.integers(2, 40)),
        "type_vocab_size": draw(st.integers(1, 3)),
        "tie_word_embeddings": draw(st.booleans()),
    }, draw(st.sampled_from(["base", "masked-lm"]))


@st.composite
def decoders(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    heads = draw(st.integers(1, 4))
    width = heads * draw(st.integers(1, 8))
    values = {"vocab_size": draw(st.integers(2, 90)), "tie_word_embeddings": draw(st.booleans())}
    gpt2 = {"n_embd": width, "n_head": heads, "n_layer": draw(LAYERS), "n_positions": draw(SIZES)}
    bloom = {"hidden_size": width, "n_head": heads, "n_layer": draw(LAYERS)}
    own = draw(
        st.sampled_from(
            [{"model_type": "gpt2", "n_inner": draw(SIZES | st.none()), **gpt2}, {"model_type": "bloom", **bloom}]
        )
    )
    return {**values, **own}, draw(st.sampled_from(["base", "causal-lm"]))


@st.composite
def llamas(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    groups, size = draw(st.integers(1, 3)), 2 * draw(st.integers(1, 6))
    heads = groups * draw(st.integers(1, 3))
    return {
        "model_type": draw(st.sampled_from(["llama", "mistral"])),
        "vocab_size": draw(st.integers(2, 90)),
        "hidden_size": heads * size,
        "num_attention_heads": heads,
        "num_key_value_heads": groups,
        "head_dim": draw(st.sampled_from([size, 2 * size])),
        "intermediate_size": draw(SIZES),
        "num_hidden_layers": draw(LAYERS),
        "tie_word_embeddings": draw(st.booleans()),
    }, draw(st.sampled_from(["base", "causal-lm"]))


@st.composite
def encoder_decoders(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    return {
        "model_type": "t5",
        "vocab_size": draw(st.integers(2, 90)),
        "d_model": draw(SIZES),
        "d_kv": draw(st.integers(1, 9)),
        "d_ff": draw(SIZES),
        "num_heads": draw(st.integers(1, 4)),
        "num_layers": draw(LAYERS),
        "num_decoder_layers": draw(LAYERS),
        "relative_attention_num_buckets": draw(st.integers(2, 9)),
        "feed_forward_proj": draw(st.sampled_from(["relu", "gated-gelu"])),
    }, draw(st.sampled_from(["base", "seq2seq-lm"]))


@settings(max_examples=80, deadline=None)
@given(encoders() | decoders() | llamas() | encoder_decoders())
def test_every_part_has_the_size_of_its_formula(drawn: tuple[dict[str, Any], str]) -> None:
    values, task = drawn
    built = build(values, task)
    form = closed_form(built.model.config, task)
    assert form is not None
    counted: dict[str, int] = {}
    for group in take_apart(built).groups:
        counted[group.part] = counted.get(group.part, 0) + group.sum
    assert {term.part: term.value for term in form.terms} == counted


def test_the_labs_model_on_paper() -> None:
    built = build(ROBERTA_SMALL, "masked-lm")
    form = closed_form(built.model.config, "masked-lm")
    assert form is not None
    assert form.total == 23_125_248
    assert {term.part: term.expression for term in form.terms}["attention"] == "L (4 d² + 4 d)"


def test_options_without_a_formula_have_none() -> None:
    built = build(values_of("llama-7b", attention_bias=True), "causal-lm")
    assert closed_form(built.model.config, "causal-lm") is None


@pytest.mark.parametrize("task", ["seq-classification", "nonsense"])
def test_tasks_without_a_formula_have_none(task: str) -> None:
    assert closed_form(build(ROBERTA_SMALL, "base").model.config, task) is None
