"""What a run starts, and what it leaves on the way."""

import os
import stat
from pathlib import Path

import pytest

from tests.conftest import ROOT, run_grade

PROGRAMS = ("gcc", "cc", "ld", "ldconfig", "objdump", "sh")


def test_no_compiler_or_other_program_is_run(tmp_path: Path) -> None:
    pytest.importorskip("weasyprint", reason="needs Pango", exc_type=OSError)
    for name in PROGRAMS:
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\necho {name} "$@" >> {tmp_path}/ran\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = run_grade(ROOT / "submissions" / "student-11", "--out", tmp_path / "out", PATH=path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "student-11" / "report.pdf").exists()
    assert not (tmp_path / "ran").exists()


def test_secrets_in_the_environment_do_not_reach_the_server(tmp_path: Path) -> None:
    """Nor does what is named like one of the few variables that are kept."""
    code = (
        "import os\n"
        "from grader.pipeline.isolation import _bare_environment\n"
        "with _bare_environment(b''): print(sorted(os.environ))\n"
    )
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TOKEN": "x", "AWS_SECRET": "x", "TMPDIR": str(tmp_path)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "TOKEN" not in done.stdout
    assert "AWS_SECRET" not in done.stdout
    assert "PATH'" not in done.stdout.replace("PYTHONPATH", "")


NAMES = (
    "class.html",
    "class",
    "gradebook.sqlite",
    "gradebook.sqlite-wal",
    "grades.csv",
    "overrides.toml",
    ".. ",
    "con",
)


def test_no_name_of_a_hand_in_ends_the_run(tmp_path: Path) -> None:
    for student in (*NAMES, "student-11", "student-08"):
        (tmp_path / "class" / student).mkdir(parents=True)
        report = "# Question 1\n\nThe model has 22,807,552 parameters.\n"
        (tmp_path / "class" / student / "report.txt").write_text(report, encoding="utf-8")
    for options in ((), ("--again",)):
        done = run_grade(tmp_path / "class", "--out", tmp_path / "out", "--no-reports", *options)
        assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "out").glob("*/result.json"))) == len(NAMES) + 2
    assert len((tmp_path / "out" / "grades.csv").read_text(encoding="utf-8").splitlines()) == len(NAMES) + 3


def test_an_output_folder_that_may_not_be_written_is_a_usage_error(tmp_path: Path) -> None:
    """Also for root, who may write everywhere but into a file system that is for reading."""
    if os.geteuid() == 0:
        out = Path("/proc/grader")
    else:
        (tmp_path / "locked").mkdir(mode=0o500)
        out = tmp_path / "locked" / "out"
    done = run_grade(ROOT / "submissions" / "student-11", "--out", out, "--no-reports")
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert str(out) in done.stderr
