"""Every sentence on LoRA is borne out by the installed library, readable, stable, and able to fail."""

import dataclasses
import json
import re

import pytest
import torch
from peft import LoraConfig, TaskType
from peft.tuners.lora import LoraLayer

from grader.lab.truth import Fact
from reference.lora import catalogue, experiments_rank, experiments_start
from reference.lora.catalogue import experiments, facts
from reference.lora.fact import METHOD, Experiment, RefutedError, expect, perform

DATE = "2030-01-01"
EXPERIMENTS = {experiment.id: experiment for experiment in experiments()}
FIELDS = {field.name for field in dataclasses.fields(LoraConfig)}

DEPENDING_ON_VERSION = {
    "lora/alpha_pattern/own-scale",
    "lora/bias/no-boolean",
    "lora/bias/switched-off",
    "lora/exclude_modules/excluded",
    "lora/init_lora_weights/compensated",
    "lora/init_lora_weights/invalid",
    "lora/init_lora_weights/zero-starts",
    "lora/layers_pattern/place-of-the-number",
    "lora/layers_to_transform/not-with-a-string",
    "lora/lora_alpha/invalid",
    "lora/lora_bias/bias-of-b",
    "lora/method/lab-values",
    "lora/modules_to_save/classifier",
    "lora/r/invalid",
    "lora/r/not-bits",
    "lora/rank_pattern/own-rank",
    "lora/target_modules/all-linear",
    "lora/target_modules/no-separate-projections",
    "lora/target_modules/whole-parts",
    "lora/task_type/classifier-too",
    "lora/task_type/invalid",
    "lora/task_type/wrong-model",
    "lora/use_dora/lengths",
    "lora/use_dora/output",
    "lora/use_rslora/square-root",
}
"""The facts that hold for some versions of peft only; all others held with 0.4.0, 0.18.1, 0.19.1 and 0.21.2 alike."""

WORDS_OF_THE_LIBRARY = {*FIELDS, *(kind.value for kind in TaskType), "lora_only", "query_key_value", "no_such"}
WORDS_OF_THE_LIBRARY |= {"causal_lm", "CAUSAL_ML", "lora_ga"}


@pytest.fixture(scope="module")
def measured() -> dict[str, Fact]:
    """All facts; an experiment that fails fails here, by name."""
    return {fact.id: fact for fact in facts(DATE)}


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_holds_and_repeats(experiment: Experiment, measured: dict[str, Fact]) -> None:
    """The second run comes after other random numbers, in another order, and must give the same bytes."""
    torch.rand(17)
    again = perform(experiment, DATE)
    assert again.model_dump_json() == measured[experiment.id].model_dump_json()
    assert again.figures


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_sentence_is_for_students(experiment: Experiment) -> None:
    sentence = experiment.sentence
    assert sentence.endswith(".")
    assert 40 < len(sentence) < 320
    assert not re.search(r"[`{}]|\(\)|==|\*\*|self\.|lambda|>>>", sentence)
    named = {word.strip('",.:;()[]') for word in sentence.split() if "_" in word}
    assert named <= WORDS_OF_THE_LIBRARY, "a sentence uses no identifiers but those of the library"


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_id_names_the_field(experiment: Experiment) -> None:
    assert re.fullmatch(r"lora/[a-z_]+/[a-z0-9-]+", experiment.id)
    assert experiment.field in FIELDS | {METHOD}


def test_ids_are_unique_and_sorted() -> None:
    ids = [experiment.id for experiment in experiments()]
    assert ids == sorted(set(ids))


def test_every_field_of_the_lab_has_facts() -> None:
    covered = {experiment.field for experiment in EXPERIMENTS.values()}
    assert {"r", "lora_alpha", "target_modules", "lora_dropout", "bias", "task_type"} <= covered


def test_what_depends_on_the_version_is_named() -> None:
    drifting = {experiment.id for experiment in EXPERIMENTS.values() if experiment.drift}
    assert drifting == DEPENDING_ON_VERSION
    for name in drifting:
        drift = EXPERIMENTS[name].drift
        assert drift is not None
        assert re.search(r"peft|0\.\d+\.\d+", drift)
        assert drift.endswith(".")


def test_provenance(measured: dict[str, Fact]) -> None:
    provenance = measured["lora/lora_alpha/scale"].provenance
    assert provenance.how == "reference.lora.experiments_alpha.scale"
    assert set(provenance.versions) == {"peft", "torch", "transformers"}
    assert (provenance.date, provenance.device) == (DATE, "cpu")
    hashes = {fact.provenance.inputs_sha256 for fact in measured.values()}
    assert len(hashes) == len(measured), "each experiment has a source of its own"


def test_figures_carry_no_noise(measured: dict[str, Fact]) -> None:
    """A figure with more than six digits would be one machine's rounding."""
    for fact in measured.values():
        for number in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", json.dumps(fact.figures)):
            assert "e" not in number, fact.id
            assert len(number.lstrip("-").replace(".", "")) <= 6, fact.id
            assert number != "-0.0", fact.id


def test_random_state_is_left_alone() -> None:
    torch.manual_seed(3)
    undisturbed = torch.rand(1)
    torch.manual_seed(3)
    perform(EXPERIMENTS["lora/lora_dropout/share"], DATE)
    assert torch.equal(torch.rand(1), undisturbed)


def test_expect_returns_what_was_measured() -> None:
    assert expect({"a": 1}, {"a": 1}) == {"a": 1}


def refuted(name: str) -> str:
    with pytest.raises(RefutedError) as caught:
        perform(EXPERIMENTS[name], DATE)
    return str(caught.value)


def test_another_scale_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that scaled by alpha / sqrt(r) would refute the sentence on alpha / r, but not that on doubling."""
    original = LoraLayer.update_layer

    def rescaled(self: LoraLayer, adapter_name: str, r: int, *rest: object, **options: object) -> None:
        original(self, adapter_name, r, *rest, **options)  # type: ignore[arg-type]
        self.scaling[adapter_name] *= r**0.5

    monkeypatch.setattr(LoraLayer, "update_layer", rescaled)
    text = refuted("lora/lora_alpha/scale")
    assert "lora/lora_alpha/scale" in text
    assert '"factor for r = 16, lora_alpha = 32": 8.0' in text
    assert '"factor for r = 16, lora_alpha = 32": 2.0' in text
    perform(EXPERIMENTS["lora/lora_alpha/doubling"], DATE)


def test_dropout_in_another_place_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that dropped entries outside training too, or none, would refute the sentences on dropout."""
    monkeypatch.setattr(torch.nn.Dropout, "forward", lambda self, x: torch.nn.functional.dropout(x, self.p, True))
    refuted("lora/lora_dropout/training-only")
    monkeypatch.setattr(torch.nn.Dropout, "forward", lambda self, x: x)
    refuted("lora/lora_dropout/branch-only")
    refuted("lora/lora_dropout/share")
    refuted("lora/lora_dropout/new-draw")


def test_another_start_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that started B at random would refute all that rests on B = 0."""
    monkeypatch.setattr(torch.nn.init, "zeros_", torch.nn.init.ones_)
    for name in ("b-is-zero", "start-unchanged", "first-gradient", "zero-starts"):
        refuted(f"lora/init_lora_weights/{name}")


def test_a_failing_library_is_reported_with_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError("no such layer")

    monkeypatch.setattr(LoraLayer, "update_layer", broken)
    text = refuted("lora/use_rslora/square-root")
    assert "OSError: no such layer" in text
    assert "since peft 0.8.0" in text


def test_a_refuted_fact_is_never_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "TOPICS", (experiments_rank.EXPERIMENTS, experiments_start.EXPERIMENTS))
    monkeypatch.setattr(torch.nn.init, "zeros_", torch.nn.init.ones_)
    with pytest.raises(ExceptionGroup) as caught:
        facts(DATE)
    named = {error.experiment.id for error in caught.value.exceptions if isinstance(error, RefutedError)}
    assert "lora/init_lora_weights/b-is-zero" in named
    assert "lora/r/shapes" not in named
