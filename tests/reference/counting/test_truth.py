"""Specifications of models become entries of the truth, which adds up and equals what the lab ships."""

import json
from pathlib import Path

import pytest

from grader.lab.files import lab_folder, load_truth
from grader.lab.truth import Count, GroundTruth, Model
from reference.counting.configs import CountError
from reference.counting.conventions import ModelSpec, load_specs
from reference.counting.truth import model_truth
from tests.reference.counting.models import ROBERTA_SMALL

FOLDER = lab_folder("nlp-frameworks")
SPECS = load_specs(FOLDER / "lab.toml")


@pytest.fixture(scope="module")
def computed() -> dict[str, tuple[Model, tuple[Count, ...]]]:
    return {spec.id: model_truth(spec, FOLDER, "2026-01-01") for spec in SPECS}


def test_the_labs_counts_are_the_shipped_ones(computed: dict[str, tuple[Model, tuple[Count, ...]]]) -> None:
    for model, counts in computed.values():
        shipped = {count.id: (count.total, count.title) for count in load_truth(FOLDER).counts_of(model.id)}
        assert {count.id: (count.total, count.title) for count in counts} == shipped
        assert shipped


def test_components_add_up(computed: dict[str, tuple[Model, tuple[Count, ...]]]) -> None:
    """The truth refuses counts that are not the sums of their components."""
    truth = GroundTruth(
        lab="nlp-frameworks",
        models=tuple(model for model, _ in computed.values()),
        counts=tuple(count for _, counts in computed.values() for count in counts),
    )
    assert all(truth.components(count.model, count.convention) for count in truth.counts if count.total)
    for model in truth.models:
        assert len({component.id for component in model.components}) == len(model.components)


def test_parts_are_called_as_students_call_them(computed: dict[str, tuple[Model, tuple[Count, ...]]]) -> None:
    model, _ = computed["roberta-small-fr"]
    assert model.layers == 4
    sizes = {(part.part, part.kind): (part.shape, part.values, part.times) for part in model.components}
    assert sizes["attention", "weight"] == ("4 x 512 x 512", 1_048_576, 4)
    assert sizes["feed-forward", "bias"] == ("2 x 512", 1024, 4)
    assert {part.part for part in model.components} == {
        "classification head",
        "pooler",
        "token embedding",
        "token-type embedding",
        "position embedding",
        "attention",
        "feed-forward",
        "norms",
        "language-model head",
    }


def test_both_position_tables_are_kept_apart(computed: dict[str, tuple[Model, tuple[Count, ...]]]) -> None:
    model, _ = computed["roberta-small-fr"]
    tables = [part for part in model.components if part.part == "position embedding"]
    assert [table.shape for table in tables] == ["258 x 512", "514 x 512"]
    assert not set(tables[0].counted_in) & set(tables[1].counted_in)


def test_provenance_says_how(computed: dict[str, tuple[Model, tuple[Count, ...]]]) -> None:
    _, counts = computed["bloom-560m-lora"]
    provenance = next(count for count in counts if count.convention == "all-4-bit").provenance
    assert set(provenance.versions) == {"torch", "transformers", "peft"}
    assert "BloomForCausalLM" in provenance.how
    assert "4 bits" in provenance.how
    assert len(provenance.inputs_sha256) == 64


def lab(tmp_path: Path, convention: dict[str, object]) -> ModelSpec:
    (tmp_path / "config.json").write_text(json.dumps(ROBERTA_SMALL))
    conventions = ({"id": "one", "title": "one", **convention},)
    return ModelSpec.model_validate({"id": "m", "title": "M", "config": "config.json", "conventions": conventions})


def test_an_instructors_own_model(tmp_path: Path) -> None:
    model, (count,) = model_truth(lab(tmp_path, {"task": "base", "without": ["pooler"]}), tmp_path, "2026-01-01")
    assert count.total == 22_829_568
    assert (count.id, model.id) == ("m/one", "m")


def test_overrides_are_held_to_the_same_bounds(tmp_path: Path) -> None:
    with pytest.raises(CountError, match="vocab_size"):
        model_truth(lab(tmp_path, {"overrides": {"vocab_size": 10**12}}), tmp_path, "2026-01-01")


def test_inputs_decide_the_hash(tmp_path: Path) -> None:
    hashes = {
        model_truth(lab(tmp_path, {"without": names}), tmp_path, "2026-01-01")[0].provenance.inputs_sha256
        for names in ([], ["norms"], ["norms"])
    }
    assert len(hashes) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models = 3", "models"),
        ("[[models", "not TOML"),
        ("[[models]]\nid = 'm'", "models.0.title"),
        ("[[models]]\nid='m'\ntitle='M'\nconfig='c'\nconventions=[]", "conventions"),
    ],
)
def test_specifications_that_say_too_little(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "models.toml"
    path.write_text(text)
    with pytest.raises(CountError, match=said.replace(".", r"\.")):
        load_specs(path)
    with pytest.raises(CountError, match="cannot be read"):
        load_specs(tmp_path / "absent.toml")
