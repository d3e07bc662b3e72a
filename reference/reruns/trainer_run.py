"""The same training through transformers' Trainer, as its run_glue script does it."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from reference.reruns.coding import Example, Examples, tensors
from reference.reruns.fine_tuning import Watch
from reference.reruns.run_record import EpochResult, Hardware, Outcome, Plan

if TYPE_CHECKING:
    import torch
    from transformers import Trainer, TrainerCallback, TrainingArguments

SITTINGS = "sittings.json"
LOG_EVERY = 25


def trainer_fine_tune(model: "torch.nn.Module", split: Examples, plan: Plan, folder: Path, watch: Watch) -> Outcome:
    """Train, evaluate after every epoch, and test the checkpoint with the best validation accuracy at the end.

    The Trainer keeps a checkpoint after every epoch, and goes on from the last one after a kill. Its own logs are
    `runs/…/events…`, `trainer_state.json` and `*_results.json`.
    """
    from transformers import Trainer

    started, before = time.monotonic(), _sittings(folder)
    optimiser, scheduler = _optimiser(model, plan)
    trainer = Trainer(
        model=model,
        args=arguments(folder, plan.hardware, plan),
        train_dataset=split.train,
        eval_dataset=split.valid,
        data_collator=_Collator(split.pad),
        compute_metrics=_accuracy,
        optimizers=(optimiser, scheduler),
        callbacks=[watching(watch)],
    )
    sittings = before["sittings"] + 1
    _keep(folder, sittings, before["seconds"])
    trainer.train(resume_from_checkpoint=last_whole_checkpoint(folder))
    trainer.save_state()
    valid = trainer.evaluate(cast(Any, split.valid))
    trainer.save_metrics("eval", valid)
    tested = trainer.evaluate(cast(Any, split.test), metric_key_prefix="test")
    trainer.save_metrics("test", tested)
    seconds = before["seconds"] + time.monotonic() - started
    _keep(folder, sittings, seconds)
    return Outcome(_results(trainer, tested["test_accuracy"]), seconds, int(sittings))


def last_whole_checkpoint(folder: Path) -> str | None:
    """The checkpoint to go on from. The Trainer writes its state last, so one without it was cut off by a kill."""
    whole = [path.parent for path in folder.glob("checkpoint-*/trainer_state.json")]
    return str(max(whole, key=lambda path: int(path.name.rpartition("-")[2]))) if whole else None


def arguments(folder: Path, hardware: Hardware, plan: Plan) -> "TrainingArguments":
    """The Trainer's arguments as run_glue is called."""
    from transformers import TrainingArguments

    recipe = plan.recipe
    return TrainingArguments(
        output_dir=str(folder),
        per_device_train_batch_size=recipe.batch,
        per_device_eval_batch_size=recipe.batch,
        num_train_epochs=recipe.epochs,
        learning_rate=recipe.peak_rate,
        warmup_steps=recipe.warm_up_updates,
        weight_decay=recipe.decay,
        seed=plan.seed,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="accuracy",
        logging_steps=min(LOG_EVERY, -(-plan.splits["train"] // recipe.batch)),
        **common(hardware),
    )


def common(hardware: Hardware) -> dict[str, Any]:
    """The arguments that depend on the machine, and those that keep a run quiet."""
    return {
        "use_cpu": hardware.device == "cpu",
        "bf16": hardware.precision == "bfloat16",
        "torch_compile": hardware.compiled,
        "dataloader_pin_memory": hardware.device == "cuda",
        "remove_unused_columns": False,
        "report_to": ["tensorboard"],
        "disable_tqdm": True,
    }


class _Collator:
    """Makes tensors of a batch, by the names that transformers' models know."""

    def __init__(self, pad: int) -> None:
        self._pad = pad

    def __call__(self, batch: list[Example]) -> "dict[str, torch.Tensor]":
        numbers, mask, labels = tensors(batch, self._pad)
        return {"input_ids": numbers, "attention_mask": mask, "labels": labels}


def _accuracy(prediction: Any) -> dict[str, float]:
    """As a fraction, as run_glue reports it."""
    logits, labels = prediction
    return {"accuracy": float((logits.argmax(axis=-1) == labels).mean())}


def _optimiser(
    model: "torch.nn.Module", plan: Plan
) -> "tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LambdaLR]":
    """The optimiser and the rate after each update. The Trainer's own schedule always ends with the training."""
    import torch

    recipe = plan.recipe
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimiser = torch.optim.AdamW(
        trained, lr=recipe.peak_rate, betas=recipe.betas, eps=recipe.epsilon, weight_decay=recipe.decay, fused=True
    )
    return optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, lambda done: recipe.rate(done) / recipe.peak_rate)


def watching(watch: Watch) -> "TrainerCallback":
    """A callback of the Trainer that reports every update. The loss is the last that was logged, in the Trainer's nats;
    what the Trainer would print is silenced."""
    from transformers import TrainerCallback

    class Watching(TrainerCallback):
        loss = float("nan")

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
            self.loss = (logs or {}).get("loss", self.loss)

        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            watch(state.global_step, state.max_steps, self.loss)

    return Watching()


def _results(trainer: "Trainer", tested: float) -> tuple[EpochResult, ...]:
    """The results by epoch from the Trainer's own history; each mean loss is of the last log before it."""
    history = trainer.state.log_history
    best = trainer.state.best_global_step
    found: list[EpochResult] = []
    loss = 0.0
    for entry in history[: _end_of_training(history)]:
        loss = entry.get("loss", loss)
        if "eval_accuracy" in entry:
            test = 100 * tested if entry["step"] == best else None
            accuracy = 100 * entry["eval_accuracy"]
            found.append(
                EpochResult(epoch=len(found) + 1, step=entry["step"], train_loss=loss, valid=accuracy, test=test)
            )
    return tuple(found)


def _end_of_training(history: list[dict[str, Any]]) -> int:
    return next((place for place, entry in enumerate(history) if "train_runtime" in entry), len(history))


def _sittings(folder: Path) -> dict[str, float]:
    file = folder / SITTINGS
    if not file.is_file():
        return {"sittings": 0, "seconds": 0.0}
    kept: dict[str, float] = json.loads(file.read_text(encoding="utf-8"))
    return kept


def _keep(folder: Path, sittings: float, seconds: float) -> None:
    (folder / SITTINGS).write_text(json.dumps({"sittings": sittings, "seconds": seconds}), encoding="utf-8")
