"""A `non-` before a word makes it another subject and denies nothing else."""

import pytest

from grader.claims.statements import Polarity, polarity
from tests.checks.test_restated_questions import lab_asking, status_of

OPTIONS = {
    "must": [["straight", "droite"]],
    "about": [["linear", "linéaire"]],
    "wrong": [{"words": ["curve", "courbe"], "why": "Its graph is straight."}],
}


@pytest.mark.parametrize(
    ("sentence", "word", "expected"),
    [
        ("A non-linear spring has a steep curve.", "steep", Polarity.STATED),
        ("A non-linear spring has a steep curve.", "linear", Polarity.DENIED),
        ("Un ressort non-linéaire a une courbe raide.", "raide", Polarity.STATED),
        ("La courbe du ressort n'est pas raide.", "raide", Polarity.DENIED),
        ("Le ressort est non raide.", "raide", Polarity.DENIED),
    ],
)
def test_a_prefix_denies_only_its_own_word(sentence: str, word: str, expected: Polarity) -> None:
    start = sentence.index(word)
    assert polarity(sentence, start, start + len(word)) is expected


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("A linear spring gives a straight graph. A non-linear spring gives a curve.", "correct"),
        ("A linear spring gives a straight graph, and a spring that is not linear gives a curve.", "correct"),
        ("A linear spring gives a straight graph. The rubber band gave a curve.", "correct"),
        ("A linear spring gives a straight graph. The graph of a linear spring is a curve.", "review"),
        ("A non-linear spring gives a straight graph.", "review"),
        ("Un ressort linéaire donne une droite. Un ressort non-linéaire donne une courbe.", "correct"),
        ("A linear spring gives a curve.", "incorrect"),
    ],
)
def test_what_is_said_of_the_opposite_is_not_said_of_the_subject(text: str, status: str) -> None:
    lab = lab_asking("Draw the graph of the force of a linear spring.", "contains", OPTIONS, words=("spring",))
    assert status_of(lab, text) == status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("The spring gets longer, while the wire gets shorter.", "review"),
        ("Le ressort s'étire bien, tandis que le fil est plus court.", "review"),
        ("The spring gets shorter. The wire gets thinner.", "incorrect"),
        ("The spring is stretched. The wire gets shorter.", "correct"),
    ],
)
def test_a_wrong_word_said_of_another_items_subject_withholds_nothing(text: str, status: str) -> None:
    options = {
        "must": [["stretched"]],
        "about": [["spring", "ressort"]],
        "wrong": [{"words": ["shorter", "plus court"], "why": "It is stretched."}],
    }
    lab = lab_asking("What happens to the spring and to the wire?", "contains", options, words=("spring", "wire"))
    (question,) = lab.questions
    other = question.items[0].model_copy(
        update={"id": "p1.y", "options": {"must": [["thinner"]], "about": [["wire", "fil"]]}}
    )
    asked = question.model_copy(update={"items": (*question.items, other)})
    assert status_of(lab.model_copy(update={"questions": (asked,)}), text) == status
