from collections.abc import Sequence

import pytest
from pydantic import ValidationError

from grader.claims.sections import sections
from grader.lab.definition import Lab
from tests.claims.making import document

NUMBERS = (8, 9, 11, 12, 19, 20)
ANSWERS = {
    8: "On choisit un padding de 2 et un stride de 1.",
    9: "We choose a padding of 0 and a stride of 2, so that 16 becomes 8.",
    11: "En tout 1 190 000 poids, dont la plupart dans la couche fc1.",
    12: "8 times fewer examples than weights: it overfits.",
    19: "With standardisation it is better:\n\n1. it converges faster\n2. it is less noisy\n3. the accuracy is 75 %",
    20: "Images are flipped at random, which gives more examples.",
}


def numbered_lab(label: str = "question {}", numbers: Sequence[object] = (8, 9, 10, 11, 12, 19, 20)) -> Lab:
    questions = [
        {"id": f"n{number}".replace(".", "-"), "title": "T", "labels": [label.format(number)]}
        | {"items": [{"id": f"n{number}.x".replace(".", "-"), "title": "T", "points": "1", "check": "by-hand"}]}
        for number in numbers
    ]
    return Lab.model_validate({"id": "numbers", "title": "N", "seeds": 1, "questions": questions})


def report(form: str, numbers: Sequence[int] = NUMBERS) -> str:
    return "\n\n".join(form.format(number=number, text=ANSWERS[number]) for number in numbers)


def found(markdown: str, lab: Lab | None = None) -> dict[str, list[str]]:
    """The texts in which each question is answered, less the labels."""
    texts: dict[str, list[str]] = {}
    for section in sections(document(f"# Compte rendu\n\nAda Martin, groupe 2\n\n{markdown}\n"), lab or numbered_lab()):
        for question in section.questions:
            texts.setdefault(question, []).append(section.passage.text[section.lead :])
    return texts


@pytest.mark.parametrize(
    "form",
    [
        "{number}. {text}",
        "{number}) {text}",
        "({number}) {text}",
        "[{number}] {text}",
        "**{number}.** {text}",
        "**{number}** {text}",
        "{number} - {text}",
        "{number}/ {text}",
        "{number} : {text}",
        "n°{number} {text}",
        "* {number}: {text}",
        "- Q{number}. {text}",
        "Q{number} {text}",
        "Q. {number} {text}",
        "Q2-1.{number}\n\n{text}",
        "Quest. {number} : {text}",
        "Question {number} {text}",
        "Question n°{number} — {text}",
        "**Question {number}**\n\n{text}",
        "Exercice 2, question {number}\n\n{text}",
        "Part 2 Q{number}\n\n{text}",
        "Answer {number}: {text}",
        "Réponse à la question {number} : {text}",
        "## {number}\n\n{text}",
        "## 2.{number}\n\n{text}",
        "## {number}. Why so many of them?\n\n{text}",
        "## Question {number}: why do we need 4 of them?\n\n{text}",
        "## Answer to question {number}\n\n{text}",
    ],
)
def test_answers_are_found_however_they_are_numbered(form: str) -> None:
    texts = found(report(form))
    assert texts.keys() == {f"n{number}" for number in NUMBERS}
    for number in NUMBERS:
        [text] = texts[f"n{number}"]
        assert ANSWERS[number].split("\n")[0] in text
        assert not any(ANSWERS[other].split("\n")[0] in text for other in NUMBERS if other != number)


def test_answers_are_found_in_the_rows_of_a_table_and_by_roman_numerals() -> None:
    rows = "\n".join(f"| {number} | {' '.join(ANSWERS[number].split())} |" for number in NUMBERS)
    assert found(f"| question | réponse |\n|---|---|\n{rows}").keys() == {f"n{number}" for number in NUMBERS}
    romans = {"VIII": 8, "IX": 9, "XI": 11, "XX": 20}
    texts = found("\n\n".join(f"Question {roman}\n\n{ANSWERS[number]}" for roman, number in romans.items()))
    assert texts.keys() == {"n8", "n9", "n11", "n20"}


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("\n\n".join(f"{number}. Un titre ..... {page}" for page, number in enumerate(NUMBERS)), ""),
        ("Questions:\n\n" + "\n\n".join(f"{number}. Why {number} of them?" for number in NUMBERS) + "\n\nAnswers:", ""),
        ("", "# References\n\n" + "\n\n".join(f"[{number}] A. Author. A book. 2020." for number in range(1, 21))),
        ("", "\n\n".join(f"Figure {number} : the loss of run {number}" for number in range(8, 13))),
        ("", "| epoch | accuracy |\n|---|---|\n" + "\n".join(f"| {number} | 0.7 |" for number in range(1, 21))),
        ("", "We did:\n\n" + "\n".join(f"{number}. a step of the training" for number in range(1, 13))),
    ],
    ids=["contents", "restated questions", "references", "figures", "epochs", "a long list"],
)
def test_other_numbers_take_no_answers_place(before: str, behind: str) -> None:
    texts = found(f"{before}\n\n{report('{number}. {text}')}\n\n{behind}")
    assert {name: len(several) for name, several in texts.items()} == {f"n{number}": 1 for number in NUMBERS}
    assert all(ANSWERS[number].split("\n")[0] in texts[f"n{number}"][0] for number in NUMBERS)


@pytest.mark.parametrize(
    "text",
    [
        "\n\n".join(f"## {number}. A chapter\n\nWe did it." for number in range(1, 8)),
        "\n".join(f"{number}. a point of a list" for number in range(1, 22)),
        "\n\n".join(f"Figure {number} : the loss" for number in range(1, 13)),
        "\n\n".join(f"Epoch {number} : loss 0.3" for number in range(1, 21)),
        "\n\n".join(f"Words of a page.\n\n{number}" for number in range(1, 21)),
        "8 layers are used.\n\n9 heads would be more.\n\n12 heads are usual.",
        "| 8 | 16 |\n|---|---|\n| 9 | 32 |\n| 12 | 64 |\n| 19 | 64 |",
        "8. On choisit un padding de 2.\n\n9. On choisit un stride de 1.",
    ],
)
def test_numbers_that_are_not_the_labs_name_no_question(text: str) -> None:
    assert found(text) == {}


def test_a_list_of_chapters_is_not_taken_for_a_lab_that_numbers_its_questions_twice() -> None:
    labels = {"q1": "question 1", "q2": "question 2"} | {f"t{number}": f"task {number}" for number in range(1, 9)}
    questions = [
        {"id": name, "title": "T", "labels": [label]}
        | {"items": [{"id": f"{name}.x", "title": "T", "points": "1", "check": "by-hand"}]}
        for name, label in labels.items()
    ]
    lab = Lab.model_validate({"id": "twice", "title": "T", "seeds": 1, "questions": questions})
    assert found("\n\n".join(f"{number}. A chapter of the report." for number in range(1, 9)), lab) == {}


def test_a_complete_count_is_the_labs_where_it_numbers_its_questions_once() -> None:
    lab = numbered_lab(numbers=range(1, 6))
    assert len(found("\n\n".join(f"{number}) An answer." for number in range(1, 6)), lab)) == 5


def test_questions_may_have_numbers_with_several_parts() -> None:
    lab = numbered_lab("task {}", ("2.3.a", "2.3.b", "2.4"))
    texts = found("2.3.a) It is one.\n\n2.3.b) It is two.\n\n2.4) It is three.", lab)
    assert [text.strip() for several in texts.values() for text in several] == [
        "It is one.",
        "It is two.",
        "It is three.",
    ]


def test_a_lab_may_call_its_questions_by_numbers_alone() -> None:
    assert found(report("{number}. {text}"), numbered_lab("{}")).keys() == {f"n{number}" for number in NUMBERS}


@pytest.mark.parametrize("label", ["8)", "8:", "question", "q8 -", ""])
def test_a_label_without_a_number_at_its_end_is_refused(label: str) -> None:
    with pytest.raises(ValidationError, match="labels"):
        numbered_lab(label.replace("{", ""), (8,))


PARTS = ("1.1", "1.2", "2.1", "2.2a", "2.2b", "2.3")


def in_parts(form: str, numbers: Sequence[str] = PARTS, above: str = "") -> str:
    """A report whose answers are numbered in two parts, with a heading above each exercise."""
    texts = []
    for number in numbers:
        exercise, question = number.split(".")
        heading = above.format(exercise=exercise, roman="I" * int(exercise))
        texts += [heading] if heading and question[0] == "1" else []
        label = form.format(number=number, exercise=exercise, roman="I" * int(exercise), question=question)
        texts.append(f"{label} The answer number {number.replace('.', ' ')} is this one.")
    return "\n\n".join(texts)


@pytest.mark.parametrize(
    ("form", "above"),
    [
        ("{number}", ""),
        ("{number})", ""),
        ("**{number}**", ""),
        ("Exercice {exercise}, question {question} :", ""),
        ("## Exercise {exercise}, question {question}\n\n", ""),
        ("Ex. {exercise} – Q{question}:", ""),
        ("Task {roman}.{question}:", ""),
        ("**Task {roman}.{question}**\n\n", ""),
        ("{question})", "## Exercise {exercise}"),
        ("{question}.", "## Exercise {exercise}"),
        ("Question {question}:", "# Part {roman}"),
    ],
)
def test_answers_are_found_by_numbers_of_several_parts(form: str, above: str) -> None:
    texts = found(in_parts(form, above=above), numbered_lab("exercise {}", PARTS))
    named = {name: texts[name] for name in texts if f"n{name[1:]}" in {f"n{one}".replace(".", "-") for one in PARTS}}
    for number in PARTS:
        own = named[f"n{number}".replace(".", "-")]
        assert any(f"number {number.replace('.', ' ')} is" in text for text in own), number
    singles = [text for several in texts.values() for text in several if text.count("The answer number") == 1]
    assert len(singles) == len(PARTS)


@pytest.mark.parametrize("form", ["({})", "{})", "{})**Title**", "**({})**", "### {})\n\n", "{}. It follows:"])
def test_letters_alone_are_the_parts_of_the_question_above_them(form: str) -> None:
    lab = numbered_lab("question {}", ("1a", "1b", "2a", "2b", "2e"))
    asked = {"1. Networks (8 points)": "ab", "2. Parsing": "abcde"}
    parts = [
        f"# {title}\n\n" + "\n\n".join(f"{form.format(one)} Here {title[0]}{one} says momentum." for one in letters)
        for title, letters in asked.items()
    ]
    texts = found("\n\n".join(parts), lab)
    assert {name[1:]: "".join(text).count("says momentum") for name, text in texts.items() if name[:1] == "n"} == {
        "1a": 1, "1b": 1, "2a": 1, "2b": 1, "2e": 1,
    }  # fmt: skip
    assert all(f"{name[1:]} says" in "".join(text) for name, text in texts.items() if name[:1] == "n")


def test_comments_in_code_name_questions_where_nothing_else_does() -> None:
    code = "\n".join(f"# Question {number}\n# {ANSWERS[number].splitlines()[0]}\nx = f({number})" for number in NUMBERS)
    assert found(f"```python\n{code}\n```").keys() == {f"n{number}" for number in NUMBERS}
    steps = "\n".join(f"# {number}. a step\nx = f({number})" for number in range(1, 21))
    assert found(f"```python\n{steps}\n```") == {}


def subjects(**keys: str) -> Lab:
    """A lab of five questions about different matters, each with further keys."""
    names = {
        "pooling": "Max pooling",
        "dropout": "Dropout",
        "momentum": "Momentum",
        "softmax": "Softmax",
        "bias": "Bias",
    }
    questions = [
        {"id": name, "title": title, "labels": [f"question {number}"], "words": [name]}
        | {key: value.format(name=name) for key, value in keys.items()}
        | {"items": [{"id": f"{name}.x", "title": "T", "points": "1", "check": "by-hand"}]}
        for number, (name, title) in enumerate(names.items(), 1)
    ]
    return Lab.model_validate({"id": "subjects", "title": "S", "seeds": 1, "questions": questions})


def said_of(name: str) -> str:
    return f"What we know of {name} is that it helps."


@pytest.mark.parametrize("first", [0, 1, 2])
def test_numbers_that_are_one_off_are_noticed_by_the_words_of_the_answers(first: int) -> None:
    lab = subjects()
    text = "\n\n".join(f"Question {n}: {said_of(one.id)}" for n, one in enumerate(lab.questions, first))
    texts = found(text, lab)
    assert {name: one for name, (one,) in texts.items()} == {
        name: said for name, (said,) in texts.items() if said_of(name) in said
    }
    assert len(texts) == len(lab.questions)


def test_answers_without_any_number_are_found_by_titles_and_by_the_question_written_out() -> None:
    lab = subjects(asks="Which effect does {name} have on the training?")
    titles = "\n\n".join(f"## {one.title}\n\n{said_of(one.id)}" for one in lab.questions)
    asked = "\n\n".join(f"*{one.asks}*\n\n{said_of(one.id)}" for one in lab.questions)
    for text in (titles, asked):
        texts = found(text, lab)
        assert {name: [one.strip() for one in several] for name, several in texts.items()} == {
            one.id: [said_of(one.id)] for one in lab.questions
        }
    assert found("## Momentum\n\nIt is used.", subjects()) == {}
