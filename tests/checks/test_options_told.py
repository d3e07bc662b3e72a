"""Options that an answer puts in two lists, says to be true or false one by one, or explains."""

import pytest

from grader.checks.finding import Status
from tests.checks.test_sizes_asked import found

BOTH = {
    "choices": {"1": "the weights", "2": "the biases", "3": "the means", "4": "the inputs", "5": "the labels"},
    "right": ["1", "2", "3"],
    "lists": {"chosen": ["change", "modifi"], "left": ["not change", "unchanged", "inchang"]},
}
WHY = {
    "choices": {"a": "dropout", "b": "batch normalisation", "c": "weight decay"},
    "right": ["b"],
    "because": [["running", "moyenne mobile"]],
}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Change: 1 2 3 / Not change: 4 5", Status.CORRECT),
        ("Not change: 4 5 Change: 1 2 3", Status.CORRECT),
        ("1, 2 and 3 change; 4 and 5 do not change.", Status.CORRECT),
        ("Changent : 1, 2, 3. Ne changent pas : 4, 5", Status.CORRECT),
        ("1, 2 et 3 changent, 4 et 5 ne changent pas", Status.CORRECT),
        ("- Change: the weights (1), the biases (2), the means (3)\n- Not change: the inputs (4)", Status.CORRECT),
        ("1) changes 2) changes 3) changes 4) unchanged 5) unchanged", Status.CORRECT),
        ("1. True\n2. True\n3. True\n4. False\n5. False", Status.CORRECT),
        ("1: V, 2: V, 3: V, 4: F, 5: F", Status.CORRECT),
        ("1: yes because it moves\n2: yes\n3: yes\n4: no, it stays\n5: no", Status.CORRECT),
        ("Change: 1, 2. Not change: 3, 4, 5", Status.PARTIAL),
        ("Change: 4 5 / Not change: 1 2 3", Status.INCORRECT),
        ("Not change: 1 2 3 Change: 4 5", Status.INCORRECT),
        ("1. False\n2. False\n3. False\n4. True\n5. True", Status.INCORRECT),
        ("Change: 1 2 3 4 5\nNot change: 4 5", Status.REVIEW),
        ("Not change: 4 5", Status.REVIEW),
        ("Change: 1 2 3 4 5", Status.REVIEW),
        ("1. yes 2. yes 3. not sure 4. no 5. no", Status.REVIEW),
        ("1: true, 2: true, 3: true, 4: false, 5: false. Or rather 4.", Status.REVIEW),
        ("None change", Status.REVIEW),
    ],
)
def test_each_option_is_in_one_of_two_lists(text: str, status: Status) -> None:
    assert found("choice", BOTH, text).status is status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("b) because it keeps running statistics.", Status.CORRECT),
        ("b) elle garde une moyenne mobile.", Status.CORRECT),
        ("b", Status.PARTIAL),
        ("Batch normalisation.", Status.PARTIAL),
        ("a) because of the running statistics", Status.INCORRECT),
        ("Batch normalisation, since it uses the population instead of the mini-batch at that time.", Status.REVIEW),
        ("b) it keeps no running statistics", Status.REVIEW),
    ],
)
def test_a_choice_may_have_to_be_explained(text: str, status: Status) -> None:
    assert found("choice", WHY, text).status is status
