"""The plan for a class of any size follows from a sample that is really graded."""

import json

import pytest

from grader.pipeline.doctor import Sample, forecast
from tests.conftest import ROOT, run_grade

SAMPLE = Sample(
    hand_ins=20,
    workers=2,
    with_reports=True,
    seconds=10.0,
    processor=18.0,
    memory=150_000_000,
    stored=8_000_000,
    gradebook=2_000_000,
)


def test_a_class_needs_what_its_hand_ins_need() -> None:
    told = forecast(SAMPLE, 1_000)
    assert told.seconds == pytest.approx(500, rel=0.01)
    assert told.core_seconds == pytest.approx(900, rel=0.01)
    assert told.storage == 500_000_000
    more = forecast(SAMPLE, 100_000)
    for name in ("seconds", "seconds_alone", "core_seconds", "storage"):
        assert getattr(more, name) == pytest.approx(100 * getattr(told, name))
    assert more.steering_memory < 100 * told.steering_memory


def test_a_sample_is_graded_and_told() -> None:
    done = run_grade("bench-class", "5000", ROOT / "submissions", "--sample", "2", "--no-reports", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["sample"]["hand_ins"] == 2
    assert found["class"]["students"] == 5000
    for name in ("seconds", "processor", "memory", "stored", "gradebook"):
        assert found["sample"][name] > 0, name
    assert found["sample"]["processor"] < 120


def test_one_hand_in_is_no_sample() -> None:
    done = run_grade("bench-class", "10", ROOT / "submissions" / "student-01")
    assert done.returncode == 2
    assert "two hand-ins at least" in done.stderr
