"""The training loop: fairseq's sentence prediction, update by update, deterministic for a seed. It keeps the state from
which it goes on after a kill to the same result, and scores the splits.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reference.reruns.coding import Example, Examples, epoch_order, fixed_batches, micro_batches, tensors
from reference.reruns.hardware import numbers_as
from reference.reruns.run_record import Hardware, LogEntry, Plan, RerunError

if TYPE_CHECKING:
    import torch
    from torch import nn


FILE = "state.pt"


@dataclass
class Tally:
    """Sums since the last log: of losses in nats, right answers, examples, tokens, gradient norms and updates."""

    loss: float = 0.0
    right: int = 0
    examples: int = 0
    tokens: int = 0
    norm: float = 0.0
    updates: int = 0
    seconds: float = 0.0

    def add(self, other: "Tally") -> None:
        """Count another tally in."""
        for name in vars(other):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class Position:
    """The progress of a run. It needs no state of random numbers: these are drawn anew from seed and update, as fairseq
    does before every update."""

    updates: int = 0
    seconds: float = 0.0
    sittings: int = 0
    inner: Tally = field(default_factory=Tally)
    epoch: Tally = field(default_factory=Tally)
    logged: list[LogEntry] = field(default_factory=list)


def save_state(
    folder: Path, plan: Plan, position: Position, model: "torch.nn.Module", optimiser: "torch.optim.Optimizer"
) -> None:
    """Write the state to a temporary name and rename it, so that a kill leaves the last whole one."""
    import torch

    content = {
        "plan": plan.sha256,
        "updates": position.updates,
        "seconds": position.seconds,
        "sittings": position.sittings,
        "inner": vars(position.inner),
        "epoch": vars(position.epoch),
        "logged": [entry.model_dump() for entry in position.logged],
        "model": model.state_dict(),
        "optimiser": optimiser.state_dict(),
    }
    temporary = folder / f"{FILE}.tmp"
    torch.save(content, temporary)
    temporary.replace(folder / FILE)


def load_state(
    folder: Path, plan: Plan, model: "torch.nn.Module", optimiser: "torch.optim.Optimizer"
) -> Position | None:
    """Put model and optimiser where they were; None when there is nothing to go on from.

    Raises RerunError when the state is of another plan.
    """
    import torch

    file = folder / FILE
    if not file.is_file():
        return None
    content = torch.load(file, map_location=plan.hardware.device, weights_only=True)
    if content["plan"] != plan.sha256:
        raise RerunError(
            f"{folder} holds an unfinished run with other settings or data. Choose another --out, or delete it."
        )
    model.load_state_dict(content["model"])
    optimiser.load_state_dict(content["optimiser"])
    return Position(
        updates=content["updates"],
        seconds=content["seconds"],
        sittings=content["sittings"],
        inner=Tally(**content["inner"]),
        epoch=Tally(**content["epoch"]),
        logged=[LogEntry.model_validate(entry) for entry in content["logged"]],
    )


BATCH = 16


class Score(NamedTuple):
    """Mean loss in nats, and the number of right answers among `examples`."""

    loss: float
    right: int
    examples: int

    @property
    def accuracy(self) -> float:
        """The accuracy in percent."""
        return 100 * self.right / self.examples


def evaluate(model: "nn.Module", examples: list[Example], hardware: Hardware, pad: int) -> Score:
    """Score a classifier without dropout. Examples of like length are computed together, which changes no result."""
    import torch

    model.eval()
    ordered = sorted(examples, key=lambda example: len(example.numbers))
    total, right = 0.0, 0
    with torch.inference_mode(), numbers_as(hardware):
        for start in range(0, len(ordered), BATCH):
            numbers, mask, labels = (part.to(hardware.device) for part in tensors(ordered[start : start + BATCH], pad))
            logits = model(input_ids=numbers, attention_mask=mask).logits.float()
            total += float(torch.nn.functional.cross_entropy(logits, labels, reduction="sum"))
            right += int((logits.argmax(dim=-1) == labels).sum())
    return Score(total / len(ordered), right, len(ordered))


LOG_EVERY = 25
SAVE_EVERY = 75

Watch = Callable[[int, int, float], None]
"""Called after every update with the updates made so far, those of the whole run, and the loss that was logged last."""


def ignore_progress(_done: int, _all: int, _loss: float) -> None:
    """A run that nobody watches."""


def fine_tune(
    model: "torch.nn.Module",
    split: Examples,
    plan: Plan,
    folder: Path,
    watch: Watch = ignore_progress,
    kept: Callable[[Position], None] = lambda _position: None,
) -> Position:
    """Train for all epochs, or on from the state in `folder`, and return where the run ended. `kept` is called whenever
    the state was saved.

    Raises RerunError when the loss is no number any more, or the state in the folder is of another plan.
    """
    optimiser = _optimiser(model, plan)
    position = load_state(folder, plan, model, optimiser) or Position()
    position.sittings += 1
    batches = fixed_batches(len(split.train), plan.recipe.batch, plan.seed)
    total = plan.recipe.epochs * len(batches)
    while position.updates < total:
        started = time.monotonic()
        epoch, within = divmod(position.updates, len(batches))
        order = epoch_order(len(batches), plan.seed, epoch + 1)
        tally = _update(
            model, optimiser, [split.train[i] for i in batches[order[within]]], plan, position.updates, split.pad
        )
        position.updates += 1
        tally.seconds = time.monotonic() - started
        position.inner.add(tally)
        position.epoch.add(tally)
        position.seconds += tally.seconds
        watch(position.updates, total, tally.loss / tally.examples / math.log(2))
        ended = within + 1 == len(batches)
        if position.inner.updates == LOG_EVERY or ended:
            _log_training(position, "train_inner", epoch + 1, plan, position.inner)
            position.inner = Tally()
        if ended:
            _end_epoch(model, split, plan, position, epoch + 1)
        if ended or position.updates % SAVE_EVERY == 0:
            save_state(folder, plan, position, model, optimiser)
            kept(position)
    return position


def _optimiser(model: "torch.nn.Module", plan: Plan) -> "torch.optim.Optimizer":
    """fairseq's Adam shrinks weights apart from the gradient, which PyTorch calls AdamW, and spares none of them."""
    import torch

    recipe = plan.recipe
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return torch.optim.AdamW(
        trained, lr=recipe.peak_rate, betas=recipe.betas, eps=recipe.epsilon, weight_decay=recipe.decay, fused=True
    )


def _update(
    model: "torch.nn.Module", optimiser: "torch.optim.Optimizer", batch: list[Example], plan: Plan, done: int, pad: int
) -> Tally:
    import torch

    hardware = plan.hardware
    torch.manual_seed(plan.seed + done)
    for group in optimiser.param_groups:
        group["lr"] = plan.recipe.rate(max(1, done))  # fairseq makes its first two updates with the same rate
    model.train()
    optimiser.zero_grad(set_to_none=True)
    tally = Tally(examples=len(batch), tokens=sum(len(example.numbers) for example in batch), updates=1)
    for part in micro_batches(batch, hardware.micro_batch):
        numbers, mask, labels = (tensor.to(hardware.device) for tensor in tensors(part, pad))
        with numbers_as(hardware):
            logits = model(input_ids=numbers, attention_mask=mask).logits
        loss = torch.nn.functional.cross_entropy(logits.float(), labels, reduction="sum")
        torch.autograd.backward(loss / len(batch))
        tally.loss += float(loss.detach())
        tally.right += int((logits.argmax(dim=-1) == labels).sum())
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    tally.norm = float(torch.nn.utils.get_total_norm(gradients))
    if not math.isfinite(tally.loss):
        raise RerunError(f"The loss is no number after {done + 1} updates; lower the peak rate, or use float32.")
    optimiser.step()
    return tally


def _end_epoch(model: "torch.nn.Module", split: Examples, plan: Plan, position: Position, epoch: int) -> None:
    best = max((entry.values["accuracy"] for entry in position.logged if entry.subset == "valid"), default=None)
    for subset, examples in (("valid", split.valid), ("test", split.test)):
        started = time.monotonic()
        score = evaluate(model, examples, plan.hardware, split.pad)
        seconds = time.monotonic() - started
        position.seconds += seconds
        tokens = sum(len(example.numbers) for example in examples)
        values = {
            "loss": score.loss / math.log(2),
            "nll_loss": score.loss / math.log(2) * len(examples) / tokens,
            "accuracy": score.accuracy,
            "wps": tokens / seconds,
            "wpb": tokens / math.ceil(len(examples) / plan.recipe.batch),
            "bsz": len(examples) / math.ceil(len(examples) / plan.recipe.batch),
        }
        if subset == "valid" and best is not None:  # fairseq tells it of the first validation set, not of `test`
            values["best_accuracy"] = max(best, score.accuracy)
        _log(position, subset, epoch, values)
    _log_training(position, "train", epoch, plan, position.epoch)
    position.epoch = Tally()


def _log_training(position: Position, subset: str, epoch: int, plan: Plan, tally: Tally) -> None:
    values = {
        "loss": tally.loss / tally.examples / math.log(2),
        "nll_loss": tally.loss / tally.tokens / math.log(2),
        "accuracy": 100 * tally.right / tally.examples,
        "wps": tally.tokens / tally.seconds,
        "ups": tally.updates / tally.seconds,
        "wpb": tally.tokens / tally.updates,
        "bsz": tally.examples / tally.updates,
        "lr": plan.recipe.rate(position.updates),
        "gnorm": tally.norm / tally.updates,
        "train_wall": tally.seconds,
        "wall": position.seconds,
    }
    _log(position, subset, epoch, values)


def _log(position: Position, subset: str, epoch: int, values: dict[str, float]) -> None:
    position.logged.append(
        LogEntry(subset=subset, epoch=epoch, step=position.updates, wall_time=time.time(), values=values)
    )
