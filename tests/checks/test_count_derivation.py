from decimal import Decimal

import pytest

from grader.checks.finding import Finding, Flag, Status
from grader.checks.registry import check_of
from grader.reading.document import Repair, RepairKind
from grader.reading.notebook import Cell, CellKind
from tests.checks.making import answer, code, decide, lab, truth
from tests.patience import within

PARTS = """
Token embedding: 32000 × 512 = 16,384,000.
Position embedding: (256 + 2) × 512 = 132,096.
Attention: 4 × 512 × 512 = 1,048,576 per layer.
Feed-forward: 2 × 512 × 512 = 524,288 per layer.
One layer: 1,048,576 + 524,288 = 1,572,864.
"""
TOTAL = "Total: 16,384,000 + 132,096 + 4 × 1,572,864 = 22,807,552."


def judge(text: str) -> tuple[Finding, list[Flag]]:
    return decide("q1.derivation", answer(f"# Question 1\n{text}\n"))


RIGHT = {
    "in words and signs": PARTS + TOTAL,
    "LaTeX": r"""
$$32000 \times 512 = 16384000$$
$$(256 + 2) \times 512 = 132096$$
$$4 \times 512^2 = 1048576$$
$$2 \times 512^{2} = 524288$$
$$16384000 + 132096 + 4 \times (1048576 + 524288) = 22807552$$""",
    "a table": """
| part | formula | number |
|---|---|---|
| token embedding | 32000 × 512 | 16,384,000 |
| positions | 258 × 512 | 132,096 |
| attention | 4 × 512² | 1,048,576 |
| feed-forward | 2 × 512² | 524,288 |
| 4 layers | 4 × 1,572,864 | 6,291,456 |
| **Total** | | **22,807,552** |""",
    "with biases and norms": """
Embedding: 16,384,000 + 132,096 + 1,024 = 16,517,120
Attention: 4 × (512 × 512 + 512) = 1,050,624
Feed-forward: 2 × (512 × 512 + 512) = 525,312
One layer: 1,050,624 + 1,024 + 525,312 + 1,024 = 1,577,984
Total = 16,517,120 + 4 × 1,577,984 = 22,829,056""",
    "flattened powers": (PARTS + TOTAL).replace("512 × 512 =", "5122 ="),
    "dots as signs": (PARTS + TOTAL).replace("×", "·"),
    "program notation": (PARTS + TOTAL).replace("512 × 512", "512**2").replace("×", "*"),
    "thin spaces": (PARTS + TOTAL).replace(",", "\u202f"),
    "layers by number": PARTS + "Layer 1 = 1,572,864, and layer 2 = 1,572,864 as well.\n" + TOTAL,
    "rounded at the end": PARTS + TOTAL.replace("552.", "552 = 22.8 million."),
    "with a share": PARTS + TOTAL + "\nThe share of the embedding is 16,384,000 / 22,807,552 = 71.8 %.",
    "over two lines": PARTS + "16,384,000 + 132,096\n+ 6,291,456 = 22,807,552",
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_a_right_derivation_is_right_in_every_notation(text: str) -> None:
    finding, flags = judge(text)
    assert flags == []
    assert finding.status is Status.CORRECT


WRONG = PARTS + "4 × 1,572,864 = 6,301,936 for all layers.\n" + TOTAL


def test_an_equation_that_does_not_hold_makes_it_right_in_part() -> None:
    finding, (flag,) = judge(WRONG)
    assert finding.status is Status.PARTIAL
    assert flag.id == "arithmetic"
    assert "6,291,456" in flag.message
    assert "6,301,936" in flag.evidence[0].quote


def test_an_equation_with_inferred_characters_is_left_to_a_person() -> None:
    """A fraction that was told from a line on the page may be the reader's mistake."""
    (document,) = answer(f"# Question 1\n{WRONG}\n").sections
    start = document.passage.text.index("6,301,936")
    index = next(i for i, block in enumerate(document.passage.blocks) if "6,301,936" in block.text)
    block = document.passage.blocks[index]
    repaired = block.model_copy(update={"repairs": (Repair(kind=RepairKind.FRACTION, start=0, end=len(block.text)),)})
    blocks = (*document.passage.blocks[:index], repaired, *document.passage.blocks[index + 1 :])
    passage = document.passage.model_copy(update={"blocks": blocks})
    assert passage.is_inferred(start, start + 5, RepairKind.FRACTION)
    given = answer("").model_copy(update={"sections": (document.model_copy(update={"passage": passage}),)})
    finding, _ = decide("q1.derivation", given)
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.PARTIAL)


def test_a_total_alone_is_no_derivation() -> None:
    finding, _ = judge("The total is 22,807,552.")
    assert finding.status is Status.MISSING


def test_words_on_what_is_counted_are_part_of_a_derivation() -> None:
    finding, _ = judge("With token embedding, positions, attention and feed-forward the total is 22,807,552.")
    assert finding.status is Status.PARTIAL


def test_a_part_with_two_digits_exchanged_is_seen_beside_a_right_total() -> None:
    rows = "| token embedding | 16,384,000 |\n| positions | 132,096 |\n| attention, 1 layer | 1,048,576 |\n"
    rows += "| feed-forward, 1 layer | 524,288 |\n| 4 layers | {} |\n| total | 22,807,552 |"
    table = f"| part | weights |\n|---|---|\n{rows}"
    assert judge(table.format("6,291,456"))[0].status is Status.CORRECT
    finding, _ = judge(table.format("6,291,546"))
    assert finding.status is not Status.CORRECT
    assert "6,291,546" in str(finding.feedback)


def test_one_part_that_is_named_is_not_nothing() -> None:
    finding, _ = judge("With the position embeddings the total is 22,807,552.")
    assert finding.status is Status.REVIEW


def test_parts_named_without_any_total_are_for_a_person() -> None:
    finding, _ = judge("We count the token embedding, the positions, the attention and the feed-forward layers.")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.PARTIAL)


def test_a_wrong_total_is_never_a_right_derivation() -> None:
    finding, _ = judge(PARTS + "Total: 16,384,000 + 132,096 + 1,572,864 = 18,088,960.")
    assert (finding.status, finding.share) == (Status.PARTIAL, Decimal("0.85"))
    assert "one layer is counted instead of 4" in finding.feedback


def test_two_parts_that_are_counted_together_are_both_there() -> None:
    attention = "Attention: 3 × 512 × 512 = 786,432 per layer.\nFeed-forward: 2 × 512 × 512 = 524,288 per layer.\n"
    total = "Total: 16,516,096 + 4 × (786,432 + 524,288) = 21,758,976."
    finding, _ = judge(f"Embeddings: (32000 + 258) × 512 = 16,516,096.\n{attention}{total}")
    assert finding.feedback.startswith("Right: token embedding, position embedding, feed-forward.")


def test_one_slip_costs_the_total_alone_unless_the_lab_wants_it() -> None:
    asked = next(one for one in lab().items if one.id == "q1.derivation")
    lenient = asked.model_copy(update={"options": {**asked.options, "slip_costs": False}})
    verdicts = {}
    for text in (
        PARTS + "Total: 16,384,000 + 132,096 + 3 × 1,572,864 = 21,234,688.",  # one slip
        PARTS + "Total: 16,384,000 + 3 × 1,572,864 = 21,102,592.",  # two
    ):
        given = answer(f"# Question 1\n{text}\n")
        for item in (asked, lenient):
            conclusions = check_of(item).bind_options(item)(answer=given, truth=truth(), lab=lab())
            (finding,) = (one for one in conclusions if isinstance(one, Finding))
            verdicts[text[-12:], item is lenient] = finding.status
            assert finding.diagnoses
    assert list(verdicts.values()) == [Status.PARTIAL, Status.CORRECT, Status.PARTIAL, Status.PARTIAL]


def test_a_part_left_out_is_named() -> None:
    finding, _ = judge(PARTS.replace("Position embedding: (256 + 2) × 512 = 132,096.", "") + "Total = 22,675,456")
    assert (finding.status, finding.share) == (Status.PARTIAL, Decimal("0.8"))
    assert "leaves out the position embedding" in finding.feedback


FORMULAS = {
    "one formula": "(32000 + 256 + 2) × 512 + 4 × (4 × 512² + 2 × 512²) = 22,807,552",
    "symbols of the lab": "V d_model + (T + 2) d_model + N (4 d_model^2 + 2 d_model d_ff) = 22,807,552",
    "symbols of its own": "a = 32000, b = 512, c = 258:\nTotal = a*b + c*b + 4*(4*b^2 + 2*b^2) = 22,807,552",
    "a bracket forgotten": "4 × [(4 × (512 × 512) + 2 × (512 × 512)] + (32000 + 258) × 512 = 22,807,552",
    "LaTeX": r"$$|V| d_{\text{model}} + (T+2) d_{model} + N\left(4 d_{model}^2 + 2 d_{model}^2\right) = 22807552$$",
}


@pytest.mark.parametrize("text", FORMULAS.values(), ids=FORMULAS)
def test_a_derivation_in_one_formula_shows_its_parts(text: str) -> None:
    finding, flags = judge(f"The total is\n\n{text}")
    assert (finding.status, flags) == (Status.CORRECT, [])


def test_a_wrong_formula_tells_its_slip() -> None:
    finding, _ = judge("The total is 32000 × 512 + 4 × (3 × 512 × 512 + 1 × 512 × 512) = 20,578,304 parameters.")
    assert finding.status is Status.PARTIAL
    assert finding.found == "token embedding"
    assert finding.share == Decimal("0.35")


@pytest.mark.parametrize("text", ["", "We could not do it.", "d = 512 and there are 4 layers."])
def test_nothing_is_missing(text: str) -> None:
    assert judge(text)[0].status is Status.MISSING


def test_an_equation_of_another_question_is_not_held_against_it() -> None:
    finding, (flag,) = judge(PARTS + TOTAL + "\n\n# Task 3\n\n2 + 2 = 5 here.")
    assert (finding.status, flag.id) == (Status.CORRECT, "arithmetic")


def test_an_equation_of_accuracies_is_not_held_against_it() -> None:
    """Where the answer's section runs into the results, only what may be of the count counts."""
    finding, (flag,) = judge(PARTS + TOTAL + "\n\nAverage = (80.15 + 79.40 + 81.30) / 3 = 81.28 on test.")
    assert (finding.status, flag.id) == (Status.CORRECT, "arithmetic")


PROGRAM = """V, d, P = 32000, 512, 258
embedding = V * d
positions = P * d
attention = 4 * d * d
feed_forward = 2 * d * d
print(embedding, positions, attention, feed_forward)
print(embedding + positions + 4 * (attention + feed_forward))"""


@pytest.mark.parametrize(
    ("cell", "status"),
    [
        (code(PROGRAM, "16384000 132096 1048576 524288\n22807552"), Status.CORRECT),
        (code(PROGRAM.replace("258", "256"), "16384000 131072 1048576 524288\n22806528"), Status.MISSING),
        (code("print(sum(p.numel() for p in model.parameters()))", "22807552"), Status.MISSING),
        (code(f"# {PARTS}\nx = model.parameters()", "22807552"), Status.MISSING),
    ],
)
def test_a_program_beside_the_report_may_derive_its_total(cell: Cell, status: Status) -> None:
    given = answer("# Question 1\n\n22,807,552, see the notebook.\n\n# Question 2\n\nr is the rank.", (cell,))
    assert decide("q1.derivation", given)[0].status is status


def test_notes_of_a_notebook_may_derive_the_total_of_the_report() -> None:
    notes = Cell(index=0, kind=CellKind.MARKDOWN, source=f"## Question 1\n{PARTS}\n{TOTAL}")
    for total, status in (("22,807,552", Status.CORRECT), ("22,829,056", Status.MISSING)):
        given = answer(f"# Question 1\n\n{total}\n\n# Question 2\n\nr is the rank.", (notes, code("print(1)", "1")))
        assert decide("q1.derivation", given)[0].status is status


def test_a_line_of_thousands_of_numbers_takes_no_time() -> None:
    with within(5):  # as the square of the numbers it would be thirty seconds
        judge("12345678 " * 4_000)


DUMPS = (
    "512 × 512 = 262144, 4 × 3 = 12, 32000 × 512 = 16384000, 258 × 512 = 132096, 4 × 262144 = 1048576, "
    "2 × 262144 = 524288, 7 × 8 = 56. Total 22,807,552.",
    "512 × 512 = 262144, 4 × 3 = 12, 32000 × 512 = 16384000, total 22,807,552.",
)


@pytest.mark.parametrize("text", DUMPS)
def test_true_products_that_lead_to_no_total_earn_no_full_points(text: str) -> None:
    finding, _ = judge(text)
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.PARTIAL)


def test_a_total_follows_from_parts_of_one_layer_where_the_layers_are_named() -> None:
    finding, _ = judge(
        "The vocabulary gives 32000·512 = 16,384,000, positions 258·512 = 132,096, and one block has "
        "4·512² = 1,048,576 (attention) plus 2·512² = 524,288 (MLP); there are 4 blocks, hence 22,807,552."
    )
    assert finding.status is Status.CORRECT


def test_many_values_are_added_up_in_bounded_time() -> None:
    with within(5):
        judge("\n".join(f"{2_700_000 + 7 * number} layer" for number in range(200)) + "\nTotal 22,807,552")


def test_a_number_that_a_program_printed_is_a_part_only_beside_the_part_s_name() -> None:
    source = "# Question 1\n\nI count embeddings, attention and feed-forward of each layer: 22,807,552 parameters."
    total = Cell(index=0, kind=CellKind.MARKDOWN, source=source)
    printed = code("print(n)", "trainable params: 4194304 || all params: 409792512")
    named = code("print(n)", "attention: 4194304")
    assert [decide("q1.derivation", answer(None, [total, one]))[0].found for one in (printed, named)] == [
        None,
        "attention",
    ]
