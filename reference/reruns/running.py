"""From an order to a run: the data read, the model built, the right loop started."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from reference.reruns.checkpoints import Checkpoint, classifier_from, find_checkpoint
from reference.reruns.classifier import random_classifier
from reference.reruns.coding import (
    Coder,
    dictionary_coder,
    examples,
    sentencepiece_pieces,
    tokenizer_coder,
    tokenizer_of,
)
from reference.reruns.corpus import Corpus, load_corpus
from reference.reruns.errors import RerunError
from reference.reruns.fine_tuning import Watch, unwatched
from reference.reruns.generation_run import GenerationRecord, generate_run
from reference.reruns.job import Job
from reference.reruns.performing import perform
from reference.reruns.reviews import Pieces
from reference.reruns.run_record import Plan, RunRecord
from reference.reruns.spec import ClassifierSpec, GenerationSpec

if TYPE_CHECKING:
    import torch

CUT = 256
"""The longest text where neither sizes nor checkpoint say so."""


def run_job(job: Job, watch: Watch = unwatched) -> RunRecord | GenerationRecord:
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
    return perform(
        plan, examples(corpus, coder), _builder(plan, spec, checkpoint, coder), job.out, watch, job.keep_weights
    )


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
