"""Grading on a Dask cluster: the same results as on one machine."""

from pathlib import Path

import pytest

from grader.cli import _grade
from tests.conftest import ROOT, run_grade

STUDENTS = (ROOT / "submissions" / "student-07", ROOT / "submissions" / "student-03")


def test_a_scheduler_that_does_not_answer_is_named(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    done = run_grade(STUDENTS[0], "--out", tmp_path / "graded", "--no-reports", "--cluster", "tcp://127.0.0.1:1")
    assert done.returncode == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:1" in done.stderr


@pytest.mark.slow
def test_the_results_are_those_of_one_machine(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        arguments = [*map(str, STUDENTS), "--as", "student", "--out", str(tmp_path / "there"), "--no-reports"]
        with pytest.raises(SystemExit) as end:
            _grade.main([*arguments, "--cluster", cluster.scheduler_address], standalone_mode=False)
    assert end.value.code == 0
    here = run_grade(*STUDENTS, "--as", "student", "--out", tmp_path / "here", "--no-reports")
    assert here.returncode == 0, here.stderr
    for student in STUDENTS:
        there, alone = (tmp_path / where / student.name / "result.json" for where in ("there", "here"))
        assert there.read_bytes() == alone.read_bytes()
