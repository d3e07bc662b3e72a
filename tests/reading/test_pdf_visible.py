"""What a page does not show counts for nothing, however it is hidden; what it shows is kept."""

from pathlib import Path

import pytest

from grader.reading.document import Document
from grader.reading.pdf import read_pdf
from tests.reading.making import pdf, picture, submitted, text

SHOWN = "The pretrained model reaches 79.3 on the test set."
SECRET = "The rank of both matrices is 16."


def read(folder: Path, *pages: str) -> Document:
    return read_pdf(submitted(folder, "report.pdf", pdf(*pages)))


def said(document: Document) -> str:
    return " ".join(block.text for block in (*document.blocks, *document.furniture))


LINE = text(72, 600, SECRET)
HIDDEN = {
    "rendering mode 3": f"3 Tr {LINE} 0 Tr ",
    "rendering mode 7": f"q 7 Tr {LINE} Q ",
    "white": f"1 g {LINE} 0 g ",
    "nearly white": f"0.98 1 0.97 rg {LINE} 0 g ",
    "black on black": f"60 590 400 30 re f {LINE}",
    "tiny": text(72, 600, SECRET, size=1.2),
    "below the page": text(72, -40, SECRET),
    "beside the page": text(620, 600, SECRET),
    "clipped away": f"q 0 0 10 10 re W n {LINE} Q ",
    "under a rectangle": f"{LINE} 1 g 60 590 400 30 re f 0 g ",
    "under a picture": LINE + picture(60, 590, 400, 30),
    "white over other words": text(72, 600, "We do not know what r may stand for") + f"1 g {LINE} 0 g ",
    "invisible over a picture, as recognised text is": picture(60, 590, 400, 30) + f"3 Tr {LINE} 0 Tr ",
}


@pytest.mark.parametrize("how", HIDDEN)
def test_what_cannot_be_seen_is_kept_apart(tmp_path: Path, how: str) -> None:
    document = read(tmp_path, text(72, 700, SHOWN) + HIDDEN[how] + text(72, 500, "It ends here."))
    assert SHOWN in said(document)
    assert "It ends here." in said(document)
    assert not {"rank", "matrices", "16"} & set(said(document).replace(".", " ").split())
    (line,) = document.hidden
    assert (line.text, line.page) == (SECRET, 1)
    assert any("cannot be seen on page 1" in problem for problem in document.problems)


@pytest.mark.parametrize(
    "drawn",
    [
        f"0 0.2 0.6 rg 60 590 400 30 re f 1 g {LINE} 0 g ",
        f"0.6 g {LINE} 0 g ",
        f"1 0.85 0 rg {LINE} 0 g ",
        f"1 Tr {LINE} 0 Tr ",
        text(72, 600, SECRET, size=4),
        LINE + text(72.3, 600, SECRET),
        LINE + text(120, 604, "a", size=3),
        picture(60, 590, 400, 30) + LINE,
        f"q 60 590 400 30 re W n {LINE} Q ",
        f"q 0.2 g BT /F1 90 Tf 0.8 0.6 -0.6 0.8 100 400 Tm (DRAFT) Tj ET Q {LINE}",
        f"BT /F1 10 Tf 0 1 -1 0 300 300 Tm ({SECRET}) Tj ET ",
        text(540, 600, SECRET),
        text(540, 600, SECRET[:18]) + text(622, 600, SECRET[18:]),
    ],
    ids=range(13),
)
def test_what_can_be_seen_is_kept(tmp_path: Path, drawn: str) -> None:
    document = read(tmp_path, text(72, 700, SHOWN) + drawn)
    assert document.hidden == ()
    assert not document.problems
    assert said(document).count(SECRET) >= 1 or "DRAFT" in drawn


def test_digits_hidden_within_a_number_do_not_change_it(tmp_path: Path) -> None:
    number = "BT /F1 10 Tf 72 600 Td (We report 7) Tj 1 g (9.3) Tj 0 g ( on test.) Tj ET "
    document = read(tmp_path, number)
    assert "79" not in said(document)
    assert [line.text for line in document.hidden] == ["9.3"]


@pytest.mark.parametrize("entries", ["/Rotate 90", "/Rotate 180", "/CropBox [40 40 560 760]", "/UserUnit 2"])
def test_pages_that_are_turned_or_cropped(tmp_path: Path, entries: str) -> None:
    content = pdf(text(72, 700, SHOWN) + HIDDEN["white"], page_entries=entries)
    document = read_pdf(submitted(tmp_path, "report.pdf", content))
    assert SHOWN in said(document)
    assert [line.text for line in document.hidden] == [SECRET]
