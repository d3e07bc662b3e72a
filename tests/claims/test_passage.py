from hypothesis import given
from hypothesis import strategies as st

from grader.claims.passage import QUOTE_MARGIN, Passage
from grader.reading.document import Block, BlockKind, Evidence, Repair, RepairKind
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


WORDS = "".join(f"{number:03d} " for number in range(100))
"""A line of 400 characters; each word is its own number."""


def test_so_much_of_a_long_line_is_quoted() -> None:
    whole = passage(f"{WORDS}end")
    length = len(whole.text)
    for start, end in (
        (200, 203),
        (QUOTE_MARGIN + 1, QUOTE_MARGIN + 2),
        (length - QUOTE_MARGIN - 2, length - QUOTE_MARGIN - 1),
    ):
        quote = whole.evidence(start, end).quote
        inside = whole.text[max(0, start - QUOTE_MARGIN) : min(length, end + QUOTE_MARGIN)]
        opening = "…" if start > QUOTE_MARGIN else ""
        closing = "…" if end + QUOTE_MARGIN < length else ""
        assert quote == opening + inside.strip() + closing


def test_a_line_is_quoted_whole_where_its_ends_are_near() -> None:
    short = "word " * 30
    whole = passage(f"First.\n\n{short}\n\nLast.")
    at = whole.text.index("word")
    assert whole.evidence(at + 70, at + 74).quote == short.strip()
    assert whole.evidence(at, at).quote.startswith("word word")
    assert whole.evidence(at + 90, at + 91).quote.startswith("word")
    assert whole.evidence(at + 92, at + 93).quote.startswith("…")


def of_pages(*lines: tuple[str, int, float]) -> Passage:
    blocks = tuple(
        Block(kind=BlockKind.LINE, text=text, page=page, line=at, box=(10, top, 100, top + 10))
        for at, (text, page, top) in enumerate(lines, start=1)
    )
    return Passage(file="report.pdf", exact=False, blocks=blocks)


def test_evidence_covers_just_the_lines_that_it_touches() -> None:
    whole = of_pages(("one", 1, 10), ("two", 1, 30), ("three", 1, 50))
    first, second = whole.text.index("two"), whole.text.index("three")
    assert whole.evidence(0, first - 1).quote == "one"
    assert whole.evidence(0, first + 1).quote == "one two"
    assert whole.evidence(first, second - 1).box == (10, 30, 100, 40)
    assert whole.evidence(first, second + 1).box == (10, 30, 100, 60)
    assert whole.evidence(first, first).quote == "two"
    assert [whole.index_at(offset) for offset in (0, first - 1, first, second, len(whole.text) + 5)] == [0, 0, 1, 2, 2]


def test_a_passage_holds_what_lies_on_its_lines() -> None:
    whole = of_pages(("one", 1, 10), ("two", 2, 30))
    other = of_pages(("one", 1, 10), ("more", 2, 90))
    inside, outside = whole.evidence(4, 7), other.evidence(4, 8)
    assert whole.holds(inside)
    assert not whole.holds(outside)
    assert not whole.holds(inside.model_copy(update={"file": "other.pdf"}))
    assert not whole.holds(inside.model_copy(update={"page": 3}))
    assert whole.holds(inside.model_copy(update={"box": None}))
    assert whole.holds(inside.model_copy(update={"box": (0, 30, 9, 40)}))
    assert not whole.holds(inside.model_copy(update={"box": (0, 31, 9, 40)}))
    assert whole.holds(inside.model_copy(update={"box": (0, 20, 9, 30)}))
    assert not whole.holds(inside.model_copy(update={"box": (0, 20, 9, 29)}))


def test_an_inferred_place_is_known_by_its_kind_and_its_characters() -> None:
    repairs = (Repair(start=2, end=4, kind=RepairKind.POWER),)
    whole = Passage(
        file="r.pdf",
        exact=False,
        blocks=(Block(kind=BlockKind.LINE, text="ab"), Block(kind=BlockKind.LINE, text="cdefgh", repairs=repairs)),
    )
    assert [whole.is_inferred(at, at + 1, RepairKind.POWER) for at in range(9)] == [
        *[False] * 5,
        True,
        True,
        False,
        False,
    ]
    assert not whole.is_inferred(0, 9, RepairKind.INDEX)
    assert whole.is_inferred(0, 9, RepairKind.INDEX, RepairKind.POWER)


def test_what_was_left_out_is_inferred_where_it_was() -> None:
    repairs = (Repair(kind=RepairKind.HYPHEN, start=3, end=3),)
    whole = Passage(file="r.pdf", exact=False, blocks=(Block(kind=BlockKind.LINE, text="abcdef", repairs=repairs),))
    assert [at for at in range(6) if whole.is_inferred(at, at + 1, RepairKind.HYPHEN)] == [3]


def test_an_offset_within_a_block_counts_its_own_characters() -> None:
    whole = of_lines(["a **b** c", r"d $\times$ e"])
    assert whole.text == "a b c\nd ×e"
    assert [whole.offset_of(0, at) for at in (0, 4, 8)] == [0, 2, 4]
    assert [whole.offset_of(1, at) for at in (0, 3, 11)] == [6, 8, 9]


def test_the_beginning_of_an_answer_is_its_first_words() -> None:
    text = " ".join(f"word{number}" for number in range(200))
    whole = of_lines([text, "a last line"])
    assert whole.beginning(0).quote == whole.evidence(0, 200).quote
    assert whole.beginning(0, 3).quote == whole.evidence(0, 3).quote
    assert whole.beginning(len(text) + 1).quote == "a last line"
    assert whole.evidence(0).quote == whole.evidence(0, 0).quote


def test_a_picture_at_the_end_of_a_text_has_a_place() -> None:
    picture = Block(kind=BlockKind.FIGURE, text="", line=8)
    blocks = (Block(kind=BlockKind.LINE, text="See below.", line=6), picture)
    whole = Passage(file="report.tex", exact=True, blocks=blocks)
    assert whole.block_evidence(1) == Evidence(file="report.tex", line=8, quote="")
