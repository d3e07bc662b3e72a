"""Which figures of a page belong to one place: by the gaps between its lines, its captions, and tables that go on."""

import pytest

from grader.claims.results.fact import Fact, Nearness, Statistic
from grader.claims.results.reported import facts
from grader.claims.sections import sections
from grader.lab.experiments import ACCURACY
from grader.reading.document import Block, BlockKind, Document
from tests.claims.making import document, lab


def of(*blocks: Block) -> list[Fact]:
    return facts(sections(Document(file="r.pdf", exact=False, blocks=blocks), lab()), lab(), ACCURACY)


def line(text: str, top: float, page: int = 1, kind: BlockKind = BlockKind.LINE) -> Block:
    return Block(kind=kind, text=text, page=page, box=(70, top, 500, top + 10))


FIRST, SECOND = "On test seed 1 has 79.30 %.", "Seed 2 has 78.55 %."


@pytest.mark.parametrize(
    ("second", "are_one"),
    [
        (line(SECOND, 112), True),
        (line(SECOND, 118), True),
        (line(SECOND, 119), False),
        (line(SECOND, 140), False),
        (line(SECOND, 90, page=2), True),
    ],
)
def test_a_wide_gap_between_lines_of_a_page_begins_another_place(second: Block, *, are_one: bool) -> None:
    one, other = of(line(FIRST, 100), second)
    assert (one.unit == other.unit) is are_one


@pytest.mark.parametrize(("number", "are_one"), [(2, True), (3, False)])
def test_an_empty_line_of_a_text_does_too(number: int, *, are_one: bool) -> None:
    blocks = (Block(kind=BlockKind.LINE, text=text, line=at) for text, at in ((FIRST, 1), (SECOND, number)))
    one, other = of(*blocks)
    assert (one.unit == other.unit) is are_one


def test_items_of_a_list_are_one_place_and_a_title_ends_it() -> None:
    items = [line(text, top, kind=BlockKind.LIST_ITEM) for text, top in ((FIRST, 100), (SECOND, 150))]
    assert len({fact.unit for fact in of(*items)}) == 1
    title = line("More", 125, kind=BlockKind.HEADING)
    assert len({fact.unit for fact in of(items[0], title, items[1])}) == 2


def read(markdown: str) -> list[Fact]:
    return facts(sections(document(markdown), lab()), lab(), ACCURACY)


TABLE = "| seed | test |\n|---|---|\n| 1 | 79.30 |\n| 2 | 78.55 |\n"


def test_a_table_without_a_header_goes_on_from_one_near_above() -> None:
    def last(between: str) -> bool:
        found = read(f"# Task 3\n\n{TABLE}\n{between}\n\n| 3 | 80.15 |\n|---|---|\n")
        assert (found[-1].split.value, found[-1].run) == ("test", 3)
        return found[-1].split.nearness is Nearness.LABEL

    assert last("One line.")
    assert last("One line.\n\nA second one.")
    assert not last("One line.\n\nA second one.\n\nA third one.")


def test_facts_stand_in_order_with_their_places() -> None:
    found = read(f"# Task 3\n\nOn test seed 9 has 77.10 %.\n\n{TABLE}\nThe mean is 78.93 ± 0.38.")
    assert [(fact.statistic, str(fact.number.value), fact.run) for fact in found] == [
        (Statistic.VALUE, "77.10", 9),
        (Statistic.VALUE, "79.30", 1),
        (Statistic.VALUE, "78.55", 2),
        (Statistic.MEAN, "78.93", None),
    ]
    assert [fact.evidence[0].line for fact in found] == [3, 7, 8, 10]
    assert [fact.unit for fact in found] == sorted(fact.unit for fact in found)
    assert found[1].unit == found[2].unit
    assert found[3].deviation is not None
    assert str(found[3].deviation.value) == "0.38"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("```\nseed 1   79.30\nseed 2   78.55\n```", ["79.30", "78.55"]),
        ("```\nseed 1 | 79.30\nseed 2 | 78.55\n```", ["79.30", "78.55"]),
        ("```\nseed 1\t79.30\nseed 2\t78.55\n```", ["79.30", "78.55"]),
        ("seed;test\n1;79,30\n2;78,55", []),
        ("seed;split;acc\n1;test;79,30\n2;test;78,55", ["79.30", "78.55"]),
        ("seed & test \\\\\n1 & 79.30 \\\\\n2 & 78.55 \\\\", ["79.30", "78.55"]),
    ],
)
def test_tables_of_output_text_and_tex(text: str, values: list[str]) -> None:
    found = read(f"# Task 3\n\nThe test accuracy:\n\n{text}")
    assert [str(fact.number.value) for fact in found if fact.run in (1, 2)] == values


CAPTION = "Table {}: test accuracy, {}"


def test_captions_above_and_below_are_told_apart() -> None:
    one, two = CAPTION.format(1, "pretrained"), CAPTION.format(2, "from scratch")
    for text in (f"{one}\n\n{TABLE}\n{two}\n\n{TABLE}", f"{TABLE}\n{one}\n\nWords.\n\n{TABLE}\n{two}"):
        assert [fact.experiment.value for fact in read(f"# Results\n\n{text}")] == ["pretrained"] * 2 + ["random"] * 2


def test_what_stands_five_lines_above_a_table_says_nothing_of_it() -> None:
    lines = "\n\n".join(("Pretrained model.", *(f"Line {word}." for word in ("a", "b", "c", "d"))))
    near = "\n\n".join(("Pretrained model.", "Line a.", "Line b."))
    far, close = (read(f"# Results\n\n{above}\n\n{TABLE}")[0].experiment for above in (lines, near))
    assert close.value == "pretrained"
    assert far.nearness <= close.nearness
