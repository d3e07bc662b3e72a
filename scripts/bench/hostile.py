"""Runs that are made to harm, of each kind that is read: time and memory, and whether anything is said of them."""

import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import repeat
from pathlib import Path
from typing import Final

from scripts.bench.figure import Figure
from scripts.bench.trackers import MEGABYTES, SECONDS, cost_of
from tests.reading.making_wandb import HISTORY, SUMMARY, count, field, framed, record

_Made = Callable[[Path], None]
"""Makes files in an empty folder."""


def figures() -> Iterator[Figure]:
    """The worst of some files of each kind."""
    for kind, makers in _HARMFUL.items():
        with tempfile.TemporaryDirectory() as work:
            costs = [cost_of(_folder_with(Path(work) / str(number), make)) for number, make in enumerate(makers)]
        yield Figure(f"hostile {kind}: CPU time", max(cost.seconds for cost in costs), "s", SECONDS)
        yield Figure(f"hostile {kind}: memory", max(cost.memory for cost in costs), "MB", MEGABYTES)
        yield Figure(
            f"hostile {kind}: folders of which nothing is said", sum(not cost.is_told for cost in costs), "", 0
        )


def _folder_with(folder: Path, make: _Made) -> Path:
    folder.mkdir()
    make(folder)
    return folder


def _text(name: str, content: Callable[[], str]) -> _Made:
    """A file with a text."""
    return _texts(lambda: {name: content()})


def _texts(contents: Callable[[], Mapping[str, str]]) -> _Made:
    """Files with texts."""

    def make(folder: Path) -> None:
        for name, content in contents().items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")

    return make


def _wandb(payloads: Callable[[], Iterable[bytes]]) -> _Made:
    """A file of Weights & Biases with these records."""
    return lambda folder: _write(folder / "run-x.wandb", framed(payloads()))


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _empty_records(folder: Path) -> None:
    """As many records as a file holds, with nothing in them."""
    block, header = 32_768, 7
    begun, empty = framed([]), framed([b""])[header:]
    filled = (empty * (block // len(empty))).ljust(block, b"\0")
    _write(folder / "run-x.wandb", begun.ljust(block, b"\0") + filled * 3_000)


def _names(kind: int, key: int) -> Iterator[bytes]:
    """Records in which each item has a name of its own."""
    for number in range(3_000):
        named = (field(key, f"{number}_{place}".encode()) + field(16, b"1") for place in range(900))
        yield count(1, number) + field(kind, b"".join(field(1, data) for data in named))


def _rows(rows: int, names: int, are_own: bool) -> Iterator[bytes]:
    """Rows of so many names: the same in each of them, or each row's own."""
    for step in range(rows):
        row = {f"{step if are_own else ''}a{place}": 1.0 for place in range(names)}
        yield record(step, HISTORY, row | {"_step": step}, step)


def _turned() -> Iterator[bytes]:
    """Rows whose items stand in an order that no library writes."""
    for number in range(30_000):
        turned = (field(16, b"1") + field(2, f"k{place}".encode()) for place in range(120))
        yield count(1, number) + field(HISTORY, b"".join(field(1, data) for data in turned))


def _long_values() -> Iterator[bytes]:
    for step in range(120):
        named = (("_step", str(step)), ("a", "9" * 900_000))
        entries = (field(2, name.encode()) + field(16, value.encode()) for name, value in named)
        yield count(1, step) + field(HISTORY, b"".join(field(1, data) for data in entries))


def _database(tables: Sequence[str], rows: Mapping[str, Callable[[], Iterable[tuple[object, ...]]]]) -> _Made:
    """A database of these tables and rows."""

    def make(folder: Path) -> None:
        with closing(sqlite3.connect(folder / "mlflow.db")) as database:
            for table in tables:
                database.execute(f"CREATE {table}")
            for table, inserted in rows.items():
                for row in inserted():
                    database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608
            database.commit()

    return make


_ENDLESS: Final = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
_MLFLOW: Final = (
    "TABLE runs (run_uuid TEXT, name TEXT, lifecycle_stage TEXT)",
    "TABLE tags (run_uuid TEXT, key TEXT, value TEXT)",
    "TABLE params (run_uuid TEXT, key TEXT, value TEXT)",
    "TABLE metrics (run_uuid TEXT, key TEXT, timestamp INTEGER, step INTEGER, value REAL, is_nan BOOLEAN)",
)
_TRACKIO: Final = (
    "TABLE configs (run_id TEXT, run_name TEXT, config TEXT)",
    "TABLE metrics (run_id TEXT, run_name TEXT, step INTEGER, metrics TEXT)",
)
_MANY: Final = 1_200_000
"""Rows of a table: more than are read."""
_DEEP: Final = "[" * 400_000


def _logged_with(contents: Iterable[str]) -> Mapping[str, Callable[[], Iterable[tuple[object, ...]]]]:
    """Rows of trackio that were logged with these texts."""
    return {"metrics": lambda: (("r", "r", step, content) for step, content in enumerate(contents))}


_DATABASES: Final = (
    _database([f"VIEW {name} AS {_ENDLESS}" for name in ("runs", "params", "tags", "metrics")], {}),
    _database(_MLFLOW, {"runs": lambda: ((str(number), "a", "active") for number in range(_MANY))}),
    _database(
        _MLFLOW,
        {
            "runs": lambda: [("r", "r", "active")],
            "params": lambda: (("r", f"p{number}", "v" * 50) for number in range(_MANY)),
        },
    ),
    _database(
        _MLFLOW,
        {
            "runs": lambda: [("r", "r", "active")],
            "metrics": lambda: (("r", f"m{number}", number, number, 0.5, 0) for number in range(_MANY)),
        },
    ),
    _database(_TRACKIO, _logged_with(repeat(_DEEP, 60))),
    _database(_TRACKIO, _logged_with(repeat(json.dumps({f"v{place}": place for place in range(500)}), 5_000))),
    _database(
        _TRACKIO,
        _logged_with(json.dumps({f"v{step}_{place}": place for place in range(500)}) for step in range(2_500)),
    ),
)

_ID: Final = "0123456789abcdef" * 2
_STORE: Final = f"mlruns/1/{_ID}"
_LINE: Final = "1700000000000 0.5 {}\n"
_NESTED: Final = "{a: " * 20_000
_ALIASES: Final = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))


def _hparams(content: str) -> _Made:
    return _texts(lambda: {"version_0/metrics.csv": "step,loss\n1,0.5\n", "version_0/hparams.yaml": content})


_FOLDERS: Final = (
    _texts(lambda: {f"{_STORE}/metrics/m{number}": _LINE.format(number) for number in range(5_000)}),
    _texts(lambda: {f"{_STORE}/metrics/loss": "".join(map(_LINE.format, range(_MANY)))}),
    _texts(lambda: {f"dvclive/plots/metrics/m{n}.tsv": "step\tm\n" + "1\t0.5\n" * 200_000 for n in range(20)}),
    _texts(lambda: {"runs/1/run.json": _DEEP, "runs/1/config.json": "{}", "runs/1/metrics.json": _DEEP}),
    _texts(
        lambda: {
            "runs/1/run.json": "{}",
            "runs/1/config.json": json.dumps({f"k{n}": n for n in range(300_000)}),
            "runs/1/metrics.json": json.dumps({f"m{n}": {"steps": [1], "values": [0.5]} for n in range(200_000)}),
        }
    ),
    _texts(
        lambda: {
            "v/metrics.csv": ",".join(["step", *(f"m{n}" for n in range(5_000))]) + "\n" + "1," * 5_000 + "1\n" * 900,
            "v/hparams.yaml": "a: 1\n",
        }
    ),
    _hparams(_NESTED),
    _hparams(_ALIASES),
    _hparams("".join(f"k{n}: {n}\n" for n in range(500_000))),
)

_HARMFUL: Final[Mapping[str, Sequence[_Made]]] = {
    "Weights & Biases": (
        _wandb(lambda: _rows(9_000, 100, are_own=True)),
        _wandb(lambda: _rows(1_500, 1_000, are_own=False)),
        _wandb(lambda: repeat(field(5, field(1, field(1, b"deep") + field(16, b"[" * 900_000))), 40)),
        _wandb(lambda: _names(5, 1)),
        _wandb(lambda: _names(SUMMARY, 2)),
        _wandb(_turned),
        _wandb(_long_values),
        _empty_records,
    ),
    "database": _DATABASES,
    "folder of a run": _FOLDERS,
    "course": (
        _text("history.json", lambda: '{"loss": [0.5], "acc": ' + "[" * 1_000_000),
        _text("metrics.csv", lambda: "epoch,loss\n" + "1,0.5\n" * 2_000_000),
        _text("history.json", lambda: json.dumps({f"loss{n}": [0.5] * 100 for n in range(20_000)})),
    ),
}
