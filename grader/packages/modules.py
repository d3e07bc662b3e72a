"""Which modules of this program a module needs, found by reading imports and running nothing."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parents[1]
"""The folder of `grader`."""


def needed_by(modules: Iterable[str]) -> tuple[Path, ...]:
    """The files of all modules of `grader` that some of its modules import, wherever the import stands, themselves and
    their packages included; sorted."""
    found: set[Path] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        path = _file(name)
        if path is None or path in found:
            continue
        found.add(path)
        parent, _, _ = name.rpartition(".")
        waiting += [one for one in (parent, *imports(path)) if one.split(".")[0] == PACKAGE.name]
    return tuple(sorted(found))


def foreign(files: Iterable[Path]) -> frozenset[str]:
    """The top-level names that some files import and that are not of this program."""
    return frozenset(name.split(".")[0] for path in files for name in imports(path)) - {PACKAGE.name, ""}


def imports(path: Path) -> Iterator[str]:
    """The full names that a module imports; `from a import b` gives `a` and `a.b`, since `b` may be a module."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def bare(path: Path) -> bytes:
    """The program of a module without comments and docstrings, in which an example may stand that tells too much."""
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            kept = [one for one in node.body if not _is_text(one)]
            node.body = kept or [ast.Pass()]
    return (ast.unparse(tree) + "\n").encode()


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _file(name: str) -> Path | None:
    place = PACKAGE.parent.joinpath(*name.split("."))
    candidates = (place.with_suffix(".py"), place / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)
