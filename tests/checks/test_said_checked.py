"""A check of the count that is said in words."""

import pytest

from grader.checks.finding import Status
from tests.checks.making import answer, code, decide

COUNT = "# Question 1\n\nIn total 22,807,552 parameters.\n\n"


@pytest.mark.parametrize(
    "sentence",
    [
        "It corresponds to the result that we obtained numerically.",
        "This matches what our script printed.",
        "We confirmed it with PyTorch.",
        "Cela correspond au résultat obtenu numériquement.",
        "Le programme affiche un total identique.",
        "On retrouve cette valeur avec le code.",
    ],
)
def test_words_are_evidence(sentence: str) -> None:
    finding, _ = decide("t1.verified", answer(COUNT + sentence))
    assert (finding.status, finding.found) == (Status.PARTIAL, "22807552")
    assert sentence in finding.evidence[0].quote
    counted, _ = decide(
        "t1.verified", answer(COUNT + sentence, [code("n = sum(p.numel() for p in model.parameters())")])
    )
    assert (counted.status, counted.suggestion) == (Status.REVIEW, Status.CORRECT)


def test_the_same_number_is_the_one_that_code_gives() -> None:
    finding, _ = decide("t1.verified", answer(COUNT + "A loop over named_parameters() gives the same number."))
    assert (finding.status, finding.found) == (Status.CORRECT, "22807552")


@pytest.mark.parametrize(
    "sentence",
    [
        "It does not correspond to the result that we obtained numerically.",
        "It should match the output of the code.",
        "Does it match what the script prints?",
        "The layers correspond to those of the paper.",
        "We use the same model as in the notebook.",
        "Cela ne correspond pas au résultat du programme.",
    ],
)
def test_what_is_denied_hoped_or_of_something_else_is_none(sentence: str) -> None:
    finding, _ = decide("t1.verified", answer(COUNT + sentence))
    assert (finding.status in (Status.MISSING, Status.REVIEW), finding.suggestion) == (True, None)


def test_a_wrong_count_is_not_verified_by_words() -> None:
    text = "# Question 1\n\nIn total 23,999,999 parameters. It corresponds to the result that we obtained numerically."
    assert decide("t1.verified", answer(text))[0].status in (Status.MISSING, Status.REVIEW)
