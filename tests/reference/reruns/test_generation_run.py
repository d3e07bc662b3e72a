"""LoRA on a small random BLOOM: what is trained, what it learns, and what it writes before and after."""

from pathlib import Path

import pytest

from reference.reruns.fine_tuning import ignore_progress
from reference.reruns.generation_run import GenerationRecord, prompt
from reference.reruns.run_record import Hardware, RerunError, Settings, Sizes
from reference.reruns.running import run_job
from reference.reruns.spec import GenerationSpec, Job
from tests.reference.reruns.making import LORA, make_pairs

SIZES = Sizes(layers=2, width=16, feed_forward=64, heads=2, positions=64, vocabulary=300)


def job(folder: Path, **changes: object) -> Job:
    one = GenerationSpec(
        id="bloom-lora",
        kind="generation",
        sizes=SIZES,
        recipe=Settings(batch=4, epochs=4, peak_rate=5e-2, warm_up=0.05, betas=(0.9, 0.999), decay=0.0),
        new_tokens=4,
    )
    values = {"spec": one, "seed": 0, "data": folder / "data", "out": folder / "out", "parameters": LORA}
    return Job.model_validate(values | {"hardware": Hardware(threads=1)} | changes)


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> GenerationRecord:
    folder = tmp_path_factory.mktemp("generation")
    make_pairs(folder / "data")
    found = run_job(job(folder), ignore_progress)
    assert isinstance(found, GenerationRecord)
    assert (folder / "out" / "bloom-lora_seed0" / "trainer_state.json").is_file()
    return found


def test_only_the_adapter_is_trained(record: GenerationRecord) -> None:
    """Two factors of rank 2 for each layer's projection from 16 to 3 * 16."""
    assert record.trainable == 2 * 2 * (16 + 48)
    assert record.all > record.trainable
    assert not record.four_bit


def test_it_learns(record: GenerationRecord) -> None:
    assert len(record.losses) == 8
    assert record.losses[-1] < record.losses[0]


def test_answers_before_and_after_are_kept(record: GenerationRecord) -> None:
    assert len(record.answers) == 3
    assert record.answers[0].question == "What is 0 and one?"


def test_the_prompt_is_the_lab_s() -> None:
    assert prompt("Why?", "Because.") == "<human>: Why?\n<assistant>: Because."
    assert prompt("Why?") == "<human>: Why?\n<assistant>:"


def test_data_and_settings_that_are_wrong(tmp_path: Path) -> None:
    with pytest.raises(RerunError, match=r"train\.jsonl"):
        run_job(job(tmp_path), ignore_progress)
    make_pairs(tmp_path / "data")
    with pytest.raises(RerunError, match=r"\[\[parameters\]\]"):
        run_job(job(tmp_path, parameters={"r": "2"}), ignore_progress)
    (tmp_path / "data" / "train.jsonl").write_text('{"question": "a"}\n', encoding="utf-8")
    with pytest.raises(RerunError, match="line 1"):
        run_job(job(tmp_path), ignore_progress)
