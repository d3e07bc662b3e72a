"""What is measured on left-out sources, and the risks that thresholds keep."""

import numpy as np

from grader.lab.files import lab_folder, load_lab
from grader.lab.short_answers import Example, ShortAnswers
from grader.training.answers import DECISIONS, MOST_FOLDS, MarkedExample, Predictions, folds, marked_example, thresholds


def test_sources_of_one_hand_are_left_out_together() -> None:
    marked = [MarkedExample("r", 0, source, "x") for source in ("ann/plain", "ann/hard", "bo", "cy")]
    assert {"ann/plain", "ann/hard"} in folds(marked)


def test_the_decisions_of_people_are_measured_on_each_other() -> None:
    shipped = load_lab(lab_folder("nlp-frameworks"))
    texts = [f"the rank of update {'x' * number}" for number in range(40)]
    decided = [Example(topic="r", text=text, label="correct", source=DECISIONS) for text in texts]
    marked = [marked_example(one, shipped) for one in decided]
    assert len(folds(marked)) == MOST_FOLDS
    assert marked_example(decided[0], shipped).source == marked[0].source


def measured(probability: list[float], taken: list[int], true: list[int]) -> Predictions:
    labels, given = np.array(true), np.array(taken)
    return Predictions(given, np.array(probability), labels, given == labels, np.zeros(3))


def table(found: Predictions, settings: ShortAnswers, is_natural: bool = True) -> list[float]:
    marked = [MarkedExample("r", int(label), "one", "x") for label in found.true]
    natural = np.full(len(marked), is_natural)
    return [float(one) for one in thresholds(found, marked, ["r"], natural, settings)[0]]


def test_what_is_credited_to_incorrect_answers_raises_only_the_threshold_of_credit() -> None:
    right, wrong = [0.9] * 200 + [0.6] * 200, [0.7] * 100 + [0.8] * 100
    found = measured(right + wrong, [0] * 400 + [0] * 20 + [2] * 180, [0] * 400 + [2] * 200)
    correct, _, incorrect = table(found, ShortAnswers(risk=0.2, credit=0.05, withhold=0.05))
    assert 0.7 < correct <= 0.9, "20 of 200 incorrect ones would be credited below"
    assert incorrect <= 0.7, "nothing is withheld from a correct one"


def test_what_is_withheld_from_correct_answers_raises_only_the_thresholds_that_withhold() -> None:
    found = measured([0.8] * 300 + [0.7] * 40 + [0.9] * 300, [0] * 300 + [2] * 340, [0] * 340 + [2] * 300)
    correct, _, incorrect = table(found, ShortAnswers(risk=0.2, credit=0.05, withhold=0.05))
    assert correct <= 0.8
    assert 0.7 < incorrect <= 0.9


def test_too_few_marked_answers_carry_no_automatic_verdict() -> None:
    found = measured([0.99] * 10, [0] * 5 + [2] * 5, [0] * 5 + [2] * 5)
    assert min(table(found, ShortAnswers())) > 1


def test_no_correct_answer_of_a_class_is_called_incorrect() -> None:
    found = measured([0.9] * 300 + [0.8] + [0.95] * 300, [0] * 300 + [2] * 301, [0] * 301 + [2] * 300)
    assert 0.8 < table(found, ShortAnswers(risk=0.2, credit=0.2, withhold=0.2))[2] <= 0.95
