"""The output of Hugging Face's run_glue for a run: validation after every epoch, the test set at the end."""

import json
from datetime import timedelta

from reference.reruns.fairseq_logs import Scalars, event_file
from scripts.samples.experiment import STEPS_PER_EPOCH, Run

UPDATES = 1125
WARM_UP = 68
"""The Trainer rounds 6 % of 1125 updates up."""


def trainer_log(run: Run) -> str:
    """Return what run_glue prints while it trains and evaluates on the validation set."""
    lines = [
        "***** Running training *****",
        "  Num examples = 1,800",
        "  Num Epochs = 5",
        "  Instantaneous batch size per device = 8",
        "  Total optimization steps = 1,125",
        "  Number of trainable parameters = 23,093,250",
    ]
    for number in range(1, len(run.valid) + 1):
        lines += [repr(_train_entry(run, number)), repr(_evaluation_entry(run, number))]
    best = STEPS_PER_EPOCH * run.best_epoch
    lines.append(
        f"Loading best model from hf_seed{run.seed}/checkpoint-{best} (score: {run.selected_valid / 100:.4g})."
    )
    return "\n".join([*lines, _metrics(run.selected_valid, 5.0, 200)])


def test_log(run: Run) -> str:
    """Return what run_glue prints when the selected checkpoint is evaluated on the test set."""
    return "\n".join(
        ["***** Running Evaluation *****", "  Num examples = 2000", _metrics(run.selected_test, None, 2000)]
    )


def trainer_event_files(run: Run, host: str) -> dict[str, bytes]:
    """The event file of a run by its path: `huggingface_seed<seed>/runs/<date>_<host>/events.out.tfevents.…`."""
    moment = run.start + timedelta(seconds=9)
    folder = f"huggingface_seed{run.seed}/runs/{moment:%b%d_%H-%M-%S}_{host}"
    name = f"events.out.tfevents.{int(moment.timestamp())}.{host}.{run.pid}.0"
    logged = [moment for number in range(1, len(run.valid) + 1) for moment in _logged(run, number)]
    return {f"{folder}/{name}": event_file(moment.timestamp(), {"args": _arguments(run)}, logged)}


def _logged(run: Run, number: int) -> list[Scalars]:
    """The Trainer logs training under `train/` and evaluation under `eval/`, accuracies as fractions."""
    end = (run.start + timedelta(seconds=12 + 16 * number)).timestamp()
    step = number * STEPS_PER_EPOCH
    train = {f"train/{key}": value for key, value in _train_entry(run, number).items()}
    evaluation = _evaluation_entry(run, number)
    evaluated = {f"eval/{key.removeprefix('eval_')}": value for key, value in evaluation.items() if key != "epoch"}
    return [Scalars(end - 0.75, step, train), Scalars(end, step, evaluated)]


def _train_entry(run: Run, number: int) -> dict[str, float]:
    rate = 1e-5 * (UPDATES - number * STEPS_PER_EPOCH) / (UPDATES - WARM_UP)
    return {"loss": round(_loss(run.valid[number - 1]) - 0.01, 4), "learning_rate": rate, "epoch": float(number)}


def _evaluation_entry(run: Run, number: int) -> dict[str, float]:
    return {
        "eval_loss": _loss(run.valid[number - 1]),
        "eval_accuracy": round(run.valid[number - 1] / 100, 4),
        "eval_runtime": round(0.5 + 0.003 * number, 4),
        "eval_samples_per_second": round(200 / (0.5 + 0.003 * number), 3),
        "epoch": float(number),
    }


def _loss(accuracy: float) -> float:
    """Invented: a loss in nats that falls with accuracy and is about ln 2 at chance."""
    return round(0.6931 - 0.0082 * (accuracy - 50), 4)


def _metrics(accuracy: float, epoch: float | None, samples: int) -> str:
    rows = [] if epoch is None else [f"  epoch                   = {epoch:10.1f}"]
    rows += [
        f"  eval_accuracy           = {accuracy / 100:10.4g}",
        f"  eval_loss               = {_loss(accuracy):10.4f}",
        f"  eval_samples            = {samples:10}",
    ]
    return "\n".join(["***** eval metrics *****", *rows])


def _arguments(run: Run) -> str:
    return json.dumps(
        {
            "seed": run.seed,
            "learning_rate": 1e-05,
            "lr_scheduler_type": "linear",
            "num_train_epochs": 5,
            "per_device_train_batch_size": 8,
            "warmup_ratio": 0.06,
            "metric_for_best_model": "accuracy",
        }
    )
