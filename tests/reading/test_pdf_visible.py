"""What a page does not show counts for nothing, however it is hidden; what it shows is kept."""

from pathlib import Path
from typing import Any

import pytest

from grader.reading.document import Document
from grader.reading.pdf import read_pdf
from tests.reading.making import pdf, picture, stream, submitted, text, to_unicode

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
    "invisible over a picture": picture(60, 590, 400, 30) + f"3 Tr {LINE} 0 Tr ",
    "very light grey": f"0.933 g {LINE} 0 g ",
    "very light yellow": f"1 1 0.96 rg {LINE} 0 g ",
    "dark on dark": f"0.1 g 60 590 400 30 re f 0.13 g {LINE} 0 g ",
    "between letters of other words": text(72, 600, "m" * 40) + f"1 g {text(76, 600, SECRET)} 0 g ",
    "clipped to other letters": f"q BT 7 Tr /F1 12 Tf 72 750 Td (.) Tj ET 0 Tr {LINE} Q ",
    "above the page": text(72, 800, SECRET),
}


@pytest.mark.parametrize("how", HIDDEN)
def test_what_cannot_be_seen_is_kept_apart(tmp_path: Path, how: str) -> None:
    document = read(tmp_path, text(72, 700, SHOWN) + HIDDEN[how] + text(72, 500, "It ends here."))
    assert SHOWN in said(document)
    assert "It ends here." in said(document)
    assert not {"rank", "matrices", "16"} & set(said(document).replace(".", " ").split())
    (line,) = document.hidden
    assert (line.text, line.page) == (SECRET, 1)
    assert any(problem == "page 1: text that cannot be seen in it is not read" for problem in document.problems)


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
        f"1 1 0 rg {LINE} 0 g ",
        f"0 0.5 0 rg 60 590 400 30 re f 0.95 0.15 0.15 rg {LINE} 0 g ",
        f"1 1 0 rg 60 596 400 14 re f 0 g {LINE}",
        f"2 Tr {LINE} 0 Tr ",
        f"{LINE} 72 603 200 0.7 re f ",
        LINE + "".join(f"0.9 g 40 {y} 500 8 re f 0 g " for y in range(100, 580, 16)),
    ],
    ids=range(17),
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


GS = "/ExtGState << /G << {} >> >>"
WHITE_BY_TRANSFER = "/TR << /FunctionType 2 /Domain [0 1] /C0 [1] /C1 [1] /N 1 >>"
TILES = "/Type /Pattern /PatternType 1 /PaintType {} /TilingType 1 /BBox [0 0 5 5] /XStep 5 /YStep 5 /Resources << >>"
FORM = "/Type /XObject /Subtype /Form /BBox [0 0 612 792]"
HELVETICA = "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
HIDDEN_BY_RESOURCES: dict[str, tuple[str, dict[str, Any]]] = {
    "without opacity": (f"q /G gs {LINE} Q ", {"resources": GS.format("/ca 0")}),
    "hardly opaque": (f"q /G gs {LINE} Q ", {"resources": GS.format("/ca 0.04")}),
    "made white by a transfer function": (f"q /G gs {LINE} Q ", {"resources": GS.format(WHITE_BY_TRANSFER)}),
    "behind a soft mask": (
        f"q /G gs {LINE} Q ",
        {
            "resources": GS.format("/SMask << /S /Luminosity /G 5 0 R >>"),
            "objects": [stream("0 g 0 0 612 792 re f", FORM + " /Group << /S /Transparency /CS /DeviceGray >>")],
        },
    ),
    "nearly covered": (f"{LINE} q /G gs 1 g 60 590 400 30 re f Q ", {"resources": GS.format("/ca 0.97")}),
    "blended away": (f"{LINE} q /G gs 1 g 60 590 400 30 re f Q ", {"resources": GS.format("/BM /Screen")}),
    "painted with an empty pattern": (
        f"q /Pattern cs /P scn {LINE} Q ",
        {"resources": "/Pattern << /P 5 0 R >>", "objects": [stream(" ", TILES.format(1))]},
    ),
    "painted with an empty black pattern": (
        f"q /C cs 0 0 0 /P scn {LINE} Q ",
        {
            "resources": "/ColorSpace << /C [/Pattern /DeviceRGB] >> /Pattern << /P 5 0 R >>",
            "objects": [stream(" ", TILES.format(2))],
        },
    ),
    "in a layer that is off": (
        f"/OC /Y BDC {LINE} EMC ",
        {
            "resources": "/Properties << /Y 5 0 R >>",
            "objects": ["<< /Type /OCG /Name (x) /Usage << /View << /ViewState /OFF >> >> >>"],
        },
    ),
    "under an annotation": (
        LINE,
        {
            "page_entries": "/Annots [<< /Subtype /Square /Rect [60 590 460 620] /F 4 /AP << /N 5 0 R >> >>]",
            "objects": [stream("1 g 0 0 400 30 re f", "/Subtype /Form /BBox [0 0 400 30]")],
        },
    ),
    "white in an embedded drawing": (
        "/X Do ",
        {"resources": "/XObject << /X 5 0 R >>", "objects": [stream(f"1 g {LINE}", f"{FORM} {HELVETICA}")]},
    ),
    "in glyphs without ink": (
        text(72, 600, SECRET, font="X"),
        {
            "fonts": "/X << /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [0.1 0 0 0.1 0 0] /CharProcs "
            f"<< /a 5 0 R >> /Encoding << /Differences [32 {'/a ' * 95}] >> /FirstChar 32 /LastChar 126 /Widths ["
            f"{'5 ' * 95}] /ToUnicode 6 0 R >>",
            "objects": [stream("5 0 d0"), to_unicode(*map(chr, range(32, 127)))],
        },
    ),
}


@pytest.mark.parametrize("how", HIDDEN_BY_RESOURCES)
def test_what_is_hidden_by_other_objects_is_kept_apart(tmp_path: Path, how: str) -> None:
    drawn, parts = HIDDEN_BY_RESOURCES[how]
    content = pdf(text(72, 700, SHOWN) + drawn + text(72, 500, "It ends here."), **parts)
    document = read_pdf(submitted(tmp_path, "report.pdf", content))
    assert SHOWN in said(document)
    assert "It ends here." in said(document)
    assert not {"rank", "matrices", "16"} & set(said(document).replace(".", " ").split())
    assert [line.text for line in document.hidden] == [SECRET]


SHOWN_BY_RESOURCES: dict[str, tuple[str, dict[str, Any]]] = {
    "marked by a multiplied yellow": (
        f"{LINE} q /G gs 1 1 0 rg 60 596 400 14 re f Q ",
        {"resources": GS.format("/BM /Multiply")},
    ),
    "half opaque": (f"q /G gs {LINE} Q ", {"resources": GS.format("/ca 0.5")}),
    "in an embedded drawing": (
        "/X Do ",
        {"resources": "/XObject << /X 5 0 R >>", "objects": [stream(LINE, f"{FORM} {HELVETICA}")]},
    ),
}


@pytest.mark.parametrize("how", SHOWN_BY_RESOURCES)
def test_what_other_objects_leave_visible_is_kept(tmp_path: Path, how: str) -> None:
    drawn, parts = SHOWN_BY_RESOURCES[how]
    document = read_pdf(submitted(tmp_path, "report.pdf", pdf(text(72, 700, SHOWN) + drawn, **parts)))
    assert SECRET in said(document)
    assert document.hidden == ()
    assert not document.problems


@pytest.mark.parametrize(
    "drawn", [text(540, 600, SECRET), text(540, 600, SECRET[:18]) + text(622, 600, SECRET[18:])], ids=range(2)
)
def test_a_line_over_the_edge_is_read_as_far_as_it_can_be_seen(tmp_path: Path, drawn: str) -> None:
    document = read(tmp_path, text(72, 700, SHOWN) + drawn)
    assert "The rank of" in said(document)
    assert not {"matrices", "16"} & set(said(document).replace(".", " ").split())
    assert document.hidden == ()
    (line,) = [block for block in document.blocks if block.beyond]
    assert line.text == "The rank of both"
    assert line.beyond == "matrices is 16."
    assert document.problems == ()


def test_a_number_that_the_edge_cuts_is_not_read_as_a_smaller_one(tmp_path: Path) -> None:
    document = read(tmp_path, text(72, 700, SHOWN) + text(530, 600, "parameters: 22,807,552 in all"))
    assert "parameters:" in said(document)
    assert "22" not in said(document)


@pytest.mark.parametrize("grey", [0.88, 0.9])
def test_what_can_hardly_be_seen_is_neither_read_nor_called_hidden(tmp_path: Path, grey: float) -> None:
    document = read(tmp_path, text(72, 700, SHOWN) + f"{grey} g {LINE} 0 g ")
    assert said(document) == SHOWN
    assert document.hidden == ()
    assert any(SECRET in problem for problem in document.problems)


def scan(ink: bool) -> str:
    """Operators that draw a picture as large as the page, of many dark spots or blank."""
    spots = "".join("00" if ink and (x * 7 + y * 13) % 5 == 0 else "FF" for y in range(160) for x in range(120))
    return f"q 612 0 0 792 0 0 cm BI /W 120 /H 160 /CS /G /BPC 8 /F /AHx ID {spots}> EI Q\n"


def test_recognised_text_over_a_scan_is_not_read_and_not_called_hidden(tmp_path: Path) -> None:
    document = read(tmp_path, scan(ink=True) + f"3 Tr {LINE} 0 Tr ")
    assert said(document).strip() == ""
    assert document.hidden == ()
    assert any("invisible text over the picture" in problem for problem in document.problems)


def test_invisible_text_over_a_blank_picture_is_hidden(tmp_path: Path) -> None:
    document = read(tmp_path, scan(ink=False) + f"3 Tr {LINE} 0 Tr ")
    assert [line.text for line in document.hidden] == [SECRET]


@pytest.mark.parametrize("entries", ["/Rotate 90", "/Rotate 180", "/CropBox [40 40 560 760]", "/UserUnit 2"])
def test_pages_that_are_turned_or_cropped(tmp_path: Path, entries: str) -> None:
    content = pdf(text(72, 700, SHOWN) + HIDDEN["white"], page_entries=entries)
    document = read_pdf(submitted(tmp_path, "report.pdf", content))
    assert SHOWN in said(document)
    assert [line.text for line in document.hidden] == [SECRET]
