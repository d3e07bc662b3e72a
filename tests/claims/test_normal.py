import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.claims.passage import normalise
from tests.patience import within

PIECES = (
    *(r"\frac{12}{3}", r"\times", r"\cdot ", r"\text{total}", r"\mathbf{512}", r"\left(", r"\right)", r"\pm", r"\%"),
    *("$", "**", "*", "`", "{,}", "^{2}", "_{k}", "²", "\u00a0", "\u202f", "−", "≈", "’", "«", "+/-", "\n", "\u200b"),
    *("5", "x", " ", "word ", "(", ")", "é", "\U0001d465"),
)
markup = st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=60)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (r"$512 \times 512$", "512 ×512"),
        (r"512 \cdot 512", "512 ×512"),
        ("512 * 512", "512 × 512"),
        ("512*512", "512×512"),
        ("512 *\n512", "512 ×\n512"),
        ("81.0 / 79.3 *", "81.0 / 79.3★"),
        ("512 ⋅ 512", "512 × 512"),
        ("512²", "512^2"),
        ("512^{2}", "512^2"),
        (r"d_{\text{model}}", "d_model"),
        (r"\frac{32}{16}", "((32)/(16))"),
        (r"\textbf{22,807,552}", "22,807,552"),
        (r"\mathbf{\text{total}}", "total"),
        ("**22,807,552**", "22,807,552"),
        ("*total*", "total"),
        ("`lora_alpha`", "lora_alpha"),
        (r"lora\_alpha", "lora_alpha"),
        (r"79.9\%", "79.9%"),
        ("22{,}807{,}552", "22,807,552"),
        (r"22\,807\,552", "22 807 552"),
        (r"$\bar x = 79{,}5$, $\bar{x}$, $\overline{y}$", "x¯ = 79,5, x¯, y¯"),
        ("79.5 +/- 0.7", "79.5 ± 0.7"),
        ("79.5 +- 0.7", "79.5 ± 0.7"),
        (r"79.5 \pm 0.7", "79.5 ± 0.7"),
        (r"\left( 256 + 2 \right)", "( 256 + 2 )"),
        (r"\underbrace{32000 \times 512}_{\text{embedding}}", "32000 ×512"),
        ("5 − 3 – 1", "5 - 3 - 1"),
        ("“none”", '"none"'),
        ("l’écart-type", "l'écart-type"),
    ],
)
def test_one_spelling(written: str, plain: str) -> None:
    normal = normalise(written).text
    assert " ".join(normal.split()).replace("± ", "±").replace("×", " × ").split() == (
        plain.replace("± ", "±").replace("×", " × ").split()
    )


def test_a_bullet_is_no_operator() -> None:
    assert normalise("* 4 heads").text == "• 4 heads"


def test_a_plus_that_continues_a_sum_on_the_next_line_stays_one() -> None:
    assert "•" not in normalise("16384000 + 132096\n+ 6291456 = 22807552").text


def test_stars_between_digits_are_a_power_and_no_bold_type() -> None:
    assert normalise("2**10").text == "2^10"


@given(markup)
def test_every_character_knows_where_it_came_from(text: str) -> None:
    normal = normalise(text)
    assert len(normal.origin) == len(normal.text)
    assert all(0 <= offset < len(text) for offset in normal.origin)
    assert list(normal.origin) == sorted(normal.origin)


@given(st.text(alphabet=st.characters(categories=("L", "Nd")), max_size=60))
def test_plain_words_stay_as_they_are(text: str) -> None:
    normal = normalise(text)
    assert normal.text == text
    assert normal.origin == tuple(range(len(text)))


@given(markup)
def test_digits_are_not_made(text: str) -> None:
    kept = [c for c in normalise(text).text if c.isdecimal()]
    assert len(kept) <= len([c for c in text if c.isdigit()])


@pytest.mark.parametrize(
    "text",
    ["^{" + " " * 20_000, r"\text{" * 5_000, r"\frac{1}{" * 5_000, r"\underbrace{" + "{a}" * 20_000, "*a" * 20_000],
    ids=["power", "text", "fraction", "brace", "stars"],
)
def test_unclosed_markup_takes_no_time(text: str) -> None:
    with within(0.5):
        assert normalise(text).text


def test_percentages_of_a_list_without_spaces_are_parted() -> None:
    assert normalise(r"\{80.55\%,79.10\% ,79.90\%\}").text == r"\{80.55%, 79.10%, 79.90%\}"
