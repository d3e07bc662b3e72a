from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.report.views.wording import clip, clip_lines, clip_middle, clip_to_sentence, place, points, printable, width
from tests.factories import evidence


@pytest.mark.parametrize(
    ("value", "text"), [("2.50", "2.5"), ("20", "20"), ("1E+1", "10"), ("-5", "−5"), ("0.00", "0")]
)
def test_points_are_plain(value: str, text: str) -> None:
    assert points(Decimal(value)) == text


@given(st.text(), st.integers(8, 60))
def test_clipped_text_is_one_line_within_the_limit(text: str, limit: int) -> None:
    for clipped in (clip(text, limit), clip_middle(text, limit)):
        assert len(clipped) <= limit
        assert "\n" not in clipped


def test_a_cut_is_shown_and_falls_between_words() -> None:
    assert clip("one two three four", 15) == "one two three…"
    assert clip("short", 15) == "short"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The rank of A. For r = 2, 4 and 8 it is so.", "The rank of A."),
        ("It is. For r = 2, 4 and 8 it is so.", "It is. For r = 2, 4…"),
        ("All of it. Fits.", "All of it. Fits."),
    ],
)
def test_a_right_answer_is_cut_between_sentences(text: str, kept: str) -> None:
    assert clip_to_sentence(text, 22) == kept


def test_a_clipped_quote_keeps_its_lines_and_indentation() -> None:
    assert clip_lines("def f():\n    return 1\n", 100) == "def f():\n    return 1"
    assert clip_lines("a\n" * 20, 100) == "a\n" * 7 + "a…"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"page": 2}, "report.pdf, page 2"),
        ({"page": None, "file": "x.ipynb", "cell": 0}, "x.ipynb, cell 0"),
        ({"page": None, "file": "a.md", "line": 31}, "a.md, line 31"),
        ({"page": None, "file": "events.1", "tag": "test/accuracy", "step": 0}, "events.1, test/accuracy at step 0"),
    ],
)
def test_places_read_well(fields: dict[str, object], text: str) -> None:
    assert place(evidence(**fields)) == text


def test_a_long_path_keeps_both_ends() -> None:
    text = place(evidence(file="runs/" + "x" * 300 + "/events.7"))
    assert text.startswith("runs/xxx")
    assert text.endswith("events.7, page 1")


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_printable_text_can_be_encoded_and_holds_no_controls(text: str) -> None:
    clean = printable(text)
    clean.encode("utf-8")
    assert not set(clean) & set(map(chr, [*range(9), *range(11, 32), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]))


def test_stacked_accents_are_cut_and_ordinary_ones_kept() -> None:
    assert printable("e" + "\u0301" * 99) == "e" + "\u0301" * 3
    assert printable("déjà vu, шиллинѓ, é") == "déjà vu, шиллинѓ, é"


@pytest.mark.parametrize(
    ("part", "whole", "length"),
    [("1", "4", "25%"), ("-5", "4", "0%"), ("9", "4", "100%"), ("0", "0", "0%")],
)
def test_lengths_stay_within_the_bar(part: str, whole: str, length: str) -> None:
    assert width(Decimal(part), Decimal(whole)) == length
