"""Logs as fairseq keeps them: an event file for each subset, with the command line in each; and what they say, read by
tbparse, which shares no code with the grader's own reader or with what writes them."""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from reference.reruns.run_record import LogEntry, Plan, RerunError, RunRecord

SUBSETS = ("train_inner", "valid", "test", "train")
"""In the order in which fairseq opens their files, which numbers them."""

HOST = "reference"
"""The name that reference logs give to their machine; the real one is nobody's business."""

ROUNDED = {"accuracy": 1, "best_accuracy": 1, "loss": 3, "nll_loss": 3, "gnorm": 3}
"""Digits that fairseq keeps of its figures."""


@dataclass(frozen=True)
class Scalars:
    """The values that were logged at one moment: `wall_time` in seconds since 1970, `step` in optimiser updates."""

    wall_time: float
    step: int
    values: dict[str, float]


def command(plan: Plan, out: str) -> str:
    """The command line of fairseq that a run stands for."""
    recipe = plan.recipe
    restore = "" if plan.start == "random" else " --restore-file model.pt"
    longest = plan.sizes.positions if plan.sizes else 256
    return (
        f"fairseq-train {plan.data}{restore} --max-positions {longest} --batch-size {recipe.batch}"
        f" --task sentence_prediction --arch roberta_small --criterion sentence_prediction"
        f" --num-classes {plan.classes} --init-token 0 --separator-token 2"
        f" --reset-optimizer --reset-dataloader --reset-meters"
        f" --optimizer adam --adam-betas ({recipe.betas[0]:g}, {recipe.betas[1]:g}) --adam-eps {recipe.epsilon:g}"
        f" --weight-decay {recipe.decay:g} --dropout {recipe.dropout:g} --attention-dropout {recipe.dropout:g}"
        f" --lr-scheduler polynomial_decay --lr {recipe.peak_rate:g} --warmup-updates {recipe.warm_up_updates}"
        f" --total-num-update {recipe.schedule} --max-update {recipe.schedule} --max-epoch {recipe.epochs}"
        f" --seed {plan.seed} --valid-subset valid,test --shorten-method truncate"
        f" --best-checkpoint-metric accuracy --maximize-best-checkpoint-metric"
        f" --save-dir checkpoints/{out} --tensorboard-logdir tensorboard/{out}"
    )


def write_fairseq_logs(folder: Path, plan: Plan, logged: Iterable[LogEntry]) -> None:
    """Write all event files of a run anew, each to a temporary name that is then renamed: they are whole at any time,
    and a run that was resumed has one file for each subset like any other."""
    entries = list(logged)
    for number, subset in enumerate(SUBSETS):
        of_subset = [_rounded(entry) for entry in entries if entry.subset == subset]
        if not of_subset:
            continue
        opened = of_subset[0].wall_time - 0.01
        target = folder / subset / f"events.out.tfevents.{int(opened)}.{HOST}.{plan.seed + 1}.{number}"
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name("unfinished")
        temporary.write_bytes(event_file(opened, {"sys.argv": command(plan, folder.name)}, of_subset))
        temporary.replace(target)


def check_logs(folder: Path, record: RunRecord) -> None:
    """Check that the event files of a whole run in `folder` say what its record says: the accuracies of each epoch.

    Raises RerunError when they differ or are not there: one of the two was changed, and neither is evidence then.
    """
    for subset in ("valid", "test"):
        measured = {epoch.step: getattr(epoch, subset) for epoch in record.epochs}
        recorded = {step: round(value, ROUNDED["accuracy"]) for step, value in measured.items() if value is not None}
        logged = _accuracies(folder / subset)
        if logged != recorded:
            differing = sorted(step for step in {*logged, *recorded} if logged.get(step) != recorded.get(step))
            raise RerunError(
                f"{folder / subset}: the logs and run.json give different accuracies after {differing[0]} updates "
                f"({logged.get(differing[0], 'none')} and {recorded.get(differing[0], 'none')}). Delete {folder} and "
                f"run it again."
            )


def _accuracies(folder: Path) -> dict[int, float]:
    """The accuracies in a folder of event files, in percent, by update."""
    from tbparse import SummaryReader

    if not folder.is_dir():
        return {}
    scalars = SummaryReader(str(folder), event_types={"scalars"}).scalars
    rows = zip(scalars["tag"], scalars["step"], scalars["value"], strict=True) if len(scalars) else ()
    return {int(step): round(float(value), ROUNDED["accuracy"]) for tag, step, value in rows if tag == "accuracy"}


def _rounded(entry: LogEntry) -> Scalars:
    values = {tag: round(value, ROUNDED.get(tag, 12)) for tag, value in entry.values.items()}
    return Scalars(entry.wall_time, entry.step, values)


def event_file(opened: float, texts: dict[str, str], logged: Iterable[Scalars]) -> bytes:
    """The bytes of an event file opened at `opened` (seconds since 1970): text summaries, then scalars."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.summary.writer.record_writer import RecordWriter

    buffer = io.BytesIO()
    writer = RecordWriter(buffer)
    writer.write(Event(wall_time=opened, file_version="brain.Event:2").SerializeToString())
    for tag, text in texts.items():
        writer.write(_text_event(opened, tag, text))
    for moment in logged:
        for tag, value in moment.values.items():
            event = Event(wall_time=moment.wall_time, step=moment.step)
            event.summary.value.add(tag=tag, simple_value=value)
            writer.write(event.SerializeToString())
    return buffer.getvalue()


def _text_event(wall_time: float, tag: str, text: str) -> bytes:
    """A text summary as PyTorch's SummaryWriter.add_text writes it."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.types_pb2 import DT_STRING

    event = Event(wall_time=wall_time)
    value = event.summary.value.add(tag=f"{tag}/text_summary")
    value.metadata.plugin_data.plugin_name = "text"
    value.tensor.dtype = DT_STRING
    value.tensor.tensor_shape.dim.add(size=1)
    value.tensor.string_val.append(text.encode())
    written: bytes = event.SerializeToString()
    return written
