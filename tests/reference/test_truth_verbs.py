"""`grade truth build`, `verify` and `show`: the frozen truth can be made anew, and proves itself."""

import json
import shutil
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from grader.lab.files import lab_folder, load_truth
from reference.build import compute, differences, to_text, version_changes, with_old_dates
from tests.conftest import ROOT, run_grade

SHIPPED = lab_folder("nlp-frameworks")


@pytest.fixture(scope="module")
def computed() -> object:
    return compute(SHIPPED, "2030-01-01")


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED, tmp_path / "lab", ignore=shutil.ignore_patterns("answers")))


def test_the_shipped_truth_holds(computed: object) -> None:
    assert [str(error) for error in computed.refuted] == []  # type: ignore[attr-defined]
    assert differences(load_truth(SHIPPED), computed) == ()  # type: ignore[arg-type]


def test_building_again_changes_no_byte(computed: object) -> None:
    """Entries that are the same keep their day, so a new build shows what has changed and nothing else."""
    truth = computed.truth  # type: ignore[attr-defined]
    again = to_text(with_old_dates(truth, load_truth(SHIPPED)))
    assert again == (SHIPPED / "truth.json").read_text(encoding="utf-8")


def test_a_changed_entry_is_named_with_both_values(computed: object) -> None:
    frozen = load_truth(SHIPPED)
    wrong = frozen.values[0].model_copy(update={"value": "tampered"})
    tampered = frozen.model_copy(update={"values": (wrong, *frozen.values[1:])})
    (difference,) = differences(tampered, computed)  # type: ignore[arg-type]
    assert (difference.id, difference.key) == (wrong.id, "value")
    assert "tampered" in difference.frozen
    assert frozen.values[0].value in difference.computed


def test_other_versions_are_named() -> None:
    frozen = load_truth(SHIPPED)
    data = json.loads(to_text(frozen).replace('"peft": "', '"peft": "0.0-'))
    older = type(frozen).model_validate(data)
    (change,) = version_changes(older, frozen)
    assert change.library == "peft"
    assert change.frozen == f"0.0-{change.here}"


def test_verify_says_so_by_its_exit_status(lab: Path, computed: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reference.build.compute", lambda *_: computed)  # of the same lab, which takes seconds
    path = lab / "truth.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["bands"][0]["outer"] = [1.0, 2.0]
    path.write_text(json.dumps(data), encoding="utf-8")
    done = run_grade("truth", "verify", "--lab", lab)
    assert done.returncode == 1
    assert data["bands"][0]["id"] in done.stdout
    assert "1 differences" in done.stdout


def test_show_prints_counts_facts_and_bands() -> None:
    done = run_grade("truth", "show", COLUMNS="200")
    assert done.returncode == 0, done.stderr
    for words in ("22,807,552", "lora/lora_alpha/", "band/pretrained/test/1125", "1,572,864"):
        assert words in done.stdout


def test_a_lab_that_is_not_there() -> None:
    done = run_grade("truth", "verify", "--lab", "nowhere")
    assert done.returncode == 2
    assert "lab.toml" in done.stderr


def test_the_truth_follows_its_published_schema() -> None:
    schema = json.loads((ROOT / "docs" / "truth.schema.json").read_text(encoding="utf-8"))
    data = json.loads((SHIPPED / "truth.json").read_text(encoding="utf-8"))
    assert list(Draft202012Validator(schema).iter_errors(data)) == []
