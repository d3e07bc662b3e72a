"""What others have published about real models, against models built here from configurations written by hand.

All prints are exact ones, looked up in public repositories, model cards and documentation; names such as "125M" are
too coarse to test anything.
"""

import pytest

from tests.reference.counting.models import taken, trainable, without

PRINTS = [
    ("bert-base", "pretraining", 110_106_428),
    ("bert-base", "masked-lm", 109_514_298),
    ("bert-base", "base", 109_482_240),
    ("bert-large", "pretraining", 336_226_108),
    ("distilbert-base", "base", 66_362_880),
    ("roberta-base", "masked-lm", 124_697_433),
    ("xlm-roberta-base", "base", 278_043_648),
    ("gpt2", "causal-lm", 124_439_808),
    ("gpt2-medium", "causal-lm", 354_823_168),
    ("gpt2-large", "causal-lm", 774_030_080),
    ("gpt2-xl", "causal-lm", 1_557_611_200),
    ("bloom-560m", "causal-lm", 559_214_592),
    ("bloom-1b1", "causal-lm", 1_065_314_304),
    ("bloom-7b1", "causal-lm", 7_069_016_064),
    ("t5-small", "seq2seq-lm", 60_506_624),
    ("t5-base", "seq2seq-lm", 222_903_552),
    ("opt-125m", "causal-lm", 125_239_296),
    ("opt-350m", "causal-lm", 331_196_416),
    ("vit-base", "image-classification", 86_567_656),
    ("albert-base-v2", "base", 11_683_584),
    ("bart-base", "seq2seq-lm", 139_420_416),
    ("bart-large", "seq2seq-lm", 406_291_456),
    ("mistral-7b", "causal-lm", 7_241_732_096),
    ("llama-7b", "causal-lm", 6_738_415_616),
    ("llama-2-70b", None, 68_976_648_192),
]


@pytest.mark.parametrize(("name", "task", "published"), PRINTS)
def test_exact_prints(name: str, task: str | None, published: int) -> None:
    assert taken(name, task).total == published


ADAPTERS = [
    ("llama-7b", "causal-lm", "q_proj v_proj", 8, 4_194_304, 6_742_609_920),
    ("opt-6.7b", "causal-lm", "q_proj v_proj", 16, 8_388_608, 6_666_862_592),
    ("whisper-large-v2", "speech-seq2seq", "q_proj v_proj", 32, 15_728_640, 1_559_033_600),
    ("bloom-560m", "causal-lm", "query_key_value", 16, 1_572_864, 560_787_456),
]


@pytest.mark.parametrize(("name", "task", "targets", "r", "trained", "everything"), ADAPTERS)
def test_exact_prints_of_adapters(name: str, task: str, targets: str, r: int, trained: int, everything: int) -> None:
    adapted = taken(name, task, r=r, targets=targets)
    assert (trainable(adapted), adapted.total) == (trained, everything)
    assert without(adapted, "adapters") == taken(name, task).total == everything - trained


def test_adapter_with_a_saved_classifier() -> None:
    """peft's documentation prints 667,493 of 86,543,818: the copy of the classifier is trained, its original is kept
    frozen and counted. (Older releases printed other sums; transformers 5 calls query and value q_proj and v_proj.)"""
    adapted = taken(
        "vit-base", "image-classification", r=16, targets="q_proj v_proj", save="classifier", num_labels=101
    )
    classifier = 768 * 101 + 101
    assert (trainable(adapted), adapted.total) == (667_493, 86_543_818)
    assert trainable(adapted) == 12 * 2 * 16 * (768 + 768) + classifier


def test_a_print_that_moved_with_the_library() -> None:
    """peft's documentation prints 2,359,296 of 1,231,940,608 for mt0-large, with transformers 4: since 5 the output
    layer of mT5 is tied whatever the configuration says, and 250,112 x 1024 weights are no longer counted."""
    adapted = taken("mt0-large", "seq2seq-lm", r=8, targets="q v")
    assert trainable(adapted) == 2_359_296
    assert adapted.total in (1_231_940_608, 1_231_940_608 - 250_112 * 1024)
    tied = any("lm_head.weight" in {tie.name for tie in group.tied} for group in adapted.groups)
    assert tied == (adapted.total < 1_231_940_608)


GPT3 = {"hidden_size": 12288, "word_embed_proj_dim": 12288, "num_hidden_layers": 96, "num_attention_heads": 96}
"""GPT-3's shape with separate query, key, value and output matrices, as the LoRA paper adapts them."""

PAPER_AGREES = [
    ("roberta-base", {}, "query value", 8, 294_912, "0.3M, table 2"),
    ("roberta-large", {}, "query value", 8, 786_432, "0.8M, table 2"),
    ("opt-125m", GPT3, "v_proj", 2, 4_718_592, "4.7M, tables 4 and 15"),
    ("opt-125m", GPT3, "q_proj v_proj", 1, 4_718_592, "4.7M, table 15"),
    ("opt-125m", GPT3, "q_proj v_proj", 2, 9_437_184, "9.4M, table 15"),
    ("opt-125m", GPT3, "q_proj k_proj v_proj out_proj", 1, 9_437_184, "9.4M, table 15"),
    ("opt-125m", GPT3, "q_proj v_proj", 8, 37_748_736, "37.7M, tables 4 and 15"),
    ("opt-125m", GPT3, "q_proj v_proj", 64, 301_989_888, "301.9M, table 15: cut, not rounded"),
]


@pytest.mark.parametrize(("name", "shape", "targets", "r", "trained", "printed"), PAPER_AGREES)
def test_the_lora_paper_where_it_agrees(
    name: str, shape: dict[str, int], targets: str, r: int, trained: int, printed: str
) -> None:
    """Hu et al. 2021 print millions with one decimal."""
    shown = float(printed.split("M")[0])
    assert trainable(taken(name, "base", r=r, targets=targets, **shape)) == trained
    assert 0 <= trained / 1e6 - shown < 0.1 or abs(trained / 1e6 - shown) <= 0.05


@pytest.mark.parametrize(
    ("name", "targets", "r", "trained", "printed"),
    [
        ("deberta-v2-xxlarge", "query_proj value_proj", 8, 2_359_296, 4.7),  # table 2, with table 10's rank
        ("opt-125m", "q_proj v_proj", 4, 393_216, 0.35),  # table 3: GPT-2 medium, table 11's rank
    ],
)
def test_the_lora_paper_where_it_contradicts_itself(
    name: str, targets: str, r: int, trained: int, printed: float
) -> None:
    medium = {"hidden_size": 1024, "word_embed_proj_dim": 1024, "num_hidden_layers": 24, "num_attention_heads": 16}
    adapted = taken(name, "base", r=r, targets=targets, **(medium if name.startswith("opt") else {}))
    assert trainable(adapted) == trained
    assert abs(trained / 1e6 - printed) > 0.01, "the printed figure does not follow from the printed rank"


def test_the_printed_adapter_of_deberta_needs_the_double_rank() -> None:
    adapted = taken("deberta-v2-xxlarge", "base", r=16, targets="query_proj value_proj")
    assert trainable(adapted) == 4_718_592


@pytest.mark.parametrize(
    ("name", "task", "counted", "printed"),
    [
        ("gpt2-large", "causal-lm", 774_030_080, 774.03),  # table 3: agrees
        ("gpt2-medium", "causal-lm", 354_823_168, 354.92),  # table 3: 0.10M more than the model
        ("gpt3-175b", "causal-lm", 174_604_259_328, 175_255.8),  # table 4; GPT-3's own paper says 174,600M
        ("deberta-v2-xxlarge", "base", 1_564_549_632, 1500.0),  # table 2: the name's 1.5B
    ],
)
def test_whole_models_in_the_lora_paper(name: str, task: str, counted: int, printed: float) -> None:
    assert taken(name, task).total == counted
    assert (abs(counted / 1e6 - printed) < 0.005) == (name == "gpt2-large")


def test_published_sums_with_buffers_are_larger() -> None:
    """The Hub's parameter counts of old checkpoints add stored buffers: gpt2's masks, roberta's position numbers."""
    assert taken("gpt2", "causal-lm").total == 137_022_720 - 12 * 1024 * 1024
    assert taken("roberta-base", "masked-lm").total == 124_697_947 - 514
