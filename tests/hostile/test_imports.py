"""No command imports, runs or links what lies in a hand-in: neither in the current folder, nor where PYTHONPATH points,
nor by an empty or relative entry of PATH or LD_LIBRARY_PATH."""

import os
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.cli.test_next import MORE, SAMPLE, SLOW, VERBS, course, interrupted, runs  # noqa: F401 - two are fixtures
from tests.conftest import ROOT
from tests.environments import environment

RAN = 77
"""The exit status of a process that has imported a module of the hand-in and may not write the mark."""
MODULE = f"""
import posix
try:
    file = posix.open({{mark!r}}, posix.O_WRONLY | posix.O_APPEND | posix.O_CREAT, 0o666)
    posix.write(file, b"{{name}}\\n")
    posix.close(file)
except OSError:
    posix._exit({RAN})
"""
PROGRAMS = ("pandoc", "git", "gcc", "cc", "ld", "ldconfig", "uname", "readlink", "sh", "python3", "python", "uv", "pip")
LIBRARIES = ("libpango-1.0.so.0", "libgobject-2.0.so.0", "libharfbuzz.so.0", "libfontconfig.so.1", "libz.so.1")
METADATA = "Metadata-Version: 2.1\nName: lab-grader\nVersion: 9\n"
ENTRY_POINTS = """
[lab_grader.verbs]
truth = planted_by_a_student:truth
[lab_grader.checks]
planted = planted_by_a_student:check
[lab_grader.exporters]
planted = planted_by_a_student:exporter
"""


@pytest.fixture(scope="module")
def bin_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return environment(tmp_path_factory.mktemp("environment") / "venv")


@pytest.fixture(scope="module")
def names() -> list[str]:
    """All modules of Python and of the installed packages, and those that Python asks for when it starts."""
    known = {*sys.stdlib_module_names, *packages_distributions(), *(name.partition(".")[0] for name in sys.modules)}
    known |= {"grader", "reference", "sitecustomize", "usercustomize", "planted_by_a_student"}
    assert {"html", "re", "encodings", "numpy", "pydantic", "weasyprint", "multiprocessing"} <= known
    return sorted(name for name in known if name.isidentifier() and not name.startswith("__"))


def plant(folder: Path, mark: Path, names: list[str]) -> Path:
    """A hand-in with traps of all kinds beside its report."""
    folder.mkdir(parents=True)
    (folder / "report.txt").write_bytes((SAMPLE / "report.txt").read_bytes())
    (folder / "notes.rst").write_text("Notes\n=====\n\nThey are read by pandoc.\n", encoding="utf-8")
    for name in names:
        (folder / f"{name}.py").write_text(MODULE.format(mark=str(mark), name=name), encoding="utf-8")
    for name in PROGRAMS:
        (folder / name).write_text(f"#!/bin/sh\necho {name} >> '{mark}'\nexit {RAN}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    for name in LIBRARIES:
        (folder / name).write_bytes(b"\x7fELF no library")
    (folder / "lab_grader-9.dist-info").mkdir()
    (folder / "lab_grader-9.dist-info" / "METADATA").write_text(METADATA, encoding="utf-8")
    (folder / "lab_grader-9.dist-info" / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    return folder


def run(command: list[str], folder: Path) -> tuple[int, str]:
    """The exit status of a command and all that it prints, where everything points to a folder."""
    path = f".::{os.environ['PATH']}:"
    return interrupted(command, folder, PYTHONPATH=str(folder), PATH=path, LD_LIBRARY_PATH=":.:")


def assert_untouched(mark: Path, printed: str, *written: Path) -> None:
    """No module or program of the hand-in has run, and no worker ended by one."""
    assert not mark.exists(), mark.read_text(encoding="utf-8")
    texts = [printed, *(path.read_text(encoding="utf-8") for one in written for path in one.rglob("result.json"))]
    assert not any(f"exit status {RAN}" in text for text in texts)


@pytest.mark.parametrize(
    "verb", [pytest.param(verb, marks=pytest.mark.slow) if verb in SLOW else verb for verb in (*VERBS, "serve --check")]
)
def test_no_verb_runs_what_lies_in_a_hand_in(
    verb: str,
    course: Path,  # noqa: F811
    bin_folder: Path,
    names: list[str],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    """`tests/cli/test_next.py` holds that its table names every verb."""
    if verb == "truth collect":
        request.getfixturevalue("runs")
    mark = tmp_path / "MARK"
    folder = plant(tmp_path / "student-11", mark, names)
    told = f"{verb} {VERBS[verb]}" if verb in VERBS else MORE[verb]
    told = re.sub(r"\bgraded\b", "{course}/graded", told)
    if verb in ("export history", "export diff"):
        told = f"{verb} --out {course}/graded"
    filled = told.format(sample=".", course=course, root=ROOT, new=tmp_path / "new")
    status, printed = run([str(bin_folder / "grade"), *filled.split()], folder)
    assert_untouched(mark, printed, tmp_path / "new")
    assert status in (0, 1), printed


def test_a_report_is_made_in_a_hand_in(bin_folder: Path, names: list[str], tmp_path: Path) -> None:
    mark = tmp_path / "MARK"
    folder = plant(tmp_path / "student-11", mark, names)
    command = [str(bin_folder / "grade"), ".", "--as", "student", "--out", str(tmp_path / "out")]
    status, printed = run(command, folder)
    assert_untouched(mark, printed, tmp_path / "out")
    assert status == 0, printed
    assert (tmp_path / "out" / "student-11" / "report.pdf").read_bytes().startswith(b"%PDF")
