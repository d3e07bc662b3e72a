"""The lines above and below a row of a page's table that belong to its last cell."""

import pytest

from grader.claims.definitions import wrapped_cell
from grader.claims.passage import Passage
from grader.reading.document import Block, BlockKind

ROW, LINE = BlockKind.ROW, BlockKind.LINE


def passage(*lines: tuple[BlockKind, str, float, float]) -> Passage:
    """Lines of a page, each with its kind, its text, where it begins, and how far down it stands."""
    blocks = tuple(
        Block(
            kind=kind,
            text=text,
            cells=tuple(text.split(" | ")) if kind is ROW else (),
            page=1,
            box=(left, top, 500, top + 10),
        )
        for kind, text, left, top in lines
    )
    return Passage(file="report.pdf", exact=False, blocks=blocks)


def around(made: Passage, row: int) -> tuple[list[str], list[str]] | None:
    found = wrapped_cell(made, made.offset_of(row))
    if found is None:
        return None
    above, below = ([made.text[start:end] for start, end in places] for places in found)
    return above, below


BELOW = passage(
    (ROW, "name | meaning", 72, 80),
    (ROW, "r | the rank", 72, 100),
    (LINE, "of the update", 200, 112),
    (LINE, "of each layer", 200, 124),
    (ROW, "bias | which biases", 72, 146),
    (LINE, "are trained", 200, 158),
)
MIDDLE = passage(
    (ROW, "name | meaning", 72, 80),
    (LINE, "the rank", 200, 100),
    (ROW, "r | of the update", 72, 112),
    (LINE, "of each layer", 200, 124),
    (LINE, "which", 200, 150),
    (ROW, "bias | biases are", 72, 162),
    (LINE, "trained", 200, 174),
)


def test_lines_below_a_row_are_its_own_up_to_the_widest_gap() -> None:
    assert around(BELOW, 1) == ([], ["of the update", "of each layer"])
    assert around(BELOW, 4) == ([], ["are trained"])


def test_a_name_in_the_middle_of_its_cell_has_lines_above_and_below() -> None:
    assert around(MIDDLE, 2) == (["the rank"], ["of each layer"])
    assert around(MIDDLE, 5) == (["which"], ["trained"])


@pytest.mark.parametrize(
    "made",
    [
        passage((ROW, "r | the rank", 72, 100), (ROW, "bias | which", 72, 112)),
        passage((ROW, "r | the rank", 72, 100), (LINE, "Text goes on.", 72, 130)),
        passage((LINE, "r is the rank", 72, 100), (LINE, "of it", 200, 112)),
    ],
)
def test_other_lines_are_of_no_cell(made: Passage) -> None:
    assert around(made, 0) is None


def test_what_stands_to_the_right_by_little_is_of_no_cell() -> None:
    assert around(passage((ROW, "r | the rank", 72, 100), (LINE, "text", 111, 112)), 0) is None
    assert around(passage((ROW, "r | the rank", 72, 100), (LINE, "text", 112, 112)), 0) == ([], ["text"])
