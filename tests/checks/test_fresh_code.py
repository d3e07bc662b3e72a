"""Answers in other shapes than those first measured on: precision, recall, and what is told of slips."""

import pytest

from grader.checks.finding import Finding, Status
from tests.generated.fresh import FAMILIES, judged


@pytest.mark.parametrize("item", FAMILIES)
def test_fresh_answers(item: str) -> None:
    every = judged(item)
    given = [one.name for one in every if one.finding.status is Status.CORRECT]
    right = [one.name for one in every if one.kind == "right"]
    print(f"{item}: {len(every)} answers, precision {len({*given} & {*right})}/{len(given)}, recall of {len(right)}")
    assert given == right
    for one in every:
        assert one.finding.evidence or not one.finding.found, one.name


def _found(item: str, name: str) -> Finding:
    return next(one.finding for one in judged(item) if one.name == name)


@pytest.mark.parametrize(
    ("item", "name", "told"),
    [
        ("t6.quantization", "plural", "unknown-argument"),
        ("t6.quantization", "both", "excluded"),
        ("t6.quantization", "dead", "not-reached"),
        ("t6.quantization", "never called", "not-called"),
        ("t6.quantization", "from the command line", "not-followed"),
        ("t7.trainable", "rank 4", "another-rank"),
        ("t7.trainable", "on dense", "another-adapter"),
        ("t7.trainable", "bloom-1b1", "another-model"),
        ("t7.trainable", "all as trainable", "all-as-trainable"),
        ("t7.trainable", "labels swapped", "swapped"),
        ("t8.prompt", "answer first", "order"),
        ("t8.prompt", "in each other's place", "swapped"),
        ("t8.prompt", "no line break, summed", "one-line"),
        ("t8.prompt", "slash", "escaped"),
        ("t8.prompt", "square marks", "marks"),
        ("t8.prompt", "question twice", "repeated"),
        ("t8.prompt", "no answer", "no-value"),
    ],
)
def test_a_slip_is_named(item: str, name: str, told: str) -> None:
    assert told in [one.id for one in _found(item, name).diagnoses]


def test_an_invented_argument_is_told_with_the_near_one_and_the_version() -> None:
    text = _found("t6.quantization", "plural").diagnoses[0].text
    assert "transformers 5." in text
    assert "It has load_in_4bit." in text


@pytest.mark.parametrize("name", ["figures of the 4-bit model today", "figures of the 4-bit model in 2023"])
def test_true_figures_before_the_adapter_are_named(name: str) -> None:
    assert "before the adapter is put in" in _found("t7.trainable", name).feedback


def test_figures_that_other_code_prints_too_are_named_for_a_person() -> None:
    finding = _found("t7.trainable", "nothing trains")
    assert (finding.status, finding.suggestion) == (Status.REVIEW, Status.PARTIAL)
    assert "prepared for training" in finding.feedback


def test_a_share_that_is_a_fraction_costs_nothing_and_is_told() -> None:
    assert "fraction" in _found("t7.trainable", "share as a fraction").feedback
