"""What fairseq logs of a run: its command line, and after every epoch the statistics of each subset."""

from dataclasses import dataclass
from datetime import timedelta

from scripts.samples.event_file import Scalars
from scripts.samples.experiment import STEPS_PER_EPOCH, Run

PEAK_RATE = 1e-5
WARM_UP = 67
UPDATES = 1125
SECONDS_PER_EPOCH = 17
TOKENS_PER_BATCH = {"train": 1067.2, "valid": 1048.0, "test": 1045.3}
"""Mean number of tokens in eight reviews after cutting to 256."""


@dataclass(frozen=True)
class Epoch:
    """One epoch's statistics by subset (`train_inner`, `valid`, `test`, `train`), in the order fairseq logs them."""

    number: int
    logged: dict[str, Scalars]


def command(run: Run) -> str:
    """The command line of a run. A run from random weights restores nothing."""
    restore = "" if run.experiment == "random" else " --restore-file models/RoBERTa_small_fr/model.pt"
    return (
        f"/usr/local/bin/fairseq-train data/cls.books-bin/{restore} --max-positions 256 --batch-size 8"
        f" --task sentence_prediction --arch roberta_small --criterion sentence_prediction --num-classes 2"
        f" --init-token 0 --separator-token 2 --reset-optimizer --reset-dataloader --reset-meters"
        f" --optimizer adam --adam-betas (0.9, 0.98) --adam-eps 1e-08 --weight-decay 0.01"
        f" --lr-scheduler polynomial_decay --lr 1e-05 --warmup-updates {WARM_UP} --total-num-update {UPDATES}"
        f" --max-update {UPDATES} --max-epoch 5 --seed {run.seed} --valid-subset valid,test --shorten-method truncate"
        f" --best-checkpoint-metric accuracy --maximize-best-checkpoint-metric --log-interval {STEPS_PER_EPOCH}"
        f" --save-dir checkpoints/{run.experiment}_seed{run.seed}"
        f" --tensorboard-logdir tensorboard/{run.experiment}_seed{run.seed}"
    )


def learning_rate(step: int) -> float:
    """The rate after `step` updates: linear from the peak, at the end of the warm-up, to zero at the last update."""
    return PEAK_RATE * (UPDATES - step) / (UPDATES - WARM_UP)


def epochs(run: Run) -> list[Epoch]:
    """All epochs of a run."""
    return [_epoch(run, number) for number in range(1, len(run.valid) + 1)]


def _epoch(run: Run, number: int) -> Epoch:
    step = number * STEPS_PER_EPOCH
    end = (run.start + timedelta(seconds=11 + SECONDS_PER_EPOCH * number)).timestamp()
    # Invented: the train accuracy lags half an epoch behind and ends a little above validation.
    before = run.valid[number - 2] if number > 1 else 50.0
    fit = round((before + run.valid[number - 1]) / 2 + 0.9 * number - 1.0, 1)
    best = max(run.valid[: number - 1], default=None)
    logged = {
        "train_inner": Scalars(end - 2.75, step, _train_statistics(run, "train", number, fit)),
        "valid": Scalars(end - 2.25, step, _subset_statistics("valid", run.valid[number - 1], best)),
        "test": Scalars(end - 0.5, step, _subset_statistics("test", run.test[number - 1], best)),
        "train": Scalars(end - 0.375, step, _train_statistics(run, "train", number, fit)),
    }
    return Epoch(number, logged)


def _loss(accuracy: float) -> float:
    """Invented: a loss in bits that falls with accuracy and is about 1 at chance."""
    return round(1.005 - 0.0118 * (accuracy - 50), 3)


def _subset_statistics(subset: str, accuracy: float, best: float | None) -> dict[str, float]:
    """fairseq repeats in every subset the best accuracy saved so far, from the second epoch on."""
    tokens = TOKENS_PER_BATCH[subset]
    statistics = {
        "loss": _loss(accuracy),
        "nll_loss": round(_loss(accuracy) / tokens * 8, 3),
        "accuracy": accuracy,
        "wps": round(57200 + 110 * (accuracy % 7), 1),
        "wpb": tokens,
        "bsz": 8.0,
    }
    return statistics if best is None else statistics | {"best_accuracy": max(best, accuracy)}


def _train_statistics(run: Run, subset: str, number: int, accuracy: float) -> dict[str, float]:
    tokens = TOKENS_PER_BATCH[subset]
    per_second = round(15.4 + 0.1 * ((run.seed + 3 * number) % 6), 2)
    return {
        "loss": _loss(accuracy),
        "nll_loss": round(_loss(accuracy) / tokens * 8, 3),
        "accuracy": accuracy,
        "wps": round(per_second * tokens, 1),
        "ups": per_second,
        "wpb": tokens,
        "bsz": 8.0,
        "lr": learning_rate(number * STEPS_PER_EPOCH),
        "gnorm": round(2.1 + 0.9 * number + 0.07 * (run.seed % 5), 3),
        "train_wall": 13.0,
        "gb_free": 13.9,
        "wall": 11.0 + SECONDS_PER_EPOCH * number,
    }
