"""The package for students works on its own and holds nothing of what is right."""

import builtins
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from grader.lab.files import lab_folder, load_lab
from grader.language import lexicon
from grader.packages.students import students_package
from tests.conftest import ROOT, run_grade
from tests.environments import environment

LABS = ("nlp-frameworks", "small-gpt2")
NAMES = {
    ("models", "components", "tensors", "name"),
    ("models", "modules"),
    ("fields", "name"),
    ("values", "parameter"),
    ("fields", "type"),
    ("signatures", "callable"),
} | {("models", "components", "counted_in")}
"""What a library calls its modules, settings and classes, and ways of counting their words: no truth of a lab, and a
reader of logs and reports has to know some of them."""
CODES = {"61184": "the first user id without an account", "61440": "the first private character of an office font"}
"""Numbers of the program itself that happen to be a truth as well."""
PHRASES = {"trainable parameters": "what programs that train print before a count"}
"""Texts that programs print, of which a truth is named as well."""


@cache
def wheel_of(lab: str) -> zipfile.ZipFile:
    files = students_package(load_lab(lab_folder(lab)))
    (name,) = (one for one in files if one.endswith(".whl"))
    return zipfile.ZipFile(io.BytesIO(files[name]))


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, (*path, key))
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part, path)
    else:
        yield path, value


def truths(lab: str) -> dict[Any, tuple[str, ...]]:
    """Every value of truth.json with where it first stands."""
    found: dict[Any, tuple[str, ...]] = {}
    for path, value in leaves(json.loads((lab_folder(lab) / "truth.json").read_text(encoding="utf-8"))):
        if value is not None and not isinstance(value, bool):
            found.setdefault(value, path)
    return found


NUMBER = re.compile(r"(?<![\w.,])\d+(?:[ _,.'\u202f\u00a0]\d{3})*(?:[.,]\d+)?(?:e-?\d+)?(?![\w])")


def numbers_in(text: str) -> set[str]:
    """Every number of a text in all ways in which it may be meant: groups of digits joined, comma as decimal mark."""
    found = set()
    for match in NUMBER.finditer(text):
        plain = match[0]
        found |= {plain, plain.replace(",", "."), re.sub(r"[ _,.'\u202f\u00a0]", "", plain)}
        found |= set(re.split(r"[ _']", plain))
    return found


def significant(number: float) -> int:
    return len(re.sub(r"\D", "", repr(number)).strip("0"))


def is_ordinary(number: float) -> bool:
    """Whether a program holds such a number for reasons of its own: small ones, round ones, sizes of buffers."""
    is_power_of_two = isinstance(number, int) and number > 0 and number & (number - 1) == 0
    return is_power_of_two or significant(number) < 3 or len(repr(number)) < 5


def is_word_of_python(text: str) -> bool:
    return text in dir(builtins)


LEXICONS = (
    "grader/claims/settings.toml",
    "grader/reading/programs.toml",
    *(f"grader/language/{file.name}" for file in Path(lexicon.__file__).parent.glob("*.toml")),
)
"""Words of programs that train and of the language, as what code knows."""


@pytest.mark.parametrize("lab", LABS)
def test_no_value_of_the_truth_is_in_it(lab: str) -> None:
    """In what is data, every value but single digits; in code, every number that is not an ordinary one, and every text
    of some length. Names by which the hand-out itself calls things are no truths."""
    loaded = load_lab(lab_folder(lab))
    called = {loaded.id, *(one.id for one in (*loaded.experiments, *loaded.splits, *loaded.parameters))}
    called |= {word for one in loaded.parameters for word in one.names}
    known = truths(lab)
    numbers = {value: path for value, path in known.items() if not isinstance(value, str)}
    texts = {
        value: path
        for value, path in known.items()
        if isinstance(value, str) and value not in {*called, *PHRASES} and path not in NAMES
        if not is_word_of_python(value)
    }
    assert len(numbers) > 50
    assert len(texts) > 200
    found = []
    wheel = wheel_of(lab)
    for name in wheel.namelist():
        text = wheel.read(name).decode("utf-8", "replace")
        if ".dist-info/" in name:  # hashes, and versions of libraries
            continue
        there, is_code = numbers_in(text), name.endswith((".py", ".mo")) or name in LEXICONS
        for value, path in numbers.items():
            told = not is_ordinary(value) and str(value) not in CODES if is_code else len(repr(value)) > 1
            if told and repr(value) in there:
                found.append((name, value, path))
        for value, path in texts.items():
            if value.isidentifier() and not is_code:
                is_there = re.search(rf'"{value}"(?!:)', text) is not None
            else:
                is_there = len(value) >= (12 if is_code else 2) and value in text
            if is_there and not value.isdigit():
                found.append((name, value, path))
    assert found == []


def test_the_search_finds_what_it_looks_for() -> None:
    """It would see a truth in any usual writing."""
    for text in ("22,807,552", "22 807 552", "total = 22807552;", "22_807_552", "22.807.552", "(22\u202f807\u202f552)"):
        assert "22807552" in numbers_in(text)
    assert "79.35" in numbers_in("79,35 %")
    assert "22807552" not in numbers_in("122807552 and 228075521")


@pytest.mark.parametrize("lab", LABS)
def test_no_key_is_in_it(lab: str) -> None:
    """No answers, points, options of checks, summaries or values of parameters."""
    loaded = load_lab(lab_folder(lab))
    text = wheel_of(lab).read("grader/selfcheck/lab.json").decode()
    for parameter in loaded.parameters:
        assert f'"{parameter.value}"' not in text
        assert not parameter.summary or parameter.summary not in text
    for item in loaded.items:
        assert item.title not in text or item.title in {question.title for question in loaded.questions}
    names = wheel_of(lab).namelist()
    words = {one for one in names if one.endswith(".toml")}
    assert words == {*LEXICONS}, "words of the language and of programs, not of the lab"
    kept_out = (".npz", ".toml", "truth.json", ".po")
    assert not [one for one in set(names) - words if "/checks/" in one or one.endswith(kept_out)]
    data = json.loads(text)
    assert all(set(item) <= {"id", "title", "points", "check"} for one in data["questions"] for item in one["items"])
    assert {item["points"] for one in data["questions"] for item in one["items"]} == {"0"}


def printed_by(program: str, folder: Path, *options: str) -> str:
    """What a program prints that looks at a sample with what is unpacked in a folder."""
    done = subprocess.run(
        [sys.executable, "-c", program, str(ROOT / "submissions" / "student-07"), *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "site")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_works_alone(tmp_path: Path) -> None:
    """Unpacked elsewhere, with nothing of the project but what it holds; from its French catalogue, too."""
    wheel_of("nlp-frameworks").extractall(tmp_path / "site")
    program = "import grader; from grader.selfcheck.command import main; print(grader.__file__); main()"
    place, *lines = printed_by(program, tmp_path, "--lang", "fr").splitlines()
    assert place.startswith(str(tmp_path))
    alone = "\n".join(lines)
    assert alone == run_grade("check", ROOT / "submissions" / "student-07", "--lang", "fr").stdout.strip()


POSIX_ONLY = """
import multiprocessing, os, signal, sys
for name in ("pwd", "grp", "fcntl", "resource", "termios"):
    sys.modules[name] = None
for module, names in {
    os: "fork forkpty getuid geteuid setsid killpg sysconf set_blocking chown getpgid statvfs O_PATH O_CLOEXEC",
    signal: "SIGKILL SIGPROF SIGALRM setitimer ITIMER_PROF",
}.items():
    for name in names.split():
        delattr(module, name)
multiprocessing.get_all_start_methods = lambda: ["spawn"]
"""
"""Takes away what Windows does not have."""


def test_it_works_without_what_only_posix_systems_have(tmp_path: Path) -> None:
    wheel_of("nlp-frameworks").extractall(tmp_path / "site")
    program = f"{POSIX_ONLY}\nfrom grader.selfcheck.command import main; main()"
    assert printed_by(program, tmp_path) == run_grade("check", ROOT / "submissions" / "student-07").stdout


@pytest.mark.slow
def test_pip_installs_it(tmp_path: Path) -> None:
    done = run_grade("package", "students", "--out", tmp_path / "package")
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "package").glob("*.whl")
    programs = environment(tmp_path / "venv")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(programs / "python"),
        "install",
        "-q",
        "--no-deps",
        "--no-index",
    ]
    subprocess.run([*pip, str(wheel)], check=True, timeout=120)
    check = subprocess.run(
        [str(programs / "lab-check"), str(ROOT / "submissions" / "student-01")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert check.returncode == 0, check.stderr
    assert "22,807,552" in check.stdout


def test_the_same_lab_gives_the_same_bytes() -> None:
    lab = load_lab(lab_folder("small-gpt2"))
    once = students_package(lab)
    assert students_package(lab) == once
    (wheel,) = (content for name, content in once.items() if name.endswith(".whl"))
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        words = archive.read("grader/locale/fr/LC_MESSAGES/grader.mo")
    assert b"POT-Creation-Date: 2024-01-01" in words, "the day of the catalogue, not of today"


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = run_grade("package", "students", "--out", tmp_path)
    assert done.returncode == 2
    assert "is not empty" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
