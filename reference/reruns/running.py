"""The execution of an order, up to a whole folder: it reads the data, builds the model, starts the right loop, logs as
it goes, and writes the record at the end."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from reference.reruns.checkpoints import Checkpoint, classifier_from, find_checkpoint, random_classifier
from reference.reruns.coding import (
    Coder,
    Examples,
    dictionary_coder,
    examples,
    sentencepiece_pieces,
    tokenizer_coder,
    tokenizer_of,
)
from reference.reruns.corpus import Corpus, Pieces, load_corpus
from reference.reruns.fairseq_logs import write_fairseq_logs
from reference.reruns.fine_tuning import FILE, Watch, fine_tune, ignore_progress
from reference.reruns.generation_run import GenerationRecord, generate_run
from reference.reruns.hardware import device_name, out_of_memory, place_model, prepare
from reference.reruns.run_record import Outcome, Plan, RerunError, RunRecord, epoch_results, selected_epoch
from reference.reruns.spec import ClassifierSpec, GenerationSpec, Job
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
    watch: Watch = ignore_progress,
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
        model = place_model(build(), plan.hardware)
        outcome = _train(model, split, plan, folder, watch)
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise out_of_memory(plan.hardware.micro_batch) from error
    record = _record(plan, outcome)
    write_record(folder, record)
    (folder / FILE).unlink(missing_ok=True)
    return record


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


CUT = 256
"""The longest text where neither sizes nor checkpoint say so."""


def run_job(job: Job, watch: Watch = ignore_progress) -> RunRecord | GenerationRecord:
    """Perform a run, go on with it, or return its record where it is whole. Raises RerunError."""
    if isinstance(job.spec, GenerationSpec):
        return generate_run(job, job.spec, watch)
    return _classify(job, job.spec, watch)


def _classify(job: Job, spec: ClassifierSpec, watch: Watch) -> RunRecord:
    checkpoint = _checkpoint(job, spec)
    corpus = load_corpus(job.data, spec.valid, _pieces(job, spec, checkpoint))
    coder = _coder(job, spec, checkpoint, corpus)
    recipe = spec.recipe_of(job.schedule)
    plan = Plan(
        experiment=spec.id,
        framework=spec.framework,
        start=spec.start,
        seed=job.seed,
        sizes=spec.sizes,
        recipe=recipe,
        data=job.data.name,
        data_sha256=corpus.sha256,
        splits={"train": len(corpus.train), "valid": len(corpus.valid), "test": len(corpus.test)},
        classes=corpus.classes,
        how=corpus.how,
        checkpoint_sha256=checkpoint.sha256 if checkpoint else "",
        hardware=job.hardware,
    )
    return perform(plan, examples(corpus, coder), _builder(plan, spec, checkpoint, coder), job.out, watch)


def _checkpoint(job: Job, spec: ClassifierSpec) -> Checkpoint | None:
    if spec.start == "random":
        if spec.sizes is None:
            raise RerunError(f"The rerun {spec.id} starts from random weights: give its `sizes` in lab.toml.")
        return None
    if job.checkpoint is None:
        raise RerunError(f"The rerun {spec.id} starts from pretrained weights: name their folder with --checkpoint.")
    return find_checkpoint(job.checkpoint)


def _pieces(job: Job, spec: ClassifierSpec, checkpoint: Checkpoint | None) -> Pieces | None:
    if spec.sentencepiece:
        return sentencepiece_pieces(job.data / spec.sentencepiece)
    if checkpoint and not checkpoint.fairseq:
        return tokenizer_of(checkpoint.folder).tokenize
    return None


def _coder(job: Job, spec: ClassifierSpec, checkpoint: Checkpoint | None, corpus: Corpus) -> Coder:
    longest = spec.sizes.positions if spec.sizes else CUT
    if checkpoint and not checkpoint.fairseq:
        return tokenizer_coder(tokenizer_of(checkpoint.folder), corpus, longest)
    folders: tuple[Path, ...] = (checkpoint.folder, job.data) if checkpoint else (job.data,)
    rows = spec.sizes.vocabulary if spec.sizes and not checkpoint else None
    return dictionary_coder(corpus, folders, rows, longest)


def _builder(
    plan: Plan, spec: ClassifierSpec, checkpoint: Checkpoint | None, coder: Coder
) -> "Callable[[], torch.nn.Module]":
    if checkpoint is None and plan.sizes is not None:
        return partial(random_classifier, plan.sizes, plan.classes, plan.recipe.dropout, plan.seed)
    assert checkpoint is not None, "weights that are not drawn come from a checkpoint"  # noqa: S101 - for mypy
    heads = spec.sizes.heads if spec.sizes else None
    return partial(classifier_from, checkpoint, plan.classes, plan.recipe.dropout, plan.seed, coder.rows, heads)
