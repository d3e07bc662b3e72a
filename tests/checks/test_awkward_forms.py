"""Forms of answers in which a verdict is easily wrong, judged in the shipped labs: right work must get its points or go
to a person, and wrong work must not be right.
"""

from functools import cache

import pytest

from grader.checks.finding import Finding, Status
from grader.checks.runner import run_checks
from grader.lab.definition import Lab
from grader.lab.files import lab_folder, load_lab, load_truth
from grader.lab.truth import GroundTruth
from tests.checks.making import answer, code, concluded

RIGHT, PART, WRONG, NONE, PERSON = Status.CORRECT, Status.PARTIAL, Status.INCORRECT, Status.MISSING, Status.REVIEW
CNN, LLAMA, DIABETES = "digits-cnn", "small-llama", "diabetes-regression"


@cache
def shipped(name: str) -> tuple[Lab, GroundTruth]:
    return load_lab(lab_folder(name)), load_truth(lab_folder(name))


def judged(name: str, item: str, report: str | None, *cells: tuple[str, str]) -> Finding:
    lab, truth = shipped(name)
    given = answer(report, [code(*cell) for cell in cells], the_lab=lab)
    found = run_checks(given, truth, lab)
    finding = next(one for one in found.findings if one.item == item)
    concluded(found.flags, finding)
    return finding


SEEDS = "# Task 2\n\nTest perplexity: 2.98 (seed 0), 2.86 (seed 1), 3.27 (seed 2).\n\n"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (f"{SEEDS}Mean 3.0365, standard deviation 0.2121 over the seeds.", RIGHT),  # from 2.979, 2.862, 3.268
        (f"{SEEDS}Mean 3.04, standard deviation 0.029 over the seeds.", PART),
        (
            "# Task 2\n\n| seed | test ppl |\n|---|---|\n| 0 | 2.98 |\n| 1 | 2.86 |\n| 2 | - |\n\nmean 2.92, std 0.06",
            PERSON,
        ),
        ("# Task 2\n\nTest perplexity: 3, 3, 4 for the seeds 0, 1, 2.\n\nMean 3.21, std 0.4 over the seeds.", PERSON),
    ],
)
def test_statistics_of_values_that_were_rounded_and_of_fewer_runs(text: str, status: Status) -> None:
    assert judged(LLAMA, "t2.statistics", text).status is status


COUNTS = "sum(p.numel() for p in m.parameters() if p.requires_grad)", "sum(p.numel() for p in m.parameters())"


@pytest.mark.parametrize(
    ("text", "source", "status"),
    [
        ("13,312 of 5,905,664 parameters are trained.", "", RIGHT),
        ("It trains 13,312 parameters; there are 5,905,664 in total.", "", RIGHT),
        ("The adapter has 5,905,664 trainable parameters out of 13,312 in total.", "", PART),
        (
            "So 5,905,664 parameters are trained, and there are 13,312 of them in all.",
            f"print({COUNTS[0]}, {COUNTS[1]})",
            PERSON,
        ),
        ("trained 26624 all 5918976", f"print('trained', {COUNTS[0]}, 'all', {COUNTS[1]})", PERSON),
    ],
)
def test_figures_of_trainable_parameters_that_contradict(text: str, source: str, status: Status) -> None:
    cells = [(source, "")] if source else []
    assert judged(LLAMA, "t1.trainable", f"# Task 1\n\n{text}", *cells).status is status


STRAIGHT, TURNED = ((5, 1, 1), (2, 4, 1), (1, 0, 5)), ((5, 2, 1), (1, 4, 0), (1, 1, 5))


SPACED = ("true 3    5      1      1", "true 5    2      4      1", "true 8    1      0      5")


def matrix(numbers: tuple[tuple[int, ...], ...], row: str, column: str, corner: str = "") -> str:
    lines = [f"| {corner} | " + " | ".join(f"{column}{one}" for one in (3, 5, 8)) + " |", "|---|---|---|---|"]
    lines += [
        f"| {row}{one} | " + " | ".join(map(str, own)) + " |" for one, own in zip((3, 5, 8), numbers, strict=True)
    ]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (matrix(STRAIGHT, "", ""), RIGHT),
        (matrix(STRAIGHT, "", "", "true \\ predicted"), RIGHT),
        (matrix(STRAIGHT, "true ", "pred "), RIGHT),
        (matrix(TURNED, "pred ", "true "), RIGHT),
        ("Rows are predictions, columns the true classes.\n\n" + matrix(TURNED, "", ""), RIGHT),
        ("rows: predicted class, columns: true class\n\n" + matrix(STRAIGHT, "", ""), PERSON),
        (matrix(STRAIGHT, "pred ", "true "), PERSON),
        ("One row for each true class.\n\n" + matrix(TURNED, "", ""), PERSON),
        ("Rows are predictions.\n\n" + matrix(STRAIGHT, "true ", "pred "), PERSON),
        ("Rows are predictions, columns true.\n\n    [[5 2 1]\n     [1 4 0]\n     [1 1 5]]", RIGHT),
        ("Rows are predictions, columns true.\n\n    [[5 1 1]\n     [2 4 1]\n     [1 0 5]]", PERSON),
        ("5 1 1 / 2 4 1 / 1 0 5 (rows true 3, 5, 8)", RIGHT),
        ("       pred 3   pred 5   pred 8\n\n" + "\n\n".join(SPACED), RIGHT),
    ],
)  # fmt: skip
def test_what_is_said_of_rows_and_columns(text: str, status: Status) -> None:
    assert judged(CNN, "q2.matrix", f"# Question 2\n\n(a) Here it is.\n\n{text}\n\n(b) 0.7").status is status


def test_the_words_of_a_title_choose_nothing() -> None:
    assert judged(LLAMA, "q4.choice", "# Question 4: decoding\n").status is not RIGHT
    assert judged(LLAMA, "q4.choice", "# Question 4: decoding\n\n(a) beam search\n\n(b) -").status is WRONG


FITTED = "# Problem 2\n\n(a) B\n\n(b) {}"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("A yes, B yes, C no, and D yes", RIGHT),
        ("\n\nA: yes\n\nB: yes\n\nC: no\n\nD: yes", RIGHT),
        ("A: no\n\nB: no\n\nC: yes\n\nD: no", WRONG),
        ("A ✓  B ✓  C ✗  D ✓", RIGHT),
        ("A and B. D too, I think.", PERSON),
        ("All four, A, B, C and D: whatever is fitted may only see the training data, or something leaks.", PART),
        ("A and D", PART),
    ],
)
def test_an_option_that_is_named_less_firmly_is_not_left_out(text: str, status: Status) -> None:
    assert judged(DIABETES, "p2.fitted", FITTED.format(text)).status is status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Class 5 has the highest one.", PERSON),
        ("Class 5; class 8 has the highest one.", RIGHT),
        ("A: 0.71\n\nB: 0.57\n\nC: 0.83\n\nso B", RIGHT),
        (
            "Recalls: 0.63 for the 3, 0.8 for the 5 and 0.71 for the 8. The lowest is that of the first: answer A.",
            WRONG,
        ),
        ("It is the opposite of class 5.", PERSON),
    ],
)
def test_what_is_said_beside_an_option(text: str, status: Status) -> None:
    assert judged(CNN, "q2.recall", f"# Question 2\n\n(a) -\n\n(b) -\n\n(c) {text}").status is status


PROSE = (
    "Question 4. (a) I chose C, as in a beam. (b) Sampling varies, while greedy decoding tends to get stuck in loops."
)


def test_a_question_in_one_paragraph_is_cut_at_its_parts() -> None:
    found = judged(LLAMA, "q4.choice", PROSE)
    assert (found.status, found.found) == (WRONG, "c")


def test_a_word_that_begins_like_a_label_takes_nothing_away() -> None:
    text = "Question 2. The perplexity is 22.65, from which one has to guess less than to know to what it leads to."
    assert judged(LLAMA, "q2.perplexity", text).status is RIGHT


NOTES = """\
1   emb 6000*256 = 1,536,000

    head the same

2   exp(3.12) = 22.6

3   BP = exp(1-20/18) = 0.895

    BLEU = .895*.499 = 0.447

T1  see lora.py

T2  lost

T3  see gen.py

4a  b

4b  more varied
"""


@pytest.mark.parametrize(("item", "status"), [("q2.perplexity", RIGHT), ("q3.penalty", RIGHT), ("q3.bleu", WRONG)])
def test_numbers_in_the_margin_are_those_of_the_questions(item: str, status: Status) -> None:
    assert judged(LLAMA, item, NOTES).status is status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("`torch.optim.SGD(net.parameters(), 0.05, 0.9, 0, 5e-4, True)`", RIGHT),
        ("`torch.optim.SGD(net.parameters(), 0.05, 0.9, 5e-4, 0, True)`", PART),
        ("We took SGD (Robbins, 1951).", PERSON),
    ],
)
def test_arguments_by_place_in_a_text(text: str, status: Status) -> None:
    assert judged(CNN, "t1.optimiser", f"# Task 1\n\n{text}").status is status


SAMPLING = "GenerationConfig(do_sample=True, max_new_tokens=40, top_p=0.9, temperature=0.7)"


@pytest.mark.parametrize(
    ("source", "status"),
    [
        (f"one = {SAMPLING}\nmodel.generate(**ids, generation_config=one)", RIGHT),
        (f"model.generate(ids, {SAMPLING})", RIGHT),
        ("model.generate(**ids, generation_config=GenerationConfig(top_p=0.9, temperature=0.7))", PART),
        (f"one = {SAMPLING}\ntwo = GenerationConfig()\nmodel.generate(**ids, generation_config=two)", PERSON),
    ],
)
def test_arguments_that_an_object_brings(source: str, status: Status) -> None:
    assert judged(LLAMA, "t3.generation", "# Task 3\n\nsee code", (source, "")).status is status


def test_a_pattern_of_names_is_for_a_person() -> None:
    source = "LoraConfig(r=4, lora_alpha=16, target_modules=r'.*\\.(q_proj|v_proj)', lora_dropout=0.05)"
    assert judged(LLAMA, "t1.config", "# Task 1\n\nsee code", (source, "")).status is PERSON


TASK = "# Task 1\n\nThe {}.\n\n# Task 2\n"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("RMSE is 54.03 on the test part and 53.57 on the training part", RIGHT),
        ("RMSE on the training part is 53.57, on the test part 54.03", RIGHT),
        ("RMSE is 54.03 (train 53.57)", RIGHT),
        ("RMSE on the training part is 54.03, and on the test part 53.57", PERSON),
        ("RMSE on the training part is 54.03", PERSON),
    ],
)
def test_a_number_of_something_else_is_not_the_answer(text: str, status: Status) -> None:
    assert judged(DIABETES, "t1.rmse", TASK.format(text)).status is status


MODELS = "| model | train RMSE | test RMSE | train R2 | test R2 |\n|---|---|---|---|---|\n"
ROWS = "| Ridge | 53.57 | 54.03 | 0.533 | 0.414 |\n| kNN | 49.10 | 57.73 | 0.610 | 0.331 |\n"


def test_columns_of_something_else_are_left_out() -> None:
    assert judged(DIABETES, "t3.table", f"# Task 3\n\n{MODELS}{ROWS}").status is RIGHT
    wrong = ROWS.replace("57.73", "59.04")
    assert judged(DIABETES, "t3.table", f"# Task 3\n\n{MODELS}{wrong}").status is PART


def test_what_is_printed_under_the_name_of_something_else_is_left_out() -> None:
    found = judged(
        DIABETES, "t1.printed", None, ("print('train RMSE', a, 'test RMSE', b)", "train RMSE 53.57 test RMSE 54.03")
    )
    assert found.status is RIGHT
    assert judged(DIABETES, "t1.printed", None, ("print('train RMSE', a)", "train RMSE 54.03")).status is not RIGHT


@pytest.mark.parametrize(
    "unit", ["aaaa", "a_b_", "x = 1 + 2, ", "seed 0 test accuracy 95.5 seed 1 ", "class 5 or class 3 "]
)
def test_one_long_line_is_read_to_its_end(unit: str) -> None:
    """Ten times as long a line takes about ten times as long: within the time that reading a hand-in may take."""
    text = (unit * 36_000)[:36_000]
    assert judged(CNN, "q2.accuracy", f"# Question 2\n\n(a) {text}\n\n(b) 0.7\n\n(c) B").status in (RIGHT, PERSON)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("70 % are wrong", PERSON),
        ("error 30 %, accuracy 70 %", RIGHT),
        ("14 of 20, that is 70 %", RIGHT),
        ("14 of 20", PERSON),
        ("0.65 (0.7 for the class 3)", PERSON),
        ("0.7 (70 %)", RIGHT),
    ],
)
def test_shares_and_asides(text: str, status: Status) -> None:
    found = judged(CNN, "q2.accuracy", f"# Question 2\n\n(a) -\n\n(b) {text}\n\n(c) B")
    assert found.status is status
    assert found.suggestion in (None, RIGHT)


FOLDS = "# Task 2\n\nRMSE of the folds: {}; 54.9 on average, deviation 2.7"


@pytest.mark.parametrize(
    ("values", "statuses"),
    [("54.0, 56.4, 59.2, 53.8 and 51.2", {RIGHT}), ("54, 56.4, 59.2, 53.8 and 51.2", {RIGHT, PERSON})],
)
@pytest.mark.parametrize("item", ["t2.folds", "t2.statistics"])
def test_a_value_that_was_not_understood_costs_nothing(item: str, values: str, statuses: set[Status]) -> None:
    found = judged(DIABETES, item, FOLDS.format(values))
    assert found.status in statuses
    assert found.suggestion in (None, RIGHT)


def test_figures_of_another_measure_are_not_taken_for_those_asked_for() -> None:
    table = "| seed | test loss |\n|---|---|\n| 0 | 1.092 |\n| 1 | 1.051 |\n| 2 | 1.185 |\n\nmean 1.109, std 0.07"
    found = judged(LLAMA, "t2.statistics", f"# Task 2\n\n{table}")
    assert (found.status, found.suggestion) == (PERSON, None)


def test_values_of_the_training_part_beside_those_of_the_test_cost_nothing() -> None:
    text = "train acc 100, 100, 99.75; test acc 95.75, 96.5, 94.5 (seeds 0-2). Test mean 95.58, std 0.83."
    found = judged(CNN, "t2.statistics", f"# Task 2\n\n{text}")
    assert found.status in (RIGHT, PERSON)
    assert found.suggestion in (None, RIGHT)


@pytest.mark.parametrize(("head", "is_right"), [("mean test accuracy", True), ("validation accuracy", False)])
def test_a_table_of_the_other_split_is_not_right(head: str, is_right: bool) -> None:
    rows = "| none | 95.6 |\n| shift | 96.9 |\n| mirror | 92.1 |"
    found = judged(CNN, "t3.table", f"# Task 3\n\n| variant | {head} |\n|---|---|\n{rows}")
    assert (found.status is RIGHT) is is_right
    assert found.status is not WRONG


def test_a_right_total_beside_one_of_another_way_of_counting_is_for_a_person() -> None:
    text = "# Question 1\n\n(a) -\n\n(b) 144 + 4608 + 32768 + 640 = {}"
    assert judged(CNN, "q1.total", text.format("38160")).status is PART
    assert judged(CNN, "q1.total", text.format("38160 without and 38282 with biases")).status is not PART


LINE = "Q1: 5890048. Q2: 22.65. Q3: BP 0.895, BLEU 0.392. Q4: (a) B (b) more variety, less reproducible"


@pytest.mark.parametrize("item", ["q1.total", "q2.perplexity", "q3.penalty", "q3.bleu", "q4.choice"])
def test_answers_by_label_within_a_line(item: str) -> None:
    assert judged(LLAMA, item, LINE).status is RIGHT


def test_a_label_within_a_line_keeps_an_answer_from_being_missing() -> None:
    assert judged(LLAMA, "q2.perplexity", "# Question 1\n\n5890048, and for Q2: see below.").status is PERSON
    assert judged(LLAMA, "q2.perplexity", "# Question 1\n\n5890048 parameters.").status is NONE
