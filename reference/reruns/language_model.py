"""The causal language model of an experiment with LoRA: from a folder, in 4 bits where that works, or random."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference.reruns.errors import RerunError
from reference.reruns.recipe import Sizes
from reference.reruns.run_record import Hardware

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transformers import PreTrainedModel, PreTrainedTokenizerBase

BEGIN, PAD, END = "<s>", "<pad>", "</s>"


def quantised(hardware: Hardware) -> bool:
    """Whether weights can be loaded in 4 bits: on a GPU with bitsandbytes."""
    return hardware.device == "cuda" and find_spec("bitsandbytes") is not None


def load(folder: Path, hardware: Hardware) -> "PreTrainedModel":
    """A model from a folder, as the lab configures it; nothing is downloaded. Raises RerunError."""
    import torch
    from transformers import AutoModelForCausalLM, BitsAndBytesConfig

    options: dict[str, Any] = {}
    if quantised(hardware):
        options["quantization_config"] = BitsAndBytesConfig(  # type: ignore[no-untyped-call]
            load_in_4bit=True,
            bnb_4bit_use_double_quant=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_compute_dtype=torch.bfloat16,
        )
    try:
        model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(str(folder), local_files_only=True, **options)
    except (OSError, ValueError, RuntimeError) as error:
        raise RerunError(f"transformers cannot load a language model from {folder}: {error}") from error
    return model


def random_bloom(sizes: Sizes, seed: int) -> "PreTrainedModel":
    """A BLOOM with random weights drawn from a seed."""
    import torch
    from transformers import BloomConfig, BloomForCausalLM

    torch.manual_seed(seed)
    return BloomForCausalLM(
        BloomConfig(vocab_size=sizes.vocabulary, hidden_size=sizes.width, n_layer=sizes.layers, n_head=sizes.heads)
    )


def trained_tokenizer(texts: "Iterable[str]", rows: int) -> "PreTrainedTokenizerBase":
    """A byte-level tokenizer made from some texts, for a model that has none."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import PreTrainedTokenizerFast

    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(texts, vocab_size=rows, special_tokens=[BEGIN, PAD, END], show_progress=False)
    marks = {"bos_token": BEGIN, "pad_token": PAD, "eos_token": END}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer, **marks)  # type: ignore[no-untyped-call]


def with_lora(model: "PreTrainedModel", parameters: dict[str, str]) -> Any:
    """The model with an adapter as the lab's parameters set it. Raises RerunError when peft refuses one."""
    from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training

    if getattr(model, "is_loaded_in_4bit", False):
        model = prepare_model_for_kbit_training(model)  # type: ignore[no-untyped-call]
    try:
        config = LoraConfig(
            r=int(parameters["r"]),
            lora_alpha=int(parameters["lora_alpha"]),
            target_modules=parameters["target_modules"].split(","),
            lora_dropout=float(parameters["lora_dropout"]),
            bias=parameters["bias"],  # type: ignore[arg-type]
            task_type=parameters["task_type"],
        )
        return get_peft_model(model, config)
    except (KeyError, ValueError) as error:
        raise RerunError(f"The lab's [[parameters]] make no LoRA configuration: {error}.") from error
