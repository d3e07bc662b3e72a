"""The same experiment through transformers' Trainer."""

import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from reference.reruns.checkpoints import random_classifier
from reference.reruns.fine_tuning import ignore_progress
from reference.reruns.run_record import Hardware, RunRecord
from reference.reruns.running import run_job
from reference.reruns.spec import Job
from tests.reference.reruns.making import BAD, GOOD, OTHERS, SIZES, spec
from tests.reference.reruns.test_logs import read_runs


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint as transformers keeps it, tokenizer included."""
    folder = tmp_path_factory.mktemp("checkpoint")
    marks = ["<s>", "<pad>", "</s>", "<unk>"]
    words = {word: number for number, word in enumerate([*marks, *GOOD, *BAD, *OTHERS])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, bos_token="<s>", pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(str(folder))
    random_classifier(SIZES, 2, 0.1, 3).save_pretrained(str(folder))
    return folder


def job(data: Path, checkpoint: Path, out: Path) -> Job:
    one = spec(id="huggingface", framework="transformers", start="pretrained", schedules=(18, 40))
    return Job(spec=one, seed=1, data=data, out=out, checkpoint=checkpoint, hardware=Hardware(threads=1))


def figures(record: Any) -> Any:
    return record.model_dump(include={"epochs", "selected", "valid", "test"})


@pytest.fixture(scope="module")
def whole(data: Path, checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[RunRecord, Path]:
    out = tmp_path_factory.mktemp("trainer")
    record = run_job(job(data, checkpoint, out), ignore_progress)
    assert isinstance(record, RunRecord)
    return record, out / record.plan.name


def test_the_selected_epoch_is_the_trainer_s_own(whole: tuple[RunRecord, Path]) -> None:
    record, folder = whole
    state = json.loads((folder / "trainer_state.json").read_text(encoding="utf-8"))
    assert [epoch.step for epoch in record.epochs] == [6, 12, 18]
    assert state["best_global_step"] == record.epochs[record.selected - 1].step
    assert state["best_metric"] == pytest.approx(record.valid / 100)
    assert record.test in {100 * right / 16 for right in range(17)}
    assert json.loads((folder / "test_results.json").read_text(encoding="utf-8"))["test_accuracy"] == record.test / 100


def test_the_rate_follows_the_recipe(whole: tuple[RunRecord, Path]) -> None:
    record, folder = whole
    state = json.loads((folder / "trainer_state.json").read_text(encoding="utf-8"))
    rates = {entry["step"]: entry["learning_rate"] for entry in state["log_history"] if "learning_rate" in entry}
    assert rates
    recipe = record.plan.recipe
    assert all(
        recipe.rate(step - 1) == pytest.approx(rate) or recipe.rate(step) == pytest.approx(rate)
        for step, rate in rates.items()
    )


def test_its_logs_are_read_as_a_student_s(whole: tuple[RunRecord, Path]) -> None:
    record, folder = whole
    runs = read_runs(folder)
    values = [
        value
        for run in runs
        for log in run.logs
        for series in log.series
        if series.tag == "eval/accuracy"
        for value in series.values
    ]
    assert [round(100 * value, 3) for value in values[:3]] == [epoch.valid for epoch in record.epochs]


def test_a_killed_run_goes_on_to_the_same_result(
    whole: tuple[RunRecord, Path], data: Path, checkpoint: Path, tmp_path: Path
) -> None:
    def kill(done: int, of: int, loss: float) -> None:
        if done == 9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_job(job(data, checkpoint, tmp_path), kill)
    (tmp_path / "huggingface_18_seed1" / "checkpoint-9").mkdir()  # as a kill leaves one that was being written
    resumed = run_job(job(data, checkpoint, tmp_path), ignore_progress)
    assert isinstance(resumed, RunRecord)
    assert figures(resumed) == figures(whole[0])
    assert resumed.sittings == 2
