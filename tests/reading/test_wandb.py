"""Offline runs of Weights & Biases are read as they were logged, whatever the order of names and records."""

import math
import tracemalloc
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from grader.intake.submission import Role
from grader.reading.log import Log
from grader.reading.logs.written import CUT
from grader.reading.trackers import weights_and_biases
from grader.reading.trackers.weights_and_biases import read_wandb
from tests.reading.making import submitted
from tests.reading.making_wandb import HISTORY, SUMMARY, Row, field, framed, items, record, records

ROWS = 3_000
"""More than are taken in together, with steps of every length and with every byte in them."""


def read(folder: Path, content: bytes) -> Log:
    return read_wandb(submitted(folder, "wandb/run-1/run-1.wandb", content, Role.LOG))


def points(log: Log) -> dict[str, dict[int, float]]:
    return {one.tag: dict(zip(one.steps, one.values, strict=True)) for one in log.series}


def logged(rows: Iterable[tuple[int, Row]], name: str) -> dict[int, object]:
    return {step: row[name] for step, row in rows if name in row}


def course() -> list[tuple[int, Row]]:
    """Training at each step, evaluations at some, and what is no number among numbers."""
    rows = []
    for step in range(ROWS):
        row = {"ten_long_1": math.sin(step), "eighteen_letters_1": step * 1e-300, "lr": 1e-5, "outer:inner": -step}
        row |= {"test/accuracy": step / ROWS, "test/text": "none"} if step % 100 == 0 else {}
        rows.append((step, row | ({"lr": None} if step == 7 else {})))
    return rows


def test_names_in_any_order_are_put_into_their_columns(tmp_path: Path) -> None:
    rows = course()
    found = points(read(tmp_path, framed(records(rows))))
    assert found == {
        "ten_long_1": logged(rows, "ten_long_1"),
        "eighteen_letters_1": logged(rows, "eighteen_letters_1"),
        "lr": {step: 1e-5 for step in range(ROWS) if step != 7},
        "outer/inner": logged(rows, "outer:inner"),
        "test/accuracy": logged(rows, "test/accuracy"),
    }
    assert all(type(value) is float for values in found.values() for value in values.values())


def test_names_of_older_versions_have_no_parts(tmp_path: Path) -> None:
    rows = [(step, {"loss": 1 / step, "_step": step}) for step in range(1, 60)]
    content = framed(record(step, HISTORY, row, step, nested=False) for step, row in rows)
    assert points(read(tmp_path, content)) == {"loss": {step: 1 / step for step in range(1, 60)}}


def test_names_that_are_logged_together_take_eight_bytes_a_value(tmp_path: Path) -> None:
    rows = [(step, {f"name{n}": math.sin(step + n) for n in range(8)}) for step in range(ROWS)]
    content = framed(records(rows))
    read(tmp_path, content)
    tracemalloc.start()
    log = read(tmp_path, content)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(len(one.values) for one in log.series) == 8 * ROWS
    assert kept < 1.3 * 8 * (8 * ROWS + ROWS)  # the steps are kept once


def test_of_a_step_that_was_logged_again_the_last_value_counts(tmp_path: Path) -> None:
    rows: Sequence[tuple[int, Row]] = [(1, {"a": 1.0}), (2, {"a": 2.0}), (1, {"a": 3.0}), (4, {"a": 4.0})]
    assert points(read(tmp_path, framed(records(rows)))) == {"a": {1: 3.0, 2: 2.0, 4: 4.0}}


def test_results_without_a_column_are_values_of_the_last_step(tmp_path: Path) -> None:
    rows: Sequence[tuple[int, Row]] = [(step, {"val_acc": step / 10}) for step in range(1, 6)]
    first, last = list(records(rows[:3])), list(records(rows[3:]))
    best = record(90, SUMMARY, {"best_acc": 0.25}), record(91, SUMMARY, {"best_acc": 0.5, "val_acc": 9.0, "note": "x"})
    found = points(read(tmp_path, framed([*first, best[0], *last, best[1]])))
    assert (found["best_acc"], len(found["valid/acc"]), found.keys()) == ({5: 0.5}, 5, {"best_acc", "valid/acc"})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-0.0", -0.0),
        ("-0", -0.0),
        ("1e999", math.inf),
        ("NaN", math.nan),
        ("12345678901234567890", 12345678901234567890.0),
    ]
    + [(text, None) for text in ("true", "null", '"0.5"', "[1,2]", '{"_type":"image-file"}', "1,2", "")],
)
def test_each_number_of_json_is_read_as_python_reads_it(text: str, value: float | None, tmp_path: Path) -> None:
    rows = framed(records((step, {"a": 0.5, "b": 0.25}) for step in range(20)))
    assert points(read(tmp_path, rows))["a"][3] == 0.5
    plain = record(1, HISTORY, {"a": 0.125, "b": "?", "_step": 30}, 30)
    length = len('"?"')
    changed = plain.replace(b'\x82\x01\x03"?"', b"\x82\x01" + bytes([len(text)]) + text.encode())
    for at in (2 + 1, changed.index(b"\x12\x01b") - 1):  # of the row, and of the item
        changed = changed[:at] + bytes([changed[at] - length + len(text)]) + changed[at + 1 :]
    found = points(read(tmp_path, framed([*records((step, {"a": 0.5, "b": 0.25}) for step in range(20)), changed])))
    assert found["a"][30] == 0.125
    assert repr(found["b"].get(30)) == repr(value)


def test_damage_loses_what_stands_in_its_block(tmp_path: Path) -> None:
    rows = course()
    content = bytearray(framed(records(rows)))
    content[5 * 32_768 + 1_000] ^= 1
    log = read(tmp_path, bytes(content))
    assert log.problems == ("2 records are damaged",)  # and the one that goes on in the next block
    kept = points(log)["ten_long_1"]
    assert kept.items() <= logged(rows, "ten_long_1").items()
    gap = sorted(set(range(ROWS)) - kept.keys())
    assert 0 < len(gap) < 100
    assert gap == list(range(gap[0], gap[-1] + 1))


def test_a_run_that_was_killed_is_read_up_to_its_last_whole_record(tmp_path: Path) -> None:
    rows = course()
    content = framed(records(rows))
    for size in (len(content) - 1, 3 * 32_768, 3 * 32_768 + 3, 32_768 - 2, 8, 7, 0):
        log = read(tmp_path, content[:size])
        steps = sorted(points(log).get("ten_long_1", {}))
        assert (log.problems, steps) == ((), list(range(len(steps))))


def test_no_more_values_are_read_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights_and_biases, "MOST_POINTS", 52)
    log = read(tmp_path, framed(records((step, {"a": 0.5, "b": 0.25}) for step in range(20))))
    assert list(points(log)["a"]) == list(range(10))  # five values a row, with what W&B adds
    assert [str(one) for one in log.problems] == ["it is too long; only its beginning is read"]


def test_very_many_names_are_read_up_to_the_limit(tmp_path: Path) -> None:
    rows = ((step, {f"name{step}_{number}": 0.5 for number in range(90)}) for step in range(30))
    log = read(tmp_path, framed(records(rows)))
    assert (len(log.series), {len(one.steps) for one in log.series}) == (1_000, {1})


def test_a_slow_file_is_read_in_part_and_contradicts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = framed(records((step, {"a": 0.5}) for step in range(2_000)))
    monkeypatch.setattr(weights_and_biases, "_SECONDS", -1.0)
    log = read(tmp_path, content)
    assert [str(one) for one in log.problems] == ["it is too long; only its beginning is read"]
    assert [(one.name, one.value) for one in log.settings] == [(CUT, "run-1.wandb")]


def test_whatever_is_lost_contradicts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = bytearray(framed(records((step, {"a": 0.5}) for step in range(600))))
    assert CUT not in {one.name for one in read(tmp_path, bytes(content)).settings}
    monkeypatch.setattr(weights_and_biases, "MOST_BYTES", len(content) - 1)
    assert CUT in {one.name for one in read(tmp_path, bytes(content)).settings}
    monkeypatch.undo()
    content[40_000] ^= 1
    assert CUT in {one.name for one in read(tmp_path, bytes(content)).settings}


def test_names_of_summaries_and_settings_are_bounded(tmp_path: Path) -> None:
    summaries = (record(n, SUMMARY, {f"s{n}_{place}": 0.5 for place in range(300)}) for n in range(9))
    configs = (field(5, items({f"c{n}_{place}": 1 for place in range(300)}, nested=False)) for n in range(9))
    log = read(tmp_path, framed([*summaries, *configs]))
    assert (len(log.series), len(log.settings)) == (1_000, 1_000)


@pytest.mark.parametrize("step", [0, 1, 127, 128, 130, 16_384, 2_000_000])
def test_the_step_behind_the_items_of_a_row_is_no_item(step: int, tmp_path: Path) -> None:
    row = {f"name{place}": place / 7 for place in range(150)}
    log = read(tmp_path, framed([record(1, HISTORY, row | {"_step": step}, step)]))
    assert points(log) == {name: {step: value} for name, value in row.items()}
