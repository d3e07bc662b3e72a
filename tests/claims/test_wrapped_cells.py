"""The lines above and below a row of a page's table that belong to its last cell."""

import pytest

from grader.claims.definitions import definitions
from grader.claims.passage import Passage
from grader.reading.document import Block, BlockKind
from tests.claims.making import lab

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


def said(made: Passage) -> dict[str, str]:
    return {one.parameter: one.text for one in definitions(made, lab())}


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
    assert said(BELOW) == {"r": "the rank of the update of each layer", "bias": "which biases are trained"}


def test_a_name_in_the_middle_of_its_cell_has_lines_above_and_below() -> None:
    assert said(MIDDLE) == {"r": "the rank of the update of each layer", "bias": "which biases are trained"}


@pytest.mark.parametrize("left", [72, 111])
def test_lines_that_stand_right_of_their_row_by_little_are_of_no_cell(left: float) -> None:
    made = passage((ROW, "r | the rank", 72, 100), (LINE, "Text goes on.", left, 130))
    assert said(made) == {"r": "the rank"}


def test_what_stands_below_the_last_row_in_its_column_is_of_its_cell() -> None:
    made = passage((ROW, "r | the rank", 72, 100), (LINE, "of it", 112, 112))
    assert said(made) == {"r": "the rank of it"}
