import pytest

from grader.claims.passage import Passage
from grader.reader.facts import find, number_in
from tests.reader.making import reading

LINES = [
    "The mean is 79,3 % – that’s the",
    "efﬁcient average, ± 0.65 (σ = .65)",
    "lora alpha scales it. N = 22 807 552",
]


@pytest.fixture(scope="module")
def passage() -> Passage:
    return Passage.of(reading(LINES).documents[0])


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("The mean is 79,3 %", True),
        ("that's the efficient average", True),  # another apostrophe, a line break, a ligature
        ("lora_alpha  scales", True),  # what a PDF loses
        ("The mean is 79,4 %", False),
        ("The median is 79,3 %", False),
        ("the mean is 79,3 %", False),
        ("", False),
        ("x" * 500, False),
    ],
)
def test_a_quote_stands_word_for_word(passage: Passage, quote: str, found: bool) -> None:
    assert (find(quote, [passage]) is not None) is found


@pytest.mark.parametrize(
    ("value", "quote", "found"),
    [
        ("79.3", "The mean is 79,3 %", "79.3"),
        ("79.30", "The mean is 79,3 %", "79.3"),
        (".65", "(σ = .65)", "0.65"),
        ("22,807,552", "N = 22 807 552", "22807552"),
        ("79.4", "The mean is 79,3 %", None),
        ("9.3", "The mean is 79,3 %", None),
        ("3", "The mean is 79,3 %", None),
        ("807", "N = 22 807 552", None),
        ("about eighty", "The mean is 79,3 %", None),
    ],
)
def test_a_number_is_in_its_quote_whole(passage: Passage, value: str, quote: str, found: str | None) -> None:
    place = find(quote, [passage])
    assert place is not None
    number = number_in(value, place)
    assert (None if number is None else f"{number.value.normalize():f}") == found


def test_the_evidence_is_the_place_found(passage: Passage) -> None:
    place = find("N = 22 807 552", [passage])
    assert place is not None
    assert (place.evidence.line, place.text) == (3, "N = 22 807 552")
