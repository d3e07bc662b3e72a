"""What the truth computes of packed weights by arithmetic is what bitsandbytes, torchinfo and peft count."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training
from torch import nn
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, BloomConfig, BloomForCausalLM, PreTrainedModel

from grader.lab.files import lab_folder, load_truth
from reference.counting.components import take_apart
from reference.counting.conventions import Convention, elements, state_elements, total
from reference.counting.lora import Lora
from reference.counting.model import build

SMALL: dict[str, Any] = {"model_type": "bloom", "vocab_size": 100, "hidden_size": 64, "n_layer": 2, "n_head": 4}
LORA = Lora(r=4, target_modules=("query_key_value",))


def small(**how: Any) -> int:
    taken = take_apart(build(SMALL, "causal-lm"), LORA, prepared=how.get("prepared", False))
    return total(taken.groups, Convention(id="one", title="one", **how))


def test_wider_elements_hold_more_weights() -> None:
    linear = 2 * 12 * 64 * 64
    whole = small()
    for storage, shared in {"uint8": 2, "float16": 4, "bfloat16": 4, "float32": 8}.items():
        assert small(packed_bits=4, storage=storage) == whole - linear + linear // shared


def test_a_tied_layer_is_counted_at_each_of_its_places() -> None:
    model = BloomForCausalLM(BloomConfig(**SMALL))
    again = sum(parameter.numel() for _, parameter in model.named_parameters(remove_duplicate=False))
    taken = take_apart(build(SMALL, "causal-lm"))
    assert (
        total(taken.groups, Convention(id="one", title="one", each_place=True))
        == again
        == model.num_parameters() + 6400
    )


def test_modules_that_are_skipped_stay_whole() -> None:
    assert small(packed_bits=4, skipped=("dense",)) - small(packed_bits=4) == 2 * 64 * 64 // 2


def test_nothing_is_trainable_in_a_model_that_is_prepared_last() -> None:
    assert small(trainable=True, prepared=True) == 2 * 4 * (64 + 192)
    assert small(trainable=True, prepared="last") == 0


def test_bytes_are_those_of_stored_elements() -> None:
    whole, adapter = small() - 2 * 4 * 256, 2 * 4 * 256
    linear = 2 * 12 * 64 * 64
    assert small(packed_bits=4, bytes_each=2) == 2 * (whole - linear) + linear // 2 + 4 * adapter


@pytest.mark.parametrize("storage", ["uint8", "bfloat16", "float32"])
def test_one_layer_is_packed_as_bitsandbytes_packs_it(storage: str) -> None:
    functional = pytest.importorskip("bitsandbytes.functional")
    weights = torch.randn(192, 64).half()
    packed, state = functional.quantize_4bit(
        weights, quant_type="nf4", compress_statistics=True, quant_storage=getattr(torch, storage)
    )
    groups = take_apart(build(SMALL, "causal-lm")).groups
    group = next(one for one in groups if one.packable and one.shapes[0] == (192, 64))
    one = group.model_copy(update={"shapes": group.shapes[:1], "names": group.names[:1]})
    convention = Convention(id="one", title="one", packed_bits=4, storage=storage, state="double")
    assert elements(one, convention) == packed.numel()
    kept = sum(array.numel() for array in state.as_dict(packed=True).values())
    assert abs(state_elements(one, convention) - kept) <= 4


@pytest.mark.slow
@pytest.mark.parametrize(("storage", "ending"), [("uint8", ""), ("bfloat16", "-in-16"), ("float32", "-in-32")])
def test_the_full_model_has_the_counts_of_the_truth(tmp_path: Path, storage: str, ending: str) -> None:
    pytest.importorskip("bitsandbytes")
    counts = {one.id: one for one in load_truth(lab_folder("nlp-frameworks")).counts}
    config = BloomConfig(vocab_size=250880, hidden_size=1024, n_layer=24, n_head=16)
    BloomForCausalLM(config).half().save_pretrained(tmp_path)
    how = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_quant_storage=getattr(torch, storage),
    )
    model: nn.Module = AutoModelForCausalLM.from_pretrained(tmp_path, quantization_config=how, device_map="cpu")
    assert summed(model) == (counts["bloom-560m/trainable-4-bit"].total, counts[f"bloom-560m/all-4-bit{ending}"].total)
    adapter = LoraConfig(r=16, lora_alpha=32, target_modules=["query_key_value"], task_type="CAUSAL_LM")
    adapted = get_peft_model(prepared(model), adapter)
    known = {name.partition("/")[2]: one for name, one in counts.items() if name.startswith("bloom-560m-lora/")}
    assert summed(adapted) == (known["trainable"].total, known[f"all-4-bit{ending}"].total)
    assert adapted.get_nb_trainable_parameters() == (known["trainable"].total, known["all"].total)
    assert known[f"state-dict{ending}"].holds(sum(array.numel() for array in adapted.state_dict().values()))
    assert adapted.get_memory_footprint() == known["memory"].total
    assert summed(prepared(adapted))[0] == known["trainable-prepared-last"].total


def prepared(model: nn.Module) -> PreTrainedModel:
    """The model as peft prepares it; peft gives its function no types."""
    prepare: Callable[[nn.Module], PreTrainedModel] = prepare_model_for_kbit_training
    return prepare(model)


def summed(model: nn.Module) -> tuple[int, int]:
    """What the lab's function prints."""
    sizes = [(one.numel(), one.requires_grad) for one in model.parameters()]
    return sum(size for size, trained in sizes if trained), sum(size for size, _ in sizes)
