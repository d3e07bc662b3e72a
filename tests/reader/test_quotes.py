"""What a reader quotes is found again in the text, word for word and number for number."""

import json

import pytest

from grader.claims.passage import Passage
from grader.lab.files import lab_folder, load_lab
from grader.pipeline.one import extract_claims
from grader.reader.answer import parse_answer
from grader.reader.consulted import find, found_again, number_in
from grader.reader.request import instruction
from tests.reader.making import reading

LINES = [
    "The mean is 79,3 % – that’s the",
    "efﬁcient average, ± 0.65 (σ = .65)",
    "lora alpha scales it. N = 22 807 552",
]


@pytest.fixture(scope="module")
def passage() -> Passage:
    return Passage.from_document(reading(LINES).documents[0])


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


def test_results_of_any_measure_and_split_are_found_again() -> None:
    """The reader is asked for what the lab measures, and its values are no percentages."""
    folder = lab_folder("diabetes-regression")
    lab = load_lab(folder)
    r2 = lab.measures[0].model_copy(update={"id": "r2", "title": "R²", "words": ("R²",), "range": None})
    both = lab.model_copy(update={"measures": (*lab.measures, r2)})
    asked = instruction(both)
    assert "every reported RMSE or R² and statistic" in asked
    assert '"measure": "rmse" | "r2"' in asked
    assert '"ridge": 5' in asked
    assert "how many folds' results" in asked
    assert "accurac" not in asked
    lines = ["The folds gave", "an RMSE of 0.54 and 0.56 on the held-out part", "and R² 0.41 and 0.43 there"]
    places = (
        ("rmse", "0.54", lines[1]),
        ("rmse", "0.56", lines[1]),
        ("r2", "0.41", lines[2]),
        ("r2", "0.43", lines[2]),
    )
    read = {
        "results": [
            {"experiment": "ridge", "split": "held-out", "seed": None, "moment": "unstated", "statistic": "value"}
            | {"measure": measure, "value": value, "as": "number", "quote": quote, "line": 2}
            for measure, value, quote in places
        ]
    }
    found = found_again(parse_answer(json.dumps(read)), extract_claims(reading(lines), both), both).answer.results
    told = [(one.measure, one.split, str(one.value)) for one in found.seeds]
    assert told == [(measure, "held-out", value) for measure, value, _ in places]
