"""Yes or no in the question's own words."""

import pytest

from grader.checks.affirmed import affirmed
from grader.lab.definition import Question
from tests.claims.making import passage

ASKED = "Would you say that the filter has reliably removed the noise from the recording? Give your reasons."
CHOICES = {"a": "yes", "b": "no"}
ITEM = {"id": "q2.a", "title": "It has", "points": 1, "check": "by-hand"}


def asking(asks: str = ASKED) -> Question:
    return Question.model_validate(
        {"id": "q2", "title": "The filter", "labels": ["question 2"], "asks": asks, "items": [ITEM]}
    )


@pytest.mark.parametrize(
    "text",
    [
        "The filter has reliably removed the noise from the recording.",
        "The noise is at 2 %. I would say that the filter reliably removed the noise from the recording.",
        "The filter has reliably removed the noise from the recording, but it is slow.",
    ],
)
def test_a_sentence_that_affirms_the_question_says_yes(text: str) -> None:
    found = affirmed(passage(text), 0, asking(), CHOICES)
    assert found
    assert found.option == "a"
    assert found.is_certain


@pytest.mark.parametrize(
    "text",
    [
        "The filter has not reliably removed the noise from the recording.",
        "The filter has hardly removed the noise from the recording reliably.",
    ],
)
def test_a_denial_says_no_and_a_person_looks(text: str) -> None:
    found = affirmed(passage(text), 0, asking(), CHOICES)
    assert found
    assert found.option == "b"
    assert not found.is_certain


@pytest.mark.parametrize(
    "text",
    [
        "Has the filter reliably removed the noise from the recording?",
        "The filter may have reliably removed the noise from the recording.",
        "If the filter has reliably removed the noise from the recording, the error is small.",
        "The filter has reliably removed the noise, but from the recording it did not remove the hum.",
        "The filter is a moving average.",
        "The filter reliably removed the noise from the recording. It has not removed the noise of the recording.",
    ],
)
def test_what_asks_doubts_or_says_something_else_chooses_nothing(text: str) -> None:
    assert affirmed(passage(text), 0, asking(), CHOICES) is None


def test_a_question_that_begins_otherwise_is_not_affirmed() -> None:
    asks = "Why has the filter reliably removed the noise from the recording?"
    assert (
        affirmed(passage("The filter has reliably removed the noise from the recording."), 0, asking(asks), CHOICES)
        is None
    )


def test_other_options_are_not_affirmed() -> None:
    text = "The filter has reliably removed the noise from the recording."
    assert affirmed(passage(text), 0, asking(), {"a": "mean", "b": "median"}) is None
