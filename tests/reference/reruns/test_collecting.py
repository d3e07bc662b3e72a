"""Evidence is made of whole runs only, one file for each set-up."""

import shutil
from functools import partial
from pathlib import Path

import pytest

from grader.lab.files import LabError
from reference.evidence import load_evidence, load_rerun
from reference.reruns.checkpoints import random_classifier
from reference.reruns.coding import Examples
from reference.reruns.collecting import evidence_of, whole_runs, write_evidence
from reference.reruns.run_record import RerunError, RunRecord
from reference.reruns.running import perform
from tests.reference.reruns.making import SIZES, plan, spec


@pytest.fixture(scope="module")
def out(split: Examples, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two whole runs, and one that was killed after its second epoch."""
    folder = tmp_path_factory.mktemp("runs")

    def kill(done: int, of: int, loss: float) -> None:
        if done == 13:
            raise KeyboardInterrupt

    for seed in (0, 1):
        perform(plan(seed=seed), split, partial(random_classifier, SIZES, 2, 0.1, seed), folder)
    with pytest.raises(KeyboardInterrupt):
        perform(plan(seed=2), split, partial(random_classifier, SIZES, 2, 0.1, 2), folder, kill)
    return folder


def test_only_whole_runs_count(out: Path) -> None:
    records, unfinished = whole_runs(out)
    assert [record.plan.seed for record in records] == [0, 1]
    assert unfinished == ["random_18_seed2"]


def test_a_file_holds_all_that_was_measured(out: Path, tmp_path: Path) -> None:
    records, _ = whole_runs(out)
    (evidence,) = evidence_of(records, (spec(same_reviews=("test",)),), "cpu")
    path = write_evidence(tmp_path, evidence)
    again = load_rerun(path)
    assert (path.name, again) == ("cpu-18-random.json", evidence)
    assert [seed.epochs for seed in again.seeds] == [record.epochs for record in records]
    assert again.plan.data_sha256 == records[0].plan.data_sha256
    known = again.known_run()
    assert (known.kind, known.other_reviews) == ("rerun", {"valid": 8})
    assert known.test == tuple(record.test for record in records)
    assert load_evidence(tmp_path).runs == (known,)


def test_set_ups_that_would_share_a_name_are_told_apart(out: Path) -> None:
    records, _ = whole_runs(out)
    other = records[1].model_copy(update={"plan": records[1].plan.model_copy(update={"data_sha256": "other"})})
    with pytest.raises(RerunError, match="under different names"):
        evidence_of([records[0], other], (spec(),), "cpu")


def test_a_folder_without_whole_runs(tmp_path: Path) -> None:
    with pytest.raises(RerunError, match="no whole run"):
        whole_runs(tmp_path)


def test_a_record_that_was_cut_off_is_no_evidence(out: Path, tmp_path: Path) -> None:
    content = (out / "random_18_seed0" / "run.json").read_text(encoding="utf-8")
    (tmp_path / "random_18_seed0").mkdir()
    (tmp_path / "random_18_seed0" / "run.json").write_text(content[: len(content) // 2], encoding="utf-8")
    with pytest.raises(RerunError, match="damaged"):
        whole_runs(tmp_path)


def test_logs_that_say_otherwise_than_the_record_are_no_evidence(out: Path, tmp_path: Path) -> None:
    """The bands rest on what tbparse, an independent reader, finds in the logs, too."""
    runs = tmp_path / "runs"
    shutil.copytree(out / "random_18_seed0", runs / "random_18_seed0")
    assert len(whole_runs(runs)[0]) == 1
    file = runs / "random_18_seed0" / "run.json"
    record = RunRecord.model_validate_json(file.read_text(encoding="utf-8"))
    better = [epoch.model_copy(update={"valid": epoch.valid + 1}) for epoch in record.epochs]
    file.write_text(record.model_copy(update={"epochs": tuple(better)}).model_dump_json(), encoding="utf-8")
    with pytest.raises(RerunError, match="different accuracies after 6 updates"):
        whole_runs(runs)
    file.write_text(record.model_dump_json(), encoding="utf-8")
    shutil.rmtree(runs / "random_18_seed0" / "test")
    with pytest.raises(RerunError, match=r"after 6 updates \(none and"):
        whole_runs(runs)


def test_evidence_that_names_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "accuracies.toml").write_text(
        '[[bands]]\nid = "a/test/any"\nexperiment = "a"\nsplit = "test"\nruns = ["b"]\n', encoding="utf-8"
    )
    with pytest.raises(LabError, match="'b', which is not there"):
        load_evidence(tmp_path)
    (tmp_path / "accuracies.toml").write_text("[[runs]]\nid = 3\n", encoding="utf-8")
    with pytest.raises(LabError, match="`runs"):
        load_evidence(tmp_path)
