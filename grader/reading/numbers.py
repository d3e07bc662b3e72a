"""Sequences of numbers for logs, which may hold a million of them: immutable as tuples are, and 8 bytes a number."""

from array import array
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, TypeVar, overload

from pydantic import PlainSerializer, ValidatorFunctionWrapHandler, WrapValidator

Number = TypeVar("Number", int, float)


class Numbers(Sequence[Number]):
    """The numbers of an array, which nobody may change any more. Equal to a tuple of the same numbers."""

    __slots__ = ("_numbers",)

    def __init__(self, numbers: "array[Number]") -> None:
        self._numbers: array[Number] = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Number]:
        return iter(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Number: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Number, ...]: ...
    def __getitem__(self, index: int | slice) -> Number | tuple[Number, ...]:
        return tuple(self._numbers[index]) if isinstance(index, slice) else self._numbers[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Numbers):
            return self is other or self._numbers == other._numbers
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


def _packed(code: str) -> WrapValidator:
    """Keep the numbers of a field as `Numbers`."""

    def packed(value: Any, validated: ValidatorFunctionWrapHandler) -> Sequence[Any]:
        if isinstance(value, Numbers):
            return value
        numbers = validated(value)
        try:
            return Numbers(array(code, numbers))
        except OverflowError:  # a text may hold a step of any length
            return tuple(numbers)

    return WrapValidator(packed)


Integers = Annotated[Sequence[int], _packed("q"), PlainSerializer(tuple)]
Reals = Annotated[Sequence[float], _packed("d"), PlainSerializer(tuple)]
