"""What is told while a class is graded: how far it is, how quick it goes, how long it takes."""

from types import SimpleNamespace
from typing import Any

import pytest
from rich.progress import Task, TaskID

from grader.cli import progress
from grader.cli.progress import Progress, RateColumn, rate_of, time_of


def graded(number: int) -> Any:
    return SimpleNamespace(student=f"s-{number}", score="1", max_score="2", error=None, report_problem=None)


def test_rates_and_times_for_people() -> None:
    assert [rate_of(one) for one in (0.0, 0.05, 0.99, 12.34)] == ["", "3.0/min", "59.4/min", "12.3/s"]
    assert [time_of(one) for one in (0.4, 75, 36_000 + 61)] == ["0:00:00", "0:01:15", "10:01:01"]


def test_lines_tell_the_rate_and_the_time_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 10_000, 20))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    with Progress(total=4, out="s3://course/graded") as shown:
        for number in range(4):
            shown.report_graded(graded(number))
        shown.report_interruption()
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == ["1 of 4  s-0  1 / 2", "2 of 4  s-1  1 / 2", "3.0/min, 0:00:40 left", "3 of 4  s-2  1 / 2"]
    assert "whole results in s3://course/graded" in " ".join(lines)


def test_the_bar_has_a_rate() -> None:
    task = Task(TaskID(0), "", 100, 0, _get_time=lambda: 0.0)
    assert str(RateColumn().render(task)) == ""
    task.finished_speed = 2.5
    assert str(RateColumn().render(task)) == "2.5/s"
