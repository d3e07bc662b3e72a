"""Numbers of logs take eight bytes each and are otherwise as tuples."""

import math
from array import array

import pytest
from pydantic import ValidationError

from grader.reading.log import Series
from grader.reading.numbers import Numbers


def test_numbers_are_equal_to_a_tuple_of_them() -> None:
    numbers = Numbers(array("q", (1, 2, 3)))
    assert numbers == (1, 2, 3)
    assert numbers == (1, 2, 3)
    assert numbers == Numbers(array("d", (1, 2, 3)))
    assert numbers != (1, 2)
    assert numbers != [1, 2, 3]
    assert hash(numbers) == hash((1, 2, 3))
    assert (numbers[-1], numbers[1:], numbers.index(2), 3 in numbers, repr(numbers)) == (
        3,
        (2, 3),
        1,
        True,
        "(1, 2, 3)",
    )


def test_nobody_can_change_them() -> None:
    numbers = Numbers(array("q", (1, 2, 3)))
    with pytest.raises(TypeError):
        numbers[0] = 5  # type: ignore[index]


def test_a_series_is_kept_and_written_as_one_of_tuples() -> None:
    series = Series(tag="a", steps=(1, 2), values=(1, math.inf))
    assert (series.steps, series.values, type(series.values[0])) == ((1, 2), (1.0, math.inf), float)
    assert series.model_dump() == {
        "tag": "a",
        "subset": None,
        "steps": (1, 2),
        "values": (1.0, math.inf),
        "wall_times": (),
        "lines": (),
        "cell": None,
    }
    kept = Series(tag="a", steps=(1, 2), values=(0.5, 0.25), lines=(3, 4))
    assert Series.model_validate_json(kept.model_dump_json(exclude_defaults=True)) == kept


def test_steps_may_be_of_any_length() -> None:
    assert Series(tag="a", steps=(10**30,), values=(1,)).steps == (10**30,)


@pytest.mark.parametrize("steps", [("x",), (0.5,), 3, None, "12"])
def test_what_is_no_list_of_numbers_is_refused(steps: object) -> None:
    with pytest.raises(ValidationError):
        Series(tag="a", steps=steps, values=())  # type: ignore[arg-type]
