"""Teaching a language model to answer, by LoRA: the model (from a folder, in 4 bits where that works, or random),
counts, training, and answers before and after.
"""

import json
import time
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from grader.frozen import Frozen
from reference.reruns.coding import tokenizer_of
from reference.reruns.fine_tuning import Watch
from reference.reruns.hardware import device_name, out_of_memory, prepare
from reference.reruns.run_record import Hardware, Recipe, RerunError, Sizes
from reference.reruns.spec import GenerationSpec, Job
from reference.reruns.trainer_run import common, last_whole_checkpoint, watching

if TYPE_CHECKING:
    from collections.abc import Iterable

    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase, Trainer


class Pair(NamedTuple):
    """A question and its answer."""

    question: str
    answer: str


def read_pairs(folder: Path, name: str) -> tuple[Pair, ...]:
    """The pairs of `<name>.jsonl`, one object with `question` and `answer` a line; none where there is no such file.

    Raises RerunError with the line that is wrong.
    """
    file = folder / f"{name}.jsonl"
    if not file.is_file():
        return ()
    found = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            record = json.loads(line)
            found.append(Pair(str(record["question"]), str(record["answer"])))
        except (ValueError, KeyError, TypeError) as error:
            raise RerunError(f'{file}, line {number} is not {{"question": "…", "answer": "…"}}: {error!r}') from error
    return tuple(found)


def prompt(question: str, answer: str = "") -> str:
    """The lab's prompt; without an answer it ends where the model is to go on."""
    return f"<human>: {question}\n<assistant>: {answer}".rstrip(" ")


def pad_batch(batch: list[list[int]], pad: int) -> "dict[str, torch.Tensor]":
    """Token numbers, mask and labels of shape (examples, longest); padding is not learned."""
    import torch

    longest = max(len(numbers) for numbers in batch)
    rows = [numbers + [pad] * (longest - len(numbers)) for numbers in batch]
    mask = torch.arange(longest) < torch.tensor([len(numbers) for numbers in batch])[:, None]
    numbers = torch.tensor(rows)
    return {"input_ids": numbers, "attention_mask": mask.long(), "labels": numbers.masked_fill(~mask, -100)}


BEGIN, PAD, END = "<s>", "<pad>", "</s>"


def can_quantise(hardware: Hardware) -> bool:
    """Whether weights can be loaded in 4 bits: on a GPU with bitsandbytes."""
    return hardware.device == "cuda" and find_spec("bitsandbytes") is not None


def load(folder: Path, hardware: Hardware) -> "PreTrainedModel":
    """A model from a folder, as the lab configures it; nothing is downloaded. Raises RerunError."""
    import torch
    from transformers import AutoModelForCausalLM, BitsAndBytesConfig

    options: dict[str, Any] = {}
    if can_quantise(hardware):
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


RECORD = "generation.json"
ASKED = 3
"""Questions that are asked before and after."""


class AnswerComparison(Frozen):
    """A question and what the model wrote to it before and after training."""

    question: str
    before: str
    after: str


class GenerationRecord(Frozen):
    """A whole run. `trainable` and `all` count stored elements, of which 4-bit weights have half as many; `losses` are
    in nats, by logged update."""

    experiment: str
    seed: int
    trainable: int
    all: int
    four_bit: bool
    losses: tuple[float, ...]
    answers: tuple[AnswerComparison, ...]
    seconds: float
    date: str
    device: str
    versions: dict[str, str]


def generate_run(job: Job, spec: GenerationSpec, watch: Watch) -> GenerationRecord:
    """Perform a run, or return its record where it is whole. The Trainer goes on from its last checkpoint.

    Raises RerunError when it cannot be done.
    """
    import torch

    folder = job.out / f"{spec.id}_seed{job.seed}"
    if (folder / RECORD).is_file():
        return GenerationRecord.model_validate_json((folder / RECORD).read_text(encoding="utf-8"))
    pairs = read_pairs(job.data, "train")
    if not pairs:
        raise RerunError(f'{job.data} has no train.jsonl with lines {{"question": "…", "answer": "…"}}.')
    folder.mkdir(parents=True, exist_ok=True)
    prepare(job.hardware)
    try:
        record = _perform(job, spec, pairs, folder, watch)
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise out_of_memory(spec.recipe.batch) from error
    temporary = folder / f"{RECORD}.tmp"
    temporary.write_text(record.model_dump_json(indent=1), encoding="utf-8")
    temporary.replace(folder / RECORD)
    return record


def _perform(job: Job, spec: GenerationSpec, pairs: tuple[Pair, ...], folder: Path, watch: Watch) -> GenerationRecord:
    started = time.monotonic()
    base, tokenizer = _model_and_tokenizer(job, spec, pairs)
    import torch

    torch.manual_seed(job.seed)
    model = with_lora(base, job.parameters).to(job.hardware.device)
    asked = (read_pairs(job.data, "test") or pairs)[:ASKED]
    before = [answer(model, tokenizer, pair.question, spec.new_tokens) for pair in asked]
    trainer = _trainer(model, tokenizer, job, spec, pairs, folder, watch)
    trainer.train(resume_from_checkpoint=last_whole_checkpoint(folder))
    trainer.save_state()
    after = [answer(model, tokenizer, pair.question, spec.new_tokens) for pair in asked]
    return GenerationRecord(
        experiment=spec.id,
        seed=job.seed,
        trainable=sum(p.numel() for p in model.parameters() if p.requires_grad),
        all=sum(p.numel() for p in model.parameters()),
        four_bit=can_quantise(job.hardware) and job.checkpoint is not None,
        losses=tuple(entry["loss"] for entry in trainer.state.log_history if "loss" in entry),
        answers=tuple(
            AnswerComparison(question=pair.question, before=first, after=other)
            for pair, first, other in zip(asked, before, after, strict=True)
        ),
        seconds=round(time.monotonic() - started, 1),
        date=datetime.now(UTC).date().isoformat(),
        device=device_name(job.hardware),
        versions={name: version(name) for name in ("torch", "transformers", "peft")},
    )


def _model_and_tokenizer(
    job: Job, spec: GenerationSpec, pairs: tuple[Pair, ...]
) -> "tuple[Any, PreTrainedTokenizerBase]":
    if job.checkpoint is not None:
        return load(job.checkpoint, job.hardware), tokenizer_of(job.checkpoint)
    if spec.sizes is None:
        raise RerunError(f"The rerun {spec.id} needs a model: name its folder with --checkpoint, or give `sizes`.")
    texts = (prompt(*pair) for pair in pairs)
    return random_bloom(spec.sizes, job.seed), trained_tokenizer(texts, spec.sizes.vocabulary)


def answer(model: Any, tokenizer: "PreTrainedTokenizerBase", question: str, new_tokens: int) -> str:
    """Return the model's answer to a question: the likeliest token each time, so that nothing is drawn."""
    import torch

    model.eval()
    asked = tokenizer(prompt(question), return_tensors="pt").to(model.device)
    with torch.inference_mode():
        written = model.generate(
            **asked, max_new_tokens=new_tokens, do_sample=False, pad_token_id=tokenizer.pad_token_id
        )
    return str(tokenizer.decode(written[0][asked["input_ids"].shape[1] :], skip_special_tokens=True))


def _trainer(
    model: Any,
    tokenizer: "PreTrainedTokenizerBase",
    job: Job,
    spec: GenerationSpec,
    pairs: tuple[Pair, ...],
    folder: Path,
    watch: Watch,
) -> "Trainer":
    from transformers import Trainer, TrainingArguments

    end = tokenizer.eos_token or ""
    texts = [prompt(*pair) + end for pair in pairs]
    numbers = [tokenizer(text, truncation=True, max_length=spec.longest)["input_ids"] for text in texts]
    steps = spec.recipe.epochs * -(-len(pairs) // spec.recipe.batch)
    recipe = Recipe(schedule=steps, **spec.recipe.model_dump())
    pad = tokenizer.pad_token_id
    return Trainer(
        model=model,
        args=TrainingArguments(
            output_dir=str(folder),
            per_device_train_batch_size=recipe.batch,
            num_train_epochs=recipe.epochs,
            learning_rate=recipe.peak_rate,
            warmup_steps=recipe.warm_up_updates,
            lr_scheduler_type="cosine",
            seed=job.seed,
            save_strategy="epoch",
            save_total_limit=1,
            logging_steps=1,
            **common(job.hardware),
        ),
        train_dataset=numbers,
        data_collator=lambda batch: pad_batch(batch, pad if isinstance(pad, int) else 0),
        callbacks=[watching(watch)],
    )
