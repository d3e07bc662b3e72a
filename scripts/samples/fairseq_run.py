"""What fairseq leaves of a run: event files with its command line and the statistics of each subset after every epoch,
and the lines that it prints, as notebooks keep them.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from reference.reruns.fairseq_logs import Scalars, event_file
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


SUBSETS = ("train_inner", "valid", "test", "train")
"""In the order in which fairseq opens their files, which numbers them."""


def fairseq_event_files(run: Run, host: str) -> dict[str, bytes]:
    """The event files of a run by their paths: `<experiment>_seed<seed>/<subset>/events.out.tfevents.…`."""
    return dict(_subset_file(run, host, number, subset) for number, subset in enumerate(SUBSETS))


def _subset_file(run: Run, host: str, number: int, subset: str) -> tuple[str, bytes]:
    logged = [epoch.logged[subset] for epoch in epochs(run)]
    opened = logged[0].wall_time - 0.125
    name = f"events.out.tfevents.{int(opened)}.{host}.{run.pid}.{number}"
    content = event_file(opened, {"sys.argv": command(run)}, logged)
    return f"{run.experiment}_seed{run.seed}/{subset}/{name}", content


CORPUS = {"train": (1800, 284877, 0.132), "valid": (200, 30354, 0.145), "test": (2000, 311660, 0.131)}
"""Sentences, tokens and percent replaced by <unk>, as binarising the reviews prints them."""


def preprocess_log(day: str) -> str:
    """What fairseq-preprocess prints for the reviews. `day` is an ISO date."""
    lines = [f"{day} 16:31:40 | INFO | fairseq_cli.preprocess | [None] Dictionary: 31999 types"]
    for second, (split, (sentences, tokens, replaced)) in enumerate(CORPUS.items(), start=41):
        lines.append(
            f"{day} 16:31:{second} | INFO | fairseq_cli.preprocess | [None] data/cls.books/{split}.spm.review: "
            f"{sentences} sents, {tokens} tokens, {replaced}% replaced (by <unk>)"
        )
    lines.append(
        f"{day} 16:31:46 | INFO | fairseq_cli.preprocess | Wrote preprocessed data to data/cls.books-bin/input0"
    )
    return "\n".join(lines)


def label_log(day: str) -> str:
    """What fairseq-preprocess prints for the labels. `day` is an ISO date."""
    lines = [f"{day} 16:31:52 | INFO | fairseq_cli.preprocess | [None] Dictionary: 8 types"]
    for split, (sentences, _, _) in CORPUS.items():
        lines.append(
            f"{day} 16:31:53 | INFO | fairseq_cli.preprocess | [None] data/cls.books/{split}.label: "
            f"{sentences} sents, {2 * sentences} tokens, 0.0% replaced (by <unk>)"
        )
    lines.append(
        f"{day} 16:31:53 | INFO | fairseq_cli.preprocess | Wrote preprocessed data to data/cls.books-bin/label"
    )
    return "\n".join(lines)


def training_log(run: Run) -> str:
    """What fairseq-train prints of a run, from the model's size to the last epoch."""
    return "\n".join([*_opening(run), *(line for epoch in epochs(run) for line in _epoch_lines(epoch)), _closing(run)])


def _opening(run: Run) -> list[str]:
    loaded = (
        f"No existing checkpoint found checkpoints/random_seed{run.seed}/checkpoint_last.pt"
        if run.experiment == "random"
        else "Loaded checkpoint models/RoBERTa_small_fr/model.pt (epoch 35 @ 0 updates)"
    )
    return [
        _stamp(
            run.start, "fairseq_cli.train", f"'seed': {run.seed}, 'max_update': 1125, 'lr': [1e-05], 'batch_size': 8"
        ),
        _stamp(run.start, "fairseq.tasks.sentence_prediction", "[input] dictionary: 32000 types"),
        _stamp(run.start, "fairseq_cli.train", "num. shared model params: 23,388,418 (num. trained: 23,388,418)"),
        _stamp(run.start, "fairseq.trainer", loaded),
    ]


def _epoch_lines(epoch: Epoch) -> list[str]:
    return [
        _statistics_line(epoch, "train_inner", f"epoch {epoch.number:03}: {STEPS_PER_EPOCH:6} / {STEPS_PER_EPOCH}"),
        _statistics_line(epoch, "valid", f"epoch {epoch.number:03} | valid on 'valid' subset"),
        _statistics_line(epoch, "test", f"epoch {epoch.number:03} | valid on 'test' subset"),
        _statistics_line(epoch, "train", f"epoch {epoch.number:03}"),
    ]


def _statistics_line(epoch: Epoch, subset: str, opening: str) -> str:
    """fairseq joins running statistics with commas and all others with bars."""
    logged = epoch.logged[subset]
    statistics = {tag: f"{value:g}" for tag, value in logged.values.items()}
    statistics["num_updates"] = str(logged.step)
    moment = datetime.fromtimestamp(logged.wall_time, UTC)
    if subset == "train_inner":
        return _stamp(moment, subset, f"{opening} " + ", ".join(f"{tag}={text}" for tag, text in statistics.items()))
    return _stamp(moment, subset, " | ".join([opening, *(f"{tag} {text}" for tag, text in statistics.items())]))


def _closing(run: Run) -> str:
    seconds = 11 + 17 * len(run.valid)
    return _stamp(
        run.start + timedelta(seconds=seconds), "fairseq_cli.train", f"done training in {seconds - 9}.4 seconds"
    )


def _stamp(moment: datetime, logger: str, message: str) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} | INFO | {logger} | {message}"
