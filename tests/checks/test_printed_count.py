import pytest

from grader.checks.finding import Finding, Status
from grader.claims.answer import Printout
from tests.checks.making import NOTEBOOK, answer, code, decide

COUNTING = "print(sum(p.numel() for p in model.parameters()))"
REPORT = "# Task 1\n\nThe code gives 22,829,056 parameters.\n"


def judge(report: str | None, *outputs: str) -> Finding:
    return decide("t1.verified", answer(report, [code(COUNTING, output) for output in outputs]))[0]


@pytest.mark.parametrize(
    ("output", "total"),
    [
        ("22829056", "22829056"),
        ("22807552\n", "22807552"),
        ("Total parameters: 22,829,056", "22829056"),
        ("tensor(22829056)", "22829056"),
        ("('encoder', 23124736)", "23124736"),
        ("2024-01-01 | num. shared model params: 22,829,056 (num. trained: 22,829,056)", "22829056"),
        ("x\n" * 500 + "22_829_056", "22829056"),
    ],
)
def test_a_known_count_in_an_output_verifies(output: str, total: str) -> None:
    finding = judge(None, "", output)
    assert (finding.status, finding.found) == (Status.CORRECT, total)
    assert (finding.evidence[0].file, finding.evidence[0].cell) == (NOTEBOOK, 1)


def test_a_count_typed_in_the_code_verifies_nothing() -> None:
    finding, _ = decide("t1.verified", answer(None, [code("expected = 22829056")]))
    assert finding.status is Status.MISSING


def test_a_count_near_the_right_ones_is_for_a_person_and_one_of_another_model_is_wrong() -> None:
    assert judge(None, "23345678").status is Status.REVIEW
    assert judge(None, "560787456").status is Status.INCORRECT


def test_a_listing_of_another_models_layers_says_nothing() -> None:
    finding, _ = decide("t1.verified", answer(None, [code("model.summary()", "Total params: 216,650")]))
    assert finding.status is Status.MISSING


@pytest.mark.parametrize(
    ("output", "suggestion"),
    [
        ("22.8M parameters", Status.CORRECT),
        ("22.83 M", Status.CORRECT),
        ("22.84 M", None),
        ("23M", None),
    ],
)
def test_a_rounded_count_is_for_a_person_with_what_it_would_be(output: str, suggestion: Status | None) -> None:
    """Three digits and more, rounded to the nearest: 22.84 M is no known count, and 23 M may be anything."""
    finding = judge(None, output)
    assert (finding.status, finding.suggestion) == (Status.REVIEW, suggestion)


@pytest.mark.parametrize(
    "report",
    [
        "`model.num_parameters()` prints 22,829,056.",
        "The code gives 22,829,056 parameters.",
        "| counted | output of my code |\n| --- | --- |\n| all but the head | 22 829 056 |",
        "    >>> sum(p.numel() for p in model.parameters())\n    23124736\n    >>> 23124736 - 295680\n    22829056",
    ],
)
def test_a_count_that_the_report_says_code_gave_is_right(report: str) -> None:
    assert judge(f"# Task 1\n\n{report}").status is Status.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "Without its last layer, the script reports 22,829,056, which is not far from nothing.",
        "The notebook, without any biases nor norms: 22807552.",
        "Sans aucun biais, mon script affiche 22 807 552.",
        "Mon script affiche 22829056 avec les normes, 22807552 sans.",
        "Ohne den Kopf gibt das Skript 22829056 aus.",
        "Norms and biases not counted, torch says 22807552.",
        "N = 22807552. PyTorch: ditto, without biases.",
        "On trouve 22 807 552. Le notebook donne la même valeur.",
        "The loop over `named_parameters()` finds:\n\n```\nmatrices : 22807552\n```",
    ],
)
def test_what_is_left_out_denies_no_count(said: str) -> None:
    assert judge(f"# Task 1\n\n{said}").status is Status.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "I get 22,829,056 without any code.",
        "I get 22,829,056 without looking at the notebook.",
        "J'obtiens 22 829 056 sans exécuter le notebook.",
        "J'obtiens 22 829 056 sans regarder le code.",
        "Ohne Code komme ich auf 22829056.",
        "No script printed 22,829,056.",
        "With no output of my script, 22,829,056 is what I have.",
        "22,829,056 was not counted by the script.",
        "The notebook does not print 22,829,056, without the head.",
        "Checked: 22,829,056. LoRA has 1,572,864; the script gives the same number.",
    ],
)
def test_what_is_left_out_is_denied_where_it_is_the_code(said: str) -> None:
    assert judge(f"# Task 1\n\n{said}").status is not Status.CORRECT


@pytest.mark.parametrize("said", ["The code may give 22,829,056 parameters.", "Checked: 22,829,056."])
def test_a_count_is_right_in_part_where_it_is_not_said_plainly_that_code_gave_it(said: str) -> None:
    assert judge(f"# Task 1\n\n{said}").status is Status.PARTIAL


@pytest.mark.parametrize(
    ("report", "status"),
    [
        ("# Task 3\n\nThe accuracy on test, as the script prints it, is 79.5.", Status.MISSING),
        ("# Task 7\n\nThe function prints trainable params: 1,572,864.", Status.MISSING),
        ("# Results\n\nAll notebooks are in the folder. torch.bfloat16 was used.", Status.MISSING),
        ("# Question 1\n\nThe sum is 12. The code agrees.", Status.REVIEW),
        ("# Results\n\nWe checked the number of parameters in PyTorch.", Status.REVIEW),
    ],
)
def test_what_is_said_of_another_matter_is_no_answer(report: str, status: Status) -> None:
    assert judge(report).status is status


def test_neither_code_nor_count_is_missing() -> None:
    assert judge("# Task 1\n\nWe did it.").status is Status.MISSING
    assert judge(None).status is Status.MISSING


def test_what_a_logger_prints_on_its_way_verifies_nothing() -> None:
    assert (
        judge(None, "[INFO|trainer.py:1732] >>   Number of trainable parameters = 22,829,056").status is Status.REVIEW
    )


def test_a_count_that_a_text_keeps_of_a_print_verifies_beside_code_that_counts() -> None:
    handed_in = answer(None, [code(COUNTING)])
    kept = Printout(file="logs/params.txt", text="Embedding(32000, 512)\nwith everything : 22829056\n")
    finding, *_ = decide("t1.verified", handed_in.model_copy(update={"printed": (kept,)}))
    assert finding.status is Status.CORRECT
    assert (finding.evidence[0].file, finding.evidence[0].line) == ("logs/params.txt", 2)
    remark = kept.model_copy(update={"text": "print(total)  # 22829056"})
    for printed, cells in ((remark, [code(COUNTING)]), (kept, [code("model.train()")])):
        told = answer(None, cells).model_copy(update={"printed": (printed,)})
        assert decide("t1.verified", told)[0].status is not Status.CORRECT


IN_A_CELL = "n = sum(p.numel() for p in model.parameters())"


@pytest.mark.parametrize(
    ("cells", "accepted"),
    [
        (((f"{IN_A_CELL}\nn", "22829056"),), "c"),
        (((f"{IN_A_CELL}\nprint(f'{{n / 1e6:.2f}} M')", "22.83 M"),), "r"),
        (((f"{IN_A_CELL}\nprint(22829056)", "22829056"),), "cr"),
        ((("n = 22_829_056\nprint(n)", "22829056"),), "r"),
        ((("n = 22829056", ""), ("print(n)", "22829056")), "r"),
        ((("print(32000 * 512 + 6445056)", "22829056"),), "r"),
        ((("print('22,829,056')", "22,829,056"),), "r"),
        ((("x = np.zeros(22829056)\nprint(x.size)", "22829056"),), "r"),
        ((("x = torch.rand((22829056, 1))\nprint(x.numel())", "22829056"),), "r"),
        (((COUNTING, "22829056"), (COUNTING, "22829056")), "c"),
        (((COUNTING, "22829057"), (COUNTING, "22829056")), "cr"),
        (((COUNTING, "22829056"), (COUNTING, "22829057")), "cr"),
        (((COUNTING, "560787456"), (COUNTING, "409792512")), "ir"),
        (((COUNTING, "12345678"),), "i"),
        (((COUNTING, "22,829,056 parameters in 12 blocks"),), "c"),
        (((COUNTING, "blocks: 12; parameters: 22829056"),), "c"),
        (((COUNTING, "22829056 of 22829056"),), "c"),
        (((COUNTING, "epoch 1\n" * 60 + "22829056"),), "c"),
        (((COUNTING, "22829056\n" + "epoch 1\n" * 60),), "c"),
        (((COUNTING + "\n" + "x = 1\n" * 60, "22829056"),), "cr"),
        ((("# we count\n" + COUNTING, "22829056"),), "c"),
        ((("model.summary()", "Total params: 22829056"),), "c"),
        ((("model.num_parameters()", "22829056"),), "c"),
        ((("!python count.py", "22829056"),), "cr"),
        ((("!wc -c model.bin", "22829056 model.bin"),), "cr"),
        ((("import count", "22829056"),), "r"),
        (((COUNTING, "NameError: name 'model' is not defined"),), "r"),
        (((COUNTING, "loss 0.1 lr 1e-05"),), "r"),
        (((COUNTING, "2024-01-01 10:00:00 22829056"),), "c"),
        (((COUNTING, "22829056.0"),), "cr"),
        (((COUNTING, "[22829056, 132096]"),), "c"),
        (((COUNTING, "[132096, 22829056]"),), "c"),
    ],
)
def test_a_print_verifies_where_code_that_counts_made_it(cells: tuple[tuple[str, str], ...], accepted: str) -> None:
    finding, _ = decide("t1.verified", answer(None, [code(*one) for one in cells]))
    letters = {"c": Status.CORRECT, "i": Status.INCORRECT, "r": Status.REVIEW}
    assert finding.status in {letters[one] for one in accepted}


@pytest.mark.parametrize("line", ["total 16,516,096 + 6,291,456 = 22,807,552", "4 * 1572864 + 16516096 = 22807552"])
def test_a_calculation_in_a_report_is_no_print(line: str) -> None:
    kept = answer(f"# Question 1\n\n```\n{line}\n```\n", [code("n = sum(p.numel() for p in model.parameters())")])
    assert decide("t1.verified", kept)[0].status is not Status.CORRECT


def test_a_count_that_a_cell_gave_is_not_missing_where_the_writer_wonders_at_it() -> None:
    text = "# Question 1\n\n29.1M in all. My cell in python said 22829056, which is smaller, I guess it is compressed."
    assert decide("t1.verified", answer(text))[0].status is not Status.MISSING
