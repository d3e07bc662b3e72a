"""The training loop: deterministic, resumable, and with fairseq's gradient."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from reference.reruns.checkpoints import random_classifier
from reference.reruns.coding import (
    Examples,
    dictionary_coder,
    epoch_order,
    examples,
    fixed_batches,
    micro_batches,
    tensors,
)
from reference.reruns.corpus import load_corpus
from reference.reruns.fine_tuning import FILE
from reference.reruns.run_record import Hardware, Plan, Recipe, RerunError, RunRecord
from reference.reruns.running import perform, read_record
from tests.reference.reruns.making import SIZES, make_data, plan


def model_of(one: Plan) -> Any:
    return random_classifier(SIZES, 2, one.recipe.dropout, one.seed)


def run(split: Examples, out: Path, one: Plan | None = None, **options: Any) -> RunRecord:
    one = one or plan()
    return perform(one, split, partial(model_of, one), out, **options)


def figures(record: RunRecord) -> Any:
    return record.model_dump(include={"plan", "epochs", "selected", "valid", "test"})


def test_it_learns_what_can_be_learned(tmp_path: Path) -> None:
    folder = make_data(tmp_path / "data", {"train": 160, "valid": 20, "test": 40})
    corpus = load_corpus(folder)
    split = examples(corpus, dictionary_coder(corpus, (folder,), SIZES.vocabulary, SIZES.positions))
    one = plan(recipe=Recipe(batch=8, epochs=3, peak_rate=1e-2, dropout=0.0, schedule=60))
    record = run(split, tmp_path, one)
    losses = [epoch.train_loss for epoch in record.epochs]
    assert losses == sorted(losses, reverse=True)
    assert record.test > 90, "two words tell the class"
    assert [epoch.step for epoch in record.epochs] == [20, 40, 60]


def test_the_same_seed_gives_the_same_figures_and_another_does_not(split: Examples, tmp_path: Path) -> None:
    one, again, other = run(split, tmp_path / "1"), run(split, tmp_path / "2"), run(split, tmp_path / "1", plan(seed=1))
    assert figures(one) == figures(again)
    assert one.epochs != other.epochs


class _Kill:
    def __init__(self, update: int) -> None:
        self.update = update

    def __call__(self, done: int, of: int, loss: float) -> None:
        if done == self.update:
            raise KeyboardInterrupt


@pytest.mark.parametrize("update", [2, 6, 9, 17])
def test_a_killed_run_goes_on_to_the_same_result(
    split: Examples, tmp_path: Path, update: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reference.reruns.fine_tuning.SAVE_EVERY", 4)
    with pytest.raises(KeyboardInterrupt):
        run(split, tmp_path / "killed", watch=_Kill(update))
    assert read_record(tmp_path / "killed" / plan().name) is None, "half a run is no evidence"
    resumed, whole = run(split, tmp_path / "killed"), run(split, tmp_path / "whole")
    assert figures(resumed) == figures(whole)
    assert resumed.sittings == (2 if update > 4 else 1)
    assert not (tmp_path / "killed" / plan().name / FILE).exists()


def test_a_whole_run_is_not_performed_again(split: Examples, tmp_path: Path) -> None:
    first = run(split, tmp_path)
    assert run(split, tmp_path, watch=_Kill(1)) == first
    with pytest.raises(RerunError, match="other settings or data"):
        run(split, tmp_path, plan(data_sha256="other"))


def test_an_unfinished_run_with_other_settings_is_not_gone_on_with(split: Examples, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(split, tmp_path, watch=_Kill(7))
    with pytest.raises(RerunError, match="other settings"):
        run(split, tmp_path, plan(data_sha256="other"))


def test_a_loss_that_is_no_number_stops_the_run(split: Examples, tmp_path: Path) -> None:
    def broken() -> Any:
        model = model_of(plan())
        torch.nn.init.constant_(model.classifier.out_proj.bias, float("nan"))
        return model

    with pytest.raises(RerunError, match="no number after 1 updates"):
        perform(plan(), split, broken, tmp_path)


def test_too_little_memory_says_what_to_change(split: Examples, tmp_path: Path) -> None:
    def too_large() -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")

    with pytest.raises(RerunError, match="--micro-batch"):
        perform(plan(), split, too_large, tmp_path)
    assert read_record(tmp_path / plan().name) is None


def test_parts_of_a_batch_add_up_to_its_gradient(split: Examples) -> None:
    model = random_classifier(SIZES, 2, 0.0, 0).train()
    batch = split.train[:7]

    def gradient(size: int) -> list[torch.Tensor]:
        model.zero_grad()
        for part in micro_batches(batch, size):
            numbers, mask, labels = tensors(part)
            logits = model(input_ids=numbers, attention_mask=mask).logits
            torch.nn.functional.cross_entropy(logits, labels, reduction="sum").backward()  # type: ignore[no-untyped-call]
        return [p.grad.clone() for p in model.parameters() if p.grad is not None]

    for whole, parts in zip(gradient(7), gradient(2), strict=True):
        torch.testing.assert_close(whole, parts, rtol=1e-4, atol=1e-6)


def test_every_example_comes_once_an_epoch_in_an_order_of_its_own() -> None:
    batches = fixed_batches(22, 4, seed=3)
    assert sorted(number for batch in batches for number in batch) == list(range(22))
    orders = [epoch_order(len(batches), 3, epoch) for epoch in (1, 2)]
    assert sorted(orders[0]) == sorted(orders[1]) == list(range(6))
    assert orders[0] != orders[1]


def test_the_model_starts_as_fairseq_s_does() -> None:
    model = random_classifier(SIZES, 2, 0.1, 0)
    embeddings = model.roberta.embeddings
    assert not embeddings.token_type_embeddings.weight.any()
    assert not embeddings.token_type_embeddings.weight.requires_grad
    assert not embeddings.word_embeddings.weight[1].any(), "padding is zero"
    assert float(embeddings.word_embeddings.weight[4:].detach().std()) == pytest.approx(0.02, rel=0.2)
    assert model.classifier.dense.weight.abs().max() <= SIZES.width**-0.5
    assert model.classifier.dense.bias.any(), "the head is left as PyTorch makes it"


def test_on_a_cpu_bfloat16_is_an_option(split: Examples, tmp_path: Path) -> None:
    record = run(split, tmp_path, plan(hardware=Hardware(precision="bfloat16", threads=1)))
    assert record.device.endswith("1 thread, bfloat16")
