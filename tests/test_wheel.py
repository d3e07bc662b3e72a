"""The wheel and the source distribution are whole: installed into an empty environment elsewhere, the wheel grades a
folder and makes PDFs."""

import os
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

import pytest

from tests.conftest import ROOT, results_in


def run(*command: object, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_wheel_grades_elsewhere(tmp_path: Path) -> None:
    """The wheel is built from the source distribution, so that this is whole, too."""
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path, ROOT, cwd=tmp_path)
    (wheel,), (source,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, source, cwd=tmp_path)
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "Makefile", "constraints.txt", "docs/architecture.md", "tests/test_wheel.py"} <= names
    venv.create(tmp_path / "venv", with_pip=True)
    binaries = tmp_path / "venv" / "bin"
    run(binaries / "python", "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel, cwd=tmp_path)
    run(binaries / "grade", ROOT / "submissions", "--out", "graded", cwd=tmp_path)
    results = results_in(tmp_path / "graded")
    assert results["student-14"].score == 20
    assert (tmp_path / "graded" / "student-01" / "report.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "graded" / "class.pdf").exists()
    installed = run(binaries / "python", "-c", "import grader; print(grader.__file__)", cwd=tmp_path)
    assert str(tmp_path) in installed
