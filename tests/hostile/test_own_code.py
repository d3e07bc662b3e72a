"""What `use_only_installed_code` leaves to programs that were started in another way than by `grade`."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, start_grade
from tests.environments import environment

LOADED_LATER = ("html", "jinja2", "weasyprint", "pypdfium2", "babel", "numpy", "tomllib", "sqlalchemy")
"""Modules that no program has imported before ours begins."""
SEEN = """
from grader.own_code import use_only_installed_code
use_only_installed_code()
use_only_installed_code()
import json, os, sys
print(json.dumps({"path": sys.path, **{name: os.environ.get(name) for name in sys.argv[1:]}}))
"""
NAMES = ("PYTHONPATH", "PYTHONSAFEPATH", "PATH", "LD_LIBRARY_PATH")


def seen(folder: Path, *options: str, program: Path | str = sys.executable, **variables: str) -> dict[str, Any]:
    """The places that are searched by a process which is started in a folder."""
    command = [str(program), *options, "-c", SEEN, *NAMES]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("arguments", [("check", "report.md"), ("read", "report.md"), (".", "--as", "student")])
def test_what_follows_is_protected_where_python_itself_is_started(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    mark = tmp_path / "MARK"
    for name in ("hand-in", "named"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "report.md").write_text("# Question 1\n\nThe model has 22,807,552 parameters.\n")
        for module in LOADED_LATER:
            text = f"open({str(mark)!r}, 'a').write({module!r})\n"
            (tmp_path / name / f"{module}.py").write_text(text, encoding="utf-8")
    done = start_grade(*arguments, cwd=tmp_path / "hand-in", PYTHONPATH=str(tmp_path / "named"))
    assert done.returncode in (0, 1), done.both
    assert not mark.exists(), mark.read_text(encoding="utf-8")


def test_neither_the_current_folder_nor_what_was_named_is_searched(tmp_path: Path) -> None:
    python = environment(tmp_path / "venv") / "python"
    for folder in ("here", "named"):
        (tmp_path / folder).mkdir()
    plain = seen(tmp_path / "here", "-P", "-E", program=python)
    named = f"{tmp_path / 'named'}{os.pathsep}{os.pathsep}relative.zip"
    assert seen(tmp_path / "here", program=python, PYTHONPATH=named)["path"] == plain["path"]
    assert seen(tmp_path / "here", program=python, PYTHONPATH=str(tmp_path / "here"))["PYTHONPATH"] is None
    assert plain["PYTHONSAFEPATH"] == "1"


def test_installed_packages_are_found_though_they_were_named(tmp_path: Path) -> None:
    """As where all places of an interpreter are handed on by PYTHONPATH."""
    python = environment(tmp_path / "venv") / "python"
    plain = seen(tmp_path, "-P", "-E", program=python)
    places = [one for one in plain["path"] if not one.endswith(".zip")]
    found = seen(tmp_path, program=python, PYTHONPATH=os.pathsep.join([str(tmp_path), *places]))
    assert set(places) == {one for one in found["path"] if not one.endswith(".zip")}


def test_a_grader_that_is_named_itself_stays_for_all_processes(tmp_path: Path) -> None:
    """As on Gradescope, where it lies in a folder of its own."""
    (tmp_path / "site").mkdir()
    shutil.copytree(ROOT / "grader", tmp_path / "site" / "grader", ignore=shutil.ignore_patterns("__pycache__"))
    found = seen(tmp_path, "-P", "-S", PYTHONPATH=f"{tmp_path / 'site'}{os.pathsep}{tmp_path}")
    assert str(tmp_path / "site") in str(found["path"])
    assert str(tmp_path) not in found["path"]
    assert found["PYTHONPATH"] == str(tmp_path / "site")


@pytest.mark.parametrize(
    ("given", "left"), [("/usr/bin::/bin:.:x/y:", "/usr/bin:/bin"), (":.", os.defpath), ("/bin", "/bin")]
)
def test_programs_and_libraries_are_searched_in_no_relative_folder(tmp_path: Path, given: str, left: str) -> None:
    found = seen(tmp_path, PATH=given, LD_LIBRARY_PATH=given)
    assert found["PATH"] == left
    assert found["LD_LIBRARY_PATH"] == (None if left == os.defpath else left)


@pytest.mark.parametrize("link", ["absolute", "relative", "twice"])
def test_grade_is_started_by_links_as_pipx_and_uv_make_them(tmp_path: Path, link: str) -> None:
    programs = environment(tmp_path / "an environment" / "venv")
    (tmp_path / "bin").mkdir()
    target = programs / "grade"
    if link != "absolute":
        target = Path(os.path.relpath(target, tmp_path / "bin"))
    (tmp_path / "bin" / "grade").symlink_to(target)
    if link == "twice":
        (tmp_path / "grade").symlink_to("bin/grade")
    place = tmp_path / "grade" if link == "twice" else tmp_path / "bin" / "grade"
    for command in ([place, "--version"], ["sh", place.name, "--version"]):
        done = subprocess.run(command, cwd=place.parent, capture_output=True, text=True, check=False)
        assert done.stdout.startswith("grade, version"), done.stderr


def test_grade_finds_its_python_outside_an_environment(tmp_path: Path) -> None:
    """As after `pip install --user`, where Python lies elsewhere."""
    programs = environment(tmp_path / "venv")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    home = tmp_path / "home" / ".local"
    (home / "lib" / version / "site-packages" / "lab_grader-0.1.0.dist-info").mkdir(parents=True)
    (home / "bin").mkdir()
    shutil.copy(programs / "grade", home / "bin")
    (tmp_path / "python").mkdir()
    (tmp_path / "python" / version).write_text(f'#!/bin/sh\nexec {programs / version} "$@"\n')
    (tmp_path / "python" / version).chmod(0o755)
    (tmp_path / version).write_text("#!/bin/sh\necho a file of a hand-in\n")
    (tmp_path / version).chmod(0o755)
    for path, told in ((f".:{tmp_path / 'python'}:/usr/bin:/bin", "grade, version"), (f".:{tmp_path / 'nowhere'}", "")):
        command = [home / "bin" / "grade", "--version"]
        done = subprocess.run(command, cwd=tmp_path, env={"PATH": path}, capture_output=True, text=True, check=False)
        assert done.stdout.startswith(told)
        assert "hand-in" not in done.stdout
        assert told or (done.returncode, "no Python beside it" in done.stderr) == (127, True)
