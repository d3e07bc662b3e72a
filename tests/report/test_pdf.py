import io
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from PIL import Image

from grader.report.pdf import html_to_pdf, missing_libraries
from tests.report.pdf_text import font_names, pdf_text

pytestmark = pytest.mark.skipif(missing_libraries() is not None, reason="WeasyPrint's system libraries are missing")

CANARY = "canary-9731"


def page(head: str = "", body: str = "") -> str:
    return f"<!DOCTYPE html><html lang='en'><head><title>t</title>{head}</head><body><p>kept</p>{body}</body></html>"


def test_a_page_becomes_a_pdf() -> None:
    pdf = html_to_pdf(page())
    assert pdf.startswith(b"%PDF-")
    assert pdf_text(pdf).split() == ["kept"]


def test_the_same_page_gives_the_same_bytes() -> None:
    html = page("<link rel='stylesheet' href='tokens.css'>", "<p>again √ <code>x</code></p>")
    assert html_to_pdf(html) == html_to_pdf(html)


def test_the_project_s_own_fonts_are_embedded() -> None:
    assert {
        name.split("+")[-1] for name in font_names(html_to_pdf(page("<link rel='stylesheet' href='tokens.css'>")))
    } == {"Report-Sans"}


@pytest.mark.parametrize("prefix", ["file://{outside}", "{relative}"])
def test_a_page_cannot_reach_a_file_outside_the_templates(prefix: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside.css"
    outside.write_text(f"p::after {{ content: '{CANARY}' }}")
    url = prefix.format(outside=outside, relative="../" * 20 + str(outside).lstrip("/"))
    pdf = html_to_pdf(
        page(
            f"<link rel='stylesheet' href='{url}'><style>@import url('{url}');</style>"
            f"<link rel='attachment' href='{url}'>",
            f"<img src='{url}' alt='x'><object data='{url}'></object>",
        )
    )
    assert "kept" in pdf_text(pdf)
    assert CANARY not in pdf_text(pdf)
    assert b"EmbeddedFile" not in pdf


def test_a_page_cannot_reach_the_network_or_inline_data() -> None:
    style = f"data:text/css,p::after{{content:'{CANARY}'}}"
    pdf = html_to_pdf(
        page(f"<link rel='stylesheet' href=\"{style}\"><link rel='stylesheet' href='http://127.0.0.1:9'>")
    )
    assert pdf_text(pdf).split() == ["kept"]


def few_colours(colours: int) -> Image.Image:
    """A picture of noise, with a palette."""
    rng = random.Random(colours)
    image = Image.new("P", (61, 23))
    image.putpalette([rng.randrange(256) for _ in range(colours * 3)])
    image.putdata([rng.randrange(colours) for _ in range(61 * 23)])
    return image


def as_png(image: Image.Image) -> bytes:
    written = io.BytesIO()
    image.save(written, "PNG")
    return written.getvalue()


@pytest.mark.parametrize("colours", [2, 4, 13, 17, 256])
def test_a_picture_of_few_colours_gets_into_the_pdf_as_it_is(colours: int) -> None:
    image = few_colours(colours)
    png = as_png(image)
    pdf = html_to_pdf(page(body="<img src='picture:0' alt='x'>"), {"picture:0": png})
    drawn = [one for one in pypdfium2.PdfDocument(pdf)[0].get_objects() if isinstance(one, pypdfium2.PdfImage)]
    assert len(drawn) == 1
    assert np.array_equal(drawn[0].get_bitmap().to_pil().convert("RGB"), image.convert("RGB"))
    rows = png[png.index(b"IDAT") + 4 :][:64]
    assert rows in pdf, "the rows were compressed anew"


@pytest.mark.parametrize("cut", [0, 5, 20, 45, 60])
def test_a_damaged_picture_harms_nothing(cut: int) -> None:
    pdf = html_to_pdf(page(body="<img src='picture:0' alt='x'>"), {"picture:0": as_png(few_colours(17))[:cut]})
    assert "kept" in pdf_text(pdf)


def test_missing_system_libraries_are_told_with_the_command_to_run(tmp_path: Path) -> None:
    (tmp_path / "weasyprint.py").write_text("print('a banner')\nraise OSError('cannot load libgobject')\n")
    script = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from grader.report.pdf import ReportError, html_to_pdf, missing_libraries
print(missing_libraries())
try:
    html_to_pdf("<p>")
except ReportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all("apt-get install -y libpango" in line for line in lines)
