"""What checks conclude in the tests of single checks is kept beside them, to the last figure and quote.

A test looks at the one thing that it is about, mostly a status. What else a student or a person is told there is kept
in `tests/checks/kept/units`, a file for each module, and compared when the test ends. `python -m tests.kept` keeps it
anew.
"""

from collections import defaultdict
from pathlib import Path
from typing import Final
from zlib import crc32

import pytest

from tests.checks.making import CONCLUDED
from tests.kept import kept, write

_FOLDER: Final = Path(__file__).with_name("kept") / "units"
_CORPORA: Final = (
    "test_kept_verdicts",
    "test_count_corpus",
    "test_edge_courses",
    "test_edge_measures",
    "test_fresh_code",
    "test_generated_code",
    "test_measured_labs",
    "test_shown_in_reports",
    "test_unseen_code",
)
"""Modules whose answers `test_kept_verdicts` keeps."""

_WITH_CASES: Final = ("test_trainable_prints", "test_quantisation_forms", "test_lora_forms")
"""Modules whose cases say themselves what is told."""

_LONGEST: Final = 100
ANEW: Final[dict[str, dict[str, list[str]]]] = defaultdict(dict)
"""What is kept anew, by module and test."""


def compare(item: pytest.Item, *, anew: bool) -> None:
    """Raises AssertionError where what was concluded in a test is not what is kept; or keeps it."""
    module = item.path.stem
    if not CONCLUDED or module in (*_CORPORA, *_WITH_CASES):
        return
    name = item.name if len(item.name) <= _LONGEST else f"{item.name[:_LONGEST]} {crc32(item.name.encode()):08x}"
    if anew:
        ANEW[module][name] = list(CONCLUDED)
        return
    file = _FOLDER / f"{module}.txt"
    known = kept(file).get(name) if file.exists() else None
    assert known == CONCLUDED, "look at the difference, then keep it: python -m tests.kept"


def write_anew() -> None:
    """Runs the tests and keeps what is concluded in them."""
    folder = Path(__file__).parent
    apart = (f"--ignore={folder / name}.py" for name in _CORPORA)
    code = pytest.main(["-q", "-p", "no:xdist", "--keep-anew", *apart, str(folder)])
    if code:
        raise SystemExit(int(code))
    _FOLDER.mkdir(exist_ok=True)
    for file in _FOLDER.glob("*.txt"):
        file.unlink()
    for module, sections in ANEW.items():
        write(_FOLDER / f"{module}.txt", sections)
