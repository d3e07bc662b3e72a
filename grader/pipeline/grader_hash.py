"""Which grader this is, to the last line of its code."""

import platform
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import Final

import grader
from grader.pipeline.hashes import hash_of, hash_of_file, hash_of_folder
from grader.report.resources import templates_folder

_LIBRARIES: Final = (
    *("jinja2", "numpy", "pandas", "pillow", "pydantic", "pypdfium2", "pyyaml"),
    *("tbparse", "tensorboard", "weasyprint"),
)
"""Those that read submissions or make reports: another version may see or draw another thing."""

_CODE: Final = (".py", ".mo", ".toml", ".json")
_CHECKS: Final = "lab_grader.checks"
_LENGTH: Final = 12


def grader_identity() -> str:
    """The version, and a hash of code, templates, libraries and installed checks, such as `0.1.0+3f0c12ab9d04`: a
    developer's change counts too. Raises OSError."""
    parts = [
        hash_of_folder(Path(grader.__file__).parent, _CODE),
        hash_of_folder(templates_folder()),
        [(name, _version(name)) for name in _LIBRARIES],
        [(point.name, point.value, *_code(point)) for point in entry_points(group=_CHECKS)],
        platform.python_version(),
    ]
    return f"{grader.__version__}+{hash_of(parts)[:_LENGTH]}"


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""


def _code(point: EntryPoint) -> Iterator[str]:
    """The version and the hashed code of a check's package, which may be under development."""
    yield point.dist.version if point.dist else ""
    package = point.module.partition(".")[0]
    for place in map(Path, dict.fromkeys(sys.path)):
        if (place / package).is_dir():
            yield hash_of_folder(place / package, _CODE)
        elif (place / f"{package}.py").is_file():
            yield hash_of_file(place / f"{package}.py")
