"""The lines that fairseq-train 0.12.2 prints of a run: the settings, the model, and each epoch.

Only the form is fairseq's; the figures are those of the run. `fairseq_settings.txt` holds the line of all settings with
a name for each that a run of the lab chooses.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from string import Template

from reference.reruns.run_record import LogEntry

SETTINGS = Template(Path(__file__).with_name("fairseq_settings.txt").read_text(encoding="utf-8").rstrip("\n"))
LAST = "checkpoint_last.pt"
GPU = "rank   0: capabilities =  7.5  ; total memory = 14.748 GB ; name = {:40}"


@dataclass(frozen=True, kw_only=True)
class ConsoleRun:
    """The choices of a run that its console log shows. `restore` is the checkpoint that it starts from, if any, and
    `restored` the epoch that stands in that file. `only_best`: no checkpoint is kept of each epoch. `gpu` is the name
    of the device; without one it trains on the processor."""

    seed: int
    data: str
    save: str
    tensorboard: str
    arch: str
    layers: int
    width: int
    inner: int
    heads: int
    vocabulary: int
    parameters: int
    positions: int = 256
    batch: int = 8
    epochs: int = 5
    updates: int
    warm_up: int
    rate: float
    betas: str
    epsilon: float
    decay: float
    log_interval: int
    log_format: str | None = None
    restore: str | None = None
    restored: int = 1
    only_best: bool = False
    gpu: str | None = None
    examples: tuple[tuple[str, int], ...] = (("train", 1800), ("valid", 200), ("test", 2000))

    @property
    def settings(self) -> str:
        """The line of all settings."""
        chosen = {name: repr(value) if isinstance(value, float) else value for name, value in vars(self).items()}
        return SETTINGS.substitute(
            {**chosen, "restore": self.restore or LAST, "cpu": self.gpu is None, "log_format": repr(self.log_format)}
        )

    @property
    def updates_per_epoch(self) -> int:
        """The number of batches that hold all examples of training."""
        return -(-dict(self.examples)["train"] // self.batch)


def console_log(run: ConsoleRun, logged: Iterable[LogEntry], started: float) -> str:
    """The console log of a run that began at `started`, in seconds since 1970. What was logged is in the order in which
    fairseq logs it: in each epoch training's course, the validation sets, and training on average."""
    lines = [_stamped(started, *line) for line in _opening(run)]
    begun = ended = started + 9
    best: float | None = None
    for epoch, entries in groupby(logged, key=lambda entry: entry.epoch):
        opening = (
            ("fairseq.data.iterators", f"grouped total_num_itrs = {run.updates_per_epoch}"),
            ("fairseq.trainer", f"begin training epoch {epoch}"),
            ("fairseq_cli.train", "Start iterating over samples"),
        )
        lines += [_stamped(ended, *line) for line in opening]
        of_epoch = list(entries)
        score = next(entry.values["accuracy"] for entry in of_epoch if entry.subset == "valid")
        is_best = best is None or score >= best
        for entry in of_epoch:
            lines += [_stamped(entry.wall_time, *line) for line in _logged(run, entry, score, is_best=is_best)]
        best = score if is_best else best
        ended = of_epoch[-1].wall_time
    lines.append(_stamped(ended, "fairseq_cli.train", f"done training in {ended - begun:.1f} seconds"))
    return "\n".join(lines)


def _stamped(moment: float, logger: str, message: str) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} | INFO | {logger} | {message}"


def _opening(run: ConsoleRun) -> Iterator[tuple[str, str]]:
    """The lines before the first epoch, each with its logger."""
    task, train, trainer = "fairseq.tasks.sentence_prediction", "fairseq_cli.train", "fairseq.trainer"
    examples = dict(run.examples)
    yield train, run.settings
    yield task, f"[input] dictionary: {run.vocabulary} types"
    yield task, "[label] dictionary: 9 types"
    yield train, _printed_model(run)
    yield train, "task: SentencePredictionTask"
    yield train, "model: RobertaModel"
    yield train, "criterion: SentencePredictionCriterion"
    yield train, f"num. shared model params: {run.parameters:,} (num. trained: {run.parameters:,})"
    yield train, "num. expert model params: 0 (num. trained: 0)"
    for subset in ("valid", "test"):
        yield from _loaded(run, subset, examples[subset])
    shared = "encoder.sentence_encoder.embed_tokens.weight <- encoder.lm_head.weight"
    yield trainer, f"detected shared parameter: {shared}"
    if run.gpu:
        banner = "CUDA enviroments for all 1 workers".center(80, "*")
        yield from (("fairseq.utils", line) for line in (banner, GPU.format(run.gpu), banner))
    yield train, "training on 1 devices (GPUs/TPUs)"
    yield train, f"max tokens per device = None and max sentences per device = {run.batch}"
    sought = run.restore or f"{run.save}/{LAST}"
    yield trainer, f"Preparing to load checkpoint {sought}"
    if run.restore:
        for name in ("dense.weight", "dense.bias", "out_proj.weight", "out_proj.bias"):
            head = f"classification_heads.sentence_classification_head.{name}"
            yield "fairseq.models.roberta.model", f"Overwriting {head}"
        yield trainer, f"Loaded checkpoint {sought} (epoch {run.restored} @ 0 updates)"
    else:
        yield trainer, f"No existing checkpoint found {sought}"
    yield trainer, "loading train data for epoch 1"
    yield from _loaded(run, "train", examples["train"])
    if run.gpu:
        yield trainer, "NOTE: your device may support faster training with --fp16 or --amp"


def _loaded(run: ConsoleRun, subset: str, examples: int) -> Iterator[tuple[str, str]]:
    for kind in ("input0", "label"):
        yield "fairseq.data.data_utils", f"loaded {examples:,} examples from: {run.data.rstrip('/')}/{kind}/{subset}"
    yield "fairseq.tasks.sentence_prediction", f"Loaded {subset} with #samples: {examples}"


def _printed_model(run: ConsoleRun) -> str:
    """The model as PyTorch prints it: layers that are alike stand once."""
    width, inner = run.width, run.inner
    layers = "0" if run.layers == 1 else f"0-{run.layers - 1}"
    alike = "" if run.layers == 1 else f"{run.layers} x "
    normed = f"LayerNorm(({width},), eps=1e-05, elementwise_affine=True, bias=True)"
    embedded = f"{run.vocabulary}, {width}, padding_idx=1"
    projections = [
        f"            ({name}): {_linear(width, width)}" for name in ("k_proj", "v_proj", "q_proj", "out_proj")
    ]
    return "\n".join(
        [
            "RobertaModel(",
            "  (encoder): RobertaEncoder(",
            "    (sentence_encoder): TransformerEncoder(",
            "      (dropout_module): FairseqDropout()",
            f"      (embed_tokens): Embedding({embedded})",
            f"      (embed_positions): LearnedPositionalEmbedding({run.positions + 2}, {width}, padding_idx=1)",
            f"      (layernorm_embedding): {normed}",
            "      (layers): ModuleList(",
            f"        ({layers}): {alike}TransformerEncoderLayerBase(",
            "          (self_attn): MultiheadAttention(",
            "            (dropout_module): FairseqDropout()",
            *projections,
            "          )",
            f"          (self_attn_layer_norm): {normed}",
            "          (dropout_module): FairseqDropout()",
            "          (activation_dropout_module): FairseqDropout()",
            f"          (fc1): {_linear(width, inner)}",
            f"          (fc2): {_linear(inner, width)}",
            f"          (final_layer_norm): {normed}",
            "        )",
            "      )",
            "    )",
            "    (lm_head): RobertaLMHead(",
            f"      (dense): {_linear(width, width)}",
            f"      (layer_norm): {normed}",
            "    )",
            "  )",
            "  (classification_heads): ModuleDict(",
            "    (sentence_classification_head): RobertaClassificationHead(",
            f"      (dense): {_linear(width, width)}",
            "      (dropout): Dropout(p=0.0, inplace=False)",
            f"      (out_proj): {_linear(width, 2)}",
            "    )",
            "  )",
            ")",
        ]
    )


def _linear(inputs: int, outputs: int) -> str:
    return f"Linear(in_features={inputs}, out_features={outputs}, bias=True)"


def _logged(run: ConsoleRun, entry: LogEntry, score: float, *, is_best: bool) -> Iterator[tuple[str, str]]:
    """The lines about what was logged at one moment; the average of an epoch comes after its checkpoint."""
    train, saving = "fairseq_cli.train", "fairseq.checkpoint_utils"
    epoch = f"epoch {entry.epoch:03}"
    if entry.subset == "train_inner":
        done = entry.step - (entry.epoch - 1) * run.updates_per_epoch
        statistics = ", ".join(f"{tag}={value}" for tag, value in _statistics(entry))
        yield "train_inner", f"{epoch}:  {done:5} / {run.updates_per_epoch} {statistics}"
        return
    statistics = " | ".join(f"{tag} {value}" for tag, value in _statistics(entry))
    if entry.subset != "train":
        if entry.subset == "valid" and entry.step >= run.updates:
            yield train, f"Stopping training due to num_updates: {entry.step} >= max_update: {run.updates}"
        yield train, f'begin validation on "{entry.subset}" subset'
        yield entry.subset, f"{epoch} | valid on '{entry.subset}' subset | {statistics}"
        return
    names = [f"checkpoint{entry.epoch}.pt"] * (not run.only_best) + ["checkpoint_best.pt"] * is_best + [LAST]
    saved = f"{run.save}/{names[0]}"
    yield saving, f"Preparing to save checkpoint for epoch {entry.epoch} @ {entry.step} updates"
    yield "fairseq.trainer", f"Saving checkpoint to {saved}"
    yield "fairseq.trainer", f"Finished saving checkpoint to {saved}"
    seconds = 0.25 + entry.wall_time % 1 / 3
    at = f"epoch {entry.epoch} @ {entry.step} updates, score {score}"
    yield saving, f"Saved checkpoint {saved} ({at}) (writing took {seconds} seconds)"
    yield train, f"end of epoch {entry.epoch} (average epoch stats below)"
    yield "train", f"{epoch} | {statistics}"


def _statistics(entry: LogEntry) -> Sequence[tuple[str, str]]:
    """Statistics in fairseq's order and digits: the number of updates stands behind the size of the batch."""
    pairs = [(tag, f"{value:g}") for tag, value in entry.values.items()]
    after = [tag for tag, _ in pairs].index("bsz") + 1
    return [*pairs[:after], ("num_updates", str(entry.step)), *pairs[after:]]
