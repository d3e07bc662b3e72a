"""A wheel written without any build tool: from a checkout or from an installed package alike.

Form: https://packaging.python.org/en/latest/specifications/binary-distribution-format/. The same files always give
the same bytes.
"""

import base64
import hashlib
import io
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from typing import Final

from grader import __version__
from grader.packages.modules import PACKAGE
from grader.report.resources import templates_folder

PROJECT: Final = "lab-grader"
PYTHON: Final = "3.11"
"""The oldest version that runs it."""

FILES: Final = Path(__file__).parent / "files"
_DAY: Final = (1980, 1, 1, 0, 0, 0)
_LITTER: Final = ("__pycache__", ".mypy_cache", ".ruff_cache")


def wheel(name: str, files: Mapping[str, bytes], requires: Iterable[str], scripts: Mapping[str, str]) -> bytes:
    """A wheel with some files by their paths, what it requires, and its commands by name."""
    folder = f"{_escaped(name)}-{__version__}.dist-info"
    entry_points = "[console_scripts]\n" + "".join(f"{one} = {target}\n" for one, target in sorted(scripts.items()))
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {__version__}", f"Requires-Python: >={PYTHON}"]
    lines += [f"Requires-Dist: {one}" for one in sorted(requires)]
    tag = "Wheel-Version: 1.0\nGenerator: lab-grader\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    own = {
        f"{folder}/METADATA": ("\n".join(lines) + "\n").encode(),
        f"{folder}/WHEEL": tag.encode(),
        f"{folder}/entry_points.txt": entry_points.encode(),
    }
    content = {**dict(sorted(files.items())), **own}
    record = "".join(f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in content.items())
    content[f"{folder}/RECORD"] = (record + f"{folder}/RECORD,,\n").encode()
    return zipped(content)


def wheel_name(name: str) -> str:
    """What the file of a wheel is called."""
    return f"{_escaped(name)}-{__version__}-py3-none-any.whl"


def zipped(files: Mapping[str, bytes], executable: Iterable[str] = ()) -> bytes:
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
    """The whole grader with its templates, without shipped labs and what computes truths. A lab comes beside it."""
    files = {f"{PACKAGE.name}/{path}": data for path, data in _below(PACKAGE)}
    templates = {f"{PACKAGE.name}/templates/{path}": data for path, data in _below(templates_folder())}
    return wheel(PROJECT, {**files, **templates}, requirements(), {"grade": "grader.cli:main"})


def packaged(name: str) -> bytes:
    """A script or workflow that ships in `files`, with the name of our wheel filled in."""
    return (FILES / name).read_bytes().replace(b"@WHEEL@", wheel_name(PROJECT).encode())


def requirements(modules: frozenset[str] | None = None) -> tuple[str, ...]:
    """What the grader requires; with some top-level names of modules, only the distributions that hold these."""
    declared = _declared()
    if modules is None:
        return declared
    holders = packages_distributions()
    wanted = {_plain(one) for name in modules - sys.stdlib_module_names for one in holders.get(name, ())}
    return tuple(one for one in declared if _plain(_project(one)) in wanted)


@cache
def _declared() -> tuple[str, ...]:
    try:
        listed = distribution(PROJECT).requires or []
    except PackageNotFoundError:  # run from a copy that was never installed
        return ()
    return tuple(one for one in listed if "extra ==" not in one)


def _project(requirement: str) -> str:
    end = next((place for place, sign in enumerate(requirement) if not (sign.isalnum() or sign in "-_.")), None)
    return requirement[:end]


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _below(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not set(path.parts) & set(_LITTER):
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _escaped(name: str) -> str:
    return name.replace("-", "_")


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
