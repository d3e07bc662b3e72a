import pytest

from grader.checks.finding import Finding, Status
from grader.claims.answer import extract
from grader.intake.submission import Role
from grader.reading.document import Block, BlockKind, Document
from grader.reading.reading import FileRecord, FileState, Reading
from tests.checks.making import answer, code, decide
from tests.claims.making import lab

COUNTING = """
def print_trainable_parameters(model):
    trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
    total = sum(p.numel() for p in model.parameters())
    print(trainable, total, 100 * trainable / total)
"""
PEFT = "trainable params: 1,572,864 || all params: 560,787,456 || trainable%: 0.2805"


def judge(source: str, output: str = "") -> Finding:
    return decide("t7.trainable", answer(None, [code(source, output)]))[0]


@pytest.mark.parametrize(
    "output",
    [
        "trainable params: 1572864 || all params: 409792512 || trainable%: 0.3838",
        "trainable params: 1,572,864 || all params: 409,792,512 || trainable%: 0.38",
        PEFT,
        "1572864 409792512 0.38382",
        "1572864/409792512 (0.3838%)",
        "x\n" * 300 + "Trainable: 1572864, total: 409792512",
    ],
)
def test_the_right_figures_in_an_output_are_right(output: str) -> None:
    finding = judge("print_trainable_parameters(model)", output)
    assert finding.status is Status.CORRECT
    assert "1572864" in (finding.found or "").replace(",", "")


def test_figures_on_two_lines_count_as_well() -> None:
    output = "trainable parameters: 1572864\ntotal parameters: 409792512"
    assert judge("print_trainable_parameters(model)", output).status is not Status.MISSING


def test_a_function_that_counts_by_requires_grad_is_right() -> None:
    finding = judge(COUNTING)
    assert finding.status is Status.CORRECT
    assert finding.confidence < 1
    assert finding.evidence[0].quote == "def print_trainable_parameters(model):"


def test_code_that_counts_otherwise_is_for_a_person_with_a_suggestion() -> None:
    finding = judge("def f(model):\n    return sum(p.numel() for p in model.parameters())")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.INCORRECT)


@pytest.mark.parametrize(
    "source",
    [
        "# p.requires_grad p.numel()",
        "def f(model):\n    '''Counts p.numel() where p.requires_grad.'''\n    pass",
        "print(1572864, 409792512)",
    ],
)
def test_other_code_is_for_a_person_without_a_suggestion(source: str) -> None:
    finding = judge(source)
    assert (finding.status, finding.suggestion) == (Status.REVIEW, None)


def test_code_that_only_freezes_parameters_counts_none() -> None:
    assert judge("for p in model.parameters():\n    p.requires_grad = False").status is Status.MISSING


@pytest.mark.parametrize("output", ["trainable params: 786432 || all params: 409006080", "1572864", "409792512"])
def test_wrong_or_half_figures_are_for_a_person(output: str) -> None:
    assert judge("print_trainable_parameters(model)", output).status is Status.REVIEW


def asked(body: str, output: str = "") -> Finding:
    return judge(f"def print_trainable_parameters(model):\n    {body}\n", output)


def test_a_function_that_was_followed_to_other_counts_is_decided() -> None:
    assert asked("print(sum(p.numel() for p in model.parameters()))").status is Status.INCORRECT
    assert asked("print(sum(p.numel() for p in model.parameters() if p.requires_grad))").status is Status.PARTIAL
    assert asked("# fill me").status is Status.MISSING
    assert asked("count(model)").status is Status.REVIEW


FROZEN = "sum(p.numel() for p in model.parameters() if not p.requires_grad)"
TOTAL = "sum(p.numel() for p in model.parameters())"


@pytest.mark.parametrize(
    ("source", "output", "suggestion"),
    [
        (f'print(f"untrained: {{{FROZEN}}} all: {{{TOTAL}}}")', "", Status.PARTIAL),
        (f'print("paramètres gelés :", {FROZEN}, "total :", {TOTAL})', "", Status.PARTIAL),
        (f'print("non-trainable params:", {FROZEN})', "", Status.PARTIAL),
        ("show(model)", "frozen params: 408219648 || all params: 409792512", Status.PARTIAL),
        (f'print("trained:", {FROZEN.replace("not ", "")}, "frozen:", {FROZEN})', "", Status.CORRECT),
    ],
)
def test_the_parameters_that_are_not_trained_are_no_wrong_count(source: str, output: str, suggestion: Status) -> None:
    finding = asked(source, output)
    assert (finding.status, finding.suggestion) == (Status.REVIEW, suggestion), finding.feedback


@pytest.mark.parametrize("label", ["trainable", "params"])
def test_the_parameters_that_are_not_trained_are_wrong_where_they_are_not_called_so(label: str) -> None:
    assert asked(f'print("{label}:", {FROZEN}, "all:", {TOTAL})').status is Status.INCORRECT


def test_all_parameters_printed_as_trainable_are_incorrect() -> None:
    output = "trainable params: 560787456 || all params: 560787456 || trainable%: 100.0"
    assert judge("show(model)", output).status is Status.INCORRECT


def reported(text: str) -> Finding:
    return decide("t7.trainable", answer(f"# Task 7\n\n{text}"))[0]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("trainable params: 1572864 || all params: 409792512 || trainable%: 0.3838", Status.CORRECT),
        ("De 409 792 512 paramètres, 1 572 864 sont entraînables.", Status.CORRECT),
        ("1.57M trainable of 409792512, that is 0.3838 %.", Status.CORRECT),
        ("With LoRA there are 1.57M trainable parameters.", Status.PARTIAL),
        ("The function prints 409792512 trainable parameters of 1572864.", Status.PARTIAL),
        ("409 792 512 paramètres entraînables sur 1 572 864.", Status.PARTIAL),
        ("Trainable: 409792512, all: 1572864.", Status.PARTIAL),
        ("| trainable | all | % |\n|---|---|---|\n| 409792512 | 1572864 | 0.38 |", Status.PARTIAL),
        ("| | number |\n|---|---|\n| all | 1572864 |\n| trainable | 409792512 |", Status.PARTIAL),
        ("| all | trainable | % |\n|---|---|---|\n| 409792512 | 1572864 | 0.38 |", Status.CORRECT),
        ("I add numel() of each parameter that has requires_grad.", Status.PARTIAL),
        ("trainable params: 560787456 || all params: 560787456", Status.INCORRECT),
        ("trainable params: 786432 || all params: 409006080", Status.REVIEW),
        ("We did it.", Status.MISSING),
    ],
)
def test_the_report_may_state_the_figures(text: str, status: Status) -> None:
    assert reported(text).status is status


def test_a_layer_of_the_same_size_is_no_statement_about_training() -> None:
    report = answer("# Question 1\n\nOne encoder layer has 6 × 512 × 512 = 1572864 weights.")
    assert decide("t7.trainable", report)[0].status is Status.MISSING


def test_no_code_is_missing() -> None:
    assert decide("t7.trainable", answer("# Task 7\n\nWe did it."))[0].status is Status.MISSING


def test_a_sentence_that_repeats_a_print_is_not_read_the_other_way_round() -> None:
    printed = "```\ntrainable params: 3145728 || all params: 411365376 || trainable%: 0.7647\n```"
    said = "So 3,145,728 parameters are trained, 411,365,376 there are in all."
    found = reported(f"{printed}\n\n{said}\n")
    assert found.status is not Status.PARTIAL
    assert "swapped" not in [one.id for one in found.diagnoses]


LOGGED = (
    "2023-11-17 19:53:34 | INFO | fairseq_cli.train | num. shared model params: 23,388,418 (num. trained: 23,388,418)"
)
SPEED = "2023-11-17 19:53:50 | INFO | valid | valid on 'valid' subset | accuracy 53 | wps 54409.3 | num_updates 225"
OPEN_ENDED = """
def print_trainable_parameters(model):
    trainable, total = 0, 0
    # TODO: fill the gap
    print(f"trainable params: {trainable} || all params: {total} || trainable%: {100 * trainable / total}")
"""


def test_what_a_training_program_logs_is_no_count_of_trained_parameters() -> None:
    cells = [code("!bash finetune.sh", f"{LOGGED}\n{SPEED}\n{LOGGED}"), code(COUNTING)]
    finding = decide("t7.trainable", answer(None, cells))[0]
    assert (finding.status, finding.note) == (Status.CORRECT, "")
    assert decide("t7.trainable", answer(None, cells[:1]))[0].status is Status.MISSING


@pytest.mark.parametrize(
    "source", [OPEN_ENDED, "def print_trainable_parameters(model):\n    # TODO\n    n = 0\n    pass"]
)
def test_a_function_that_uses_nothing_of_the_model_counts_nothing(source: str) -> None:
    finding = judge(source, LOGGED)
    assert (finding.status, finding.feedback) == (Status.INCORRECT, "print_trainable_parameters counts nothing.")
    helped = source.replace("    n = 0", "    n = count(model)").replace("0, 0", "count(model)")
    assert judge(helped).status is Status.REVIEW
    counted = "n = sum(p.numel() for p in m.parameters() if p.requires_grad)\nprint(n)"
    elsewhere = decide("t7.trainable", answer(None, [code(counted), code(source)]))[0]
    assert elsewhere.status is Status.REVIEW


FROZEN = 408_219_648
"""What the adapter is added to."""


@pytest.mark.parametrize(
    ("trained", "total", "told"),
    [
        (98_304, FROZEN + 98_304, "another-rank"),
        (786_432, FROZEN + 786_432, "another-adapter"),  # rank 8, or rank 16 on other modules
        (3_145_728, FROZEN + 3_145_728, "another-rank"),
        (25_165_824, FROZEN + 25_165_824, "another-rank"),
        (98_305, FROZEN + 98_305, "another-adapter"),
        (1_572_863, FROZEN + 1_572_863, "another-adapter"),
        (786_432, FROZEN, "before-adapter"),
        (FROZEN, FROZEN, "all-as-trainable"),
        (FROZEN + 1_572_864, FROZEN + 1_572_864, "all-as-trainable"),
        (1_572_864, FROZEN + 1_572_864, ""),
    ],
)
def test_what_other_figures_are_those_of(trained: int, total: int, told: str) -> None:
    cell = code("print_trainable_parameters(model)", f"trainable params: {trained} || all params: {total}")
    finding, _ = decide("t7.trainable", answer(None, [cell]))
    assert [one.id for one in finding.diagnoses] == ([told] if told else [])
    assert (finding.status is Status.CORRECT) is (not told)


@pytest.mark.parametrize(
    ("rank", "modules", "rows"),
    [
        (16, "query_key_value", 1024 + 3072),
        (16, "dense", 2048),
        (8, "query_key_value, dense", 4096 + 2048),
        (16, "dense_h_to_4h", 1024 + 4096),
        (16, "query_key_value, dense, dense_h_to_4h, dense_4h_to_h", 4096 + 2048 + 5120 + 5120),
    ],
)
def test_an_adapter_on_other_modules_is_told_by_its_size(rank: int, modules: str, rows: int) -> None:
    trained = rank * rows * 24
    cell = code("print_trainable_parameters(model)", f"trainable params: {trained} || all params: {FROZEN + trained}")
    finding, _ = decide("t7.trainable", answer(None, [cell]))
    if (rank, modules) == (16, "query_key_value"):
        assert finding.status is Status.CORRECT
    else:
        assert finding.status is not Status.CORRECT
        assert "adapter" in finding.feedback


def on_page(lines: str) -> Finding:
    """The verdict on lines of a page, of which only where they begin tells how far they are set in."""
    blocks = [
        Block(
            kind=BlockKind.LINE, text=line.strip(), page=1, box=(60.0 + 5 * (len(line) - len(line.lstrip())), y, 500, y)
        )
        for y, line in enumerate(lines.strip("\n").split("\n"))
    ]
    document = Document(file="report.pdf", blocks=tuple(blocks), exact=False)
    files = (FileRecord(path="report.pdf", role=Role.REPORT, state=FileState.READ),)
    return decide("t7.trainable", extract(Reading(documents=(document,), files=files), lab()))[0]


def test_a_function_that_a_page_shows_is_followed() -> None:
    loop = """
Task 7
def print_trainable_parameters(model):
    trainable = 0
    total = 0
    for _, p in model.named_parameters():
        total += p.numel()
        if p.requires_grad:
            trainable += p.numel()
    print(trainable, total)
That is all.
"""
    assert on_page(loop).status is Status.CORRECT
    assert on_page(loop.replace("That is", "  That is")).status is Status.CORRECT
    assert on_page(COUNTING.replace("\ndef", "\nTask 7\ndef")).status is Status.CORRECT
    assert on_page(loop.replace("        if p.requires_grad:\n", "")).status is not Status.CORRECT


def test_a_loop_that_a_page_shows_is_followed_from_sums_of_zero() -> None:
    loop = """
Task 7
for _, p in model.named_parameters():
    total += p.numel()
    if p.requires_grad:
        trainable += p.numel()
That is all.
"""
    assert on_page(loop).status is Status.CORRECT
    assert on_page(loop.replace("    if p.requires_grad:\n", "")).status is not Status.CORRECT


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("Only 0.38 % of the parameters are trained once LoRA is in.", Status.PARTIAL),
        ("Avec LoRA on n'entraîne que 0,3838 % des paramètres.", Status.PARTIAL),
        ("After LoRA the learning rate fell by 0.38 %.", Status.MISSING),
        ("Only 0.48 % of the parameters are trained once it is in.", Status.MISSING),
    ],
)
def test_the_share_of_trained_parameters_alone_is_right_in_part(said: str, status: Status) -> None:
    assert decide("t7.trainable", answer(f"# Results\n\n{said}"))[0].status is status


def test_an_excerpt_of_the_function_shows_how_it_counts() -> None:
    excerpt = """
for name, param in model.named_parameters():
    everything += param.numel()
    if param.requires_grad:
        trained += param.numel()
"""
    assert judge(excerpt).status is Status.CORRECT
    assert judge(excerpt.replace("    if param.requires_grad:\n    ", "")).status is not Status.CORRECT


def test_the_rounded_number_below_the_title_of_another_question_is_not_missing() -> None:
    text = "# Question 1\n\nIt has 22,807,552.\n\nOnly about 1.57 million parameters are trained with the adapters."
    assert decide("t7.trainable", answer(text))[0].status is Status.REVIEW
