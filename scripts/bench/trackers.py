"""Runs that trackers of experiments keep: what is read of the fixtures that the libraries themselves made, verdicts
with the logs of a class exchanged for each tracker, and the cost of a large file.

`python -m scripts.bench trackers=FOLDER` grades the hand-ins of a folder, too, with runs of a tracker beside each.
"""

import json
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from grader.claims.logged import logged_runs
from grader.intake.layouts import find_all_sources
from grader.intake.opening import open_submission
from grader.intake.submission import Source, Submission
from grader.pipeline.one import grade_submission
from grader.reading.formats import read
from grader.reading.reading import Reading
from scripts.bench.figure import Figure
from scripts.bench.peers import interpreter_with
from tests.reader.making import lab_and_truth
from tests.reading.making_wandb import field, framed, items, records

ROOT: Final = Path(__file__).parents[2]
FIXTURES: Final = ROOT / "tests" / "reading" / "trackers"
SAMPLES: Final = ROOT / "submissions"
RECORDS: Final = 100_000
SECONDS: Final = 5.0
MEGABYTES: Final = 300.0
_FASTER: Final = 4


class TrackedRun(NamedTuple):
    """A run as a tracker is told of it: its name, settings, and values by step under each name."""

    name: str
    settings: Mapping[str, str]
    columns: Mapping[str, Mapping[int, float]]


def figures(folder: Path | None = None) -> Iterator[Figure]:
    """All of them; those of a folder of hand-ins where one is given."""
    for tracker in sorted(FIXTURES.glob("*.zip")):
        yield Figure(
            f"{tracker.stem}: values, steps, seeds and settings as logged", _as_logged(tracker), "%", 100, True
        )
    yield from _exchanged()
    yield from _large()
    if folder:
        yield from _beside(folder)


def _as_logged(tracker: Path) -> float:
    """The share of what was logged that is read as it was."""
    course = json.loads((FIXTURES / "course.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as work:
        shutil.unpack_archive(tracker, Path(work) / "in")
        runs = {
            run.name.rpartition("/")[2]: run for run in read(open_hand_in(Path(work) / "in", Path(work) / "w")).runs
        }
    right = 0
    wanted = 0
    for entry in course:
        run = runs.get(entry["name"])
        settings = {setting.name: setting.value for log in run.logs for setting in log.settings} if run else {}
        points = (
            {
                (series.tag, step): value
                for log in run.logs
                for series in log.series
                for step, value in zip(series.steps, series.values, strict=True)
            }
            if run
            else {}
        )
        logged = {
            (tag, step): value
            for tag, values in entry["values"].items()
            for step, value in zip(entry["steps"], values, strict=True)
        }
        wanted += len(logged) + 2
        right += sum(points.get(at) == value for at, value in logged.items()) - len(points.keys() - logged.keys())
        right += bool(run and run.seed and run.seed.value == str(entry["seed"])) + (
            settings.get("init") == entry["init"]
        )
    return 100 * right / wanted


def _exchanged() -> Iterator[Figure]:
    """The sample class, with what its logs hold kept by each tracker in place of them."""
    with tempfile.TemporaryDirectory() as work:
        sources, _ = find_all_sources([SAMPLES])
        samples = [open_submission(source, Path(work) / "samples" / source.student_id) for source in sources]
        with_logs = [(submission, runs) for submission in samples if (runs := _runs_of(read(submission)))]
        for title, write in _WRITERS.items():
            moved = 0
            for number, (sample, runs) in enumerate(with_logs):
                before = verdicts(sample)
                folder = Path(work) / title / str(number)
                _without_logs(sample, folder / "in")
                write(folder / "in" / "kept", runs)
                moved += sum(
                    before[item] != status
                    for item, status in verdicts(open_hand_in(folder / "in", folder / "w")).items()
                )
            yield Figure(f"{title}: statuses that move in {len(with_logs)} samples with logs", moved, "", 0)


def _runs_of(reading: Reading) -> list[TrackedRun]:
    """The lab's runs in a reading, by the names that students give them."""
    lab, _ = lab_and_truth()
    found: dict[str, TrackedRun] = {}
    for run in logged_runs(reading.runs, lab):
        if run.experiment and run.measure == "accuracy":
            points = {"eval/accuracy": run.selecting, f"{run.split}/accuracy": run.reported}
            columns = {
                name: {point.step: point.value / 100 for point in values} for name, values in points.items() if values
            }
            seed = {} if run.seed is None else {"seed": str(run.seed)}
            name = f"{run.experiment}_{len(found)}" if run.seed is None else f"{run.experiment}_seed{run.seed}"
            found.setdefault(
                name, TrackedRun(name, {setting.name: setting.value for setting in run.settings} | seed, columns)
            )
    return list(found.values())


def _without_logs(sample: Submission, folder: Path) -> None:
    """The sample's files without its logs, and its notebooks without the outputs that log a training."""
    logged = {log.file for run in read(sample).runs for log in run.logs}
    cells = {(log.file, series.cell) for run in read(sample).runs for log in run.logs for series in log.series}
    for file in sample.files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        if file.path.endswith(".ipynb"):
            notebook = json.loads(file.location.read_text(encoding="utf-8"))
            for number, cell in enumerate(notebook["cells"]):
                if (file.path, number) in cells:
                    cell["outputs"] = []
            path.write_text(json.dumps(notebook), encoding="utf-8")
        elif file.path not in logged:
            shutil.copy(file.location, path)


def verdicts(submission: Submission) -> dict[str, str]:
    """The status of each item of a hand-in."""
    result = grade_submission(submission, *lab_and_truth())
    return {item.id: str(item.status) for item in result.items}


def open_hand_in(folder: Path, work: Path) -> Submission:
    """The hand-in in a folder, which may be unpacked into another one."""
    return open_submission(Source(student_id="ada", student_name="Ada", path=folder), work)


def _beside(folder: Path) -> Iterator[Figure]:
    """Hand-ins with each tracker's runs beside them that are of no experiment of the lab."""
    sources, _ = find_all_sources([folder])
    others = [TrackedRun(f"mnist_{n}", {"seed": str(n)}, {"val_acc": {1: 0.5, 2: 0.7, 3: 0.8}}) for n in range(3)]
    moved = 0
    writers = list(_WRITERS.values())
    with tempfile.TemporaryDirectory() as work:
        for number, source in enumerate(sources):
            plain = open_submission(source, Path(work) / f"{number}")
            inside = Path(work) / f"{number}-in"
            for file in plain.files:
                (inside / file.path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file.location, inside / file.path)
            writers[number % len(writers)](inside / "kept", others)
            before, after = verdicts(plain), verdicts(open_hand_in(inside, Path(work) / f"{number}-w"))
            moved += sum(before[item] != after[item] for item in before)
    yield Figure(f"verdicts that move in {len(sources)} hand-ins with a tracker's runs beside them", moved, "", 0)


def _write_mlruns(folder: Path, runs: Sequence[TrackedRun]) -> None:
    for number, run in enumerate(runs):
        own_path = folder / "mlruns" / "1" / f"{number:032x}"
        _texts(own_path, {"tags/mlflow.runName": run.name, **{f"params/{name}": v for name, v in run.settings.items()}})
        for name, column in run.columns.items():
            lines = (f"{1000 + step} {value!r} {step}\n" for step, value in column.items())
            _texts(own_path / "metrics", {name: "".join(lines)})


def _write_dvclive(folder: Path, runs: Sequence[TrackedRun]) -> None:
    for run in runs:
        tables = {
            f"plots/metrics/{name}.tsv": f"step\t{name}\n" + "".join(f"{step}\t{v!r}\n" for step, v in column.items())
            for name, column in run.columns.items()
        }
        params = "".join(f"{name}: {value}\n" for name, value in run.settings.items())
        _texts(folder / "dvclive" / run.name, {**tables, "params.yaml": params})


def _write_sacred(folder: Path, runs: Sequence[TrackedRun]) -> None:
    for number, run in enumerate(runs, start=1):
        metrics = {
            name: {"steps": list(column), "values": list(column.values())} for name, column in run.columns.items()
        }
        files = {
            "run.json": {"experiment": {"name": run.name}},
            "config.json": dict(run.settings),
            "metrics.json": metrics,
        }
        _texts(folder / "runs" / str(number), {name: json.dumps(content) for name, content in files.items()})


def _write_lightning(folder: Path, runs: Sequence[TrackedRun]) -> None:
    for run in runs:
        names = list(run.columns)
        rows = [",".join(("step", *names))]
        for place, column in enumerate(run.columns.values()):
            empty = [""] * len(names)
            rows += [",".join((str(step), *empty[:place], repr(v), *empty[place + 1 :])) for step, v in column.items()]
        hparams = "".join(f"{name}: {value}\n" for name, value in run.settings.items())
        own_path = folder / "logs" / run.name / "version_0"
        _texts(own_path, {"metrics.csv": "\n".join(rows) + "\n", "hparams.yaml": hparams})


def _texts(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _write_trackio(folder: Path, runs: Sequence[TrackedRun]) -> None:
    folder.mkdir(parents=True)
    database = sqlite3.connect(folder / "lab4.db")
    database.execute("CREATE TABLE configs (run_id TEXT, run_name TEXT, config TEXT)")
    database.execute("CREATE TABLE metrics (run_id TEXT, run_name TEXT, step INTEGER, metrics TEXT)")
    for run in runs:
        database.execute("INSERT INTO configs VALUES (?, ?, ?)", (run.name, run.name, json.dumps(dict(run.settings))))
        for step, row in _by_step(run).items():
            database.execute("INSERT INTO metrics VALUES (?, ?, ?, ?)", (run.name, run.name, step, json.dumps(row)))
    database.commit()
    database.close()


def _write_mlflow(folder: Path, runs: Sequence[TrackedRun]) -> None:
    folder.mkdir(parents=True)
    database = sqlite3.connect(folder / "mlflow.db")
    database.execute("CREATE TABLE runs (run_uuid TEXT, name TEXT, lifecycle_stage TEXT)")
    database.execute("CREATE TABLE tags (run_uuid TEXT, key TEXT, value TEXT)")
    database.execute("CREATE TABLE params (run_uuid TEXT, key TEXT, value TEXT)")
    database.execute(
        "CREATE TABLE metrics (run_uuid TEXT, key TEXT, timestamp INTEGER, step INTEGER, value REAL, is_nan BOOLEAN)"
    )
    for run in runs:
        database.execute("INSERT INTO runs VALUES (?, ?, 'active')", (run.name, run.name))
        parameters = [(run.name, *setting) for setting in run.settings.items()]
        database.executemany("INSERT INTO params VALUES (?, ?, ?)", parameters)
        points = [(run.name, name, step, step, v) for name, column in run.columns.items() for step, v in column.items()]
        database.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, 0)", points)
    database.commit()
    database.close()


def _by_step(run: TrackedRun) -> dict[int, dict[str, float]]:
    rows: dict[int, dict[str, float]] = {}
    for name, column in run.columns.items():
        for step, value in column.items():
            rows.setdefault(step, {})[name] = value
    return rows


def _write_wandb(folder: Path, runs: Sequence[TrackedRun]) -> None:
    for number, run in enumerate(runs):
        begun = field(17, field(8, run.name.encode()) + field(4, items(run.settings, nested=False)))
        own_path = folder / "wandb" / f"offline-run-20261129_0139{number:02}-r{number:07}"
        own_path.mkdir(parents=True)
        (own_path / f"run-r{number:07}.wandb").write_bytes(framed([begun, *records(sorted(_by_step(run).items()))]))


_WRITERS: Final[Mapping[str, Callable[[Path, Sequence[TrackedRun]], None]]] = {
    "Weights & Biases": _write_wandb,
    "MLflow, SQLite": _write_mlflow,
    "MLflow, file store": _write_mlruns,
    "trackio": _write_trackio,
    "DVCLive": _write_dvclive,
    "sacred": _write_sacred,
    "Lightning's CSV": _write_lightning,
}

_PEAK: Final = """
import json, sys, time
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
"""
_MEASURE: Final = """
begun, started = peak(), time.process_time()
values, said = read(sys.argv[1])
print(json.dumps([time.process_time() - started, (peak() - begun) / 1000, values, said]))
"""
_WHOLE: Final = """
import tempfile
from pathlib import Path
from grader.intake.opening import open_submission
from grader.intake.submission import Source
from grader.reading import formats
def read(path):
    with tempfile.TemporaryDirectory() as work:
        source = Source(student_id="ada", student_name="Ada", path=Path(path))
        reading = formats.read(open_submission(source, Path(work)))
    logged = [one for run in reading.runs for log in run.logs for one in log.series]
    return sum(len(one.values) for one in logged), any(file.reason for file in reading.files) or bool(reading.runs)
"""
_OURS: Final = """
from pathlib import Path
from grader.intake.submission import Role, SubmittedFile
from grader.reading.trackers.weights_and_biases import read_wandb
def read(path):
    log = read_wandb(SubmittedFile(path=path, role=Role.LOG, size=0, sha256="", location=Path(path)))
    return sum(len(one.values) for one in log.series), True
"""
_WANDB: Final = """
import json
from wandb.proto.wandb_internal_pb2 import Record
from wandb.sdk.internal.datastore import DataStore
def read(path):
    store, columns = DataStore(), {}
    store.open_for_scan(path)
    while (data := store.scan_data()) is not None:
        record = Record()
        record.ParseFromString(data)
        if record.WhichOneof("record_type") == "history":
            row = {"/".join(item.nested_key) or item.key: json.loads(item.value_json) for item in record.history.item}
            step = row["_step"]
            for name, value in row.items():
                columns.setdefault(name, {})[step] = value
    return sum(len(column) for name, column in columns.items() if not name.startswith("_")), True
"""
"""Weights & Biases' own reader, as far as it was in Python: later versions read in Go."""
_LAST_IN_PYTHON: Final = "wandb==0.19.11"


class Cost(NamedTuple):
    """CPU seconds and megabytes above the start that reading a file takes in a process of its own, the values, and
    whether anything was said of the file."""

    seconds: float
    memory: float
    values: int
    is_told: bool


def cost_of(path: Path, reader: str = _WHOLE, python: Path | str = sys.executable, runs: int = 1) -> Cost:
    """The cheapest of some runs, since whatever else the machine does only adds to it."""
    command = [python, "-c", _PEAK + reader + _MEASURE, path]
    outputs = (subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout for _ in range(runs))
    return min(Cost(*json.loads(output)) for output in outputs)


def _large() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "run-large.wandb"
        path.write_bytes(framed(records((step, _row(step)) for step in range(RECORDS))))
        whole, ours = cost_of(path.parent), cost_of(path, _OURS, runs=3)
        yield Figure(f"wandb, {RECORDS:,} records of {whole.values:,} values: CPU time", whole.seconds, "s", SECONDS)
        yield Figure(f"wandb, {RECORDS:,} records: memory above the start", whole.memory, "MB", MEGABYTES)
        if python := interpreter_with(_LAST_IN_PYTHON):
            theirs = cost_of(path, _WANDB, python, runs=3)
            if theirs.values != ours.values:
                raise ValueError(f"{ours.values} values are read, and by {_LAST_IN_PYTHON} {theirs.values}")
            yield Figure(f"times {_LAST_IN_PYTHON}", theirs.seconds / ours.seconds, "x", _FASTER, at_least=True)
            yield Figure(f"memory above the start, ours / {_LAST_IN_PYTHON}'s", ours.memory / theirs.memory, "x", 0.12)


def _row(step: int) -> Mapping[str, float]:
    """Return the values that a training logs at a step."""
    draw = random.Random(step)  # noqa: S311 not for secrets
    row = {f"train/{name}": draw.random() for name in ("loss", "grad_norm", "learning_rate", "entropy", "reward")}
    return row | ({"eval/accuracy": draw.random(), "eval/loss": draw.random()} if step % 100 == 0 else {})
