"""Pictures of places in a PDF."""

import io
from pathlib import Path

import pytest
from PIL import Image

from grader.reading.evidence import Box
from grader.reading.pdf.crop import MOST_PIXELS, CropError, crop
from tests.reading.making import pdf, rule, submitted, text

BOX = (72.0, 92.0, 172.0, 132.0)
"""Where a black rectangle is drawn."""

DRAWN = rule(72, 660, 100, 40)


def stored(folder: Path, content: bytes) -> Path:
    return submitted(folder, "report.pdf", content).location


def opened(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content)).convert("L")


def darkest(image: Image.Image) -> Box | None:
    box = image.point(lambda value: 255 if value < 128 else 0).getbbox()
    return None if box is None else (float(box[0]), float(box[1]), float(box[2]), float(box[3]))


def test_the_box_is_shown_with_its_surrounding(tmp_path: Path) -> None:
    image = opened(crop(stored(tmp_path, pdf(DRAWN)), 1, BOX, margin=10, scale=2))
    assert image.size == (240, 120)
    assert darkest(image) == pytest.approx((20, 20, 220, 100), abs=1)


@pytest.mark.parametrize(
    ("entries", "box"),
    [("/Rotate 90", (660.0, 72.0, 700.0, 172.0)), ("/CropBox [50 100 500 750]", (22.0, 50.0, 122.0, 90.0))],
)
def test_boxes_are_those_of_the_page_as_it_is_shown(tmp_path: Path, entries: str, box: Box) -> None:
    image = opened(crop(stored(tmp_path, pdf(DRAWN, page_entries=entries)), 1, box, margin=0, scale=1))
    assert image.size == (box[2] - box[0], box[3] - box[1])
    assert image.resize((1, 1)).getpixel((0, 0)) == pytest.approx(0, abs=12)


def test_the_same_place_gives_the_same_bytes(tmp_path: Path) -> None:
    location = stored(tmp_path, pdf(DRAWN + text(72, 500, "Words")))
    assert crop(location, 1, BOX) == crop(location, 1, BOX)


def test_the_edge_of_the_page_cuts_the_picture_off(tmp_path: Path) -> None:
    location = stored(tmp_path, pdf(DRAWN))
    assert opened(crop(location, 1, (-50, -50, 20, 20), margin=0, scale=1)).size == (20, 20)


def test_the_size_is_bounded(tmp_path: Path) -> None:
    width, height = opened(crop(stored(tmp_path, pdf(DRAWN)), 1, (0, 0, 612, 792), scale=8)).size
    assert width * height <= 1.01 * MOST_PIXELS


def test_a_huge_page_takes_no_more(tmp_path: Path) -> None:
    huge = pdf(DRAWN).replace(b"[0 0 612 792]", b"[0 0 2e5 2e5]")
    width, height = opened(crop(stored(tmp_path, huge), 1, (0, 0, 2e5, 2e5))).size
    assert width * height <= 1.01 * MOST_PIXELS


@pytest.mark.parametrize(
    ("page", "box", "scale"),
    [
        (0, BOX, 2.0), (2, BOX, 2.0), (1, (700.0, 0.0, 800.0, 20.0), 2.0), (1, (9.0, 9.0, 9.0, float("nan")), 2.0),
        (1, (300.0, 300.0, 100.0, 100.0), 2.0), (1, BOX, 0.0), (1, BOX, 1e9),
    ],
)  # fmt: skip
def test_an_impossible_place_is_an_error(tmp_path: Path, page: int, box: Box, scale: float) -> None:
    with pytest.raises(CropError):
        crop(stored(tmp_path, pdf(DRAWN)), page, box, scale=scale)


@pytest.mark.parametrize("content", [b"", b"no pdf", pdf(DRAWN)[:150]])
def test_a_damaged_file_is_an_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(CropError):
        crop(stored(tmp_path, content), 1, BOX)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CropError):
        crop(tmp_path / "none.pdf", 1, BOX)
