"""Powers, indices and the side that a script is written from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.report.render import direction, small_characters


@pytest.mark.parametrize(
    ("text", "lowered", "set_"),
    [
        ("4 × 512^{2} = 1,048,576", False, "4 × 512<sup>2</sup> = 1,048,576"),
        ("d_{model} = 512", True, "d<sub>model</sub> = 512"),
        ('f"x_{i}"', False, "f&#34;x_{i}&#34;"),
        ("a^{<b>} _{</p>}", True, "a^{&lt;b&gt;} _{&lt;/p&gt;}"),
        ("2^{10} < 3", True, "2<sup>10</sup> &lt; 3"),
        ("שלום 512^{2}", True, "שלום 512^{2}"),
    ],
)
def test_powers_and_indices_are_set_small(text: str, lowered: bool, set_: str) -> None:
    assert str(small_characters(text, lowered)) == set_


@given(st.text())
def test_only_these_tags_come_of_any_text(text: str) -> None:
    shown = str(small_characters(text, True))
    for tag in ("<sup>", "</sup>", "<sub>", "</sub>"):
        shown = shown.replace(tag, "")
    assert not set(shown) & set("<>\"'")


@pytest.mark.parametrize(
    ("side", "text"),
    [*(("ltr", text) for text in ("abc שלום", "", "42", "你好")), ("rtl", "12 שלום abc"), ("rtl", "مرحبا")],
)
def test_the_first_letter_decides_the_side_and_most_text_is_written_from_the_left(side: str, text: str) -> None:
    assert direction(text) == side
