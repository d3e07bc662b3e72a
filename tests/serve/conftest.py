"""A class made up for the review page."""

import shutil
from pathlib import Path

import pytest

from scripts.made_class import made_class


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "graded"
    made_class(out, 12, pages=12)
    return out


@pytest.fixture
def made(made_once: Path, tmp_path: Path) -> Path:
    """Twelve students with pictures."""
    return Path(shutil.copytree(made_once, tmp_path / "graded"))
