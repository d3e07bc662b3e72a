"""Results that are worked out once."""

from grader.frozen import MOST_REMEMBERED, Frozen, memoise


class Point(Frozen):
    x: int


def test_a_result_is_worked_out_once_for_an_object() -> None:
    asked: list[int] = []

    @memoise
    def doubled(point: Point, times: int = 2) -> int:
        asked.append(point.x)
        return point.x * times

    one, like = Point(x=1), Point(x=1)
    assert [doubled(one), doubled(one), doubled(one, 3), doubled(one, times=3), doubled(like)] == [2, 2, 3, 3, 2]
    assert len(asked) == 4


def test_another_object_never_gets_the_result_of_one_that_is_gone() -> None:
    """Identities are given again once an object is gone."""

    @memoise
    def value(point: Point) -> int:
        return point.x

    assert [value(Point(x=number)) for number in range(500)] == list(range(500))


def test_what_is_remembered_is_bounded() -> None:
    asked: list[int] = []

    @memoise
    def same(number: int) -> int:
        asked.append(number)
        return number

    for number in range(MOST_REMEMBERED + 1):
        same(number)
    same(MOST_REMEMBERED)
    same(0)
    assert asked[-2:] == [MOST_REMEMBERED, 0]
