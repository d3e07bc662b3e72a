"""Yes or no in the question's own words."""

import pytest

from grader.checks.affirmed import affirmed_option
from grader.checks.finding import Status
from grader.lab.definition import Question
from tests.checks.test_basic_checks import judged, lab_with
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
    found = affirmed_option(passage(text), 0, asking(), CHOICES)
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
    found = affirmed_option(passage(text), 0, asking(), CHOICES)
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
    assert affirmed_option(passage(text), 0, asking(), CHOICES) is None


def test_a_question_that_begins_otherwise_is_not_affirmed() -> None:
    asks = "Why has the filter reliably removed the noise from the recording?"
    assert (
        affirmed_option(
            passage("The filter has reliably removed the noise from the recording."), 0, asking(asks), CHOICES
        )
        is None
    )


def test_other_options_are_not_affirmed() -> None:
    text = "The filter has reliably removed the noise from the recording."
    assert affirmed_option(passage(text), 0, asking(), {"a": "mean", "b": "median"}) is None


SUFFICES = "Is the weight alone sufficient for predicting the age? Can you make any other observations on the plot?"
ENOUGH = {"yes": "sufficient", "no": "not sufficient"}


@pytest.mark.parametrize(
    ("text", "option", "is_certain"),
    [
        ("The weight alone is not sufficient for predicting the age.", "no", True),
        ("The weight alone is sufficient for predicting the age.", "yes", True),
        ("The weight alone may not be sufficient for predicting the age.", "no", False),
        ("There are no outliers, so the weight alone is sufficient for predicting the age.", "no", False),
    ],
)
def test_what_an_option_says_may_be_denied(text: str, option: str, *, is_certain: bool) -> None:
    found = affirmed_option(passage(text), 0, asking(SUFFICES), ENOUGH)
    assert found
    assert (found.option, found.is_certain) == (option, is_certain)


@pytest.mark.parametrize("choices", [CHOICES, {"yes": "a problem", "no": "harmless"}])
@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("No.", Status.CORRECT),
        ("No, it is not.", Status.CORRECT),
        ("**No**, since the values are spread, which could be seen.", Status.CORRECT),
        ("No, but it may help.", Status.REVIEW),
        ("No, if the values are few.", Status.REVIEW),
        ("No and yes.", Status.REVIEW),
        ("No value is missing.", Status.REVIEW),
        ("No. 4 is far away.", Status.REVIEW),
        ("Yes, it does.", Status.INCORRECT),
    ],
)
def test_no_is_an_answer_where_a_sign_follows_it(choices: dict[str, str], text: str, status: Status) -> None:
    lab = lab_with("choice", {"choices": choices, "right": [list(choices)[1]]})
    assert judged(lab, f"# Problem 1\n\n{text}\n").status is status
