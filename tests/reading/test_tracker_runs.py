"""Runs that trackers of experiments keep are read as they were logged, and prove what a notebook's output proves. The
files were made by the trackers themselves (`trackers/make.py`).
"""

import json
import sqlite3
import struct
import zipfile
from collections.abc import Iterable
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.claims.answer import extract
from grader.claims.logged import logged_runs
from grader.intake.opening import open_submission
from grader.intake.submission import Role, Source, Submission
from grader.pipeline.one import grade_submission
from grader.reading.formats import read
from grader.reading.log import Log, Run, Subset
from grader.reading.logs.written import CUT
from grader.reading.reading import FileState, Reading
from grader.reading.trackers import databases
from grader.reading.trackers.databases import read_database
from grader.reading.trackers.tracked import TrackedRun, columns_of, log_of
from grader.reading.trackers.weights_and_biases import read_wandb
from grader.result import Result
from tests.claims.making import lab
from tests.conftest import ROOT
from tests.patience import within
from tests.reader.making import lab_and_truth
from tests.reading.making import submitted

FIXTURES = Path(__file__).parent / "trackers"
COURSE = json.loads((FIXTURES / "course.json").read_text())
TRACKERS = {
    "wandb": "Weights & Biases",
    "mlflow": "MLflow",
    "mlruns": "MLflow",
    "trackio": "trackio",
    "dvclive": "DVCLive",
    "sacred": "sacred",
}
SAMPLE = ROOT / "submissions" / "student-04"
PRINTED = (11, 12, 14)
"""The cells of the sample that print its training."""


def opened(folder: Path) -> Submission:
    return open_submission(Source(student_id="ada", student_name="Ada", path=folder), folder.parent / "work")


def reading_of(folder: Path) -> Reading:
    return read(opened(folder))


def kept_by(tracker: str, folder: Path) -> Path:
    with zipfile.ZipFile(FIXTURES / f"{tracker}.zip") as archive:
        archive.extractall(folder)
    return folder


@pytest.mark.parametrize("tracker", TRACKERS)
def test_all_that_was_logged_is_read(tracker: str, tmp_path: Path) -> None:
    runs = reading_of(kept_by(tracker, tmp_path / "in")).runs
    by_name = {run.name.rpartition("/")[2]: run for run in runs}
    assert len(runs) == len(by_name) == len(COURSE)
    for wanted in COURSE:
        run = by_name[wanted["name"]]
        (log,) = run.logs
        told = {setting.name: setting.value for setting in log.settings}
        measured = {series.tag: (list(series.steps), list(series.values)) for series in log.series}
        assert measured == {tag: (wanted["steps"], values) for tag, values in wanted["values"].items()}
        assert run.seed is not None
        assert (int(run.seed.value), told["init"], float(told["learning_rate"])) == (
            wanted["seed"],
            wanted["init"],
            1e-05,
        )
        assert (log.tracker, run.problems, log.problems) == (TRACKERS[tracker], (), ())


def sample_with(tracker: str | None, folder: Path, *, printed: bool) -> Result:
    """The sample graded with what a tracker keeps beside it, with what its notebook printed of training or without."""
    (folder / "code").mkdir(parents=True)
    (folder / "report.md").write_bytes((SAMPLE / "report.md").read_bytes())
    notebook = json.loads((SAMPLE / "code" / "lab.ipynb").read_text(encoding="utf-8"))
    for cell in () if printed else PRINTED:
        notebook["cells"][cell]["outputs"] = []
    (folder / "code" / "lab.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    if tracker:
        kept_by(tracker, folder)
    return grade_submission(opened(folder), *lab_and_truth())


def verdicts(result: Result) -> dict[str, str]:
    return {item.id: item.status for item in result.items} | {
        f"{flag.id} {flag.message}": flag.severity for flag in result.flags
    }


@pytest.fixture(scope="module")
def as_printed(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return sample_with(None, tmp_path_factory.mktemp("printed") / "in", printed=True)


@pytest.mark.parametrize("tracker", TRACKERS)
def test_a_tracker_proves_what_a_notebook_prints(tracker: str, tmp_path: Path, as_printed: Result) -> None:
    kept = sample_with(tracker, tmp_path / "in", printed=False)
    assert verdicts(kept) == verdicts(as_printed)
    assert len(kept.curves) == len(as_printed.curves) > 0
    (flag, *_) = (one for one in kept.flags if one.id == "validation-reported-as-test")
    (place,) = (one for one in flag.evidence if one.tag and "pretrained_seed1," in one.tag)
    assert not Path(place.file).name.startswith(("params", "config", "hparams"))  # the file with the values
    title, run, tag = place.tag.split(", ") if place.tag else ("", "", "")
    assert (title, Path(run).name, tag, place.step) == (TRACKERS[tracker], "pretrained_seed1", "eval/accuracy", 900)


def test_a_tracker_beside_what_was_printed_changes_nothing(tmp_path: Path, as_printed: Result) -> None:
    assert verdicts(sample_with("wandb", tmp_path / "in", printed=True)) == verdicts(as_printed)


def test_without_either_the_choice_is_for_a_person(tmp_path: Path, as_printed: Result) -> None:
    alone = verdicts(sample_with(None, tmp_path / "in", printed=False))
    assert (alone["t3.selection"], verdicts(as_printed)["t3.selection"]) == ("review", "incorrect")


def test_names_of_runs_tell_their_experiment() -> None:
    log = log_of(
        "m.db", "m.db/1", "MLflow", TrackedRun("random_seed7", {}, columns_of({"eval/accuracy": {225: 0.6, 450: 0.65}}))
    )
    reading = Reading(runs=(Run(name="m.db/1/random_seed7", logs=(log,)),))
    assert log.seed == 7
    assert [run.experiment for run in extract(reading, lab()).runs] == ["random"]


def points(columns: dict[str, dict[int, float]]) -> dict[str, list[tuple[int, float]]]:
    log = log_of("f", "f", "W", TrackedRun("", {}, columns_of(columns)))
    return {one.tag: list(zip(one.steps, one.values, strict=True)) for one in log.series}


def test_updates_that_were_logged_count_the_steps() -> None:
    columns = {"train/global_step": {0: 225.0, 1: 450.0}, "eval/accuracy": {0: 0.6, 1: 0.7}}
    assert points(columns) == {"eval/accuracy": [(225, 0.6), (450, 0.7)]}


@pytest.mark.parametrize("counted", [{"epoch": {0: 1.0, 1: 1.0, 2: 2.0, 3: 2.0}}, {}])
def test_evaluations_of_one_epoch_meet_where_each_has_a_call_of_its_own(counted: dict[str, dict[int, float]]) -> None:
    columns = {"val_acc": {0: 0.6, 2: 0.7}, "test_acc": {1: 0.5, 3: 0.55}} | counted
    assert points(columns) == {"valid/acc": [(1, 0.6), (2, 0.7)], "test/acc": [(1, 0.5), (2, 0.55)]}


def test_an_epoch_that_is_told_at_its_end_counts_what_was_logged_before_it() -> None:
    rows = {"train/loss": {0: 0.9, 1: 0.8, 3: 0.7, 4: 0.6, 6: 0.5}, "epoch": {2: 1.0, 5: 2.0}}
    evaluated = {"val_acc": {2: 0.6, 5: 0.7}, "test_acc": {6: 0.65}}
    assert points(rows | evaluated) == {
        "train/loss": [(1, 0.8), (2, 0.5)],
        "valid/acc": [(1, 0.6), (2, 0.7)],
        "test/acc": [(2, 0.65)],
    }


def test_groups_that_say_when_are_no_part_of_a_name() -> None:
    columns = {"epoch/epoch": {0: 0.0, 1: 1.0}, "epoch/val_accuracy": {0: 0.55, 1: 0.61}}
    assert points(columns) == {"valid/accuracy": [(0, 0.55), (1, 0.61)]}


def test_steps_that_a_program_gave_are_kept() -> None:
    columns = {"val_acc": {225: 0.6, 450: 0.7}, "test_acc": {225: 0.5, 450: 0.55}, "epoch": {225: 1.0, 450: 2.0}}
    assert points(columns)["valid/acc"] == [(225, 0.6), (450, 0.7)]


@pytest.mark.parametrize(
    ("folder", "title"),
    [(".aim", "Aim"), ("x/.neptune/offline", "Neptune"), ("swanlog/run-1", "SwanLab"), (".cometml-runs", "Comet")],
)
def test_a_tracker_that_is_not_read_is_named(folder: str, title: str, tmp_path: Path) -> None:
    (tmp_path / "in" / folder).mkdir(parents=True)
    (tmp_path / "in" / folder / "000008.log").write_bytes(b"")
    (tmp_path / "in" / folder / "notes.txt").write_text("nothing of the student's")
    found = reading_of(tmp_path / "in")
    (told,) = (one for one in found.files if one.state is FileState.UNREADABLE)
    assert (told.role, title in str(told.reason), "CSV" in str(told.reason)) == (Role.LOG, True, True)
    assert found.documents == ()
    gaps = extract(found, lab()).gaps
    assert len(gaps) == 1


def test_what_a_tracker_prints_or_makes_is_no_report(tmp_path: Path) -> None:
    folder = kept_by("sacred", kept_by("dvclive", tmp_path / "in"))
    (folder / "runs" / "1" / "cout.txt").write_text("Accuracy of seed 1: 79.3\n" * 5)
    (folder / "dvclive" / "pretrained_seed1" / "report.md").write_text("# Report\n\nThe model has 3 parameters.\n")
    found = reading_of(folder)
    answer = extract(found, lab())
    assert answer.report != "dvclive/pretrained_seed1/report.md"
    assert {one.role for one in found.files if one.path.endswith("cout.txt")} == {Role.LOG}


@pytest.mark.parametrize(
    ("name", "content", "wanted"),
    [
        ("s2/history.json", {"loss": [1.2, 1.1], "val_loss": [1.3, 1.2]}, {("valid", "loss"): [1.3, 1.2]}),
        ("s2/h.json", [{"epoch": 1, "val_acc": 0.6}, {"epoch": 2, "val_acc": 0.7}], {("valid", "acc"): [0.6, 0.7]}),
        ("s2/h.json", {"val_acc": {"0": 0.6, "1": 0.7}, "loss": {"0": 1, "1": 2}}, {("valid", "acc"): [0.6, 0.7]}),
        ("s2/test/result.json", {"accuracy": 0.79, "_evaluate_version": "0"}, {("test", "accuracy"): [0.79]}),
    ],
)
def test_json_that_training_leaves(
    name: str, content: object, wanted: dict[tuple[str, str], list[float]], tmp_path: Path
) -> None:
    (tmp_path / "in" / name).parent.mkdir(parents=True)
    (tmp_path / "in" / name).write_text(json.dumps(content))
    (run,) = reading_of(tmp_path / "in").runs
    found = {
        (one.subset, one.tag.rpartition("/")[2]): list(one.values)
        for log in run.logs
        for one in log.series
        if one.subset in (Subset.VALID, Subset.TEST)
    }
    assert (found, run.seed.value if run.seed else "") == (wanted, "2")


def test_settings_of_lightning_belong_to_its_table(tmp_path: Path) -> None:
    folder = tmp_path / "in" / "lightning_logs" / "version_0"
    folder.mkdir(parents=True)
    (folder / "hparams.yaml").write_text("seed: 3\nlr: 1e-05\n")
    (folder / "metrics.csv").write_text("epoch,step,train_loss,val_acc\n0,224,0.6,\n0,224,,0.655\n1,449,,0.69\n")
    (run,) = reading_of(tmp_path / "in").runs
    assert run.seed is not None
    assert run.seed.value == "3"
    assert {one.tag: one.values for one in run.logs[0].series}["valid/acc"] == (0.655, 0.69)


def test_the_table_of_ultralytics_is_of_validation_and_its_settings_belong_to_it(tmp_path: Path) -> None:
    folder = tmp_path / "in" / "runs" / "classify" / "exp1"
    folder.mkdir(parents=True)
    (folder / "args.yaml").write_text("task: classify\nepochs: 2\nseed: 4\n")
    (folder / "results.csv").write_text(
        "epoch,time,train/loss,metrics/accuracy_top1,metrics/accuracy_top5,val/loss\n1,0.6,0.69,0.655,1,0.68\n"
        "2,2.0,0.66,0.69,1,0.67\n"
    )
    (run,) = reading_of(tmp_path / "in").runs
    (log,) = run.logs
    assert (run.seed and run.seed.value, log.tracker) == ("4", "Ultralytics")
    (logged,) = (one for one in logged_runs([run], lab()) if one.selecting)
    assert [(str(point.moment), point.value) for point in logged.selecting] == [("epoch 1", 65.5), ("epoch 2", 69)]


def test_what_is_saved_beside_a_result_tells_of_its_run(tmp_path: Path) -> None:
    for seed in (1, 2):
        saved = {"accuracy": 0.79, "seed": seed, "model": "pretrained", "_evaluate_version": "0.4.6"}
        (tmp_path / f"result-2026_11_30-04_02_1{seed}.json").write_text(json.dumps(saved))
    runs = reading_of(tmp_path).runs
    assert sorted(run.seed.value if run.seed else "" for run in runs) == ["1", "2"]
    assert {one.tag for run in runs for log in run.logs for one in log.series} == {"accuracy"}


def database(folder: Path, *statements: str) -> tuple[Log, ...]:
    file = folder / "made.db"
    with sqlite3.connect(file) as made:
        for statement in statements:
            made.execute(statement)
    made.close()
    return read_database(submitted(folder, "mlflow.db", file.read_bytes(), Role.LOG))


OTHERS = (
    "CREATE TABLE params (run_uuid, key, value)",
    "CREATE TABLE tags (run_uuid, key, value)",
    "CREATE TABLE metrics (run_uuid, key, timestamp, step, value, is_nan)",
)
ENDLESS = """WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
    SELECT x AS run_uuid, x AS name, 'a' AS lifecycle_stage FROM c"""


@pytest.mark.parametrize(
    "runs",
    [
        [f"CREATE VIEW runs AS {ENDLESS}"],
        ["CREATE VIRTUAL TABLE runs USING fts4(run_uuid, name, lifecycle_stage)"],
        [
            "CREATE TABLE runs (run_uuid, lifecycle_stage, name AS (hex(zeroblob(100000000))))",
            "INSERT INTO runs VALUES ('a', 'active')",
        ],
        ["CREATE TABLE runs (run_uuid, name)"],
        ["CREATE TABLE other (a)"],
    ],
)
def test_a_database_made_to_harm_yields_a_reason_and_nothing_else(runs: list[str], tmp_path: Path) -> None:
    with within(5):
        (log,) = database(tmp_path, *OTHERS, *runs)
    assert log.problems
    assert log.series == ()


def test_a_database_with_very_many_values_ends_in_time(tmp_path: Path) -> None:
    filled = "INSERT INTO metrics WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 200000)"
    row = " SELECT 'a', 'eval/accuracy' || (x % 5000), x, x, 'no number', 0 FROM c"
    made = "CREATE TABLE runs (run_uuid, name, lifecycle_stage)", "INSERT INTO runs VALUES ('a', 'b', 'active')"
    with within(5):
        (log,) = database(tmp_path, *OTHERS, *made, filled + row)
    assert (log.run, log.series) == ("b", ())


def test_rows_that_are_not_read_contradict_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "MOST_POINTS", 3)
    made = [
        "CREATE TABLE runs (run_uuid, name, lifecycle_stage)",
        "INSERT INTO runs VALUES ('a', 'one', 'active'), ('b', 'two', 'active')",
        "INSERT INTO metrics VALUES ('a', 'acc', 1, 1, 0.5, 0), ('b', 'acc', 1, 1, 0.5, 0), ('b', 'acc', 2, 2, 0.6, 0)",
    ]
    logs = database(tmp_path, *OTHERS, *made)
    assert [(log.problems, log.settings) for log in logs] == [((), ())] * 2
    (tmp_path / "made.db").unlink()
    logs = database(tmp_path, *OTHERS, *made, "INSERT INTO metrics VALUES ('b', 'acc', 3, 3, 0.7, 0)")
    assert [[one.name for one in log.settings] for log in logs] == [[CUT]] * 2
    assert [str(one) for one in logs[0].problems] == ["it is too long; only its beginning is read"]


def test_groups_of_trackio_are_parts_of_a_name(tmp_path: Path) -> None:
    row = '{"eval": {"acc": 0.5, "by": {"day": "NaN"}}, "x": 1, "is_best": true}'
    (log,) = database(
        tmp_path,
        "CREATE TABLE configs (run_id, run_name, config)",
        "CREATE TABLE metrics (run_id, run_name, step, metrics)",
        f"INSERT INTO metrics VALUES ('r', 'seed3', 5, CAST('{row}' AS BLOB))",
    )
    assert [(one.tag, *one.steps) for one in log.series] == [("eval/acc", 5), ("eval/by/day", 5), ("x", 5)]


def test_names_in_a_database_are_bounded(tmp_path: Path) -> None:
    made = "CREATE TABLE runs (run_uuid, name, lifecycle_stage)", "INSERT INTO runs VALUES ('a', 'b', 'active')"
    counted = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 3000)"
    metrics = f"INSERT INTO metrics {counted} SELECT 'a', 'm' || x, x, x, 0.5, 0 FROM c"
    params = f"INSERT INTO params {counted} SELECT 'a', 'p' || x, x FROM c"
    (log,) = database(tmp_path, *OTHERS, *made, metrics, params)
    assert (len(log.series), len(log.settings)) == (1_000, 1_000)


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_damaged_files_of_trackers_can_be_read(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    kept_by("wandb", folder)
    kept_by("trackio", folder)
    for file, reader in (
        (min(folder.rglob("*.wandb")), lambda one: [read_wandb(one)]),
        (folder / "trackio" / "lab4.db", read_database),
    ):
        content = bytearray(file.read_bytes())
        for place in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=20)):
            content[place] = data.draw(st.integers(0, 255))
        length = data.draw(st.integers(0, len(content)))
        logs: Iterable[Log] = reader(submitted(folder, file.name, bytes(content[:length]), Role.LOG))
        for series in (one for log in logs for one in log.series):
            assert list(series.steps) == sorted(set(series.steps))


def record(payload: bytes, kind: int = 1) -> bytes:
    return struct.pack("<IHB", crc32(bytes([kind]) + payload), len(payload), kind) + payload


def test_a_record_that_lies_about_its_parts_is_left_out(tmp_path: Path) -> None:
    item = b"\n\x0f\x12\x05_step\x82\x01\x03225" + b"\n\x13\x12\x08test/acc\x82\x01\x040.79"
    whole = b"\x12" + bytes([len(item)]) + item
    lying = b"\x12" + bytes([len(item)]) + item.replace(b"\x08test", b"\x7ftest")
    nested = b"\x2a\x82\x80\x01" + b"\n\xff\x7f\x12\x01a\x82\x01\xf7\x7f" + b"[" * 16_375
    content = b":W&B\xe1\xbe\0" + record(whole) + record(lying) + record(nested) + b"\0" * 3
    log = read_wandb(submitted(tmp_path, "wandb/run-1.wandb", content, Role.LOG))
    assert {one.tag: (one.steps, one.values) for one in log.series} == {"test/acc": ((225,), (0.79,))}
    assert log.problems
