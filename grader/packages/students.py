"""A pip package for students: the self-check of one lab, without any of its truth.

It holds only the modules that the check needs, without comments, the lab as students may see it, and of each catalogue
the sentences that these modules say.

Form: https://packaging.python.org/en/latest/specifications/binary-distribution-format/. The same files always give
the same bytes.
"""

import ast
import base64
import hashlib
import io
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from typing import Final

from grader import __version__
from grader.lab.definition import Lab
from grader.lab.files import seen_by_students
from grader.message import CATALOGUE, CATALOGUES, ENGLISH, known_languages
from grader.report.resources import templates_folder

PACKAGE: Final = Path(__file__).parents[1]
"""The folder of `grader`."""


def needed_by(modules: Iterable[str]) -> tuple[Path, ...]:
    """The files of the given modules of `grader`, of all modules of `grader` that they import (directly or not, also
    inside functions), and of their packages; sorted."""
    found: set[Path] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        place = PACKAGE.parent.joinpath(*name.split("."))
        candidates = (place.with_suffix(".py"), place / "__init__.py")
        path = next((path for path in candidates if path.is_file()), None)
        if path is None or path in found:
            continue
        found.add(path)
        parent, _, _ = name.rpartition(".")
        waiting += [module for module in (parent, *imports(path)) if module.split(".")[0] == PACKAGE.name]
    return tuple(sorted(found))


def foreign(files: Iterable[Path]) -> frozenset[str]:
    """The top-level names of other distributions that some files import."""
    return frozenset(name.split(".")[0] for path in files for name in imports(path)) - {PACKAGE.name, ""}


@cache
def imports(path: Path) -> tuple[str, ...]:
    """The full names that a module imports; `from a import b` gives `a` and `a.b`, since `b` may be a module."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
    return tuple(found)


@cache
def strip_comments(path: Path) -> bytes:
    """The source of a module without comments and docstrings, whose examples may reveal too much."""
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            kept: list[ast.stmt] = []
            for statement in node.body:
                match statement:
                    case ast.Expr(ast.Constant(str())):
                        pass
                    case _:
                        kept.append(statement)
            node.body = kept or [ast.Pass()]
    return (ast.unparse(tree) + "\n").encode()


PROJECT: Final = "lab-grader"
PYTHON: Final = "3.11"
"""The oldest supported Python version."""

FILES: Final = Path(__file__).parent / "files"
_DAY: Final = (1980, 1, 1, 0, 0, 0)
_LITTER: Final = ("__pycache__", ".mypy_cache", ".ruff_cache")


def wheel(name: str, files: Mapping[str, bytes], requires: Iterable[str], commands: Mapping[str, bytes]) -> bytes:
    """The bytes of a wheel from its files by path, its requirements, and its commands: programs by their names."""
    base = f"{_escaped(name)}-{__version__}"
    folder = f"{base}.dist-info"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {__version__}", f"Requires-Python: >={PYTHON}"]
    lines += [f"Requires-Dist: {requirement}" for requirement in sorted(requires)]
    tag = "Wheel-Version: 1.0\nGenerator: lab-grader\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    programs = {f"{base}.data/scripts/{command}": program for command, program in sorted(commands.items())}
    metadata = {f"{folder}/METADATA": ("\n".join(lines) + "\n").encode(), f"{folder}/WHEEL": tag.encode()}
    content = {**dict(sorted(files.items())), **programs, **metadata}
    record = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in content.items())
    content[f"{folder}/RECORD"] = (record + f"{folder}/RECORD,,\n").encode()
    return zip_archive(content, programs)


def _launcher(name: str, package: str) -> bytes:
    """The program that starts a package of a distribution as a command, on all systems but Windows."""
    program = (FILES / "launch.sh").read_bytes().replace(b"lab_grader-", f"{_escaped(name)}-".encode())
    return program.replace(b'"grader"', f'"{package}"'.encode())


def wheel_name(name: str) -> str:
    """The file name of a wheel."""
    return f"{_escaped(name)}-{__version__}-py3-none-any.whl"


def zip_archive(files: Mapping[str, bytes], executable: Iterable[str] = ()) -> bytes:
    """A zip archive of some files; the same files always give the same bytes."""
    runs = frozenset(executable)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, _DAY)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path in runs else 0o100644) << 16
            archive.writestr(entry, data)
    return buffer.getvalue()


def grader_wheel() -> bytes:
    """A wheel of the grader with its templates, without the shipped labs and the computation of truths."""
    files = {f"{PACKAGE.name}/{path}": data for path, data in _files_below(PACKAGE)}
    templates = {f"{PACKAGE.name}/templates/{path}": data for path, data in _files_below(templates_folder())}
    return wheel(PROJECT, {**files, **templates}, requirements(), {"grade": _launcher(PROJECT, "grader")})


def packaged_file(name: str) -> bytes:
    """A script or workflow that ships in `files`, with the name of our wheel filled in."""
    return (FILES / name).read_bytes().replace(b"@WHEEL@", wheel_name(PROJECT).encode())


def requirements(modules: frozenset[str] | None = None) -> tuple[str, ...]:
    """The grader's requirements; given top-level module names, only the distributions that contain these."""
    declared = _declared()
    if modules is None:
        return declared
    holders = packages_distributions()
    wanted = {_plain(holder) for name in modules - sys.stdlib_module_names for holder in holders.get(name, ())}
    projects = {requirement: re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in declared}
    return tuple(name for name, project in projects.items() if _plain(project) in wanted)


@cache
def _declared() -> tuple[str, ...]:
    try:
        listed = distribution(PROJECT).requires or []
    except PackageNotFoundError:  # run from a copy that was never installed
        return ()
    return tuple(requirement for requirement in listed if "extra ==" not in requirement)


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _files_below(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not set(path.parts) & set(_LITTER):
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _escaped(name: str) -> str:
    return name.replace("-", "_")


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


_ENTRY = "grader.selfcheck"
_CALLED_BY_NAME = ("grader.selfcheck.__main__", "grader.selfcheck.look", "grader.selfcheck.summary")
README = "README.md"


def students_package(lab: Lab) -> dict[str, bytes]:
    """The files to hand out by name: the wheel, and instructions."""
    seen = seen_by_students(lab)
    modules = needed_by((_ENTRY, *_CALLED_BY_NAME))
    files = {path.relative_to(PACKAGE.parent).as_posix(): strip_comments(path) for path in modules}
    for module in modules:  # the words that lie beside a module which names their file, or takes all
        source = module.read_text(encoding="utf-8")
        beside = sorted(module.parent.glob("*.toml"))
        words = [path for path in beside if '"*.toml"' in source or f'"{path.name}"' in source]
        files |= {path.relative_to(PACKAGE.parent).as_posix(): path.read_bytes() for path in words}
    files["grader/selfcheck/lab.json"] = (seen.model_dump_json(indent=1, exclude_defaults=True) + "\n").encode()
    files |= _catalogues(seen, {f"grader/{path.relative_to(PACKAGE).as_posix()}" for path in modules})
    name = f"lab-check-{lab.id.replace('.', '-').replace('_', '-')}"
    on_windows = (FILES / "launch.cmd").read_bytes().replace(b"@MODULE@", _ENTRY.encode()).replace(b"\n", b"\r\n")
    commands = {"lab-check": _launcher(name, _ENTRY), "lab-check.cmd": on_windows}
    content = wheel(name, files, requirements(foreign(modules)), commands)
    return {wheel_name(name): content, README: _readme(lab, wheel_name(name)).encode()}


def _catalogues(lab: Lab, modules: Iterable[str]) -> Mapping[str, bytes]:
    """Each language's catalogue, reduced to the sentences of some modules and the lab's titles."""
    module_names = frozenset(modules)
    titles = {
        lab.title,
        *(question.title for question in lab.questions),
        *(experiment.title for experiment in lab.experiments),
    }
    titles |= {*(split.title for split in lab.splits), *(measure.title for measure in lab.measured)}
    repeated = [lab.repetition_of(experiment.id) for experiment in lab.experiments]
    titles |= {text for repetition in repeated for text in (repetition.title, repetition.titles)}
    found = {}
    for code in known_languages():
        source = (CATALOGUES / code / CATALOGUE).with_suffix(".po")
        if code != ENGLISH.code and source.is_file():
            place = Path("grader", "locale", code, CATALOGUE).as_posix()
            found[place] = _compiled(source, module_names, titles)
    return found


def _compiled(source: Path, module_names: frozenset[str], titles: set[str]) -> bytes:
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with source.open("rb") as file:
        whole = read_po(file)
    kept = Catalog(locale=whole.locale, creation_date=whole.creation_date, revision_date=whole.revision_date)
    for message in whole:
        text = message.id if isinstance(message.id, str) else message.id[0]
        places = {str(place) for place, _ in message.locations}
        if text and (places & module_names or text in titles):
            kept.add(message.id, message.string)
    buffer = io.BytesIO()
    write_mo(buffer, kept)
    return buffer.getvalue()


def _readme(lab: Lab, file: str) -> str:
    return f"""\
# {lab.title}: check your submission before you hand it in

It shows what the grader reads in your submission: files, headings, numbers, results, definitions, training logs, and
what it cannot read. It does not know what is right, gives no points, and sends nothing anywhere.

With Python {PYTHON} or newer, in an environment of its own:

    python -m venv check
    check/bin/pip install {file}          # on Windows: check\\Scripts\\pip
    check/bin/lab-check report.pdf code/

A folder or a zip that holds everything does as well: `lab-check Lab.zip`. `--lang fr` speaks French, `--json` is for
programs. What looks wrong in the list is worth mending in the submission: if a number is not found here, the grader
does not find it either, and a person has to look for it.
"""
