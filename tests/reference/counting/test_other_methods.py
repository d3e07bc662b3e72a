"""The LoRA paper's other rows for GPT-3 (tables 4 and 15): adapters, learned embeddings, biases, by their own formulas.

Width and depth come from the model as it is built, so the formulas are held against a real module tree.
"""

import pytest

from reference.counting.components import TakenApart
from tests.reference.counting.models import taken

D, L = 12_288, 96
PER_LAYER = 2
"""Houlsby's adapters stand behind the attention and behind the feed-forward part."""


@pytest.fixture(scope="module")
def gpt3() -> TakenApart:
    return taken("gpt3-175b", "causal-lm")


def test_the_shape_is_that_of_the_built_model(gpt3: TakenApart) -> None:
    token = next(group for group in gpt3.groups if group.part == "token embedding")
    assert token.values % D == 0
    assert gpt3.layers == L


@pytest.mark.parametrize(
    ("r", "printed"), [(1, 7.1), (4, 21.2), (8, 40.1), (16, 77.9), (64, 304.4)], ids=lambda value: str(value)
)
def test_bottleneck_adapters(r: int, printed: float) -> None:
    """Down and up projection with their biases; the norms are not counted."""
    count = PER_LAYER * L * (2 * D * r + r + D)
    assert round(count / 1e6, 1) == printed


def test_learned_prefix_embeddings_agree() -> None:
    assert round((256 + 8) * D / 1e6, 1) == 3.2


def test_learned_layer_activations_contradict_the_papers_own_formula() -> None:
    """L x d x (l_p + l_i) with 8 and 8 gives 18.9, where 20.2 is printed."""
    assert round(L * D * (8 + 8) / 1e6, 1) == 18.9


def test_trained_biases_contradict_the_print(gpt3: TakenApart) -> None:
    """The model has 11 d bias values a layer and d in the last norm, 13.0 M; 12 d a layer would give 14.2."""
    linear = sum(group.values * group.times for group in gpt3.groups if group.kind == "bias")
    norms = sum(group.values * group.times for group in gpt3.groups if group.kind == "norm") // 2
    assert linear + norms == L * 11 * D + D == 12_988_416
    assert round(L * 12 * D / 1e6, 1) == 14.2
