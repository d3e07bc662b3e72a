"""Notes at the foot of a page or the end of a text are read where they are referred to."""

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from grader.reading.document import Block, BlockKind, Box
from grader.reading.html import page_document
from grader.reading.pdf.drawings import with_figures
from grader.reading.structure import with_notes_in_place

TITLE, LINE, ITEM = BlockKind.HEADING, BlockKind.LINE, BlockKind.LIST_ITEM


def page(*lines: tuple[BlockKind, float, str], number: int = 1) -> list[Block]:
    """Lines with the distance of their top from the page's, each 10 points high."""
    return [Block(kind=kind, text=text, page=number, box=box(top)) for kind, top, text in lines]


def box(top: float) -> Box:
    return 80.0, top, 500.0, top + 10


def order(blocks: list[Block]) -> list[str]:
    return [block.text for block in with_notes_in_place(blocks)]


def test_notes_at_the_foot_of_a_page() -> None:
    first = page(
        (TITLE, 50, "Results"),
        (LINE, 80, "Four reviews of five are right^{1} with the"),
        (LINE, 92, "given weights."),
        (LINE, 120, "The others are not.^{2}"),
        (LINE, 700, "^{1} Accuracies 79.3, 78.5"),
        (LINE, 711, "and 80.1."),
        (LINE, 722, "^{2}That is 65.4."),
    )
    second = page((LINE, 50, "A second page, with^{1} a number again."), (LINE, 700, "^{1}Another note."), number=2)
    texts = order([*first, *second])
    assert texts[2:5] == ["given weights.", "^{1} Accuracies 79.3, 78.5", "and 80.1."]
    assert texts[5:7] == ["The others are not.^{2}", "^{2}That is 65.4."]
    assert texts[7:] == ["A second page, with^{1} a number again.", "^{1}Another note."]


def test_notes_at_the_foot_of_a_column_leave_its_text_together() -> None:
    left = page(
        (LINE, 80, "Four of five are right^{1} and"),
        (LINE, 700, "^{1}On the test split."),
        (LINE, 711, "^{2}Of table 1."),
    )
    moved = {"box": (320.0, 50.0, 500.0, 60.0)}
    right = [block.model_copy(update=moved) for block in page((LINE, 50, "one is wrong."))]
    texts = order([*left, *right])
    assert texts == ["Four of five are right^{1} and", "^{1}On the test split.", "one is wrong.", "^{2}Of table 1."]


def test_notes_at_the_end_of_a_text() -> None:
    found = order(
        [
            *page((TITLE, 50, "One"), (LINE, 80, "As below.^{1}"), (TITLE, 120, "Two"), (LINE, 150, "As below.^{2}")),
            *page((ITEM, 600, "1. It is 79.3, as the log"), (LINE, 612, "says. ↩︎"), (ITEM, 630, "2. It is 65.4.↩︎")),
        ]
    )
    assert found == [
        "One",
        "As below.^{1}",
        "1. It is 79.3, as the log",
        "says. ↩︎",
        "Two",
        "As below.^{2}",
        "2. It is 65.4.↩︎",
    ]


def test_powers_and_lists_are_no_notes() -> None:
    blocks = page(
        (LINE, 50, "A layer has 4 · 512^{2} weights, and d^{2} is 262,144."),
        (ITEM, 80, "1. Embeddings"),
        (ITEM, 92, "2. Layers"),
        (LINE, 700, "^{2}This refers to nothing."),
    )
    assert order(blocks) == [block.text for block in blocks]


def test_notes_below_a_table_stay_below_it() -> None:
    """A mark in the header leaves the rows together, and a paragraph behind them shows that they stand at no foot."""
    rows = [
        Block(kind=BlockKind.ROW, text="\t".join(cells), cells=cells, page=1, box=box(top))
        for top, cells in ((80, ("", "large", "tiny^{1}")), (95, ("run 1", "79.3", "65.4")))
    ]
    note, after = (LINE, 120, "^{1} with fewer layers."), (LINE, 150, "The large one is better.")
    assert order([*rows, *page(note)]) == [*(row.text for row in rows), note[2]]
    assert order([*rows, *page(note, after)]) == [*(row.text for row in rows), note[2], after[2]]


def test_a_picture_on_the_page_of_a_note_leaves_it_where_it_was_moved() -> None:
    note, *second = page(
        (LINE, 700, "1. It is 79.3. ↩"), (LINE, 50, "A second page,"), (LINE, 400, "with more"), number=2
    )
    first, last = page((LINE, 50, "As below."), (LINE, 90, "The end."))
    blocks = [first, note, last, *second]
    found = with_figures(blocks, [(2, (80, 100, 500, 300), None)])
    assert [block.text for block in found] == [*(block.text for block in blocks[:4]), "", "with more"]
    assert with_figures(blocks, []) == blocks


def test_notes_of_a_web_page() -> None:
    source = (
        "<h1>A</h1><p>It is good.<sup>1</sup></p><h1>B</h1><p>More.</p>"
        "<section><ol><li><p>79.3 on test.<a href='#fnref1'>↩︎</a></p></li></ol></section>"
    )
    texts = [block.text for block in page_document("report.html", source).blocks]
    assert [texts.index(text) for text in texts if "79.3" in text] == [2]


def test_a_note_in_the_margin_beside_its_own_paragraph_is_kept() -> None:
    text = page((LINE, 140, "by the default of the library."), (LINE, 152, "It predicts the next token.^{3}"))
    lines = enumerate(("^{3} After adding LoRA the print is:", "trainable params: 1572864"))
    beside = [
        Block(kind=LINE, text=line, page=1, box=(510.0, 140.0 + 10 * row, 590.0, 149.0 + 10 * row))
        for row, line in lines
    ]
    assert sorted(order([*text, *beside])) == sorted(one.text for one in (*text, *beside))


@given(
    st.lists(
        st.tuples(st.sampled_from(["a^{1} b.", "c^{2} d", "^{1} note", "^{2}more", "e"]), st.sampled_from([0, 12, 40])),
        max_size=9,
    )
)
def test_no_block_is_lost_whatever_notes_refer_to(lines: list[tuple[str, int]]) -> None:
    tops = accumulate((step for _, step in lines), initial=40)
    blocks = page(*((LINE, float(top), text) for top, (text, _) in zip(tops, lines, strict=False)))
    assert sorted(order(blocks)) == sorted(text for text, _ in lines)
