"""What programs make of formulas, tables and letters when they export a text."""

from pathlib import Path

import pytest

from grader.claims.equations import equations
from grader.claims.passage import Passage, normalise
from grader.reading.document import Block, BlockKind
from grader.reading.formats import read_path
from grader.reading.html import read_html
from grader.reading.markdown import read_markdown, read_text
from grader.reading.pdf.characters import MarkedText
from grader.reading.pdf.marks import PageLine, Piece
from grader.reading.pdf.repeats import without_repeats
from grader.reading.pdf.tables import with_wrapped_cells
from grader.reading.structure import with_lost_formulas
from tests.reading.making import submitted


def lines(*texts: str) -> list[Block]:
    return [Block(kind=BlockKind.LINE, text=text, page=1) for text in texts]


def passage(*texts: str) -> Passage:
    return Passage(file="report.pdf", exact=False, blocks=tuple(lines(*texts)))


def test_a_fraction_that_stands_again_with_its_denominator_first_is_read_once():
    behind = without_repeats(lines("multiplied by (α)/(r) = (32)/(16) = 2rα = 1632 = 2."))
    below = without_repeats(lines("(66.9 + 65.7)/(2) = 66.30", "266.9 + 65.7 = 66.30", "points."))
    other = without_repeats(lines("(64)/(16) = 4", "32 = 16 × 2"))
    assert [block.text for block in behind] == ["multiplied by (α)/(r) = (32)/(16) = 2."]
    assert [block.text for block in below] == ["(66.9 + 65.7)/(2) = 66.30", "points."]
    assert len(other) == 2


def test_letters_that_are_written_over_each_other_are_one(tmp_path: Path):
    text = "Q\bQu\bue\bes\bst\bti\bio\bon\bn 1\b1\n\n_\bd=512, \x1b[1mbold\x1b[0m fairseq\u2010preprocess\n"
    read = read_text(submitted(tmp_path, "report.txt", text.encode()))
    assert [block.text for block in read.blocks] == ["Question 1", "d=512, bold fairseq-preprocess"]


def test_formulas_that_pandoc_escaped_are_formulas(tmp_path: Path):
    escaped = r"$$\\bar{a} = \\frac{79{,}35 + 80{,}15}{2} = 79{,}75\\ \\% \\qquad x\_{1}$$"
    rows = r"$$a = 1 \\ b = \frac{1}{2}$$"
    read = [read_markdown(submitted(tmp_path, "report.md", one.encode())).blocks for one in (escaped, rows)]
    assert [block.text for block in read[0]] == [escaped.replace("\\\\", "\\").replace("\\_", "_")]
    assert [block.text for block in read[1]] == ["a = 1", r"b = \frac{1}{2}"]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"6 \times 512^{2} = 1\, 572\, 864", "6 ×512^2 = 1 572 864"),
        (r"\underset{\text{words}}{\underbrace{16\, 384}} + 2", "16 384 + 2"),
        ("79,\u200637 - 66,\u200652 = 12,\u200685", "79,37 - 66,52 = 12,85"),
        ("(0,\u20061) and 10,\u200620,\u200630", "(0, 1) and 10, 20, 30"),
    ],
)
def test_spaces_of_formulas_are_those_of_numbers(written: str, text: str):
    assert normalise(written).text == text


def test_the_end_of_an_equation_that_holds_is_no_equation_of_its_own():
    whole, tail = "16384000 + 132096 + 6291456 = 22807552", "132 096 + 6 291 456 = 22 807 552"
    assert [one.holds for one in equations(passage(whole, "N = words", tail))] == [True]
    assert [one.holds for one in equations(passage(whole, "2 + 6 291 456 = 22 807 552"))] == [True, False]


def test_three_digits_that_a_word_processor_set_apart_belong_to_their_number():
    assert [one.holds for one in equations(passage("4×1572864=6291 456. In all:"))] == [True]
    assert [one.holds for one in equations(passage("4×1572864=6291 457. In all:"))] == [False]


@pytest.mark.parametrize("name", ["slides.pptx", "slides.odp", "page-1.jpg", "scan.HEIC"])
def test_slides_and_pictures_alone_are_a_report_that_was_not_read(tmp_path: Path, name: str):
    (tmp_path / name).write_bytes(b"\xff\xd8\xff\xe0 no text \0")
    (file,) = read_path(tmp_path / name).files
    assert (file.role.value, file.state.value) == ("report", "unreadable")


def test_a_formula_that_a_page_only_draws_stands_in_its_line(tmp_path: Path):
    formula = '<mjx-container class="MathJax" jax="CHTML"><mjx-math><mjx-mi></mjx-mi></mjx-math></mjx-container>'
    page = f"<p>It is multiplied by {formula} before it is added.</p>"
    read = read_html(submitted(tmp_path, "report.html", page.encode()))
    assert [(block.kind, block.in_line) for block in read.blocks] == [
        (BlockKind.LINE, False),
        (BlockKind.FIGURE, True),
    ]


def test_a_space_too_many_before_a_french_sign_tells_that_a_formula_was_lost():
    said = "la mise à jour est multipliée par  ; c'est une échelle."
    rest = ("Le réseau compte .", "les couches .", "au total .", "Tout est dit, et bien dit, et lu, et relu, ici.")
    lost, none = (
        with_lost_formulas([block.model_copy(update={"page": None}) for block in lines(first, *rest)])[1]
        for first in (said, said.replace("  ;", " ;"))
    )
    assert (lost, none) == (4, 3)


def cell(left: float, right: float, text: str) -> Piece:
    return Piece(MarkedText(text), left, right, bold=False)


def row(top: float, *pieces: Piece) -> PageLine:
    return PageLine(1, (pieces[0].left, top, pieces[-1].right, top + 10), 10.0, pieces)


def test_a_row_with_a_cell_of_two_lines_is_one_line():
    names = cell(65, 150, "target_modules"), cell(210, 320, '["query_key_value"]')
    centred = [
        row(428, cell(334, 515, "names of the layers that")),
        row(435.5, *names),
        row(443, cell(334, 374, "get it")),
    ]
    raised = [
        row(400, cell(334, 515, "scaling factor: the product")),
        row(407, cell(65, 110, "^{lora_alpha}"), cell(210, 220, "^{32}"), cell(334, 470, "is scaled by 2")),
    ]
    found = with_wrapped_cells([*raised, *centred])
    assert [[piece.text for piece in line.pieces] for line in found] == [
        ["lora_alpha", "32", "scaling factor: the product is scaled by 2"],
        ["target_modules", '["query_key_value"]', "names of the layers that get it"],
    ]
    apart = [centred[0], centred[1]._replace(box=(65, 440, 320, 450)), centred[2]._replace(box=(334, 456, 374, 466))]
    assert with_wrapped_cells(apart) == apart


def test_lines_that_announce_formulas_one_after_the_other_lost_them():
    said = "We count all but the head: , , and biases, and layer norms."
    announced = "The embeddings:", "The positions:", "Each layer:", "All is said, and all of it was read, twice."
    _, lost = with_lost_formulas(lines(said, *announced))
    _, blank = with_lost_formulas(lines(said.replace(": , ,", ","), *announced))
    _, names = with_lost_formulas(lines(said, "r:", "bias:", "dropout:"))
    assert (lost, blank, names) == (3, 0, 0)


def test_a_cell_that_goes_on_below_its_row_is_read_with_it():
    head = row(
        400,
        cell(74, 110, "task_type"),
        cell(225, 300, '"CAUSAL_LM"'),
        cell(330, 500, "the kind of task: causal language"),
    )
    found = with_wrapped_cells([head, row(412, cell(330, 520, "modelling, so the next token is predicted"))])
    assert [line.pieces[-1].text for line in found] == [
        "the kind of task: causal language modelling, so the next token is predicted"
    ]
    new = [head, row(412, cell(330, 520, "The next sentence"))]
    assert with_wrapped_cells(new) == new
