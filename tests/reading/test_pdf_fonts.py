"""Digits are read as a page shows them: where a font or the file says others, they count for nothing."""

from pathlib import Path
from string import ascii_lowercase, digits

import pytest

from grader.reading.document import Document
from grader.reading.pdf import read_pdf
from tests.reading.making import pdf, submitted, text, to_unicode

SHOWN = "The pretrained model reaches 79.3 on the test set."
COUNT = "22,807,552"
SENTENCE = f"The model has {COUNT} parameters in total."
NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def read(folder: Path, drawn: str, differences: str, base: str = "Helvetica", maps: str = digits) -> Document:
    encoding = f"<< /BaseEncoding /WinAnsiEncoding /Differences [{differences}] >>"
    font = f"/X << /Type /Font /Subtype /Type1 /BaseFont /{base} /Encoding {encoding} /ToUnicode 5 0 R >>"
    content = pdf(text(72, 700, SHOWN) + drawn, fonts=font, objects=[to_unicode(*maps)])
    return read_pdf(submitted(folder, "report.pdf", content))


def said(document: Document) -> str:
    return " ".join(block.text for block in (*document.blocks, *document.furniture) if block.text)


@pytest.mark.parametrize("base", ["Helvetica", "Times-Roman", "Times-Italic", "Courier-Bold"])
@pytest.mark.parametrize(("digit", "shown"), [(5, "six"), (7, "one"), (2, "three"), (0, "eight"), (8, "two"), (5, "K")])
def test_a_number_of_which_a_digit_shows_another_one_is_hidden(
    tmp_path: Path, base: str, digit: int, shown: str
) -> None:
    document = read(tmp_path, text(72, 600, SENTENCE, font="X"), f"{48 + digit} /{shown}", base)
    assert said(document).startswith(f"{SHOWN} The model has")
    assert said(document).endswith("parameters in total.")
    assert "22" not in said(document)
    assert "".join(line.text for line in document.hidden) == COUNT
    assert any("shows other digits" in problem for problem in document.problems)


def test_digits_that_are_all_exchanged_are_hidden(tmp_path: Path) -> None:
    turned = " ".join(f"/{name}" for name in (*NAMES[1:], NAMES[0]))
    document = read(tmp_path, text(72, 600, SENTENCE, font="X"), f"48 {turned}")
    assert [line.text for line in document.hidden] == [COUNT]


def test_digits_without_outlines_are_hidden(tmp_path: Path) -> None:
    document = read(tmp_path, text(72, 600, SENTENCE, font="X"), f"48 {'/space ' * 10}")
    assert not any(digit in said(document).removeprefix(SHOWN) for digit in digits)
    assert document.hidden


def test_two_digits_of_one_look_are_not_both_read(tmp_path: Path) -> None:
    drawn = text(72, 600, "It has 3 heads and 8 layers.", font="X")
    document = read(tmp_path, drawn, "51 /eight")
    assert "8 layers" in said(document)
    assert "3 heads" not in said(document)


@pytest.mark.parametrize("base", ["Helvetica", "Times-Italic", "Courier"])
def test_a_font_that_shows_other_letters_is_for_a_person(tmp_path: Path, base: str) -> None:
    words = "r is the rank of the update matrices and alpha scales them"
    mirrored = " ".join(
        f"{ord(one)} /{other}" for one, other in zip(ascii_lowercase, ascii_lowercase[::-1], strict=True)
    )
    document = read(tmp_path, text(72, 600, words, font="X"), mirrored, base, ascii_lowercase)
    assert "rank" not in said(document)
    assert document.hidden == ()
    assert any("could not be established" in problem for problem in document.problems)


@pytest.mark.parametrize("base", ["Helvetica-BoldOblique", "Times-BoldItalic", "Courier-Oblique", "Symbol"])
def test_fonts_that_show_what_they_say_are_read(tmp_path: Path, base: str) -> None:
    document = read(tmp_path, text(72, 600, f"{digits} {COUNT} 12 34 56 78 90", font="X"), "", base)
    assert f"{digits} {COUNT} 12 34 56 78 90" in said(document)
    assert document.hidden == ()
    assert not document.problems


def test_signs_of_other_fonts_are_no_accusation(tmp_path: Path) -> None:
    content = pdf(
        text(72, 700, SENTENCE) + text(72, 600, f"{digits} {ascii_lowercase}", font="X"),
        fonts="/X << /Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats >>",
    )
    document = read_pdf(submitted(tmp_path, "report.pdf", content))
    assert SENTENCE in said(document)
    assert document.hidden == ()


def test_digits_that_are_struck_out_or_underlined_are_themselves(tmp_path: Path) -> None:
    drawn = text(72, 600, f"{digits} {COUNT}") + "72 603 250 0.7 re f 72 598 250 0.5 re f "
    document = read(tmp_path, drawn, "")
    assert COUNT in said(document)
    assert document.hidden == ()


def span(said_instead: str, drawn: str, x: float = 72) -> str:
    return f"/Span << /ActualText ({said_instead}) >> BDC {text(x, 600, drawn)} EMC "


@pytest.mark.parametrize(
    ("said_instead", "drawn"),
    [(COUNT, "99,999,999"), (SENTENCE, "We do not know how many there are."), (COUNT, "22,807,652"), (COUNT, "?")],
)
def test_a_text_that_stands_for_another_one_is_hidden(tmp_path: Path, said_instead: str, drawn: str) -> None:
    document = read(tmp_path, span(said_instead, drawn), "")
    assert COUNT not in said(document)
    assert document.problems
    if any(character.isalnum() for character in drawn):
        assert drawn in said(document)
        assert [line.text for line in document.hidden] == [said_instead]


@pytest.mark.parametrize(
    ("said_instead", "drawn"), [(COUNT, COUNT), ("-", "-"), ("fi", "\u2026"), ("\\255", "-"), ("RANK", "rank")]
)
def test_a_text_that_stands_for_the_same_is_no_accusation(tmp_path: Path, said_instead: str, drawn: str) -> None:
    document = read(tmp_path, span(said_instead, drawn) + text(72, 560, SENTENCE), "")
    assert SENTENCE in said(document)
    assert document.hidden == ()
    assert not document.problems


def test_a_first_digit_at_an_angle_does_not_vouch_for_the_others(tmp_path: Path) -> None:
    turned = f"q 0.94 0.34 -0.34 0.94 0 0 cm {text(400, 300, '5', font='X')} Q "
    document = read(tmp_path, turned + text(72, 600, SENTENCE, font="X"), "53 /six")
    assert "22" not in said(document)


@pytest.mark.parametrize(("glyph", "is_read"), [("seven", True), ("four", False)])
def test_a_digit_in_place_of_a_sign_without_a_meaning_is_compared_with_the_sign(
    tmp_path: Path, glyph: str, is_read: bool
) -> None:
    drawn = f"/Span << /ActualText (7) >> BDC {text(72, 600, 'A', font='X')} EMC "
    encoding = f"<< /BaseEncoding /WinAnsiEncoding /Differences [65 /{glyph}] >>"
    font = f"/X << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding {encoding} /ToUnicode 5 0 R >>"
    content = pdf(text(72, 700, SHOWN) + drawn, fonts=font, objects=[to_unicode("A").replace("<0041>", "<fffd>")])
    document = read_pdf(submitted(tmp_path, "report.pdf", content))
    assert ("7" in said(document).removeprefix(SHOWN)) is is_read
    assert bool(document.problems) is not is_read


@pytest.mark.parametrize(
    ("code", "drawn", "shown"),
    [
        ("019f", "funcAon", "function"),
        ("01a9", "buAer", "butter"),
        ("01ab", "seAng", "setting"),
        ("014c", "leA", "left"),
    ],
)
def test_letters_by_which_printers_name_ligatures_are_read_as_these(
    tmp_path: Path, code: str, drawn: str, shown: str
) -> None:
    font = "/X << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R >>"
    mapped = to_unicode("A").replace("<0041>", f"<{code}>")
    content = pdf(text(72, 700, f"The {drawn} of A = 3", font="X"), fonts=font, objects=[mapped])
    document = read_pdf(submitted(tmp_path, "report.pdf", content))
    assert said(document).startswith(f"The {shown} of {chr(int(code, 16))}")
