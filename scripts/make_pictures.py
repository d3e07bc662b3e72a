"""Write the pictures of README and docs from the sample class, first pages of two reports and the review page:
`python -m scripts.make_pictures`. The review page needs Chromium and is left as it is without it.
"""

import re
import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
SHOWN = {"student.png": "student-11/report.pdf", "class.png": "class.pdf"}
DPI = 100
LARGEST = 150_000
MOST_GROUPS = 20
WARM_UP = 5_000
"""Milliseconds that the server of the review has to begin to listen."""


def main() -> None:
    """Grade the sample class and draw the pages."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "grader", "submissions", "--out", folder]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)  # noqa: S603  this project's own code
        PICTURES.mkdir(exist_ok=True)
        for name, report in SHOWN.items():
            _store(_first_page(Path(folder) / report), PICTURES / name)
        if chromium := shutil.which("chromium"):
            _store(_review_page(folder, chromium), PICTURES / "review.png")


def _first_page(path: Path) -> Image.Image:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        page: Image.Image = document[0].render(scale=DPI / 72).to_pil()
        return page.convert("RGB")


def _review_page(folder: str, chromium: str) -> Image.Image:
    """The first group of several answers in the review of a folder of results, or the last one that was looked at."""
    from playwright.sync_api import sync_playwright

    command = [sys.executable, "-u", "-m", "grader", "serve", folder, "--graders", "ana"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)  # noqa: S603  this project's own code
    try:
        links = (re.search(r"http://\S+", line) for line in server.stdout or ())
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1400, "height": 860})
            link = next(link[0] for link in links if link)
            page.wait_for_timeout(WARM_UP)  # the link is printed before the server listens
            page.goto(link)
            page.click("[data-start]")
            page.wait_for_selector(".card.current")
            for _ in range(MOST_GROUPS):
                if page.locator(".card").count() > 1:
                    break
                with page.expect_navigation():
                    page.keyboard.press("j")
            page.wait_for_load_state("networkidle")
            return Image.open(BytesIO(page.screenshot())).convert("RGB")
    finally:
        server.terminate()
        server.wait()


def _store(page: Image.Image, path: Path) -> None:
    page.quantize(48, dither=Image.Dither.NONE).save(path, optimize=True)
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{path} is larger than {LARGEST} bytes")


if __name__ == "__main__":
    main()
