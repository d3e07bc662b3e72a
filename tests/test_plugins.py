"""What packages of others build on: its examples work, and a package that does not is explained."""

import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader import plugins
from grader.installed import EXPORTERS
from grader.lab.files import write_starter
from grader.pipeline.outputs import Reports, write_student
from grader.plugins import Status, status_of
from tests.checks.making_packages import install
from tests.conftest import run_grade
from tests.factories import result


def examples() -> dict[str, str]:
    """The examples in the module's text, by the function that each defines."""
    blocks = re.findall(r"(?:^    .*\n|^\n)+", inspect.getdoc(plugins) or "", re.MULTILINE)
    code = [textwrap.dedent(block[block.index("    from ") :]) for block in blocks if "def " in block]
    return {found.group(1): one for one in code if (found := re.search(r"^def (\w+)", one, re.MULTILINE))}


Install = Callable[[str], None]


@pytest.fixture
def installed_exporter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package that offers an exporter, for the length of a test."""

    def put(code: str) -> None:
        code = code.replace("def export(", "def custom(")
        monkeypatch.syspath_prepend(install(tmp_path / "site", "my-system", code=code, group=EXPORTERS))

    sys.modules.pop("pleasing", None)
    yield put
    sys.modules.pop("pleasing", None)


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    for student in ("ada", "bob"):
        write_student(tmp_path / "graded", result(student), Reports())
    return tmp_path / "graded"


def test_all_that_it_names_is_there_and_described() -> None:
    things = {name: getattr(plugins, name) for name in plugins.__all__}
    assert [name for name, one in things.items() if inspect.isroutine(one) and not inspect.getdoc(one)] == []
    assert [name for name, one in things.items() if inspect.isclass(one) and not one.__doc__] == []


def test_the_check_of_its_example_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_starter(tmp_path / "my-lab")
    code = examples()["conclusion"].replace("short-conclusion", "my-lab-conclusion")
    code = code.replace("def conclusion", "def custom")
    install(tmp_path / "site", "my-lab-conclusion", code=code, package="from-plugins")
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert status_of(tmp_path / "my-lab", "q3.short", "# Question 3\n\nIt works.\n") is Status.CORRECT
    assert status_of(str(tmp_path / "my-lab"), "q3.short", "# Question 3\n\nIt works.\n") is Status.CORRECT
    assert status_of(tmp_path / "my-lab", "q3.short", "# Question 1\n\n42\n") is Status.MISSING
    with pytest.raises(KeyError):
        status_of(tmp_path / "my-lab", "q9.none", "")
    sys.modules.pop("from_plugins", None)


def test_the_exporter_of_its_example_writes_a_file(graded: Path, installed_exporter: Install) -> None:
    installed_exporter(examples()["export"])
    done = run_grade("export", "my-system", graded)
    assert done.returncode == 0, done.stderr
    one = result("ada")
    assert (graded / "grades.txt").read_text() == f"ada;{one.score:f}\nbob;{one.score:f}"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import no_such_library", ["cannot be loaded", "no_such_library", "'my-system'", "pleasing"]),
        ("custom = 3", ["no function", "'my-system'"]),
        ("def custom(results, wanted):\n    return {}", ["Exported", "dict"]),
        ("def custom(results, wanted):\n    return results[0].nothing", ["failed", "AttributeError"]),
        ("from grader.plugins import ExportError\ndef custom(*_):\n    raise ExportError('Name it.')", ["Name it."]),
    ],
)
def test_an_exporter_that_is_no_good_is_explained_and_nothing_is_written(
    graded: Path, installed_exporter: Install, code: str, words: list[str]
) -> None:
    installed_exporter(code)
    before = sorted(graded.iterdir())
    done = run_grade("export", "my-system", graded)
    told = " ".join(done.stderr.split())
    assert (done.returncode, "Traceback" in told) == (2, False), told
    assert [word for word in words if word not in told] == []
    assert sorted(graded.iterdir()) == before


def test_a_format_that_there_is_not_is_answered_with_those_that_there_are(
    graded: Path, installed_exporter: Install
) -> None:
    installed_exporter("1 / 0")
    done = run_grade("export", "moodel-grades", graded)
    assert done.returncode == 2
    assert [name for name in ("'moodel-grades'", "moodle-grades", "xlsx", "my-system") if name not in done.stderr] == []
