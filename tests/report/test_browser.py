"""Reports in a real browser: on a phone, on a desk, light and dark. Skipped, and said so, where no Chromium is."""

import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from grader.cohort.statistics import of_class
from grader.report.pdf import missing_libraries
from grader.report.render import class_page, class_views, student_page, student_report
from tests.report.made_up import PICTURES, everything, long_names, ordinary, unbroken
from tests.report.test_golden import classroom

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
AXE = Path(__file__).parents[1] / "serve" / "vendor" / "axe.min.js"
WIDTHS = (360, 768, 1440)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: reports are not tried in a browser")

OVERFLOWING = """() => {
  const width = document.documentElement.clientWidth;
  const beyond = [...document.querySelectorAll('body *')].filter(one =>
    !one.closest('.scrolls, .scatter, svg, .skip') && one.getBoundingClientRect().right > width + 1);
  return [document.documentElement.scrollWidth > width, beyond.map(one => one.outerHTML.slice(0, 80))];
}"""
NARROW = """() => [...document.querySelectorAll('th a, h4, h3, .read')].filter(one => {
  const style = getComputedStyle(one);
  return one.innerText.length > 12 && one.getBoundingClientRect().width < 4 * parseFloat(style.fontSize);
}).map(one => one.outerHTML.slice(0, 80))"""


def pages() -> dict[str, str]:
    results = classroom(30)
    return {
        "ordinary": student_page(ordinary(), PICTURES),
        "everything": student_page(everything(), PICTURES),
        "names": student_page(long_names()),
        "unbroken": student_page(unbroken()),
        "class": class_page(class_views(of_class(results))),
        "large": class_page(class_views(of_class(classroom(201)))),
    }


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages")
    for name, page in pages().items():
        (made / f"{name}.html").write_text(page, encoding="utf-8")
    return made


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        *((name, "light") for name in ("ordinary", "everything", "names", "unbroken", "class")),
        *((name, "dark") for name in ("everything", "class")),
        *(pytest.param(name, "dark", marks=pytest.mark.slow) for name in ("ordinary", "names", "unbroken")),
        pytest.param("large", "light", marks=pytest.mark.slow),
    ],
)
def test_a_page_fits_and_axe_finds_nothing(browser: Any, folder: Path, name: str, scheme: str) -> None:
    page = browser.new_context(color_scheme=scheme).new_page()
    page.goto((folder / f"{name}.html").as_uri())
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(OVERFLOWING) == [False, []], width
        assert page.evaluate(NARROW) == [], width
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(told => told.violations)")
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], width
    page.close()


def test_the_summary_leads_to_each_item_and_back(browser: Any, folder: Path) -> None:
    page = browser.new_page()
    page.goto((folder / "ordinary.html").as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    for link in page.locator(".fixes a").all():
        target = (link.get_attribute("href") or "")[1:]
        back = page.locator(f"#{target} .back a")
        assert back.get_attribute("href") == "#summary"
    assert page.locator("html").get_attribute("lang") == "en"
    page.close()


def test_the_whole_proof_of_what_is_right_is_behind_its_line(browser: Any, folder: Path) -> None:
    page = browser.new_page()
    page.goto((folder / "ordinary.html").as_uri())
    proof = page.locator("article.brief details").first
    assert not proof.locator(".found, img, blockquote").first.is_visible()
    proof.locator("summary").click()
    assert proof.locator(".found, img, blockquote").first.is_visible()
    page.close()


@pytest.mark.skipif(missing_libraries() is not None, reason="WeasyPrint's libraries are missing")
def test_printing_the_page_gives_what_the_pdf_gives(browser: Any, folder: Path) -> None:
    page = browser.new_page()
    page.goto((folder / "ordinary.html").as_uri())
    printed, pdf = (
        PdfReader(io.BytesIO(content))
        for content in (page.pdf(prefer_css_page_size=True), student_report(ordinary(), PICTURES))
    )
    assert abs(len(printed.pages) - len(pdf.pages)) <= 1
    words, wanted = (" ".join(one.extract_text() for one in read.pages) for read in (printed, pdf))
    for shown in ("Most worth fixing", "Point by point", "Calculation of the total", "The position embedding"):
        assert shown in words
        assert shown in wanted
    assert "To the summary" not in words
    page.close()
