"""The logs of reruns are read as those of students are."""

from functools import partial
from pathlib import Path

import pytest

from grader.intake.submission import Role
from grader.reading.events import read_event_file
from grader.reading.log import Run, Subset
from grader.reading.runs import runs_of
from reference.reruns.checkpoints import random_classifier
from reference.reruns.coding import Examples
from reference.reruns.run_record import RunRecord
from reference.reruns.running import perform
from tests.reading.making import submitted
from tests.reference.reruns.making import SCHEDULE, SIZES, plan


def read_runs(out: Path) -> tuple[Run, ...]:
    """What the grader's reader makes of the event files in a folder."""
    files = (path for path in sorted(out.rglob("events.out.tfevents.*")))
    return runs_of(
        read_event_file(submitted(out, path.relative_to(out).as_posix(), path.read_bytes(), Role.LOG)) for path in files
    )


@pytest.fixture(scope="module")
def record(split: Examples, tmp_path_factory: pytest.TempPathFactory) -> tuple[RunRecord, Path]:
    out = tmp_path_factory.mktemp("logs")
    one = plan(seed=2)
    return perform(one, split, partial(random_classifier, SIZES, 2, 0.1, 2), out), out


@pytest.fixture(scope="module")
def run(record: tuple[RunRecord, Path]) -> Run:
    (found,) = read_runs(record[1])
    return found


def test_fairseq_s_layout(record: tuple[RunRecord, Path]) -> None:
    folders = {path.parent.name for path in record[1].rglob("events.out.tfevents.*")}
    assert folders == {"train", "train_inner", "valid", "test"}


def test_accuracies_are_those_of_the_record(run: Run, record: tuple[RunRecord, Path]) -> None:
    for subset, results in (
        (Subset.VALID, [epoch.valid for epoch in record[0].epochs]),
        (Subset.TEST, [epoch.test for epoch in record[0].epochs]),
    ):
        (series,) = [
            series for log in run.logs for series in log.series if series.tag == "accuracy" and series.subset == subset
        ]
        assert series.steps == (6, 12, 18)
        assert series.values == pytest.approx([round(result or 0.0, 1) for result in results], abs=1e-4)
    assert all(log.problems == () for log in run.logs)


def test_the_reader_learns_seed_start_and_schedule(run: Run) -> None:
    assert run.seed is not None
    assert run.seed.value == "2"
    assert run.start is not None
    assert run.start.value == "random"
    assert run.framework is not None
    assert run.framework.value == "fairseq"
    assert run.schedule is not None
    assert run.schedule.total_updates == SCHEDULE


def test_the_machine_is_not_named(run: Run) -> None:
    assert {log.origin.host for log in run.logs if log.origin} == {"reference"}
