"""Sections of reports whose questions have two levels, such as `Assignment 2` and `Task 3` for question 2.3."""

import pytest

from grader.claims.sections import sections
from grader.lab.definition import Lab
from tests.claims.making import document

WORDS = {
    "1.1": ["histogram"],
    "1.2": ["median"],
    "1.3": ["outlier"],
    "2.1": ["perceptron"],
    "2.3": ["momentum"],
}


def lab(*names: str) -> Lab:
    """A lab of two assignments, of which the second has no question 2.2."""
    questions = [
        {
            "id": f"q{number}",
            "title": f"About {words[0]}",
            "labels": [f"{name} {number}" for name in names],
            "words": words,
            "items": [{"id": f"q{number}.x", "title": "T", "points": "1", "check": "by-hand"}],
        }
        for number, words in WORDS.items()
    ]
    return Lab.model_validate({"id": "two", "title": "Two levels", "seeds": 1, "questions": questions})


def cut(text: str, *names: str) -> list[tuple[str, str]]:
    """The questions of each section with its last word."""
    found = sections(document(text), lab(*(names or ("assignment",))))
    return [(" ".join(one.questions), (one.passage.text.split() or [""])[-1]) for one in found]


@pytest.mark.parametrize("word", ["Task", "Exercise", "Question"])
def test_a_label_below_another_one_has_both_numbers(word: str) -> None:
    text = (
        f"# Assignment 1\n\n## {word} 1\n\nhistogram\n\n## {word} 2\n\nmedian\n\n## {word} 3\n\noutlier\n\n"
        f"# Assignment 2\n\n## {word} 1\n\nperceptron\n\n## {word} 2\n\nnothing\n\n## {word} 3\n\nmomentum\n"
    )
    expected = [("q1.1", "histogram"), ("q1.2", "median"), ("q1.3", "outlier")]
    expected += [("q2.1", "perceptron"), ("", "nothing"), ("q2.3", "momentum")]
    for names in (("assignment",), ("assignment", word.lower())):
        found = cut(text, *names)
        assert [one for one in found if one[1].isalpha()] == expected


def test_the_numbers_of_chapters_stand_before_a_lower_label() -> None:
    text = (
        "# 1 Work\n\n## 1.1 Figures\n\nwords\n\n1.1.1 Question 1\n\nhistogram\n\n1.1.2 Question 2\n\nmedian\n\n"
        "## 1.2 Networks\n\nmore\n\n1.2.1 Question 1\n\nperceptron\n\n1.2.3 Question 3\n\nmomentum\n"
    )
    found = dict(reversed(cut(text, "assignment", "task")))
    assert found["q1.1"] == "histogram"
    assert found["q2.1"] == "perceptron"
    assert found["q2.3"] == "momentum"


def test_both_levels_may_stand_in_one_heading() -> None:
    parts = (("1, task 2", "median"), ("2, task 1", "perceptron"), ("2, task 3", "momentum"))
    text = "\n\n".join(f"# Assignment {label}\n\n{word}" for label, word in parts)
    assert cut(text) == [("q1.2", "median"), ("q2.1", "perceptron"), ("q2.3", "momentum")]


def test_an_appendix_that_begins_again_names_nothing() -> None:
    text = (
        "# Assignment 1\n\n## Task 2\n\nmedian\n\n# Assignment 2\n\n## Task 1\n\nperceptron\n\n"
        "## Task 3\n\nmomentum\n\n## Task 1\n\nlisting\n"
    )
    assert cut(text)[-1] == ("", "listing")


def test_chapters_have_numbers_of_their_own() -> None:
    text = (
        "# 1 Introduction\n\nhello\n\n# 2 Assignment 1\n\n## 2.1 Data\n\nThe histogram is flat\n\n## 2.2 Middle\n\n"
        "The median is low\n\n## 2.3 Edge\n\nOne outlier remains\n\n# 3 Assignment 2\n\n## 3.1 Network\n\n"
        "A perceptron learns\n\n## 3.3 Training\n\nThe momentum helps\n"
    )
    found = dict(cut(text))
    assert found["q1.1"] == "flat"
    assert found["q1.3"] == "remains"
    assert found["q2.1"] == "learns"
    assert found["q2.3"] == "helps"


def test_chapters_about_something_else_name_no_question() -> None:
    text = (
        "# 2 Assignment 1\n\n## 2.1 Plan\n\nfirst\n\n## 2.2 Team\n\nsecond\n\n## 2.3 Time\n\nthird\n\n"
        "# 3 Assignment 2\n\n## 3.1 Tools\n\nfourth\n"
    )
    assert not {"q2.1", "q2.3", "q1.1", "q1.2", "q1.3"} & {questions for questions, _ in cut(text)}


def test_a_reference_in_a_wrapped_line_is_no_heading() -> None:
    line = "The line is drawn with the estimates of the model that was described in"
    text = f"# Assignment 1.2\n\nmedian\n\n# Assignment 2.1\n\n{line}\nassignment 2.3. It is straight\n"
    assert cut(text) == [("q1.2", "median"), ("q2.1", "straight")]
