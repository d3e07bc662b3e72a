"""A class made up for the review page."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.made_class import made_class
from tests.serve.serving import CHROMIUM


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "graded"
    made_class(out, 12, pages=12)
    return out


@pytest.fixture
def made(made_once: Path, tmp_path: Path) -> Path:
    """Twelve students with pictures."""
    return Path(shutil.copytree(made_once, tmp_path / "graded"))


@pytest.fixture(scope="session")
def few_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("few") / "graded"
    made_class(out, 4, pages=4)
    return out


@pytest.fixture
def few(few_once: Path, tmp_path: Path) -> Path:
    """Four students with pictures: enough where the whole class is gone through."""
    return Path(shutil.copytree(few_once, tmp_path / "few"))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A Chromium that is started once for the tests of a module."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def browser(chromium: Any) -> Iterator[Any]:
    """A browser whose pages are closed with the test: else they go on to ask a server that is gone."""
    yield chromium
    for context in chromium.contexts:
        context.close()
