import pytest

from grader.claims.sections import sections
from grader.lab.definition import Lab
from grader.reading.document import Block, BlockKind, Document, Repair, RepairKind
from tests.claims.making import document, lab


def cut(markdown: str) -> list[tuple[str, ...]]:
    return [section.questions for section in sections(document(markdown), lab())]


@pytest.mark.parametrize(
    ("heading", "questions"),
    [
        ("# Question 1", ("q1",)),
        ("## Question 1", ("q1",)),
        ("1 Question 1", ("q1",)),
        ("1. Question 1", ("q1",)),
        ("1) Question 1", ("q1",)),
        ("2.1 Question 1: parameters by hand", ("q1",)),
        ("### 3.2. Task 3 – fine-tuning", ("t3",)),
        ("**Question 2.**", ("q2",)),
        ("**Question 2**", ("q2",)),
        ("***Question 2***", ("q2",)),
        ("__Question 2__", ("q2",)),
        ("*Question 2*", ("q2",)),
        ("Question 2\n---", ("q2",)),
        ("Question 2 :", ("q2",)),
        ("QUESTION 2", ("q2",)),
        ("Q2:", ("q2",)),
        ("Q2.", ("q2",)),
        ("Q2 - LoRA", ("q2",)),
        ("Q2) LoRA", ("q2",)),
        ("T5", ("t5",)),
        ("T5: run_glue", ("t5",)),
        ("# Task 3 & 4", ("t3", "t4")),
        ("## Tasks 3 and 4", ("t3", "t4")),
        ("Task 3 and Task 4:", ("t3", "t4")),
        ("# Task 3 / Task 4", ("t3", "t4")),
        ("# Tasks 3, 4 and 5", ("t3", "t4", "t5")),
        ("# T3, T4", ("t3", "t4")),
        ("# Question 1 and Task 1", ("q1", "t1")),
        ("# Q1 & T1", ("q1", "t1")),
        ("# Results of Task 3", ("t3",)),
        ("# Exercise 2", ("q2",)),
        ("Exercice 2 :", ("q2",)),
        ("## Tâche 3", ("t3",)),
        ("## Tâches 3 et 4", ("t3", "t4")),
        ("Tâche 3 : affinage", ("t3",)),
        ("# Tâche n°3", ("t3",)),
    ],
)
def test_a_heading_opens_the_questions_that_it_names(heading: str, questions: tuple[str, ...]) -> None:
    assert cut(f"Words before.\n\n{heading}\n\nThe answer.") == [(), questions]


@pytest.mark.parametrize(
    "line",
    [
        "Task 3 showed that the model of the previous task learns the language well, and quickly so.",
        "Task 3 and Task 4 differ in the weights from which the training starts, and in nothing else at all.",
        "Question 1 asks for the parameters, which we count by hand here and verify by code in the next task.",
        "In Task 3 we fine-tuned.",
        "As in question 1, we count.",
        "The t5 model is another one.",
        "We use T4 GPUs of Colab.",
        "It took 3 tasks.",
    ],
)
def test_prose_that_mentions_a_question_does_not_cut(line: str) -> None:
    text = f"# Question 2\n\nBefore.\n\n{line}\n\nAfter."
    assert cut(text) == [("q2",)]


@pytest.mark.parametrize(
    "line",
    [
        "Task 3 showed the same.",
        "Task 4 is harder than Task 3.",
        "Task 3 was easy",
        "T4 GPU was used",
        "T4 is the GPU.",
        "Question 1 was hard.",
    ],
)
def test_a_short_sentence_about_a_question_does_not_cut(line: str) -> None:
    assert cut(f"# Question 2\n\nBefore.\n\n{line}\n\nAfter.") == [("q2",)]


def test_a_heading_that_names_no_question_stays_in_its_section() -> None:
    assert cut("# Task 3\n\n## Results\n\nx\n\n## Seeds\n\ny\n\n# Task 4\n\nz") == [("t3",), ("t4",)]


@pytest.mark.parametrize(
    "heading",
    [
        "# References",
        "References",
        "## 5 References",
        "**Bibliography**",
        "# Bibliographie",
        "Références",
        "# Reference",
    ],
)
def test_the_references_end_the_last_section(heading: str) -> None:
    text = f"# Task 3\n\nx\n\n{heading}\n\n[1] A. Author. Task 3 of a book: 22,829,056. 2020."
    assert cut(text) == [("t3",), ()]


def test_code_output_and_table_rows_open_no_section() -> None:
    text = "# Task 3\n\n```\nTask 4\n# Question 1\n```\n\n| Task 4 | Task 5 |\n|---|---|\n| 79.9 | 80.0 |\n"
    assert cut(text) == [("t3",)]


def test_a_text_without_headings_is_one_section() -> None:
    assert cut("We count.\n\nThen we train.") == [()]


def test_an_empty_text_has_no_section() -> None:
    assert cut("") == []


def test_a_question_that_does_not_exist_opens_nothing() -> None:
    assert cut("# Task 3\n\nx\n\n# Task 33\n\ny\n\n# Question 17\n\nz") == [("t3",)]


def test_a_question_by_another_word_is_the_only_one_with_its_number() -> None:
    assert cut("# Questions 3, 4 et 5\n\nx\n\n# Question 1\n\ny\n\n# Question 7\n\nz") == [
        ("t3", "t4", "t5"),
        ("q1",),
        ("t7",),
    ]


def test_every_block_is_in_exactly_one_section() -> None:
    text = document("Intro\n\n# Question 1\n\na\n\n# Task 3 & 4\n\nb\n\nQ2:\n\nc\n\n# References\n\nd")
    found = sections(text, lab())
    assert tuple(block for section in found for block in section.passage.blocks) == text.blocks


@pytest.mark.parametrize(
    ("headings", "questions"),
    [
        (("### 1", "### 3", "### 4", "### 5"), [("q1", "t1"), ("t3",), ("t4",), ("t5",)]),
        (("**Answer 3.** First", "**Answer 4.** Then", "**Answer 5.** Last"), [("t3",), ("t4",), ("t5",)]),
        (("**Exercise 1.**", "**Exercise 3.**", "**Exercise 5.**"), [("q1",), ("t3",), ("t5",)]),
        (("## 1", "## 2", "## 3", "## 4"), [()]),
        (("2", "3", "4"), [()]),
        (("## 1. Model", "## 3. Results", "## 4. LoRA"), [()]),
        (("## 3", "## 5", "## 4"), [()]),
        (("## 3 models", "## 5 epochs", "## 8 heads"), [()]),
        (("## Part 3", "## Part 4", "## Part 9"), [()]),
    ],
    ids=[
        "numbers",
        "a word",
        "a word of the lab",
        "a writer's own",
        "pages",
        "titles",
        "not in order",
        "other things",
        "unknown ones",
    ],
)
def test_bare_numbers_that_leave_some_out_are_the_labs(headings: tuple[str, ...], questions: list[object]) -> None:
    assert cut("\n\nSome words.\n\n".join((*headings, ""))) == questions


def parted() -> Lab:
    labels = {
        "p1a": ["problem 1a"],
        "p1b": ["problem 1 (b)"],
        "p2": ["problem 2"],
        "e1": ["exercise 3.1"],
        "e2": ["exercise 3.2"],
        "c": ["part (c)"],
    }
    questions = [
        {"id": name, "title": name, "labels": own}
        | {"items": [{"id": f"{name}.x", "title": "T", "points": "1", "check": "by-hand"}]}
        for name, own in labels.items()
    ]
    return Lab.model_validate({"id": "small", "title": "S", "seeds": 1, "questions": questions})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Problem 1a\n\nx", ["p1a: x"]),
        ("Problem 1 (a)\n\nx", ["p1a: x"]),
        ("# Problem 1, part (b)\n\nx", ["p1b: x"]),
        ("# Problem 1\n\n(a) x\n\n(b) y", ["p1a p1b:", "p1a: x", "p1b: y"]),
        ("# Problem 1\n\na) x\nb) y\nb) z", ["p1a p1b: a) x\nb) y\nb) z"]),
        ("# Exercise 3\n\n1. x\n2. y", ["e1 e2:", "e1: x", "e2: y"]),
        ("# Exercise 3.2\n\nx", ["e2: x"]),
        ("1a) x\n\n1b) y", ["p1a: x", "p1b: y"]),
        ("# Part c: a title\n\nx", ["c: x"]),
        ("Problem 2\n\nb) because", ["p2: b) because"]),
        ("# Problem 1: the entropy of 2 coins\n\nx", ["p1a p1b: x"]),
        ("# Problem 1a: 3/8", ["p1a: : 3/8"]),
        ("Problem 1 (a) is x.\n\nProblem 1 (b) is y.", ["p1a: is x.", "p1b: is y."]),
        ("Ex. 1 (a) x\n\nQuestion 1b: y", ["p1a: x", "p1b: : y"]),
        ("# Problem 1\n\n1. x\n2. y", ["p1a p1b:", "p1a: x", "p1b: y"]),
        ("# Problem 1\n\nFirst words.\n\n1. x\n2. y", ["p1a p1b: First words.\n1. x\n2. y"]),
        (
            "# Problem 1\n\nFor (a) I have x1, for (b) I have y1.",
            ["p1a p1b: For", "p1a: I have x1, for", "p1b: I have y1."],
        ),
        ("# Problem 1\n\nBoth (b) and (a) are y1.", ["p1a p1b: Both (b) and (a) are y1."]),
        ("# Problem 2\n\nx\n\n1a) y\n\n1b) z", ["p2: x", "p1a: y", "p1b: z"]),
        (
            "| | answer |\n|---|---|\n| 1a | x |\n| 1b | y |\n| Problem 2 | z |\n\nMore.",
            [": | | answer |", "p1a: | x |", "p1b: | y |", "p2: | z |", ": More."],
        ),
        ("# Problem 1\n\n**(a)** 3\n\n**(b)** 4", ["p1a p1b:", "p1a: 3", "p1b: 4"]),
        ("# Problem 1\n\n## a\n\nx\n\n## b\n\ny", ["p1a p1b:", "p1a: x", "p1b: y"]),
        (
            "# Problem 1\n\n| | answer |\n|---|---|\n| (a) | x |\n| (b) | y |",
            ["p1a p1b: | | answer |", "p1a: | x |", "p1b: | y |"],
        ),
        ("**1a** x\n\n**1b** y", ["p1a: x", "p1b: y"]),
        ("| 1a | 1b |\n|---|---|\n| x | y |", [": | 1a | 1b |\n| x | y |"]),
        ("Problem 1a: 5. Problem 1b: 6. Problem 2: 7.", ["p1a: : 5.", "p1b: : 6.", "p2: : 7."]),
        ("So, problem 1a: 5. Problem 1b: 6. Problem 2: 7.", [": So,", "p1a: : 5.", "p1b: : 6.", "p2: : 7."]),
        ("In problem 1a: 5, in problem 1b: 6.", [": In problem 1a: 5, in problem 1b: 6."]),
        ("Problem 1a   x = 5\nProblem 1b   y", ["p1a: x = 5", "p1b: y"]),
        ("# Question 1\n\n(a) x\n\n(b) y", ["p1a p1b:", "p1a: x", "p1b: y"]),
        ("# Aufgabe 2\n\nx", ["p2: x"]),
        ("# Problems 1 and 2\n\nx", ["p1a p1b p2: x"]),
        ("# Problems 1a, 1b and 2\n\nx", ["p1a p1b p2: x"]),
        ("# Exercise 3\n\n3.1. x\n3.2. y", ["e1 e2:", "e1: x", "e2: y"]),
        ("# Problem 1\n\n(b) y\n\n(a) x", ["p1a p1b: (b) y\n(a) x"]),
        ("# Problem 1\n\nA: yes\na) x\nb) y", ["p1a p1b: A: yes", "p1a: x", "p1b: y"]),
        ("Problem 1 (a) (of two): x", ["p1a: (of two): x"]),
        ("# Exercise 1\n\nx", [": Exercise 1\nx"]),
        ("# Problem 3\n\nx", [": Problem 3\nx"]),
        ("# Part 1\n\nx", [": Part 1\nx"]),
        ("P2: words", ["p2: : words"]),
        (
            "a) first\n\nb) second\n\n# Problem 1\n\na) x\nb) y",
            [": a) first\nb) second", "p1a p1b:", "p1a: x", "p1b: y"],
        ),
        (
            "# Problem 1\n\n| | answer |\n|---|---|\n| (a) | x |\n| (b) | y |\n\n# Problem 2\n\nz",
            ["p1a p1b: | | answer |", "p1a: | x |", "p1b: | y |", "p2: z"],
        ),
        ("# E3.1\n\nx", ["e1: x"]),
        ("# Problem 1 (a) Words of one (b) Other words\n\nx", ["p1a: Words of one", "p1b: Other words\nx"]),
        (
            "# Problem 1, in **two parts**: (a) ones here (b) others\n\nx",
            ["p1a p1b: , in two parts:", "p1a: ones here", "p1b: others\nx"],
        ),
        ("# Problem 1a (one)\n\nWords.\n\nThen (b) other words.", ["p1a: Words.\nThen", "p1b: other words."]),
        (
            "# Problems 1 and 2\n\nWords (a) of one, (b) of the other.",
            ["p1a p1b p2: Words (a) of one, (b) of the other."],
        ),
        ("Intro\n\n# Problem 1\n\n(a) x\n\n(b) y", [": Intro", "p1a p1b:", "p1a: x", "p1b: y"]),
        ("# Problem 1\n\na: 5 words\nb: 6 words", ["p1a p1b:", "p1a: 5 words", "p1b: 6 words"]),
        ("# Problem 1\n\n2. x\n3. y", ["p1a p1b: 2. x\n3. y"]),
        ("# Problem 1\n\n1. x\n2. y\n3. z", ["p1a p1b: 1. x\n2. y\n3. z"]),
        (
            "Problem 1a x = 5, since problem 1b has 6, which is a lot more than in the rest of the things.",
            [": Problem 1a x = 5, since problem 1b has 6, which is a lot more than in the rest of the things."],
        ),
        ("# 2 Coins (problem 2)\n\nx\n\n# 2.1 More\n\ny\n\n# 3 Others\n\nz", ["p2: x\n2.1 More\ny", ": 3 Others\nz"]),
    ],
)
def test_questions_have_parts(text: str, expected: list[str]) -> None:
    found = sections(document(text), parted())
    told = [f"{' '.join(one.questions)}: {one.passage.text[one.lead :].strip()}".strip() for one in found]
    assert told == expected


def test_what_was_read_of_a_line_goes_with_its_parts() -> None:
    text = "Both here: (a) it is 2^3 words, (b) it is x_1 words"
    kinds = {"^3": RepairKind.POWER, "_": RepairKind.INDEX}
    repairs = tuple(
        Repair(kind=kind, start=text.index(one), end=text.index(one) + len(one)) for one, kind in kinds.items()
    )
    block = Block(kind=BlockKind.LIST_ITEM, text=text, repairs=repairs)
    heading = Block(kind=BlockKind.HEADING, text="Problem 1")
    found = sections(Document(file="r.pdf", exact=False, blocks=(heading, block)), parted())
    parts = [block for section in found for block in section.passage.blocks[:1]][1:]
    assert [part.text for part in parts] == ["(a) it is 2^3 words, ", "(b) it is x_1 words"]
    assert [[part.text[one.start : one.end] for one in part.repairs] for part in parts] == [["^3"], ["_"]]
    assert {part.kind for part in parts} == {BlockKind.LIST_ITEM}


RESULTS = (
    "## T3, T4 and T5 (test accuracy)\n\n| seed | 5 | 6 |\n|---|---|---|\n| T3 | 79.9 | 80.3 |\n| T4 | 67.4 | 68.0 |\n"
)


def test_rows_of_figures_stay_under_the_heading_that_names_their_questions() -> None:
    assert cut(RESULTS) == [("t3", "t4", "t5")]
    assert ("t3",) in cut(RESULTS.replace("## T3, T4 and T5", "## Results"))


@pytest.mark.parametrize("heading", ["# Tasks 3 to 5", "# Tasks 3-5", "## T3–T5", "# Tâches 3 à 5"])
def test_a_heading_of_several_questions_names_those_between(heading: str) -> None:
    assert cut(f"{heading}\n\nx") == [("t3", "t4", "t5")]


def test_a_number_that_is_no_question_ends_no_range() -> None:
    assert cut("# Question 1 - 22 parameters\n\nx") == [("q1",)]


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("# Coarse search", [("coarse",)]),
        ("## 2.2 Coarse search for a good rate", [("coarse",)]),
        ("# Checking the gradients", [("check",)]),
        ("# Fine and coarse search", [("coarse", "fine")]),
        ("# The search", [()]),
        ("# A gradient", [()]),
        ("The coarse search was done first.", [()]),
        ("# What we learned from the coarse way to search for rates in a large space of them all", [()]),
    ],
)
def test_a_heading_with_all_words_of_a_title_names_a_question_without_a_label(
    heading: str, expected: list[tuple[str, ...]]
) -> None:
    titles = {"check": "Gradient check", "coarse": "Coarse search", "fine": "Fine search"}
    item = {"title": "T", "points": "1", "check": "by-hand"}
    questions = [
        {"id": name, "title": title, "labels": [], "items": [{"id": f"{name}.x", **item}]}
        for name, title in titles.items()
    ]
    own_lab = Lab.model_validate({"id": "small", "title": "S", "seeds": 1, "questions": questions})
    assert [one.questions for one in sections(document(f"{heading}\n\nx"), own_lab)] == expected


def test_beside_questions_with_labels_the_words_of_a_title_are_not_enough() -> None:
    item = {"title": "T", "points": "1", "check": "by-hand"}
    questions = [
        {"id": "a", "title": "Coarse search", "labels": [], "items": [{"id": "a.x", **item}]},
        {"id": "b", "title": "Gradients", "labels": ["question 2"], "items": [{"id": "b.x", **item}]},
    ]
    own_lab = Lab.model_validate({"id": "small", "title": "S", "seeds": 1, "questions": questions})
    text = "# Start a coarse search\n\nx\n\n# Question 2\n\ny"
    assert [one.questions for one in sections(document(text), own_lab)] == [(), ("b",)]


def test_a_heading_that_is_a_title_comes_before_one_with_its_words() -> None:
    item = {"id": "a.x", "title": "T", "points": "1", "check": "by-hand"}
    question = {"id": "a", "title": "Coarse search", "labels": [], "items": [item]}
    own_lab = Lab.model_validate({"id": "small", "title": "S", "seeds": 1, "questions": [question]})
    text = "# Why a coarse search\n\nx\n\n# Coarse search\n\ny"
    assert [one.questions for one in sections(document(text), own_lab)] == [(), ("a",)]


@pytest.mark.parametrize(
    ("line", "questions"),
    [
        ("## Questoin 1", ("q1",)),
        ("Quesiton 2: the rank is 8", ("q2",)),
        ("## Equation 1", ()),
        ("## Section 2", ()),
    ],
)
def test_a_misspelt_label_names_its_question(line: str, questions: tuple[str, ...]) -> None:
    assert cut(f"Some text.\n\n{line}\n\nThe answer.\n")[-1] == questions
