"""The walls of the house stand: who may import whom, what loads when, and that it gets no harder to read."""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

from grader.pipeline.hashes import LIBRARIES
from scripts.house import WORDED, empty_names, hanging_docstrings, is_bare, size, wording
from tests.conftest import ROOT
from tests.environments import environment
from tests.sources import nodes, parsed

FLOORS = (
    ("own_code",),
    ("frozen", "message", "installed", "risk", "time_limit"),
    ("language",),
    ("model",),
    ("lab",),
    ("intake",),
    ("reading",),
    ("claims",),
    ("checks",),
    ("reader",),
    ("training",),
    ("scoring", "result"),
    ("cohort",),
    ("gradebook",),
    ("report",),
    ("pipeline",),
    ("selfcheck",),
    ("packages",),
    ("serve",),
    ("cli",),
    ("plugins",),
)
"""Rooms from the ground up: an import only ever points to the same room or down."""

BLIND = {
    "checks": {"intake"},
    "scoring": {"claims", "reading", "intake"},
    "cohort": {"checks", "claims", "reading", "intake", "lab", "scoring"},
    "gradebook": {"checks", "claims", "reading", "intake", "lab", "scoring"},
    "report": {"checks", "claims", "reading", "intake", "lab", "scoring", "training"},
    "pipeline": {"training"},
    "selfcheck": {"checks", "scoring", "result", "cohort", "gradebook", "report", "training"},
}
"""Rooms that must not see some of those below them: checks know no points, scoring knows no documents, and what
students may run knows nothing that judges."""

WEB_LIBRARIES = {"starlette", "uvicorn"}
"""Only the room of the review page knows them."""

MODEL_LIBRARIES = {"torch", "transformers", "peft"}
HEAVY = {"tbparse", "tensorboard", "pandas", "numpy", "matplotlib", "weasyprint", "pypdfium2", "jinja2"} | {
    "xlsxwriter",
    "yaml",
    "sqlalchemy",
    "alembic",
    "babel",
    "sklearn",
    "scipy",
}
GRADING = {"message", "lab", "language", "model", "intake", "reading", "claims", "checks", "reader"} | {
    "scoring",
    "report",
}
"""Rooms whose libraries a grade and its report depend on."""
ONLY_ASK_A_MODEL = {"httpx2"}
ONLY_FETCH = {"fsspec"}
"""Bytes from a store are those that lie there, whatever the version."""


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


@cache
def imports(path: Path, *, anywhere: bool = True) -> tuple[str, ...]:
    """The full names that a module imports: everywhere, or only when it is loaded itself."""
    return tuple(_imports(path, nodes(path) if anywhere else parsed(path).body))


def _imports(path: Path, among: Iterable[ast.AST]) -> Iterator[str]:
    for node in among:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module or ""


def room(path: Path) -> str:
    parts = path.relative_to(ROOT / "grader").parts
    return parts[0].removesuffix(".py")


def test_imports_point_down() -> None:
    floor = {name: level for level, names in enumerate(FLOORS) for name in names}
    for path in modules("grader"):
        here = room(path)
        if here.startswith("__"):
            continue
        assert here in floor, f"{here} is a room that the plan does not know"
        for name in imports(path):
            if name.startswith("grader."):
                there = name.split(".")[1]
                assert floor[there] <= floor[here], f"{path} looks up to {name}"
                assert there not in BLIND.get(here, ()), f"{path} must not see {name}"


LATE = Path("grader/reading/alike.py")
"""A module that long files alone need, with a heavy library; nothing imports it at once."""


def test_libraries() -> None:
    for path in modules("grader"):
        roots = {name.split(".")[0] for name in imports(path)}
        assert roots.isdisjoint(MODEL_LIBRARIES), f"{path}: grading needs only the frozen truth"
        assert "reference" not in roots, path
        assert roots.isdisjoint(WEB_LIBRARIES) or room(path) == "serve", path
        loaded_late = path.name in ("warm.py", LATE.name) or room(path) == "training" or "migrations" in path.parts
        at_once = imports(path, anywhere=False)
        if not loaded_late:  # one loads them ahead of need, the others are not loaded with the rest
            assert {name.split(".")[0] for name in at_once}.isdisjoint(HEAVY), path
        assert not any(name.startswith(".".join(LATE.with_suffix("").parts)) for name in at_once), path


def test_the_reference_sees_only_the_lab() -> None:
    for path in modules("reference"):
        seen = [name for name in imports(path) if name.startswith("grader")]
        allowed = ("grader.lab", "grader.frozen", "grader.own_code")
        assert [name for name in seen if not name.startswith(allowed)] == [], path


def test_nothing_from_a_submission_can_run() -> None:
    """No module calls what would execute or unpickle data. Verbs of installed packages are found by entry point."""
    forbidden = {"eval", "exec", "compile", "__import__"}
    for path in modules("grader"):
        roots = {name.split(".")[0] for name in imports(path) if name != "importlib.metadata"}
        allowed = {"subprocess"} if path.name in ("pandoc.py", "tesseract.py") else set()  # each runs one program
        assert roots.isdisjoint({"pickle", "marshal", "shelve", "importlib", "runpy", "subprocess"} - allowed), path
        calls = {node.func.id for node in nodes(path) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        assert calls.isdisjoint(forbidden), path


def test_help_loads_nothing_heavy() -> None:
    loaded = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from grader.cli import main; sys.argv = ['grade', '--help']\n"
            "try:\n    main()\nfinally:\n    print(*{name.split('.')[0] for name in sys.modules}, file=sys.stderr)",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "PATH" in loaded.stdout
    assert set(loaded.stderr.split()).isdisjoint(MODEL_LIBRARIES | WEB_LIBRARIES | HEAVY | {"pydantic", "rich"})


def test_grading_loads_no_model_library(tmp_path: Path) -> None:
    """Decoys of the libraries that leave a trace stand in front of the real ones, for all processes."""
    decoys, trace = tmp_path / "decoys", tmp_path / "trace"
    for name in MODEL_LIBRARIES:
        (decoys / name).mkdir(parents=True)
        (decoys / name / "__init__.py").write_text(f"open({str(trace)!r}, 'a').write({name!r})\n")
    command = [environment(tmp_path / "venv", decoys) / "grade", "submissions/student-07", "--out", tmp_path / "graded"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not trace.exists(), trace.read_text()


def test_what_a_grade_is_said_to_depend_on_is_what_is_imported() -> None:
    distributions = packages_distributions()
    roots = {name.partition(".")[0] for path in modules("grader") if room(path) in GRADING for name in imports(path)}
    third_party = roots - set(sys.stdlib_module_names) - {"grader"} - ONLY_ASK_A_MODEL - ONLY_FETCH
    assert {name.lower() for root in third_party for name in distributions[root]} == set(LIBRARIES)


GATES = {
    "functions with a complexity above 12": 462,
    "regular expressions at module level outside `reading`": 492,
    "functions per 10,000 lines": 627,
}
"""What may only fall. Lower a figure when the code has got below it."""


def test_the_program_gets_no_harder_to_read() -> None:
    folders = [path for path in (ROOT / "grader").iterdir() if path.is_dir()]
    rooms = [folder for folder in folders if folder.name not in ("reading", "language")]
    house = size(ROOT / "grader")
    now = {
        "functions with a complexity above 12": sum(function.complexity > 12 for function in house.functions),
        "regular expressions at module level outside `reading`": size(*rooms).patterns,
        "functions per 10,000 lines": int(10 * house.per_thousand),
    }
    assert {name: figure for name, figure in now.items() if figure > GATES[name]} == {}


WORDING = {
    "public names that are a bare participle, preposition or adjective": 0,
    "docstrings that begin with What, Where, Of and the like": 0,
    "variables called one, own, said, told or known": 27,
}
"""What may only fall. Lower a figure when the code has got below it."""


def test_names_and_docstrings_get_no_harder_to_read() -> None:
    words = wording(*(ROOT / folder for folder in WORDED))
    now = dict(zip(WORDING, map(len, words), strict=True))
    assert {name: figure for name, figure in now.items() if figure > WORDING[name]} == {}


def test_what_counts_as_hard_to_read() -> None:
    bare = {"told", "of", "Marked", "alike", "within", "padded"}
    assert {
        name for name in (*bare, "feed", "reading", "Table", "told_of", "ReaderUsed", "update") if is_bare(name)
    } == bare
    tree = ast.parse(
        'def f(own):\n    """What it does."""\n    return [one for one in own if (known := one)]\n'
        '@check(\'name\')\ndef g():\n    """What the code printed is right."""\n'
        'def h(only):\n    """Whether it does."""\n'
    )
    assert list(hanging_docstrings(tree)) == [(1, "What")]
    assert sorted(name for _, name in empty_names(tree)) == ["known", "one", "own"]
