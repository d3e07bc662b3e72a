"""What the styles of a page hide counts for nothing, and what they show stays. A browser confirms the table."""

import io
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image, ImageChops

from grader.reading.document import Document
from grader.reading.html import page_document
from tests.reading.unseen_ways import (
    ANSWER,
    DOUBTFUL,
    DOUBTFUL_PAGES,
    HIDING,
    HIDING_PAGES,
    OTHER,
    PLACES,
    SHOWING,
    SHOWING_PAGES,
)

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


TINY = ("one pixel", "small part", "small em", "font of a pixel", "small in small")
"""Ways that leave a line or a dot, which nobody can read."""


def made(declarations: str, place: str, text: str = ANSWER) -> str:
    return PLACES[place].format(declarations, text)


def read(page: str) -> Document:
    return page_document("report.html", page)


def shown(document: Document) -> str:
    return " ".join(block.text for block in (*document.blocks, *document.furniture))


def assert_hidden(document: Document) -> None:
    assert ANSWER not in shown(document)
    assert "shown" in shown(document)
    assert any(ANSWER in block.text for block in document.hidden)
    assert any("cannot be seen" in problem for problem in document.problems)


def assert_doubtful(document: Document) -> None:
    assert ANSWER not in shown(document)
    assert "shown" in shown(document)
    assert document.hidden == ()
    assert any("established" in problem for problem in document.problems)


def assert_shown(document: Document) -> None:
    assert ANSWER in shown(document)
    assert document.hidden == ()
    assert document.problems == ()


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", HIDING)
def test_hidden_text_counts_for_nothing(way: str, place: str) -> None:
    assert_hidden(read(made(HIDING[way], place)))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", DOUBTFUL)
def test_text_that_may_be_hidden_is_for_a_person(way: str, place: str) -> None:
    assert_doubtful(read(made(DOUBTFUL[way], place)))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", SHOWING)
def test_text_that_shows_stays(way: str, place: str) -> None:
    assert_shown(read(made(SHOWING[way], place)))


@pytest.mark.parametrize("page", HIDING_PAGES)
def test_pages_hide(page: str) -> None:
    assert_hidden(read(HIDING_PAGES[page].replace("{}", ANSWER)))


@pytest.mark.parametrize("page", DOUBTFUL_PAGES)
def test_pages_may_hide(page: str) -> None:
    assert_doubtful(read(DOUBTFUL_PAGES[page].replace("{}", ANSWER)))


@pytest.mark.parametrize("page", SHOWING_PAGES)
def test_pages_show(page: str) -> None:
    assert_shown(read(SHOWING_PAGES[page].replace("{}", ANSWER)))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched.new_page(viewport={"width": 1280, "height": 800})
        launched.close()


def is_drawn(browser: Any, page: str) -> bool:
    """Whether another number in the place of the answer makes another picture, to eyes that see no faintest tints."""
    pictures = []
    for text in (ANSWER, OTHER):
        browser.set_content(f"<!DOCTYPE html>{page}".replace(ANSWER, text))
        pictures.append(Image.open(io.BytesIO(browser.screenshot(full_page=True))).convert("L"))
    if pictures[0].size != pictures[1].size:
        return True
    return max(ImageChops.difference(*pictures).getextrema()) > 12


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: the table is not tried in a browser")
def test_a_browser_draws_what_the_table_says(browser: Any) -> None:
    hiding = {f"{way} / {place}": made(HIDING[way], place) for way in HIDING for place in ("inline style", "class")}
    hiding |= {name: page.replace("{}", ANSWER) for name, page in HIDING_PAGES.items()}
    hiding = {name: page for name, page in hiding.items() if not name.startswith(TINY)}
    showing = {f"{way} / {place}": made(SHOWING[way], place) for way in SHOWING for place in ("inline style", "class")}
    showing |= {name: page.replace("{}", ANSWER) for name, page in SHOWING_PAGES.items()}
    assert [name for name, page in hiding.items() if is_drawn(browser, page)] == []
    assert [name for name, page in showing.items() if not is_drawn(browser, page)] == []
