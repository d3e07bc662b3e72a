"""Of which of two things a sentence says something."""

import pytest

from grader.checks.subjects import Subject, subject_of

OWN, OTHERS = ["press"], ["temperat"]


@pytest.mark.parametrize(
    ("sentence", "word", "expected"),
    [
        ("The pressure falls.", "falls", Subject.OWN),
        ("The temperature falls.", "falls", Subject.OTHER),
        ("The temperature rises to the pressure of before, while the pressure slowly falls.", "rises", Subject.OTHER),
        ("The temperature rises to the pressure of before, while the pressure slowly falls.", "falls", Subject.OWN),
        ("The pressure and the temperature both fall.", "fall", Subject.OWN),
        ("The temperature starts low and rises.", "rises", Subject.OTHER),
        ("The pressure starts low and then slowly rises.", "rises", Subject.OWN),
        ("As the temperature changes, the pressure rises.", "rises", Subject.OWN),
        ("When we raise the valve, the pressure stays.", "raise", Subject.UNKNOWN),
        ("The temperature rises and the pressure falls.", "falls", Subject.OWN),
        ("The pressure rises and the temperature falls.", "falls", Subject.OTHER),
        ("The temperature curve and the pressure curve rise.", "rise", Subject.OWN),
        ("Take the second if the gap starts to grow.", "grow", Subject.UNKNOWN),
        ("It falls.", "falls", Subject.OWN),
        ("We see a fall of the pressure.", "fall", Subject.OWN),
    ],
)
def test_the_subject_is_what_its_clause_names(sentence: str, word: str, expected: Subject) -> None:
    assert subject_of(sentence, sentence.index(word), OWN, OTHERS) is expected
