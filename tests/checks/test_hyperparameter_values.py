"""Found settings against the lab's."""

import pytest

from grader.checks.finding import Flag, Severity
from grader.checks.hyperparameters import FoundValue, mismatches, wanted_of
from grader.reading.document import Evidence
from tests.checks.making import concluded
from tests.claims.making import lab

HERE = Evidence(file="log", quote="q")


def flags(name: str, value: str) -> list[Flag]:
    """What is flagged where one setting was found alone."""
    return concluded(mismatches(wanted_of(lab(), "pretrained"), {name: [FoundValue(value, HERE)]}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("batch_size", "8"),
        ("max_sentences", "8"),
        ("max_epoch", "5"),
        ("num_train_epochs", "5.0"),
        ("lr", "[1e-05]"),
        ("learning_rate", "1e-5"),
        ("lr", "0.00001"),
        ("warmup_updates", "67"),
        ("warmup_updates", "68"),
        ("warmup_updates", "187"),
        ("warmup_ratio", "0.06"),
        ("warmup_steps", "0.06"),
        ("lr_scheduler", "polynomial_decay"),
        ("lr_scheduler_type", "SchedulerType.LINEAR"),
        ("max_positions", "256"),
        ("arch", "roberta_small"),
        ("batch_size", "???"),
        ("max_epoch", "0"),
    ],
)
def test_what_the_lab_asks_for_or_leaves_open(name: str, value: str) -> None:
    assert flags(name, value) == []


@pytest.mark.parametrize(
    ("name", "value", "severity"),
    [
        ("batch_size", "32", Severity.WARNING),
        ("per_device_train_batch_size", "16", Severity.WARNING),
        ("max_epoch", "10", Severity.WARNING),
        ("max_epoch", "3", Severity.INFO),
        ("lr", "5e-05", Severity.WARNING),
        ("warmup_ratio", "0.1", Severity.INFO),
        ("warmup_steps", "0.1", Severity.INFO),
        ("warmup_updates", "500", Severity.INFO),
        ("lr_scheduler_type", "cosine", Severity.INFO),
        ("max_positions", "512", Severity.WARNING),
    ],
)
def test_what_differs_is_flagged(name: str, value: str, severity: Severity) -> None:
    (flag,) = flags(name, value)
    assert (flag.id, flag.severity, flag.evidence) == ("hyperparameter-mismatch", severity, (HERE,))
    assert "asked for" in flag.message


def test_a_batch_may_be_summed_over_steps() -> None:
    found = {
        "per_device_train_batch_size": [FoundValue("4", HERE)],
        "gradient_accumulation_steps": [FoundValue("2", HERE)],
    }
    assert mismatches(wanted_of(lab(), "huggingface"), found) == []


def test_a_value_that_agrees_anywhere_is_enough() -> None:
    assert (
        mismatches(wanted_of(lab(), "pretrained"), {"lr": [FoundValue("0.25", HERE), FoundValue("1e-05", HERE)]}) == []
    )


def test_a_lab_that_says_nothing_asks_for_nothing() -> None:
    silent = lab().model_copy(update={"reruns": ()})
    assert mismatches(wanted_of(silent, "pretrained"), {"batch_size": [FoundValue("77", HERE)]}) == []
