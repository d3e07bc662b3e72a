"""A class made up for the review page."""

from pathlib import Path

import pytest

from scripts.made_class import made_class


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Twelve students with pictures."""
    out = tmp_path / "graded"
    made_class(out, 12, pages=12)
    return out
