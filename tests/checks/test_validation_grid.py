from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.checks.validation_grid import looks_like_validation
from grader.claims.accuracy import SeedAccuracy
from grader.reading.evidence import Evidence
from tests.claims.making import lab

VALIDATION_EXAMPLES, TEST_EXAMPLES = 200, 2000


def claims(values: list[Decimal], split: str | None = "test") -> tuple[SeedAccuracy, ...]:
    return tuple(
        SeedAccuracy(
            experiment="pretrained",
            split=split,
            seed=seed,
            value=value,
            resolution=Decimal("0.1"),
            evidence=Evidence(file="report.md", quote=str(value)),
        )
        for seed, value in enumerate(values)
    )


def percent(right: int, examples: int) -> Decimal:
    return Decimal(100) * right / examples


@pytest.mark.parametrize("split", ["test", None])
@given(st.lists(st.integers(0, VALIDATION_EXAMPLES), min_size=3, max_size=5))
def test_accuracies_that_the_validation_set_allows_are_suspected(split: str | None, right: list[int]) -> None:
    values = [percent(one, VALIDATION_EXAMPLES) for one in right]
    assert looks_like_validation(claims(values, split), lab())
    assert not looks_like_validation(claims(values, "valid"), lab())


@given(st.lists(st.integers(0, TEST_EXAMPLES), min_size=3, max_size=5).filter(lambda ns: any(n % 10 for n in ns)))
def test_one_finer_accuracy_clears_them_all(right: list[int]) -> None:
    assert not looks_like_validation(claims([percent(one, TEST_EXAMPLES) for one in right]), lab())


def test_fewer_seeds_than_asked_for_say_nothing() -> None:
    assert not looks_like_validation(claims([Decimal("80.5"), Decimal(81)]), lab())
