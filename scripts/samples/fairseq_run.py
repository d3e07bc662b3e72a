"""The output of fairseq for a run: event files with its command line and the statistics of each subset after every
epoch, and the lines that it prints, as notebooks keep them."""

from datetime import timedelta

from reference.reruns.fairseq_console import ConsoleRun, console_log
from reference.reruns.fairseq_logs import SUBSETS, Scalars, event_file
from reference.reruns.run_record import LogEntry
from scripts.samples.experiment import STEPS_PER_EPOCH, Run

PEAK_RATE = 1e-5
WARM_UP = 67
UPDATES = 1125
SECONDS_PER_EPOCH = 17
TOKENS_PER_BATCH = {"train": 1067.2, "valid": 1048.0, "test": 1045.3}
"""Mean number of tokens in eight reviews after cutting to 256."""


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
        f" --best-checkpoint-metric accuracy --maximize-best-checkpoint-metric"
        f" --log-format simple --log-interval {STEPS_PER_EPOCH}"
        f" --save-dir checkpoints/{run.experiment}_seed{run.seed}"
        f" --tensorboard-logdir tensorboard/{run.experiment}_seed{run.seed}"
    )


def learning_rate(step: int) -> float:
    """The rate after `step` updates: linear from the peak, at the end of the warm-up, to zero at the last update."""
    return PEAK_RATE * (UPDATES - step) / (UPDATES - WARM_UP)


def log_entries(run: Run) -> list[LogEntry]:
    """Return what is logged of a run after each epoch, in fairseq's order."""
    return [entry for number in range(1, len(run.valid) + 1) for entry in _epoch(run, number)]


def _epoch(run: Run, number: int) -> list[LogEntry]:
    end = (run.start + timedelta(seconds=11 + SECONDS_PER_EPOCH * number)).timestamp()
    # Invented: the train accuracy lags half an epoch behind and ends a little above validation.
    before = run.valid[number - 2] if number > 1 else 50.0
    fit = round((before + run.valid[number - 1]) / 2 + 0.9 * number - 1.0, 1)
    training = _train_statistics(run, number, fit)
    valid = _subset_statistics("valid", run.valid[number - 1])
    if number > 1:
        valid["best_accuracy"] = max(run.valid[:number])
    moments = (
        ("train_inner", end - 2.75, training),
        ("valid", end - 2.25, valid),
        ("test", end - 0.5, _subset_statistics("test", run.test[number - 1])),
        ("train", end - 0.375, training),
    )
    step = number * STEPS_PER_EPOCH
    return [
        LogEntry(subset=subset, epoch=number, step=step, wall_time=wall_time, values=values)
        for subset, wall_time, values in moments
    ]


def _loss(accuracy: float) -> float:
    """Invented: a loss in bits that falls with accuracy and is about 1 at chance."""
    return round(1.005 - 0.0118 * (accuracy - 50), 3)


def _subset_statistics(subset: str, accuracy: float) -> dict[str, float]:
    tokens = TOKENS_PER_BATCH[subset]
    return {
        "loss": _loss(accuracy),
        "nll_loss": round(_loss(accuracy) / tokens * 8, 3),
        "accuracy": accuracy,
        "wps": round(57200 + 110 * (accuracy % 7), 1),
        "wpb": tokens,
        "bsz": 8.0,
    }


def _train_statistics(run: Run, number: int, accuracy: float) -> dict[str, float]:
    tokens = TOKENS_PER_BATCH["train"]
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


def fairseq_event_files(run: Run, host: str) -> dict[str, bytes]:
    """The event files of a run by their paths: `<experiment>_seed<seed>/<subset>/events.out.tfevents.…`."""
    return dict(_subset_file(run, host, number, subset) for number, subset in enumerate(SUBSETS))


def _subset_file(run: Run, host: str, number: int, subset: str) -> tuple[str, bytes]:
    scalars = [
        Scalars(entry.wall_time, entry.step, entry.values) for entry in log_entries(run) if entry.subset == subset
    ]
    opened = scalars[0].wall_time - 0.125
    name = f"events.out.tfevents.{int(opened)}.{host}.{run.pid}.{number}"
    content = event_file(opened, {"sys.argv": command(run)}, scalars)
    return f"{run.experiment}_seed{run.seed}/{subset}/{name}", content


CORPUS = {"train": (1800, 284877, 0.132), "valid": (200, 30354, 0.145), "test": (2000, 311660, 0.131)}
"""Sentences, tokens and percent replaced by <unk>, as binarising the reviews prints them."""


def preprocess_log(day: str) -> str:
    """Return what fairseq-preprocess prints for the reviews. `day` is an ISO date."""
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
    """Return what fairseq-preprocess prints for the labels. `day` is an ISO date."""
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
    """Return what fairseq-train prints of a run."""
    name = f"{run.experiment}_seed{run.seed}"
    console = ConsoleRun(
        seed=run.seed,
        data="data/cls.books-bin/",
        save=f"checkpoints/{name}",
        tensorboard=f"tensorboard/{name}",
        arch="roberta_small",
        layers=4,
        width=512,
        inner=512,
        heads=8,
        vocabulary=32000,
        parameters=23388418,
        updates=UPDATES,
        warm_up=WARM_UP,
        rate=PEAK_RATE,
        betas="(0.9, 0.98)",
        epsilon=1e-08,
        decay=0.01,
        log_interval=STEPS_PER_EPOCH,
        log_format="simple",
        restore=None if run.experiment == "random" else "models/RoBERTa_small_fr/model.pt",
        restored=35,
        gpu="Tesla T4",
    )
    return console_log(console, log_entries(run), run.start.timestamp())
