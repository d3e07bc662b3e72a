"""Numbers beside a measure's name that are nobody's results."""

import pytest

from grader.checks.runner import run_checks
from grader.claims.no_results import is_share_of_data
from grader.lab.files import load_lab, load_truth
from tests.checks.making import answer
from tests.conftest import ROOT

LAB = ROOT / "reference" / "labs" / "digits_cnn"


def status(text: str) -> str:
    lab = load_lab(LAB)
    found = run_checks(answer(f"# Task 2\n\n{text}\n", the_lab=lab), load_truth(LAB), lab).findings
    return next(one.status.value for one in found if one.item == "t2.seeds")


@pytest.mark.parametrize(
    "text",
    [
        "We trained without augmentation with three seeds. Batch size 64, split 70 % / 15 % / 15 %.",
        "We use 80 % of the data for training, 10 % for validation and 10 % for the test.",
        "Nous gardons 20 % des images pour le test, 10 % pour la validation, 70 % pour entraîner, avec trois graines.",
        "The test accuracies of the three seeds are not 95 %, 96 % and 97 %.",
        "For the three seeds the test accuracy did not reach 97.5 %, 98 % and 98.25 %.",
        "Trois graines. La précision de test n'est pas de 97,5 %, 98 % et 98,25 %.",
        "The test accuracy (question 95) was measured with seeds 1, 2 and 3.",
        "Exercise 97.5: test accuracy. Exercise 98.0: seeds. Exercise 98.25: mean",
        "Test accuracy with three seeds\n\nQ12: 64\n\nQ13: 32\n\nQ14: 16",
        "Seeds 42, 43, 44. Test accuracy: see the figure, the y axis goes from 90 to 100 %.",
        "The axis of the test accuracy is labelled 90, 92, 94, 96.",
        "Sur l'axe des ordonnées, la précision de test va de 90, 92, 94 à 96 %.",
        "Test accuracy for three seeds: we expected 97.5, 98.0 and 98.25 % but our runs crashed.",
        "Précision de test pour trois graines : nous espérions 97,5, 98,0 et 98,25 %.",
        "The dropout is 50 %, 25 % and 10 % for three seeds on the test set.",
        "Without augmentation, test: batch sizes 32, 64, 96 for seeds 0, 1 and 2.",
        "Test accuracy over three seeds: epochs 10, 20, 30.",
    ],
)
def test_what_is_no_result_earns_nothing(text: str) -> None:
    assert status(text) in ("missing", "review")


@pytest.mark.parametrize(
    "text",
    [
        "Test accuracies: 97.5 %, 98 % and 98.25 % (mean 97.92, std 0.38).",
        "We expected less, but the test accuracies of the three seeds are 97.5, 98.0 and 98.25 %.",
        "As expected, the three seeds have test accuracies of 97.5, 98.0 and 98.25 %.",
        "The curves (the axis is cut at 90 %) end well: test accuracies of 97.5, 98.0 and 98.25 %.",
    ],
)
def test_what_is_a_result_counts(text: str) -> None:
    assert status(text) == "correct"


def test_a_share_of_the_data() -> None:
    assert is_share_of_data("on 20 % of the images", 5)
    assert not is_share_of_data("is 20 % of what it was", 5)
