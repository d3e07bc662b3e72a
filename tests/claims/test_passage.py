from hypothesis import given
from hypothesis import strategies as st

from grader.claims.passage import QUOTE_MARGIN, Passage
from grader.reading.document import Block, BlockKind
from tests.claims.making import passage

LINES = st.lists(
    st.lists(
        st.sampled_from(["512", r"\times", "**total**", "=", "22{,}807{,}552", "\u00a0", "d²", "$", "word", r"\%"]),
        min_size=1,
        max_size=8,
    ).map(" ".join),
    min_size=1,
    max_size=6,
)


def of_lines(lines: list[str]) -> Passage:
    blocks = tuple(Block(kind=BlockKind.LINE, text=text, line=n) for n, text in enumerate(lines, start=1))
    return Passage(file="report.md", exact=True, blocks=blocks)


@given(LINES, st.data())
def test_evidence_quotes_the_students_own_words_and_line(lines: list[str], data: st.DataObject) -> None:
    whole = of_lines(lines)
    number = data.draw(st.integers(0, len(lines) - 1))
    start, end = whole.offset_of(number), whole.offset_of(number + 1) if number + 1 < len(lines) else len(whole.text)
    inside = whole.text[start:end].rstrip("\n")
    if inside.strip():
        evidence = whole.evidence(start, start + len(inside))
        assert evidence.line == number + 1
        assert " ".join(evidence.quote.strip("…").split()) in " ".join(lines[number].split())


@given(LINES)
def test_each_block_is_found_again_at_its_own_offset(lines: list[str]) -> None:
    whole = of_lines(lines)
    for number, block in enumerate(whole.blocks):
        offset = whole.offset_of(number)
        if offset < len(whole.text) and whole.text[offset] != "\n":
            assert whole.block_at(offset) == block


def test_evidence_over_two_lines_holds_both() -> None:
    blocks = (
        Block(kind=BlockKind.LINE, text="16384000 + 132096", page=1, box=(10, 20, 100, 30)),
        Block(kind=BlockKind.LINE, text="= 16516096", page=1, box=(12, 32, 60, 42)),
    )
    whole = Passage(file="report.pdf", exact=False, blocks=blocks)
    evidence = whole.evidence(0, len(whole.text))
    assert evidence.quote == "16384000 + 132096 = 16516096"
    assert (evidence.page, evidence.box) == (1, (10, 20, 100, 42))


def test_a_place_over_two_pages_is_shown_on_the_first() -> None:
    blocks = (
        Block(kind=BlockKind.LINE, text="one", page=1, box=(10, 700, 100, 710)),
        Block(kind=BlockKind.LINE, text="two", page=2, box=(10, 20, 100, 30)),
    )
    evidence = Passage(file="report.pdf", exact=False, blocks=blocks).evidence(0, 7)
    assert (evidence.page, evidence.box, evidence.quote) == (1, (10, 700, 100, 710), "one two")


def test_a_long_line_is_quoted_around_the_find() -> None:
    text = "a " * 300 + "TOTAL " + "b " * 300
    whole = passage(text)
    at = whole.text.index("TOTAL")
    quote = whole.evidence(at, at + 5).quote
    assert "TOTAL" in quote
    assert quote.startswith("…")
    assert quote.endswith("…")
    assert len(quote) <= 2 * QUOTE_MARGIN + 10


def test_markup_is_quoted_as_written() -> None:
    whole = passage("So **the total** is $22{,}807{,}552$ here.")
    at = whole.text.index("22,807,552")
    assert "$22{,}807{,}552$" in whole.evidence(at, at + 10).quote


def test_an_empty_text_has_a_passage() -> None:
    assert passage("").text == ""
