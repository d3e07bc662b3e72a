"""The lines that fairseq prints, as notebooks keep them."""

from datetime import UTC, datetime, timedelta

from scripts.samples.experiment import STEPS_PER_EPOCH, Run
from scripts.samples.fairseq_run import Epoch, epochs

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
