"""Teaching a language model to answer, by LoRA: counts, training, and answers before and after."""

import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.frozen import Frozen
from reference.reruns.coding import tokenizer_of
from reference.reruns.errors import RerunError
from reference.reruns.fine_tuning import Watch
from reference.reruns.hardware import device_name, prepare
from reference.reruns.job import Job
from reference.reruns.language_model import load, quantised, random_bloom, trained_tokenizer, with_lora
from reference.reruns.pairs import Pair, padded, prompt, read_pairs
from reference.reruns.performing import out_of_memory
from reference.reruns.recipe import Recipe
from reference.reruns.spec import GenerationSpec
from reference.reruns.trainer_run import common, last_whole_checkpoint, watching

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase, Trainer

RECORD = "generation.json"
ASKED = 3
"""Questions that are asked before and after."""


class Asked(Frozen):
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
    answers: tuple[Asked, ...]
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
        four_bit=quantised(job.hardware) and job.checkpoint is not None,
        losses=tuple(entry["loss"] for entry in trainer.state.log_history if "loss" in entry),
        answers=tuple(
            Asked(question=pair.question, before=one, after=other)
            for pair, one, other in zip(asked, before, after, strict=True)
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
    """What the model writes to a question: the likeliest token each time, so that nothing is drawn."""
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
        data_collator=lambda batch: padded(batch, pad if isinstance(pad, int) else 0),
        callbacks=[watching(watch)],
    )
