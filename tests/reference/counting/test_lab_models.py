"""The lab's two models by every convention that students, frameworks and notebooks use."""

import pytest
from pydantic import JsonValue

from reference.counting.components import TakenApart, take_apart
from reference.counting.conventions import Convention, total
from reference.counting.lora import Lora
from reference.counting.model import build
from tests.reference.counting.models import ROBERTA_SMALL, trainable, values_of, without

TABLE = 32000 * 512


def roberta(task: str, **overrides: JsonValue) -> TakenApart:
    return take_apart(build({**ROBERTA_SMALL, **overrides}, task))


@pytest.fixture(scope="module")
def masked() -> TakenApart:
    return roberta("masked-lm")


@pytest.mark.parametrize(
    ("left_out", "expected"),
    [
        (("biases", "norms", "head"), 22_807_552),
        (("norms", "head"), 22_819_840),
        (("biases", "head"), 22_816_768),
        (("head",), 22_829_056),
        ((), 23_124_736),
        (("positions", "biases", "norms", "head"), 22_675_456),
        (("positions", "head"), 22_696_960),
        (("feed-forward", "biases", "norms", "head"), 20_710_400),
        (("tokens", "head"), 6_445_056),
        (("attention", "feed-forward", "norms", "head"), TABLE + 258 * 512),
    ],
)
def test_as_fairseq_counts(masked: TakenApart, left_out: tuple[str, ...], expected: int) -> None:
    """fairseq's model has neither token types nor a pooler."""
    assert without(masked, "token-types", *left_out) == expected


def test_as_transformers_counts(masked: TakenApart) -> None:
    base, classifier = roberta("base"), roberta("seq-classification", num_labels=2)
    assert without(base, "pooler") == 22_829_568
    assert base.total == 23_092_224
    assert masked.total == 23_125_248
    assert roberta("masked-lm", tie_word_embeddings=False).total == 39_541_248
    assert classifier.total == 23_093_250
    assert without(classifier, "token-types") == 23_092_738


def test_why_the_two_differ(masked: TakenApart) -> None:
    """512 token types and a pooler of 262,656; the heads are the same ones."""
    base, classifier = roberta("base"), roberta("seq-classification", num_labels=2)
    fairseq = without(masked, "token-types", "head")
    assert base.total - fairseq == 512 + 262_656
    assert masked.total - without(masked, "head") == 295_680 == 512 * 512 + 512 + 1024 + 32000
    assert classifier.total - without(classifier, "head") == 263_682 == 512 * 512 + 512 + 512 * 2 + 2
    assert fairseq + 295_680 + 263_682 == 23_388_418, "what fairseq-train prints, with both heads"


def test_the_tied_projection_is_counted_once(masked: TakenApart) -> None:
    ties = {tie.name: tie.values for group in masked.groups for tie in group.tied}
    assert ties == {"lm_head.decoder.weight": TABLE, "lm_head.decoder.bias": 32000}
    assert without(masked, "token-types") + TABLE == 39_508_736, "a sum over the checkpoint counts it again"


@pytest.mark.parametrize(
    ("overrides", "weights_only", "all_but_head"),
    [
        ({"max_position_embeddings": 256}, 22_806_528, 22_828_032),
        ({"max_position_embeddings": 260}, 22_808_576, 22_830_080),
        ({"max_position_embeddings": 514}, 22_938_624, 22_960_128),
        ({"intermediate_size": 2048}, 29_099_008, 29_126_656),
        ({"intermediate_size": 3072}, 33_293_312, 33_325_056),
        ({"num_hidden_layers": 1}, 18_088_960, 18_095_104),
        ({"num_hidden_layers": 6}, 25_953_280, 25_985_024),
        ({"num_hidden_layers": 12}, 35_390_464, 35_452_928),
        ({"vocab_size": 31995}, 22_804_992, 22_826_496),
        ({"vocab_size": 50265}, 32_159_232, 32_180_736),
        ({"vocab_size": 250002}, 134_424_576, 134_446_080),
    ],
)
def test_models_of_the_architecture_that_are_not_the_labs(
    overrides: dict[str, JsonValue], weights_only: int, all_but_head: int
) -> None:
    model = roberta("masked-lm", **overrides)
    assert without(model, "token-types", "biases", "norms", "head") == weights_only
    assert without(model, "token-types", "head") == all_but_head


@pytest.fixture(scope="module")
def bloom() -> TakenApart:
    return take_apart(build(values_of("bloom-560m"), "causal-lm"))


def test_bloom_in_four_bits(bloom: TakenApart) -> None:
    stored = Convention(id="stored", title="", packed_bits=4)
    assert total(bloom.groups, stored) == 408_219_648
    assert bloom.total - total(bloom.groups, stored) == 301_989_888 // 2
    trained = stored.model_copy(update={"trainable": True})
    assert total(bloom.groups, trained) == 257_224_704, "the loader of today leaves the linear biases trainable"
    frozen_biases = trained.model_copy(update={"without": ("biases",)})
    assert total(bloom.groups, frozen_biases) == 257_003_520, "that of 2023 froze them"


def test_eight_bits_take_one_byte_each_and_do_not_train(bloom: TakenApart) -> None:
    stored = Convention(id="stored", title="", packed_bits=8)
    assert total(bloom.groups, stored) == bloom.total
    assert total(bloom.groups, stored.model_copy(update={"trainable": True})) == 257_224_704


def test_bloom_with_the_labs_adapter() -> None:
    adapted = take_apart(build(values_of("bloom-560m"), "causal-lm"), Lora(r=16, target_modules=("query_key_value",)))
    assert (trainable(adapted), adapted.total) == (1_572_864, 560_787_456)
    assert total(adapted.groups, Convention(id="stored", title="", packed_bits=4)) == 409_792_512


def test_the_matrices_that_are_packed_are_all_linear_but_the_output(bloom: TakenApart) -> None:
    packed = [group for group in bloom.groups if group.packable]
    assert sum(len(group.names) * group.times for group in packed) == 96
    assert {group.part for group in packed} == {"attention", "feed-forward"}
