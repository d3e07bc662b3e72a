"""Training logs as fairseq and the Trainer print them, with invented values."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

PEAK, WARMUP, TOTAL, UPDATES = 1e-5, 67, 1125, 225
NOISE = (
    "/usr/local/lib/python3.10/site-packages/torch/utils.py:12: UserWarning: this overload is deprecated",
    "2023-11-16 17:02:21 | INFO | fairseq.trainer | begin training epoch 1",
    "2023-11-16 17:02:21 | INFO | fairseq_cli.train | Start iterating over samples",
    '2023-11-16 17:02:21 | INFO | fairseq_cli.train | begin validation on "valid" subset',
    "Traceback (most recent call last):",
    "  (out_proj): Linear(in_features=512, out_features=512, bias=True)",
    "",
    "accuracy 12 loss=3 num_updates 9",
)


def rate(step: int, total: int = TOTAL, warmup: int = WARMUP, peak: float = PEAK) -> float:
    """The rate after so many updates."""
    return peak * step / warmup if step < warmup else max(0.0, peak * (total - step) / (total - warmup))


@dataclass
class Script:
    """Lines that grow, and where the value of each point was written: (tag, subset, step) -> (value, line)."""

    lines: list[str] = field(default_factory=list)
    points: dict[tuple[str, str, int], tuple[float, int]] = field(default_factory=dict)

    def say(self, *lines: str) -> None:
        """Write lines."""
        self.lines.extend(lines)

    def log(self, line: str, subset: str, step: int, values: dict[str, float]) -> None:
        """Write one line of statistics and note what it says."""
        self.lines.append(line)
        for tag, value in values.items():
            self.points[tag, subset, step] = (value, len(self.lines))


def stamp(logger: str, message: str) -> str:
    """A line of fairseq's logger."""
    return f"2023-11-16 17:02:20 | INFO | {logger} | {message}"


def namespace(seed: int, **others: object) -> str:
    """The configuration as old versions print it."""
    told = {"arch": "roberta_small", "batch_size": 8, "lr": [1e-05], "max_epoch": 5, "max_update": 1125}
    told |= {"restore_file": "checkpoint_last.pt", "seed": seed, "warmup_updates": 67, "user_dir": None} | others
    return f"Namespace({', '.join(f'{name}={value!r}' for name, value in told.items())})"


def configuration(seed: int, **others: object) -> str:
    """The configuration as new versions print it, nested."""
    told = {
        "_name": None,
        "common": {"_name": None, "seed": seed, "tpu": False, "log_format": "simple"},
        "dataset": {"batch_size": 8, "valid_subset": "valid,test"},
        "optimization": {"max_epoch": 5, "max_update": 1125, "lr": [1e-05]},
        "checkpoint": {"save_dir": "checkpoints", "restore_file": "checkpoint_last.pt"} | others,
        "lr_scheduler": {"_name": "polynomial_decay", "warmup_updates": 67, "power": 1.0, "total_num_update": 1125.0},
    }
    return repr(told)


def fairseq_run(
    script: Script,
    accuracies: Iterable[tuple[float, float]],
    *,
    form: str = "simple",
    opening: Iterable[str] = (),
    noise: Iterator[str] | None = None,
) -> None:
    """A run with one pair of accuracies, validation and test, for each epoch."""
    script.say(*(stamp("fairseq_cli.train", line) for line in opening))
    best = 0.0
    for epoch, (valid, test) in enumerate(accuracies, start=1):
        step = epoch * UPDATES
        if noise:
            script.say(next(noise))
        inner = {"loss": round(0.9 - 0.01 * epoch, 3), "accuracy": 50.0 + epoch, "lr": float(f"{rate(step):g}")}
        script.log(_inner(form, epoch, step, inner), "train_inner", step, inner)
        for subset, accuracy in (("valid", valid), ("test", test)):
            if noise:
                script.say(next(noise))
            values = {"loss": round(1.6 - accuracy / 100, 3), "accuracy": accuracy, "wps": 57640.0}
            if epoch > 1:
                values["best_accuracy"] = max(best, valid)
            script.log(_end(form, epoch, step, subset, values), subset, step, values)
        best = max(best, valid)
    script.say(stamp("fairseq_cli.train", "done training in 86.4 seconds"))


def _inner(form: str, epoch: int, step: int, values: dict[str, float]) -> str:
    told = {name: f"{value:g}" for name, value in values.items()} | {"num_updates": str(step)}
    if form == "json":
        return stamp("train_inner", json.dumps({"epoch": epoch, "update": float(epoch)} | told))
    commas = ", ".join(f"{name}={value}" for name, value in told.items())
    if form == "tqdm":
        return f"epoch {epoch:03d}: 100%|█████████▉| {UPDATES}/{UPDATES} [00:13<00:00, 16.4it/s, {commas}]"
    return stamp("train_inner", f"epoch {epoch:03d}:  {UPDATES:5d} / {UPDATES:d} {commas}")


def _end(form: str, epoch: int, step: int, subset: str, values: dict[str, float]) -> str:
    told = {name: f"{value:g}" for name, value in values.items()} | {"num_updates": str(step)}
    if form == "json":
        return stamp(subset, json.dumps({"epoch": epoch} | {f"{subset}_{name}": value for name, value in told.items()}))
    bars = " | ".join(f"{name} {value}" for name, value in told.items())
    return stamp(subset, f"epoch {epoch:03d} | valid on '{subset}' subset | {bars}")


def trainer_run(
    script: Script, accuracies: Iterable[float], *, seed: int, best: int, quoted: bool = False, samples: int = 200
) -> None:
    """A run of the Trainer as its log at level INFO shows it; at its end the best checkpoint is evaluated again."""
    prefix = "[INFO|trainer.py:1712] 2023-11-16 17:03:10,532 >> "
    script.say("11/16/2023 17:02:20 - INFO - __main__ - Training/evaluation parameters TrainingArguments(", "_n_gpu=1,")
    script.say("evaluation_strategy=IntervalStrategy.EPOCH,", "learning_rate=1e-05,", "load_best_model_at_end=True,")
    script.say("lr_scheduler_type=SchedulerType.LINEAR,", "metric_for_best_model=accuracy,", "hub_token=<HUB_TOKEN>,")
    script.say(f"output_dir=out_{seed},", f"seed={seed},", "warmup_ratio=0.06,", ")")
    script.say(f"{prefix}***** Running training *****", f"{prefix}  Num examples = 1,800", f"{prefix}  Num Epochs = 5")
    script.say(f"{prefix}  Total train batch size (w. parallel, distributed & accumulation) = 8")
    script.say(f"{prefix}  Total optimization steps = 1,125", f"{prefix}  Number of trainable parameters = 23,093,250")
    said: list[float] = []
    for epoch, accuracy in enumerate(accuracies, start=1):
        step = UPDATES * epoch
        train = {"loss": round(0.7 - 0.01 * epoch, 4), "learning_rate": rate(step, warmup=68)}
        bar = f" {20 * epoch}%|██        | {step}/1125 [00:20<01:20, 11.2it/s]"
        script.log(bar + _dict(train | {"epoch": float(epoch)}, quoted), "train", step, train)
        script.say(
            f"{prefix}***** Running Evaluation *****",
            f"{prefix}  Num examples = {samples}",
            f"{prefix}  Batch size = 8",
        )
        evaluated = {"eval_loss": round(1.4 - accuracy, 4), "eval_accuracy": accuracy}
        script.log(_dict(evaluated | {"epoch": float(epoch)}, quoted), "valid", step, evaluated)
        said.append(accuracy)
    script.say(f"{prefix}Loading best model from out_{seed}/checkpoint-{best * UPDATES} (score: {said[best - 1]}).")
    script.say(_dict({"train_runtime": 86.2, "train_loss": 0.5, "epoch": float(len(said))}, quoted))
    script.say(f"{prefix}***** Running Evaluation *****", f"{prefix}  Num examples = {samples}")
    script.say(
        _dict({"eval_loss": round(1.4 - said[best - 1], 4), "eval_accuracy": said[best - 1], "epoch": 5.0}, quoted)
    )
    script.say("***** eval metrics *****", "  epoch                   =        5.0")
    script.say(f"  eval_accuracy           = {said[best - 1]:10.4g}", f"  eval_samples            = {samples:10}")


def _dict(values: dict[str, float], quoted: bool) -> str:
    """Version 5 shortens and quotes the values."""
    return repr({name: f"{value:.4g}" for name, value in values.items()} if quoted else values)
