"""Places where a page may say something else than what is read: they are marked with the reason, and nothing is held
against a student there."""

from pathlib import Path

import pytest

from grader.checks.absence import beside_drawn_words
from grader.checks.finding import Finding, Status
from grader.claims.answer import Answer
from grader.claims.passage import Passage
from grader.claims.sections import Section
from grader.lab.files import load_lab
from grader.reading.document import Block, BlockKind, Document, ReadingDoubt
from grader.reading.markdown import read_markdown
from grader.reading.pdf import read_pdf, with_limits
from grader.reading.structure import with_lost_formulas
from tests.reading.making import pdf, rule, submitted, text
from tests.replay import SHIPPED


def read(folder: Path, page: str, entries: str = "") -> Document:
    return read_pdf(submitted(folder, "report.pdf", pdf(page, **({"page_entries": entries} if entries else {}))))


def unsure(document: Document) -> list[ReadingDoubt | None]:
    return [block.unsure for block in document.blocks if block.in_line]


def table(head_left: float, head_width: float) -> str:
    """A table whose head stands between rules of its own width, over rows of 240 points."""
    head = rule(head_left, 700, head_width) + rule(head_left, 684, head_width)
    names = text(head_left + 60, 689, "seed 0") + text(head_left + 110, 689, "seed 1")
    rows = text(170, 672, "test accuracy") + text(280, 672, "78.95") + text(330, 672, "80.40")
    return head + names + rows + rule(170, 666, 240)


def test_a_head_in_other_columns_than_its_rows_is_unsure(tmp_path: Path) -> None:
    assert ReadingDoubt.MISALIGNED in unsure(read(tmp_path, table(210, 160)))
    assert unsure(read(tmp_path, table(170, 240))) == []


def test_words_printed_over_each_other_are_unsure(tmp_path: Path) -> None:
    over = text(72, 700, "Task 4 of the lab") + text(80, 700, "test accuracy 78.95")
    beside = text(72, 700, "Task 4 of the lab") + text(260, 700, "test accuracy 78.95")
    assert set(unsure(read(tmp_path, over))) == {ReadingDoubt.OVERLAPPING}
    assert unsure(read(tmp_path, beside)) == []


def test_a_formula_that_stands_again_is_unsure(tmp_path: Path) -> None:
    first, again = "Words: 32000 x 512 = 16384000", "32000 x 512 = 16384000"
    assert unsure(read(tmp_path, text(72, 700, first) + text(72, 686, again))) == [ReadingDoubt.GARBLED]
    assert unsure(read(tmp_path, text(72, 700, first) + text(72, 686, "258 x 512 = 132096"))) == []


def test_what_a_clipping_path_cuts_off_is_unsure_and_not_hidden(tmp_path: Path) -> None:
    lines = "".join(text(72, 700 - 14 * at, "one two three four five six") for at in range(3))
    document = read(tmp_path, f"q 60 600 100 200 re W n {lines} Q\n")
    assert document.hidden == ()
    assert set(unsure(document)) == {ReadingDoubt.CUT}
    assert document.blocks[0].beyond or document.blocks[1].beyond


def test_lines_over_the_edge_of_a_turned_page_are_not_hidden(tmp_path: Path) -> None:
    long = "".join(
        text(72, 300 - 14 * at, "A line that runs on and on over the edge of its page " * 4) for at in range(4)
    )
    document = read(tmp_path, f"0 1 -1 0 612 0 cm {long}")
    assert document.hidden == ()


def test_a_page_on_its_head_is_read_as_if_it_were_upright(tmp_path: Path) -> None:
    lines = "".join(
        text(72, 700 - 14 * at, f"row {at} of the table")
        + text(220, 700 - 14 * at, f"{at}9.65")
        + text(290, 700 - 14 * at, f"{at}8.40")
        for at in range(1, 8)
    ) + "".join(text(72, 560 - 14 * at, "These are words of a text below the table.") for at in range(8))
    upright, turned = read(tmp_path, lines), read(tmp_path, f"-1 0 0 -1 612 792 cm {lines}")
    assert [(block.kind, block.text) for block in turned.blocks] == [
        (block.kind, block.text) for block in upright.blocks
    ]
    first, last = turned.blocks[0].box, turned.blocks[-1].box
    assert first is not None
    assert last is not None
    assert first[1] > last[1]


@pytest.mark.parametrize("left", [40, 480])
def test_notes_in_either_margin_are_read_apart(tmp_path: Path, left: float) -> None:
    body = "".join(text(150, 700 - 14 * at, "The test accuracy is the mean of" + " it" * (at % 4)) for at in range(8))
    note = "".join(
        text(left, 698 - 9 * at, words, size=7) for at, words in enumerate(("seen with", "my partner", "on Monday"))
    )
    texts = [block.text for block in read(tmp_path, body + note).blocks]
    assert {"seen with", "my partner", "on Monday"} <= set(texts)
    assert all("{" not in one for one in texts)


def test_cells_that_a_word_processor_broke_are_whole(tmp_path: Path) -> None:
    head = text(150, 700, "seed 0") + text(230, 700, "seed 1") + text(72, 640, "The validation set chooses.")
    row = text(72, 686, "validatio") + text(150, 686, "81.0") + text(230, 686, "82.0") + text(72, 674, "n")
    rows = [block.cells for block in read(tmp_path, head + row).blocks if block.cells]
    assert rows[-1] == ("validation", "81.0", "82.0")


LOST = [
    "L’exactitude de test est de % (écart type sur trois graines).",
    "Le modèle compte donc des paramètres.",
    "L’exactitude de la tâche est de %.",
    "Moyenne et écart type (division par ) de l’exactitude :",
]


def test_formulas_lost_from_a_pdf_are_noticed_and_units_of_tables_are_none() -> None:
    def placed(*texts: str) -> int:
        blocks = [Block(kind=BlockKind.LINE, text=one, page=1, box=(0, 0, 1, 1)) for one in texts]
        return with_lost_formulas(blocks)[1]

    announced = ["Word embeddings of it:", "Position embeddings of it:", "Each layer of these:"]
    assert placed(*LOST, *announced) > 0
    assert placed("Mean 79.60, std 1.04 (in %).", "Mean 66.00 (in %), std 1.80.", "The rate, in %, is 3.") == 0


def test_a_verdict_against_a_student_in_a_text_that_lost_formulas_is_for_a_person() -> None:
    lab = load_lab(SHIPPED)
    question = lab.asking("q2.lora_alpha").id
    line = Block(kind=BlockKind.LINE, text="lora_alpha : la mise à jour est multipliée par", line=1)
    gap = Block(kind=BlockKind.FIGURE, text="", line=1, in_line=True, unsure=ReadingDoubt.LOST)
    passage = Passage(file="report.html", exact=True, blocks=(line, gap))
    answer = Answer(sections=(Section(title="Question 2", questions=(question,), passage=passage),))
    found = beside_drawn_words(Finding(item="q2.lora_alpha", status=Status.PARTIAL, feedback="In part."), answer, lab)
    assert found.status is Status.REVIEW
    assert "left out" in str(found.note)


def test_formulas_that_pandoc_escaped_over_several_lines(tmp_path: Path) -> None:
    source = "$$\n\\\\hat\\\\mu = 79.85\\\\,\\\\%, \\\\qquad\n\\\\hat\\\\sigma = 0.59\\\\,\\\\%\n$$\n"
    document = read_markdown(submitted(tmp_path, "report.md", source))
    assert not any("\\\\\\\\" in block.text for block in document.blocks)


def test_a_table_below_another_one_is_unsure_by_itself(tmp_path: Path) -> None:
    def below(page: str) -> str:
        return f"q 1 0 0 1 0 -120 cm {page} Q\n"

    between = text(72, 620, "Random initialisation, everything else as in the table above:")
    page = table(210, 160) + between + below(table(210, 160))
    assert unsure(read(tmp_path, page)).count(ReadingDoubt.MISALIGNED) == 2


def test_the_limits_of_a_sum_stand_behind_its_sign(tmp_path: Path) -> None:
    def sheet(limit: str) -> list[str]:
        block = Block(kind=BlockKind.LINE, text="s = ∑(x - m) = 0.59", page=1, box=(72.0, 100.0, 300.0, 112.0))
        below = Block(kind=BlockKind.LINE, text=limit, page=1, box=(120.0, 113.0, 140.0, 119.0))
        above = Block(kind=BlockKind.LINE, text="3", page=1, box=(120.0, 92.0, 124.0, 98.0))
        return [line.text for line in with_limits([above, block, below, block])]

    assert sheet("√\ti=1")[0] == "s = ∑_{i=1}^{3}(x - m) = 0.59"
    assert sheet("where m is")[:2] == ["3", "s = ∑(x - m) = 0.59"]
