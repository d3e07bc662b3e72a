"""One classifier run from its plan to a whole folder: logs as it goes, the record at the end."""

from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from reference.reruns.coding import Examples
from reference.reruns.errors import RerunError
from reference.reruns.fairseq_logs import write_fairseq_logs
from reference.reruns.fine_tuning import Watch, fine_tune, unwatched
from reference.reruns.hardware import device_name, placed, prepare
from reference.reruns.run_record import Outcome, Plan, RunRecord, epoch_results, selected_epoch
from reference.reruns.state import FILE
from reference.reruns.trainer_run import trainer_fine_tune

if TYPE_CHECKING:
    import torch

RECORD = "run.json"
LIBRARIES = ("torch", "transformers", "numpy")


def perform(
    plan: Plan,
    split: Examples,
    build: "Callable[[], torch.nn.Module]",
    out: Path,
    watch: Watch = unwatched,
    keep_weights: bool = False,
) -> RunRecord:
    """Perform a run in its own folder of `out`, or return its record where it is whole already.

    Raises RerunError when it cannot be done; what is written until then is never taken for evidence.
    """
    import torch

    folder = out / plan.name
    done = read_record(folder)
    if done is not None and done.plan == plan:
        return done
    if done is not None:
        raise RerunError(f"{folder} holds a run with other settings or data. Choose another --out, or delete it.")
    folder.mkdir(parents=True, exist_ok=True)
    prepare(plan.hardware)
    try:
        model = placed(build(), plan.hardware)
        outcome = _train(model, split, plan, folder, watch)
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise out_of_memory(plan.hardware.micro_batch) from error
    if keep_weights:
        torch.save(model.state_dict(), folder / "weights.pt")
    record = _record(plan, outcome)
    write_record(folder, record)
    (folder / FILE).unlink(missing_ok=True)
    return record


def out_of_memory(micro_batch: int) -> RerunError:
    """What to do when the memory of the device is too small."""
    return RerunError(
        f"The memory of the device is too small for this run. Lower --micro-batch (now {micro_batch}), which changes "
        f"no result, run fewer seeds side by side, or lower the sizes of the model."
    )


def _train(model: "torch.nn.Module", split: Examples, plan: Plan, folder: Path, watch: Watch) -> Outcome:
    if plan.framework == "transformers":
        return trainer_fine_tune(model, split, plan, folder, watch)
    at = fine_tune(model, split, plan, folder, watch, lambda kept: write_fairseq_logs(folder, plan, kept.logged))
    return Outcome(epoch_results(tuple(at.logged)), at.seconds, at.sittings)


def _record(plan: Plan, outcome: Outcome) -> RunRecord:
    best = selected_epoch(outcome.epochs)
    assert best.test is not None, "the selected epoch is always tested"  # noqa: S101 - for mypy
    return RunRecord(
        plan=plan,
        epochs=outcome.epochs,
        selected=best.epoch,
        valid=best.valid,
        test=best.test,
        seconds=round(outcome.seconds, 1),
        date=datetime.now(UTC).date().isoformat(),
        device=device_name(plan.hardware),
        versions={name: version(name) for name in LIBRARIES},
        sittings=outcome.sittings,
    )


def write_record(folder: Path, record: RunRecord) -> None:
    """Write the record of a whole run under a temporary name, and rename it."""
    temporary = folder / f"{RECORD}.tmp"
    temporary.write_text(record.model_dump_json(indent=1), encoding="utf-8")
    temporary.replace(folder / RECORD)


def read_record(folder: Path) -> RunRecord | None:
    """The record of a run that is whole; None otherwise. Raises RerunError when the record is damaged."""
    file = folder / RECORD
    if not file.is_file():
        return None
    try:
        return RunRecord.model_validate_json(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RerunError(f"{file} is damaged; delete the folder and run again. {error}") from error
