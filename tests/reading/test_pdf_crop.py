"""Pictures of places in a PDF."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from grader.reading.document import Box
from grader.reading.pdf.crop import MOST_PIXELS, SCALE, CropError, PageImage, opened_pages, page_image
from tests.reading.making import pdf, rule, submitted, text

BOX = (72.0, 92.0, 172.0, 132.0)
"""Where a black rectangle is drawn."""

DRAWN = rule(72, 660, 100, 40)


def page_of(folder: Path, content: bytes, page: int = 1) -> PageImage:
    with opened_pages(submitted(folder, "report.pdf", content).location) as opened:
        return page_image(opened, page)


def cut(page: PageImage, *boxes: Box) -> Image.Image:
    return Image.open(io.BytesIO(page.png(page.passage(boxes), boxes))).convert("RGB")


def lines(*words: str, top: float = 700.0, leading: float = 12.0, left: float = 72.0) -> str:
    """Lines of text below each other, the first with its foot at `top` from the bottom."""
    return "".join(text(left, top - number * leading, line) for number, line in enumerate(words))


def box_of(number: int, top: float = 700.0, leading: float = 12.0, left: float = 72.0, width: float = 60.0) -> Box:
    """The box of the beginning of one of the `lines`."""
    foot = 792 - top + number * leading
    return left, foot - 8.0, left + width, foot + 2.0


def shown_span(page: PageImage, *boxes: Box) -> tuple[float, float]:
    """From where to where a passage reaches, in points from the top."""
    passage = page.passage(boxes)
    return passage.top / SCALE, passage.bottom / SCALE


def edges_are_white(picture: Image.Image) -> bool:
    """Whether nothing is cut at the upper and lower edge."""
    grey = np.asarray(picture.convert("L"))
    return bool((grey[0] > 200).all() and (grey[-1] > 200).all())


def test_a_paragraph_is_shown_whole_and_its_neighbours_are_not(tmp_path: Path) -> None:
    paragraph = [f"Sentence {number} of the paragraph goes on for a while" for number in range(4)]
    page = page_of(tmp_path, pdf(lines(*paragraph) + lines("Another paragraph (jpg)", top=640)))
    top, bottom = shown_span(page, box_of(1))
    assert top == pytest.approx(792 - 700 - 8, abs=6)
    assert 792 - 664 + 1 < bottom < 792 - 640 - 7
    assert edges_are_white(cut(page, box_of(1)))


def test_of_a_long_paragraph_whole_lines_are_shown(tmp_path: Path) -> None:
    paragraph = [f"Sentence {number} (jpg) of the paragraph goes on for a while" for number in range(30)]
    page = page_of(tmp_path, pdf(lines(*paragraph)))
    top, bottom = shown_span(page, box_of(15))
    foot = box_of(15)[3] - 2
    assert (top, bottom) == (pytest.approx(foot - 12 - 8, abs=4), pytest.approx(foot + 12 + 2, abs=4))
    assert edges_are_white(cut(page, box_of(15)))


def test_a_row_is_shown_from_side_to_side(tmp_path: Path) -> None:
    """Also where cells stand far apart."""
    rows = "".join(text(left, 700 - row * 20, f"{row}{left}") for row in range(3) for left in (72, 250, 430)) + lines(
        "Text that follows the table and is as wide as it all goes on and on and on and on and", top=600
    )
    page = page_of(tmp_path, pdf(rows))
    passage = page.passage([box_of(1, leading=20.0, width=10)])
    assert passage.left / SCALE < 72
    assert passage.right / SCALE > 440


def test_a_column_ends_at_its_gutter(tmp_path: Path) -> None:
    column = [f"Line {number} of a column that is narrow" for number in range(40)]
    page = page_of(tmp_path, pdf(lines(*column) + lines(*column, left=330)))
    passage = page.passage([box_of(5, left=330)])
    assert passage.left / SCALE > 300


def test_the_words_are_framed(tmp_path: Path) -> None:
    page = page_of(tmp_path, pdf(lines("One line of words", "and another line")))
    picture = np.asarray(cut(page, box_of(0), box_of(1))).astype(int)
    red = (picture[:, :, 0] > 150) & (picture[:, :, 1] < 80)
    assert red.any(axis=1).sum() >= 2 * (10 * SCALE + 4)
    assert red.any(axis=0).sum() == pytest.approx(60 * SCALE + 6, abs=3)


def test_colours_stay(tmp_path: Path) -> None:
    page = page_of(tmp_path, pdf("0 0.5 0 rg " + DRAWN))
    colours = {colour for _, colour in cut(page, BOX).getcolors() or ()}  # type: ignore[misc]
    assert any(green > 100 > max(red, blue) for red, green, blue in colours)  # type: ignore[misc]


def test_what_is_hidden_is_not_shown(tmp_path: Path) -> None:
    page = page_of(tmp_path, pdf(DRAWN))
    page.hide([BOX])
    assert cut(page, BOX).convert("L").getextrema()[0] > 60  # type: ignore[operator]


@pytest.mark.parametrize(
    ("entries", "box"),
    [("/Rotate 90", (660.0, 72.0, 700.0, 172.0)), ("/CropBox [50 100 500 750]", (22.0, 50.0, 122.0, 90.0))],
)
def test_boxes_are_those_of_the_page_as_it_is_shown(tmp_path: Path, entries: str, box: Box) -> None:
    page = page_of(tmp_path, pdf(DRAWN, page_entries=entries))
    passage = page.passage([box])
    assert [side / SCALE for side in passage] == pytest.approx(box, abs=5)


def test_the_same_place_gives_the_same_bytes(tmp_path: Path) -> None:
    one, other = (page_of(tmp_path, pdf(DRAWN + text(72, 500, "Words"))) for _ in range(2))
    assert one.png(one.passage([BOX]), [BOX]) == other.png(other.passage([BOX]), [BOX])


def test_a_huge_page_takes_no_more(tmp_path: Path) -> None:
    page = page_of(tmp_path, pdf(DRAWN).replace(b"[0 0 612 792]", b"[0 0 2e5 2e5]"))
    picture = cut(page, (0, 0, 2e5, 2e5))
    assert picture.width * picture.height <= 1.01 * MOST_PIXELS


@pytest.mark.parametrize(
    "box", [(700.0, 0.0, 800.0, 20.0), (9.0, 9.0, 9.0, float("nan")), (300.0, 300.0, 100.0, 100.0)]
)
def test_an_impossible_place_is_an_error(tmp_path: Path, box: Box) -> None:
    page = page_of(tmp_path, pdf(DRAWN))
    with pytest.raises(CropError):
        page.passage([box])


@pytest.mark.parametrize("number", [0, 2, -1])
def test_a_page_that_is_not_there_is_an_error(tmp_path: Path, number: int) -> None:
    with pytest.raises(CropError):
        page_of(tmp_path, pdf(DRAWN), number)


@pytest.mark.parametrize("content", [b"", b"no pdf", pdf(DRAWN)[:150]])
def test_a_damaged_file_is_an_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(CropError):
        page_of(tmp_path, content)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CropError), opened_pages(tmp_path / "none.pdf"):
        pass
